import { expect, test } from "vitest";
import { button, call, connect, NEWSROOM, open, post } from "./support.ts";

const press = { block_id: "row", action_id: "more", action: { type: "button" } };

test("a button sends its message, its value and a response_url, and the app edits the message in place", async () => {
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

test("a button of a Home tab that was published again a moment ago still reaches the app", async () => {
  const workspace = await open();
  const pressed: unknown[] = [];
  await connect(workspace, (app) => {
    app.action("more", async ({ ack, action }) => {
      await ack();
      pressed.push(action);
    });
  });
  const publish = (block_id: string) =>
    call(workspace, "views.publish", {
      user_id: workspace.me,
      view: JSON.stringify({ type: "home", blocks: [{ type: "actions", block_id, elements: [button("more")] }] }),
    });
  await publish("row");
  await publish("next");
  const view = workspace.state().home?.id ?? "";
  await workspace.act({ container: { view }, ...press });
  await workspace.until(() => pressed.length === 1);
  await publish("after");
  await expect(workspace.act({ container: { view }, ...press })).rejects.toThrow("element_not_found");
});
