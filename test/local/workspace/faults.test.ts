import { expect, test } from "vitest";
import { call, NEWSROOM, open } from "./support.ts";

const say = { channel: NEWSROOM, text: "hello" };

test.each([
  ["internal_error", 200, "internal_error"],
  ["channel_is_limited_access", 200, "channel_is_limited_access"],
  ["http_500", 500, undefined],
])("a call meets %s once and is not carried out", async (outcome, status, error) => {
  const workspace = await open();
  const before = workspace.messages(NEWSROOM).length;
  workspace.fail({ method: "chat.postMessage", outcome });
  const first = await call(workspace, "chat.postMessage", say);
  expect([first.status, first["ok"], first["error"]]).toEqual([status, false, error]);
  expect(workspace.messages(NEWSROOM)).toHaveLength(before);
  expect(await call(workspace, "chat.postMessage", say)).toMatchObject({ ok: true });
  expect(workspace.calls.map((one) => one.outcome)).toEqual([outcome, "ok"]);
});

test("a 429 says how long to wait, as often as asked", async () => {
  const workspace = await open();
  workspace.fail({ method: "chat.postMessage", outcome: "ratelimited", retryAfter: 7, times: 2 });
  const calls = [1, 2, 3].map(() => call(workspace, "chat.postMessage", say));
  const answers = await Promise.all(calls);
  expect(answers.map((one) => [one.status, one.retryAfter])).toEqual([
    [429, "7"],
    [429, "7"],
    [200, null],
  ]);
});

test("a cut connection leaves the message posted", async () => {
  const workspace = await open();
  workspace.fail({ method: "chat.postMessage", outcome: "accept_then_cut" });
  await expect(call(workspace, "chat.postMessage", say)).rejects.toThrow("fetch failed");
  expect(workspace.messages(NEWSROOM).at(-1)?.text).toBe("hello");
  expect(workspace.calls.map((one) => one.outcome)).toEqual(["accept_then_cut"]);
});

test("a call that times out is carried out but never answered", async () => {
  const workspace = await open();
  workspace.fail({ method: "chat.postMessage", outcome: "timeout" });
  const abort = new AbortController();
  const body = new URLSearchParams({ ...say, token: workspace.botToken });
  const answer = fetch(`${workspace.apiUrl}chat.postMessage`, { method: "POST", body, signal: abort.signal });
  await workspace.until(() => workspace.calls.length === 1);
  abort.abort();
  await expect(answer).rejects.toThrow("aborted");
  expect(workspace.messages(NEWSROOM).at(-1)?.text).toBe("hello");
});

test("a share of the calls meets a permanent fault, drawn so that a run can be repeated", async () => {
  const outcomes = async () => {
    let lot = 0;
    const workspace = await open({ limits: "off", draw: () => (lot++ % 10) / 10 });
    workspace.fail({ method: "chat.*", outcome: "internal_error", share: 0.25 });
    workspace.fail({ method: "chat.*", outcome: "http_500", share: 0.25 });
    for (let index = 0; index < 10; index++) await call(workspace, "chat.postMessage", say);
    workspace.heal();
    await call(workspace, "chat.postMessage", say);
    return workspace.calls.map(({ outcome }) => outcome);
  };
  const first = await outcomes();
  expect(first.slice(0, 10).filter((outcome) => outcome !== "ok").length).toBe(5);
  expect(new Set(first)).toEqual(new Set(["ok", "internal_error", "http_500"]));
  expect(first.at(-1)).toBe("ok");
  expect(await outcomes()).toEqual(first);
});
