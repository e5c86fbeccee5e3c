import { expect, test } from "vitest";
import { call, connect, ELLIS, MANIFEST, MARA, NEWSROOM, notices, open, post, RANDOM, REGULATORS } from "./bench.ts";

const NOOR = "U0NOORHAD1";
const SAM = "U0SAMWHIT1";
const PARTNERS = "C0PARTNERS";

const SHARING = MANIFEST.replace(
  "- app_mention\n",
  "- app_mention\n      - channel_id_changed\n      - channel_shared\n",
);

test("Slack says who is an admin, a guest, or of another workspace", async () => {
  const workspace = await open();
  const who = async (user: string) => (await call(workspace, "users.info", { user }))["user"];
  const { team } = workspace.ids;
  expect(await who(MARA)).toMatchObject({ is_admin: false, is_restricted: false, is_stranger: false, team_id: team });
  expect(await who(ELLIS)).toMatchObject({ is_admin: true, is_restricted: false });
  expect(await who(NOOR)).toMatchObject({ is_admin: false, is_restricted: true, team_id: team });
  expect(await who(SAM)).toMatchObject({ is_restricted: false, is_stranger: false, team_id: "T0NORTHWI1" });
  await workspace.say({ channel: PARTNERS, text: `/remove <@${SAM}>` });
  expect(await who(SAM)).toMatchObject({ is_stranger: true });
});

test("who comes from outside sees the channels that they are in and no others", async () => {
  const workspace = await open();
  const seen = (user: string) =>
    workspace
      .state(user)
      .conversations.filter(({ kind }) => kind === "channel")
      .map(({ name }) => name);
  expect([seen(NOOR), seen(SAM)]).toEqual([["partners"], ["partners"]]);
  await expect(workspace.say({ channel: NEWSROOM, text: "hello", user: NOOR })).rejects.toThrow("channel_not_found");
});

test("what somebody of another workspace says tells where they are from, and they have no commands of the app", async () => {
  const workspace = await open();
  const heard: unknown[] = [];
  await connect(workspace, (app) => {
    app.event("app_mention", async ({ event, body }) => void heard.push({ ...event, ...body }));
  });
  const told = notices(workspace);
  await workspace.say({ channel: PARTNERS, text: `<@${workspace.ids.botUser}> hello`, user: SAM });
  expect(heard).toEqual([
    expect.objectContaining({
      user: SAM,
      user_team: "T0NORTHWI1",
      team_id: workspace.ids.team,
      is_ext_shared_channel: true,
    }),
  ]);
  await workspace.say({ channel: PARTNERS, text: "/news oil", user: SAM });
  expect(told).toEqual(["/news is not a valid command."]);
  await expect(workspace.shortcut({ callback_id: "new_alert", user: SAM })).rejects.toThrow("shortcut_not_found");
});

test("people of another workspace are let into shared channels only", async () => {
  const workspace = await open();
  const told = notices(workspace);
  await workspace.say({ channel: RANDOM, text: `/invite <@${SAM}>` });
  expect(told).toEqual(["They are of another workspace: /share first."]);
  await workspace.say({ channel: RANDOM, text: "/share" });
  await workspace.say({ channel: RANDOM, text: `/invite <@${SAM}>` });
  expect(workspace.state(SAM).conversations.map(({ name }) => name)).toContain("random");
});

test("a private channel that is shared goes by another ID, with all that was said in it", async () => {
  const workspace = await open({ manifest: SHARING });
  const heard: Record<string, unknown>[] = [];
  await connect(workspace, (app) => {
    app.event("channel_id_changed", async ({ event }) => void heard.push({ ...event }));
    app.event("channel_shared", async ({ event }) => void heard.push({ ...event }));
  });
  const ts = await post(workspace, { channel: REGULATORS, text: "before" });
  const channel = await workspace.share(REGULATORS);
  expect(channel).not.toBe(REGULATORS);
  expect(heard).toEqual([
    expect.objectContaining({ type: "channel_id_changed", old_channel_id: REGULATORS, new_channel_id: channel }),
    expect.objectContaining({ type: "channel_shared", channel, connected_team_id: "T0NORTHWI1" }),
  ]);
  const answers = await Promise.all(
    ["chat.postMessage", "conversations.info", "conversations.history"].map((method) =>
      call(workspace, method, { channel: REGULATORS, text: "x" }),
    ),
  );
  expect(answers.map(({ error }) => error)).toEqual(Array(3).fill("channel_not_found"));
  await expect(workspace.say({ channel: REGULATORS, text: "x" })).rejects.toThrow("channel_not_found");
  expect(await call(workspace, "chat.update", { channel, ts, text: "after" })).toMatchObject({ ok: true, channel });
  const info = await call(workspace, "conversations.info", { channel });
  expect(info["channel"]).toMatchObject({ name: "regulators-private", is_ext_shared: true, is_member: true });
  expect(workspace.messages(channel).at(-1)).toMatchObject({ channel, text: "after" });
});

test("a response_url leads to the channel under whatever ID it has", async () => {
  const workspace = await open();
  let url = "";
  await connect(workspace, (app) => {
    app.command("/news", async ({ ack, command }) => {
      url = command.response_url;
      await ack();
    });
  });
  await workspace.say({ channel: REGULATORS, text: "/news oil" });
  const channel = await workspace.share(REGULATORS);
  await fetch(url, { method: "POST", body: JSON.stringify({ text: "found" }) });
  expect(workspace.messages(channel).at(-1)).toMatchObject({ text: "found", onlyFor: MARA });
});

test("a public channel keeps its ID, and a channel is shared once", async () => {
  const workspace = await open({ manifest: SHARING });
  expect(await workspace.share(NEWSROOM)).toBe(NEWSROOM);
  const order = () => workspace.state().conversations.map(({ name }) => name);
  const before = order();
  await workspace.say({ channel: REGULATORS, text: "/share" });
  const { id = "" } = workspace.state().conversations.find(({ name }) => name === "regulators-private") ?? {};
  expect(id).not.toBe(REGULATORS);
  expect(await workspace.share(id)).toBe(id);
  expect(order()).toEqual(before);
});

test("the page acts as the person that its address names, and as the usual one where it names nobody", async () => {
  const workspace = await open();
  const state = async (query: string): Promise<unknown> =>
    (await fetch(`${workspace.url}/workspace/state${query}`)).json();
  expect(await state(`?as=${ELLIS}`)).toMatchObject({ me: ELLIS });
  for (const query of ["", "?as=U0NOBODY01", `?as=${workspace.ids.botUser}`]) {
    expect(await state(query)).toMatchObject({ me: MARA });
  }
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ channel: NEWSROOM, text: "mine" });
  await fetch(`${workspace.url}/workspace/say?as=${ELLIS}`, { method: "POST", headers, body });
  expect(workspace.messages(NEWSROOM).at(-1)).toMatchObject({ user: ELLIS, text: "mine" });
});
