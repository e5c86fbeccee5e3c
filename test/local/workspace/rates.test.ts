import { expect, test } from "vitest";
import { createRates, type LimitModel } from "../../../local/workspace/rates.ts";
import { createClock } from "../../support/clock.ts";
import { call, NEWSROOM, open, post } from "./support.ts";

function edits(model: LimitModel) {
  const time = createClock();
  const rates = createRates(model, () => time.now());
  const edit = () => rates.take({ method: "chat.update", channel: NEWSROOM });
  const refusals = (count: number) => Array.from({ length: count }, edit).filter((one) => one !== undefined);
  return { time, edit, refusals };
}

test("the window takes 50 edits in any 60 seconds and says when the oldest leaves it", async () => {
  const { time, edit, refusals } = edits("window");
  expect(refusals(20)).toEqual([]);
  await time.advance(30_000);
  expect(refusals(30)).toEqual([]);
  expect(edit()).toBe(30);
  await time.advance(29_500);
  expect(edit()).toBe(1);
  await time.advance(500);
  expect(refusals(20)).toEqual([]);
  expect(edit()).toBe(30);
});

test("the bucket takes 50 edits at once and then one every 1.2 seconds", async () => {
  const { time, edit, refusals } = edits("bucket");
  expect(refusals(50)).toEqual([]);
  expect(edit()).toBe(2);
  await time.advance(1199);
  expect(edit()).toBe(1);
  await time.advance(1);
  expect(edit()).toBeUndefined();
  expect(edit()).toBe(2);
  await time.advance(600_000);
  expect(refusals(51)).toEqual([2]);
});

test.each<LimitModel>(["window", "bucket"])(
  "posts into one channel run at one a second after ten (%s)",
  async (model) => {
    const time = createClock();
    const rates = createRates(model, () => time.now());
    const into = (channel: string) => rates.take({ method: "chat.postMessage", channel });
    expect(Array.from({ length: 10 }, () => into("C1"))).toEqual(Array.from({ length: 10 }));
    expect(into("C1")).toBe(1);
    expect(into("C2")).toBeUndefined();
    await time.advance(1000);
    expect(into("C1")).toBeUndefined();
    expect(into("C1")).toBe(1);
  },
);

test("posts of the whole workspace end at 300 a minute", async () => {
  const time = createClock();
  const rates = createRates("window", () => time.now());
  const into = (at: number) => rates.take({ method: "chat.postMessage", channel: `C${at % 40}` });
  expect(Array.from({ length: 300 }, (_, at) => into(at)).every((one) => one === undefined)).toBe(true);
  expect(into(300)).toBe(60);
});

test("a call over the limit is answered with 429 and Retry-After, and is not carried out", async () => {
  const time = createClock();
  const workspace = await open({ clock: time });
  const ts = await post(workspace);
  for (let at = 0; at < 50; at += 1)
    await call(workspace, "chat.update", { channel: NEWSROOM, ts, text: `edit ${at}` });
  await time.advance(15_000);
  const refused = await call(workspace, "chat.update", { channel: NEWSROOM, ts, text: "one too many" });
  expect(refused).toMatchObject({ status: 429, retryAfter: "45", ok: false, error: "ratelimited" });
  expect(workspace.messages(NEWSROOM).at(-1)?.text).toBe("edit 49");
  expect(workspace.calls.at(-1)?.outcome).toBe("429");
});
