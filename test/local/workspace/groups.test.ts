import { expect, test } from "vitest";
import { call, connect, DIRECT, ELLIS, MANIFEST, MARA, NEWSROOM, notices, open } from "./bench.ts";

const TOMAS = "U0TOMASOK1";
const WITH_GROUPS = MANIFEST.replace(
  "- im:write",
  "- im:write\n      - mpim:history\n      - mpim:read\n      - mpim:write",
).replace("- message.im", "- message.im\n      - message.mpim");

test("what is said in a group that the app is in reaches it once, a mention too", async () => {
  const workspace = await open({ manifest: WITH_GROUPS });
  const heard: unknown[] = [];
  await connect(workspace, (app) => {
    app.event("message", async ({ event }) => void heard.push(event));
    app.event("app_mention", async ({ event }) => void heard.push(event));
  });
  const channel = workspace.openGroup({ users: [TOMAS, workspace.ids.botUser] });
  const { ts } = await workspace.say({ channel, text: `<@${workspace.ids.botUser}> hello`, user: TOMAS });
  expect(heard).toEqual([expect.objectContaining({ type: "message", channel_type: "mpim", channel, user: TOMAS, ts })]);
  const without = workspace.openGroup({ users: [TOMAS, ELLIS] });
  await workspace.say({ channel: without, text: `<@${workspace.ids.botUser}> hello` });
  expect(heard).toHaveLength(1);
});

test("the same people have one group, whoever opens it and in whatever order", async () => {
  const workspace = await open({ manifest: WITH_GROUPS });
  const first = workspace.openGroup({ users: [ELLIS, workspace.ids.botUser] });
  expect(workspace.openGroup({ users: [workspace.ids.botUser, MARA], user: ELLIS })).toBe(first);
  const { channel } = await call(workspace, "conversations.open", { users: `${ELLIS},${MARA}`, return_im: true });
  expect(channel).toMatchObject({
    id: first,
    name: "mpdm-mara--ellis--bellwether-1",
    is_mpim: true,
    is_im: false,
    is_channel: false,
    is_group: false,
    is_private: true,
    is_member: true,
  });
});

test("a group answers the conversation methods, and is nothing to an app that is not in it", async () => {
  const workspace = await open({ manifest: WITH_GROUPS });
  const channel = workspace.openGroup({ users: [TOMAS, workspace.ids.botUser] });
  await workspace.say({ channel, text: "hello" });
  const posted = await call(workspace, "chat.postMessage", { channel, text: "there" });
  const members = await call(workspace, "conversations.members", { channel });
  const history = await call(workspace, "conversations.history", { channel, limit: 2 });
  const listed = await call(workspace, "users.conversations", { types: "mpim", user: TOMAS });
  const joined = await call(workspace, "conversations.join", { channel });
  expect([posted["ok"], members["members"]]).toEqual([true, [MARA, TOMAS, workspace.ids.botUser]]);
  expect(history["messages"]).toMatchObject([{ text: "there" }, { text: "hello" }]);
  expect(listed["channels"]).toContainEqual(expect.objectContaining({ id: channel }));
  expect(joined["error"]).toMatch(/missing_scope|method_not_supported_for_channel_type/);
  const hidden = workspace.openGroup({ users: [TOMAS, ELLIS] });
  const asked = ["conversations.info", "conversations.members", "conversations.history", "chat.postMessage"];
  for (const method of asked) {
    expect(await call(workspace, method, { channel: hidden, text: "x" })).toMatchObject({ error: "channel_not_found" });
  }
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
  expect(answers.map(({ error, needed }) => `${String(error)} ${String(needed)}`)).toEqual([
    "missing_scope mpim:history",
    "missing_scope mpim:read",
    "missing_scope mpim:read",
    "missing_scope mpim:write",
  ]);
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

test("a person opens a group by a command, with the first words in it, and is the only one to see it beside the others", async () => {
  const workspace = await open({ manifest: WITH_GROUPS });
  const text = `/dm <@${ELLIS}> @bellwether shall we ask <@${workspace.ids.botUser}>?`;
  const { opened = "" } = await workspace.say({ channel: NEWSROOM, text });
  expect(workspace.state().conversations).toContainEqual(expect.objectContaining({ id: opened, kind: "mpim" }));
  expect(workspace.messages(opened)).toMatchObject([{ text: `shall we ask <@${workspace.ids.botUser}>?`, user: MARA }]);
  expect(workspace.state(ELLIS).messages).toHaveProperty(opened);
  expect(workspace.state(TOMAS).messages).not.toHaveProperty(opened);
});

test("the commands of channels do nothing in direct messages, and say so", async () => {
  const workspace = await open({ manifest: WITH_GROUPS });
  const told = notices(workspace);
  await workspace.say({ channel: DIRECT, text: `/invite <@${ELLIS}>` });
  await workspace.say({ channel: DIRECT, text: "/archive" });
  await workspace.say({ channel: NEWSROOM, text: "/dm @ellis" });
  await workspace.say({ channel: NEWSROOM, text: "/invite @nobody" });
  expect(told).toEqual([
    "/invite is for channels.",
    "/archive is for channels.",
    "Name two others at least: /dm @tomas @bellwether",
    "Nobody here goes by that name.",
  ]);
  expect(workspace.state().conversations.find(({ id }) => id === DIRECT)).toMatchObject({
    isArchived: false,
    members: [MARA, workspace.ids.botUser],
  });
});
