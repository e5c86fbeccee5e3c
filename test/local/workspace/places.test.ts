import { expect, test } from "vitest";
import { call, connect, DEAL_ROOM, DIRECT, ELLIS, MANIFEST, MARA, NEWSROOM, open, post, RANDOM } from "./bench.ts";

test("what is sent to a person lands in their conversation with the app, and is edited there", async () => {
  const workspace = await open();
  const { channel, ts } = await call(workspace, "chat.postMessage", { channel: ELLIS, text: "an alert" });
  expect(channel).toBe("D0ELLISHA1");
  expect(workspace.messages("D0ELLISHA1").at(-1)).toMatchObject({ text: "an alert" });
  expect(workspace.state(MARA).messages).not.toHaveProperty("D0ELLISHA1");
  const byPerson = await call(workspace, "chat.update", { channel: ELLIS, ts, text: "new" });
  const byPlace = await call(workspace, "chat.update", { channel, ts, text: "new" });
  expect([byPerson["error"], byPlace["ok"]]).toEqual(["channel_not_found", true]);
});

test("a name is an address for what is new and for nothing else", async () => {
  const workspace = await open();
  const posted = await call(workspace, "chat.postMessage", { channel: "#newsroom", text: "x" });
  expect(posted).toMatchObject({ ok: true, channel: NEWSROOM });
  const asked = await Promise.all(
    ["conversations.info", "conversations.history", "conversations.members"].map((method) =>
      call(workspace, method, { channel: "newsroom" }),
    ),
  );
  expect(asked.map((one) => one["error"])).toEqual(Array(3).fill("channel_not_found"));
});

test("nothing is sent to the app itself or to nobody", async () => {
  const workspace = await open();
  const answers = [workspace.ids.botUser, "U0NOBODY01"].map((channel) =>
    call(workspace, "chat.postMessage", { channel, text: "x" }),
  );
  expect((await Promise.all(answers)).map((one) => one["error"])).toEqual(Array(2).fill("channel_not_found"));
});

test("a conversation tells what it is, and how many are in it where that is asked", async () => {
  const workspace = await open({ manifest: MANIFEST.replace("- im:write", "- im:write\n      - im:read") });
  const info = async (args: Record<string, unknown>) => (await call(workspace, "conversations.info", args))["channel"];
  expect(await info({ channel: NEWSROOM })).not.toHaveProperty("num_members");
  expect(await info({ channel: NEWSROOM, include_num_members: true })).toMatchObject({
    id: NEWSROOM,
    name: "newsroom",
    is_channel: true,
    is_private: false,
    is_member: true,
    is_archived: false,
    num_members: 7,
  });
  expect(await info({ channel: RANDOM })).toMatchObject({ is_member: false });
  expect(await info({ channel: DIRECT })).toMatchObject({ is_im: true, user: MARA });
  expect(await call(workspace, "conversations.info", { channel: DEAL_ROOM })).toMatchObject({
    error: "channel_not_found",
  });
});

test("members come page by page, those of a channel without the app too, of a hidden one not at all", async () => {
  const workspace = await open();
  const first = await call(workspace, "conversations.members", { channel: RANDOM, limit: 4 });
  const { next_cursor: cursor } = { next_cursor: "", ...Object(first["response_metadata"]) };
  const rest = await call(workspace, "conversations.members", { channel: RANDOM, limit: 4, cursor });
  expect([...Object(first["members"]), ...Object(rest["members"])]).toHaveLength(6);
  expect(rest["response_metadata"]).toEqual({ next_cursor: "" });
  const hidden = await call(workspace, "conversations.members", { channel: DEAL_ROOM });
  expect(hidden["error"]).toBe("channel_not_found");
});

test("a person's zone follows the clock change", async () => {
  const zone = async (now: number) => {
    const workspace = await open({ now: () => now });
    return (await call(workspace, "users.info", { user: MARA }))["user"];
  };
  expect(await zone(Date.UTC(2026, 0, 15))).toMatchObject({ tz: "Europe/Stockholm", tz_offset: 3600 });
  expect(await zone(Date.UTC(2026, 6, 15))).toMatchObject({ tz: "Europe/Stockholm", tz_offset: 7200 });
});

test("a message shortcut names its message, its place and where to answer, in a direct conversation too", async () => {
  const workspace = await open();
  const heard: Record<string, unknown>[] = [];
  await connect(workspace, (app) => {
    app.shortcut("summarise", async ({ ack, body }) => {
      heard.push({ ...body });
      await ack();
    });
  });
  const ts = await post(workspace, { channel: DIRECT, text: "long" });
  await workspace.shortcut({ callback_id: "summarise", channel: DIRECT, ts });
  expect(heard).toEqual([
    expect.objectContaining({
      type: "message_action",
      callback_id: "summarise",
      channel: { id: DIRECT, name: "directmessage" },
      message_ts: ts,
      message: expect.objectContaining({ type: "message", ts, text: "long", bot_id: workspace.ids.bot }),
      user: expect.objectContaining({ id: MARA }),
      trigger_id: expect.any(String),
      response_url: expect.stringContaining("/respond/"),
    }),
  ]);
  const url = String(heard[0]?.["response_url"]);
  const said = { text: "short", replace_original: true };
  await fetch(url, { method: "POST", body: JSON.stringify(said) });
  // A shortcut's message is not the app's to replace: the answer stands beside it.
  expect(workspace.messages(DIRECT).map((one) => [one.text, one.onlyFor])).toEqual([
    ["long", undefined],
    ["short", MARA],
  ]);
});
