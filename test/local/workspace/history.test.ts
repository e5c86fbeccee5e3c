import { expect, test } from "vitest";
import { call, NEWSROOM, open, post } from "./bench.ts";
import type { Workspace } from "../../../local/workspace/server.ts";

async function texts(workspace: Workspace, method: string, args: Record<string, unknown>): Promise<[string[], string]> {
  const answer = await call(workspace, method, { channel: NEWSROOM, ...args });
  const messages = Array.isArray(answer["messages"]) ? answer["messages"] : [];
  const { next_cursor: cursor } = { next_cursor: "", ...Object(answer["response_metadata"]) };
  return [messages.map((one) => String(one.text)), String(cursor)];
}

test("history comes newest first, page by page, without replies and ephemerals", async () => {
  const workspace = await open();
  const first = await post(workspace, { text: "one" });
  await post(workspace, { text: "reply", thread_ts: first });
  await call(workspace, "chat.postEphemeral", { channel: NEWSROOM, user: workspace.me, text: "psst" });
  await post(workspace, { text: "two" });
  await post(workspace, { text: "three", thread_ts: first, reply_broadcast: true });
  const [page, cursor] = await texts(workspace, "conversations.history", { limit: 2, oldest: first, inclusive: true });
  expect(page).toEqual(["three", "two"]);
  const rest = await texts(workspace, "conversations.history", { limit: 2, oldest: first, inclusive: true, cursor });
  expect(rest).toEqual([["one"], ""]);
});

test("the ends of a span belong to it only where inclusive is set", async () => {
  const workspace = await open();
  const [oldest, , latest] = [await post(workspace), await post(workspace), await post(workspace)];
  const span = { oldest, latest };
  const [open_] = await texts(workspace, "conversations.history", span);
  const [closed] = await texts(workspace, "conversations.history", { ...span, inclusive: true });
  expect([open_.length, closed.length]).toEqual([1, 3]);
});

test("replies come oldest first with the head of their thread", async () => {
  const workspace = await open();
  const head = await post(workspace, { text: "head" });
  await post(workspace, { text: "a", thread_ts: head });
  const last = await post(workspace, { text: "b", thread_ts: head });
  expect(await texts(workspace, "conversations.replies", { ts: head })).toEqual([["head", "a", "b"], ""]);
  expect(await texts(workspace, "conversations.replies", { ts: last })).toEqual([["head", "a", "b"], ""]);
});

test("metadata comes back whole only on request; an edit keeps it unless it names it", async () => {
  const workspace = await open();
  const metadata = { event_type: "alert", event_payload: { key: "k1" } };
  const ts = await post(workspace, { metadata });
  const read = async (include_all_metadata: boolean) => {
    const answer = await call(workspace, "conversations.history", {
      channel: NEWSROOM,
      limit: 1,
      include_all_metadata,
    });
    return JSON.parse(JSON.stringify(answer["messages"]))[0].metadata;
  };
  await call(workspace, "chat.update", { channel: NEWSROOM, ts, text: "edited" });
  expect([await read(false), await read(true)]).toEqual([{ event_type: "alert" }, metadata]);
  await call(workspace, "chat.update", { channel: NEWSROOM, ts, text: "edited", metadata: {} });
  expect(await read(true)).toBeUndefined();
});

test("an edit with text alone takes the blocks away and is marked, one with blocks is not marked", async () => {
  const workspace = await open();
  const blocks = [{ type: "markdown", text: "**bold**" }];
  const ts = await post(workspace, { blocks });
  const message = () => workspace.messages(NEWSROOM).find((one) => one.ts === ts);
  await call(workspace, "chat.update", { channel: NEWSROOM, ts, text: "x", blocks });
  expect(message()?.edited).toBeUndefined();
  await call(workspace, "chat.update", { channel: NEWSROOM, ts, text: "x" });
  expect(message()).toMatchObject({ text: "x", edited: {} });
  expect(message()).not.toHaveProperty("blocks");
});

test("timestamps rise and never repeat, even within one millisecond", async () => {
  const workspace = await open({ now: () => 1_763_683_200_000 });
  const stamps = [await post(workspace), await post(workspace), await post(workspace)];
  expect(stamps).toEqual(["1763683200.000000", "1763683200.000100", "1763683200.000200"]);
});

test("people have the zones that users.info names", async () => {
  const workspace = await open({ now: () => Date.UTC(2026, 0, 15) });
  const { user } = await call(workspace, "users.info", { user: "U0PRIYAVE1" });
  expect(user).toMatchObject({ tz: "Asia/Kolkata", tz_offset: 19_800, is_bot: false });
});

test("a person's id works as a channel for a direct message", async () => {
  const workspace = await open();
  const opened = await call(workspace, "conversations.open", { users: workspace.me });
  const posted = await call(workspace, "chat.postMessage", { channel: workspace.me, text: "hello" });
  expect(posted["channel"]).toBe("D0MARALIN1");
  expect(opened["channel"]).toEqual({ id: "D0MARALIN1" });
});

test("lists show what the app may see: every public channel, private ones it is in", async () => {
  const workspace = await open();
  const answer = await call(workspace, "conversations.list", { types: "public_channel,private_channel" });
  const names = JSON.stringify(answer["channels"]);
  expect(names).toContain('"regulators-private"');
  expect(names).toContain('"random"');
  expect(names).not.toContain('"deal-room"');
});
