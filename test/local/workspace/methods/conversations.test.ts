import { expect, test } from "vitest";
import type { Workspace } from "../../../../local/workspace/server.ts";
import {
  call,
  DEAL_ROOM,
  DIRECT,
  ELLIS,
  MANIFEST,
  MARA,
  NEWSROOM,
  open,
  post,
  RANDOM,
  TOMAS,
  WITH_GROUPS,
} from "../support.ts";

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
  const [exclusive] = await texts(workspace, "conversations.history", span);
  const [inclusive] = await texts(workspace, "conversations.history", { ...span, inclusive: true });
  expect([exclusive.length, inclusive.length]).toEqual([1, 3]);
});

test("replies come oldest first with the head of their thread", async () => {
  const workspace = await open();
  const head = await post(workspace, { text: "head" });
  await post(workspace, { text: "a", thread_ts: head });
  const last = await post(workspace, { text: "b", thread_ts: head });
  expect(await texts(workspace, "conversations.replies", { ts: head })).toEqual([["head", "a", "b"], ""]);
  expect(await texts(workspace, "conversations.replies", { ts: last })).toEqual([["head", "a", "b"], ""]);
});

test("a name is an address for what is new and for nothing else", async () => {
  const workspace = await open();
  const posted = await call(workspace, "chat.postMessage", { channel: "#newsroom", text: "x" });
  expect(posted).toMatchObject({ ok: true, channel: NEWSROOM });
  for (const method of ["conversations.info", "conversations.history", "conversations.members"]) {
    expect(await call(workspace, method, { channel: "newsroom" })).toMatchObject({ error: "channel_not_found" });
  }
});

test("a conversation tells what it is, and how many are in it where that is asked", async () => {
  const workspace = await open({ manifest: MANIFEST.replace("- im:write", "- im:write\n      - im:read") });
  const info = async (args: Record<string, unknown>) => (await call(workspace, "conversations.info", args))["channel"];
  expect(await info({ channel: NEWSROOM })).not.toHaveProperty("num_members");
  const flags = { is_channel: true, is_private: false, is_member: true, is_archived: false };
  const newsroom = { id: NEWSROOM, name: "newsroom", ...flags, num_members: 7 };
  expect(await info({ channel: NEWSROOM, include_num_members: true })).toMatchObject(newsroom);
  expect(await info({ channel: RANDOM })).toMatchObject({ is_member: false });
  expect(await info({ channel: DIRECT })).toMatchObject({ is_im: true, user: MARA });
});

test("members come page by page, those of a channel without the app too", async () => {
  const workspace = await open();
  const first = await call(workspace, "conversations.members", { channel: RANDOM, limit: 4 });
  const { next_cursor: cursor } = { next_cursor: "", ...Object(first["response_metadata"]) };
  const rest = await call(workspace, "conversations.members", { channel: RANDOM, limit: 4, cursor });
  expect([...Object(first["members"]), ...Object(rest["members"])]).toHaveLength(6);
  expect(rest["response_metadata"]).toEqual({ next_cursor: "" });
});

test("what the app may not see is to it as if it were not there", async () => {
  const workspace = await open({ manifest: WITH_GROUPS });
  const hidden = workspace.openGroup({ users: [TOMAS, ELLIS] });
  const { channels } = await call(workspace, "conversations.list", { types: "public_channel,private_channel" });
  const names = Array.isArray(channels) ? channels.map(({ name }) => String(name)) : [];
  expect(names).toEqual(expect.arrayContaining(["random", "regulators-private"]));
  expect(names).not.toContain("deal-room");
  for (const method of ["info", "members", "history"].map((name) => `conversations.${name}`)) {
    for (const channel of [DEAL_ROOM, hidden]) {
      expect(await call(workspace, method, { channel })).toMatchObject({ error: "channel_not_found" });
    }
  }
});

test("the same people have one group, whoever opens it and in whatever order", async () => {
  const workspace = await open({ manifest: WITH_GROUPS });
  const first = workspace.openGroup({ users: [ELLIS, workspace.ids.botUser] });
  expect(workspace.openGroup({ users: [workspace.ids.botUser, MARA], user: ELLIS })).toBe(first);
  const { channel } = await call(workspace, "conversations.open", { users: `${ELLIS},${MARA}`, return_im: true });
  const flags = { is_mpim: true, is_im: false, is_channel: false, is_group: false, is_private: true, is_member: true };
  expect(channel).toMatchObject({ id: first, name: "mpdm-mara--ellis--bellwether-1", ...flags });
});

test("a group answers the conversation methods", async () => {
  const workspace = await open({ manifest: WITH_GROUPS });
  const channel = workspace.openGroup({ users: [TOMAS, workspace.ids.botUser] });
  await workspace.say({ channel, text: "hello" });
  await post(workspace, { channel, text: "there" });
  const { members } = await call(workspace, "conversations.members", { channel });
  expect(members).toEqual([MARA, TOMAS, workspace.ids.botUser]);
  const [latest] = await texts(workspace, "conversations.history", { channel, limit: 2 });
  expect(latest).toEqual(["there", "hello"]);
  const listed = await call(workspace, "users.conversations", { types: "mpim", user: TOMAS });
  expect(listed["channels"]).toContainEqual(expect.objectContaining({ id: channel }));
});

test("groups need scopes of their own", async () => {
  const workspace = await open();
  const channel = workspace.openGroup({ users: [TOMAS, workspace.ids.botUser] });
  const answers = [
    await call(workspace, "conversations.history", { channel }),
    await call(workspace, "conversations.info", { channel }),
    await call(workspace, "conversations.list", { types: "mpim" }),
    await call(workspace, "conversations.open", { users: `${MARA},${TOMAS}` }),
  ];
  const needed = ["mpim:history", "mpim:read", "mpim:read", "mpim:write"];
  expect(answers).toMatchObject(needed.map((scope) => ({ error: "missing_scope", needed: scope })));
});

test.each([
  ["nobody", "", "users_list_not_supplied"],
  ["somebody unknown", `${MARA},U0NOBODY01`, "user_not_found"],
  ["the app itself", `${MARA},U0BELLWTH1`, "cannot_dm_bot"],
  ["more than eight", Array.from({ length: 9 }, (_, at) => `U0NOBODY0${at}`).join(), "too_many_users"],
])("a group with %s is not opened", async (_name, users, error) => {
  const workspace = await open({ manifest: WITH_GROUPS });
  expect(await call(workspace, "conversations.open", { users })).toMatchObject({ error });
});
