import { expect, test } from "vitest";
import { button, call, connect, DIRECT, MARA, NEWSROOM, open, post } from "./support.ts";

const press = { block_id: "row", action_id: "more", action: { type: "button" } };

test("a button brings its message, its own value and a response_url; the app edits the message in place", async () => {
  const workspace = await open();
  const bodies: Record<string, unknown>[] = [];
  const blocks = [{ type: "actions", block_id: "row", elements: [button("more", { value: "story-7" })] }];
  const ts = await post(workspace, { text: "a story", blocks });
  await connect(workspace, (app) => {
    app.action("more", async ({ ack, body }) => {
      bodies.push({ ...body });
      await ack();
      await call(workspace, "chat.update", { channel: NEWSROOM, ts, text: "seen" });
    });
  });
  const action = { type: "button", value: "forged" };
  await workspace.act({ container: { channel: NEWSROOM, ts }, ...press, action });
  await workspace.until(() => workspace.messages(NEWSROOM).some((one) => one.ts === ts && one.text === "seen"));
  expect(bodies).toEqual([
    expect.objectContaining({
      type: "block_actions",
      container: { type: "message", message_ts: ts, channel_id: NEWSROOM, is_ephemeral: false },
      message: expect.objectContaining({ ts, text: "a story" }),
      channel: { id: NEWSROOM, name: "newsroom" },
      response_url: expect.stringContaining("/respond/"),
      actions: [expect.objectContaining({ action_id: "more", block_id: "row", type: "button", value: "story-7" })],
    }),
  ]);
  expect(workspace.messages(NEWSROOM).find((one) => one.ts === ts)?.blocks).toBeUndefined();
});

test("shortcuts reach the app with the message they were used on", async () => {
  const workspace = await open();
  const heard: Record<string, unknown>[] = [];
  await connect(workspace, (app) => {
    app.shortcut(/.*/, async ({ ack, body }) => {
      heard.push({ ...body });
      await ack();
    });
  });
  const ts = await post(workspace, { channel: DIRECT, text: "long" });
  await workspace.shortcut({ callback_id: "summarise", channel: DIRECT, ts });
  await workspace.shortcut({ callback_id: "new_alert" });
  expect(heard).toEqual([
    expect.objectContaining({
      type: "message_action",
      callback_id: "summarise",
      channel: { id: DIRECT, name: "directmessage" },
      message_ts: ts,
      message: expect.objectContaining({ type: "message", ts, text: "long", bot_id: workspace.ids.bot }),
      user: expect.objectContaining({ id: MARA }),
      trigger_id: expect.any(String),
    }),
    expect.objectContaining({ type: "shortcut", callback_id: "new_alert", trigger_id: expect.any(String) }),
  ]);
  await expect(workspace.shortcut({ callback_id: "summarise" })).rejects.toThrow("shortcut_not_found");
  const url = String(heard[0]?.["response_url"]);
  await fetch(url, { method: "POST", body: JSON.stringify({ text: "short", replace_original: true }) });
  // A shortcut's message is not the app's to replace: the answer stands beside it.
  expect(workspace.messages(DIRECT).map((one) => [one.text, one.onlyFor])).toEqual([
    ["long", undefined],
    ["short", MARA],
  ]);
});
