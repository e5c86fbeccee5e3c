import { describe, expect, test } from "vitest";
import { createClock } from "../../../support/clock.ts";
import { call, connect, DIRECT, MANIFEST, NEWSROOM, open, type OpenOptions } from "../support.ts";
import type { Workspace } from "../../../../local/workspace/server.ts";

async function asked(options: OpenOptions = {}): Promise<[Workspace, Record<string, unknown>]> {
  const workspace = await open(options);
  const { ts } = await workspace.say({ channel: DIRECT, text: "what moved?" });
  return [workspace, { channel: DIRECT, thread_ts: ts }];
}

test("outside direct messages a stream names its reader", async () => {
  const [workspace] = await asked();
  const { ts: thread_ts } = await workspace.say({ channel: NEWSROOM, text: "and here?" });
  const place = { channel: NEWSROOM, thread_ts, markdown_text: "x" };
  const team = { recipient_team_id: workspace.ids.team };
  const start = async (args: object) => (await call(workspace, "chat.startStream", { ...place, ...args }))["error"];
  expect(await start({})).toBe("missing_recipient_team_id");
  expect(await start(team)).toBe("missing_recipient_user_id");
  expect(await start({ ...team, recipient_user_id: workspace.me })).toBeUndefined();
});

test("a live stream takes no edit, a stopped one no more text", async () => {
  const [workspace, place] = await asked();
  const { ts } = await call(workspace, "chat.startStream", { ...place, markdown_text: "x" });
  const at = { channel: DIRECT, ts };
  expect(await call(workspace, "chat.update", { ...at, text: "y" })).toMatchObject({
    error: "streaming_state_conflict",
  });
  await call(workspace, "chat.stopStream", at);
  const more = await call(workspace, "chat.appendStream", { ...at, markdown_text: "y" });
  expect(more["error"]).toBe("message_not_in_streaming_state");
  expect(await call(workspace, "chat.update", { ...at, text: "y" })).toMatchObject({ ok: true });
});

test("a stream dies after five minutes and can then be edited", async () => {
  const time = createClock();
  const [workspace, place] = await asked({ clock: time });
  const { ts } = await call(workspace, "chat.startStream", { ...place, markdown_text: "x" });
  await time.advance(300_001);
  const late = await call(workspace, "chat.appendStream", { channel: DIRECT, ts, markdown_text: "y" });
  expect(late["error"]).toBe("message_not_in_streaming_state");
  expect(await call(workspace, "chat.update", { channel: DIRECT, ts, text: "y" })).toMatchObject({ ok: true });
});

test.each([
  ["an unknown chunk", { chunks: [{ type: "noise" }] }, "invalid_chunks"],
  ["a task without status", { chunks: [{ type: "task_update", id: "1", title: "x" }] }, "invalid_chunks"],
  ["more than 12,000 characters in all", { markdown_text: "x".repeat(12_000) }, "msg_too_long"],
  ["nothing", {}, "no_text"],
])("a stream refuses %s", async (_name, args, error) => {
  const [workspace, place] = await asked();
  const { ts } = await call(workspace, "chat.startStream", { ...place, markdown_text: "x" });
  expect(await call(workspace, "chat.appendStream", { channel: DIRECT, ts, ...args })).toMatchObject({ error });
});

describe("a session", () => {
  async function begun(manifest = MANIFEST) {
    const [workspace, place] = await asked({ manifest });
    const at = { channel: DIRECT, thread_ts: String(place["thread_ts"]) };
    const set = (status: string) =>
      call(workspace, "agents.sessions.setStatus", { channel_id: DIRECT, thread_ts: at.thread_ts, status });
    return { workspace, at, set, stop: () => workspace.stopSession(at) };
  }

  test("can be stopped with its streams by a person, and the app is told", async () => {
    const { workspace, at, set, stop } = await begun();
    const heard: unknown[] = [];
    await connect(workspace, (app) => app.event("agent_session_stopped", async ({ event }) => void heard.push(event)));
    await expect(stop()).rejects.toThrow("session_not_found");
    const { channel: channel_id, thread_ts } = at;
    await call(workspace, "assistant.threads.setStatus", { channel_id, thread_ts, status: "is reading…" });
    await expect(stop()).rejects.toThrow("session_not_found");
    await set("processing");
    const { ts } = await call(workspace, "chat.startStream", { ...at, markdown_text: "x" });
    await stop();
    expect(heard).toMatchObject([
      { ...at, user: workspace.me, streaming_message_ts: [ts], event_ts: expect.any(String) },
    ]);
    // Slack leaves it to the app to say that it has stopped.
    expect(workspace.state().statuses).toHaveLength(1);
    const late = await call(workspace, "chat.appendStream", { channel: DIRECT, ts, markdown_text: "y" });
    expect(late).toMatchObject({ error: "message_not_in_streaming_state" });
  });
});
