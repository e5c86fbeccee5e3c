import { expect, test } from "vitest";
import { createRates, type LimitModel } from "../../../local/workspace/rates.ts";
import { call, manualTime, NEWSROOM, open, post } from "./bench.ts";

function edits(model: LimitModel) {
  const time = manualTime();
  const rates = createRates(model, time.now);
  const edit = () => rates.take({ method: "chat.update", channel: NEWSROOM });
  const refusals = (count: number) => Array.from({ length: count }, edit).filter((one) => one !== undefined);
  return { time, edit, refusals };
}

test("the window takes 50 edits in any 60 seconds and says when the oldest leaves it", () => {
  const { time, edit, refusals } = edits("window");
  expect(refusals(20)).toEqual([]);
  time.pass(30_000);
  expect(refusals(30)).toEqual([]);
  expect(edit()).toBe(30);
  time.pass(29_500);
  expect(edit()).toBe(1);
  time.pass(500);
  expect(refusals(20)).toEqual([]);
  expect(edit()).toBe(30);
});

test("the bucket takes 50 edits at once and then one every 1.2 seconds", () => {
  const { time, edit, refusals } = edits("bucket");
  expect(refusals(50)).toEqual([]);
  expect(edit()).toBe(2);
  time.pass(1199);
  expect(edit()).toBe(1);
  time.pass(1);
  expect(edit()).toBeUndefined();
  expect(edit()).toBe(2);
  time.pass(600_000);
  expect(refusals(51)).toEqual([2]);
});

test("limits of channels alone leave the workspace as a whole without one", () => {
  const rates = createRates("channels", manualTime().now);
  const wait = (channel: string) => rates.take({ method: "chat.postMessage", channel });
  expect(Array.from({ length: 400 }, (_, index) => wait(`C${index % 40}`)).filter(Boolean)).toEqual([]);
  expect(wait("C1")).toBe(1);
  expect(Array.from({ length: 60 }, () => rates.take({ method: "chat.update", channel: "C1" }))).not.toContain(1);
});

test("refused calls do not use the limit up", () => {
  const { time, refusals } = edits("window");
  expect(refusals(500)).toHaveLength(450);
  time.pass(60_000);
  expect(refusals(50)).toEqual([]);
});

test("without limits nothing is refused", () => {
  expect(edits("off").refusals(1000)).toEqual([]);
});

test.each<LimitModel>(["window", "bucket"])("posts into one channel run at one a second after ten (%s)", (model) => {
  const time = manualTime();
  const rates = createRates(model, time.now);
  const into = (channel: string) => rates.take({ method: "chat.postMessage", channel });
  expect(Array.from({ length: 10 }, () => into("C1"))).toEqual(Array.from({ length: 10 }));
  expect(into("C1")).toBe(1);
  expect(into("C2")).toBeUndefined();
  time.pass(1000);
  expect(into("C1")).toBeUndefined();
  expect(into("C1")).toBe(1);
});

test("posts of the whole workspace end at 300 a minute", () => {
  const time = manualTime();
  const rates = createRates("window", time.now);
  const into = (at: number) => rates.take({ method: "chat.postMessage", channel: `C${at % 40}` });
  expect(Array.from({ length: 300 }, (_, at) => into(at)).every((one) => one === undefined)).toBe(true);
  expect(into(300)).toBe(60);
});

test("methods do not share their limits", () => {
  const { refusals } = edits("window");
  expect(refusals(51)).toEqual([60]);
  const rates = createRates("window", () => 0);
  for (let at = 0; at < 51; at += 1) rates.take({ method: "chat.update", channel: "" });
  expect(rates.take({ method: "chat.delete", channel: "" })).toBeUndefined();
});

test("a call over the limit is answered with 429 and Retry-After, and is not carried out", async () => {
  const time = manualTime();
  const workspace = await open({ now: time.now });
  const ts = await post(workspace);
  for (let at = 0; at < 50; at += 1)
    await call(workspace, "chat.update", { channel: NEWSROOM, ts, text: `edit ${at}` });
  time.pass(15_000);
  const refused = await call(workspace, "chat.update", { channel: NEWSROOM, ts, text: "one too many" });
  expect(refused).toMatchObject({ status: 429, retryAfter: "45", ok: false, error: "ratelimited" });
  expect(workspace.messages(NEWSROOM).at(-1)?.text).toBe("edit 49");
  expect(workspace.calls.at(-1)?.outcome).toBe("429");
});
