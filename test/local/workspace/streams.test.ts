import { expect, test } from "vitest";
import { call, connect, DIRECT, MANIFEST, manualTime, NEWSROOM, open } from "./bench.ts";
import type { Workspace, WorkspaceOptions } from "../../../local/workspace/server.ts";

const chunk = (text: string) => ({ type: "markdown_text", text });

async function asked(options: Partial<WorkspaceOptions> = {}): Promise<[Workspace, Record<string, unknown>]> {
  const workspace = await open(options);
  const { ts } = await workspace.say({ channel: DIRECT, text: "what moved?" });
  return [workspace, { channel: DIRECT, thread_ts: ts }];
}

test("a stream grows in place and ends with its last blocks", async () => {
  const [workspace, place] = await asked();
  const { ts } = await call(workspace, "chat.startStream", { ...place, markdown_text: "**Oil** " });
  await call(workspace, "chat.appendStream", { channel: DIRECT, ts, chunks: [chunk("rose")] });
  const message = () => workspace.messages(DIRECT).find((one) => one.ts === ts);
  expect(message()).toMatchObject({ streaming: true, blocks: [{ type: "markdown", text: "**Oil** rose" }] });
  await call(workspace, "chat.stopStream", { channel: DIRECT, ts, markdown_text: ".", blocks: [{ type: "divider" }] });
  expect(message()).toMatchObject({ text: "**Oil** rose.", blocks: [{ type: "markdown" }, { type: "divider" }] });
  expect(message()).not.toHaveProperty("streaming");
});

test("a task changes where it stands, a plan stays on top", async () => {
  const [workspace, place] = await asked();
  const task = { type: "task_update", id: "t1", title: "Search", status: "in_progress" };
  const { ts } = await call(workspace, "chat.startStream", { ...place, chunks: [task, chunk("…")] });
  const chunks = [
    { ...task, status: "complete", output: "12 found" },
    { type: "plan_update", title: "Plan" },
  ];
  await call(workspace, "chat.appendStream", { channel: DIRECT, ts, chunks });
  const blocks = workspace.messages(DIRECT).find((one) => one.ts === ts)?.blocks;
  expect(blocks).toMatchObject([
    { type: "plan", title: "Plan" },
    { type: "task_card", task_id: "t1", status: "complete" },
    { type: "markdown", text: "…" },
  ]);
});

test("the SDK's own chat stream works against the workspace", async () => {
  const [workspace, place] = await asked();
  const app = await connect(workspace, () => {});
  const stream = app.client.chatStream({ channel: DIRECT, thread_ts: String(place["thread_ts"]), buffer_size: 1 });
  await stream.append({ markdown_text: "one " });
  await stream.append({ markdown_text: "two" });
  await stream.stop();
  expect(workspace.messages(DIRECT).at(-1)).toMatchObject({ text: "one two", bot_id: workspace.ids.bot });
});

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
  const time = manualTime();
  const [workspace, place] = await asked({ now: time.now, after: time.after });
  const { ts } = await call(workspace, "chat.startStream", { ...place, markdown_text: "x" });
  time.pass(300_001);
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

test("a status shows until the app answers in its thread", async () => {
  const [workspace, place] = await asked();
  const thread_ts = String(place["thread_ts"]);
  const status = { channel_id: DIRECT, thread_ts, status: "is reading…" };
  await call(workspace, "assistant.threads.setStatus", status);
  expect(workspace.state().statuses).toEqual([{ channel: DIRECT, thread_ts, status: "is reading…" }]);
  await call(workspace, "chat.postMessage", { channel: DIRECT, thread_ts, text: "done" });
  expect(workspace.state().statuses).toEqual([]);
});

test("a session shows until the app ends it, whatever it posts meanwhile", async () => {
  const [workspace, place] = await asked();
  const thread_ts = String(place["thread_ts"]);
  const set = (status: string) =>
    call(workspace, "agents.sessions.setStatus", { channel_id: DIRECT, thread_ts, status });
  expect(await set("processing")).toMatchObject({ agent_status: "processing" });
  await call(workspace, "chat.postMessage", { channel: DIRECT, thread_ts, text: "so far" });
  expect(workspace.state().statuses).toEqual([{ channel: DIRECT, thread_ts, status: "is thinking…", canStop: true }]);
  await set("active");
  expect(workspace.state().statuses).toEqual([]);
  expect(await set("busy")).toMatchObject({ error: "invalid_arguments" });
});

test("a person can stop a session that is at work, and its streams, and nothing else", async () => {
  const [workspace, place] = await asked();
  const thread_ts = String(place["thread_ts"]);
  const stop = () => workspace.stopSession({ channel: DIRECT, thread_ts });
  await expect(stop()).rejects.toThrow("session_not_found");
  await call(workspace, "assistant.threads.setStatus", { channel_id: DIRECT, thread_ts, status: "is reading…" });
  await expect(stop()).rejects.toThrow("session_not_found");
  await call(workspace, "agents.sessions.setStatus", { channel_id: DIRECT, thread_ts, status: "processing" });
  const { ts } = await call(workspace, "chat.startStream", { ...place, markdown_text: "x" });
  await stop();
  // Slack leaves it to the app to say that it has stopped.
  expect(workspace.state().statuses).toHaveLength(1);
  const late = await call(workspace, "chat.appendStream", { channel: DIRECT, ts, markdown_text: "y" });
  expect(late).toMatchObject({ error: "message_not_in_streaming_state" });
});

test("an app that does not hear of it is warned, and nobody can stop its session", async () => {
  const [workspace, place] = await asked({ manifest: MANIFEST.replace("      - agent_session_stopped\n", "") });
  const thread_ts = String(place["thread_ts"]);
  const set = { channel_id: DIRECT, thread_ts, status: "processing" };
  expect(await call(workspace, "agents.sessions.setStatus", set)).toMatchObject({
    warning: "missing_agent_session_stopped_event_subscription",
  });
  expect(workspace.state().statuses).toEqual([{ channel: DIRECT, thread_ts, status: "is thinking…" }]);
  await expect(workspace.stopSession({ channel: DIRECT, thread_ts })).rejects.toThrow("session_not_found");
});

test("the app hears who stopped which session", async () => {
  const [workspace, place] = await asked();
  const heard: unknown[] = [];
  await connect(workspace, (app) => app.event("agent_session_stopped", async ({ event }) => void heard.push(event)));
  const thread_ts = String(place["thread_ts"]);
  await call(workspace, "agents.sessions.setStatus", { channel_id: DIRECT, thread_ts, status: "processing" });
  const { ts } = await call(workspace, "chat.startStream", { ...place, markdown_text: "x" });
  await workspace.stopSession({ channel: DIRECT, thread_ts });
  expect(heard).toMatchObject([
    { channel: DIRECT, thread_ts, user: workspace.me, streaming_message_ts: [ts], event_ts: expect.any(String) },
  ]);
});
