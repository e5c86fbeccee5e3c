import { expect, test } from "vitest";
import { call, DIRECT, ELLIS, MARA, NEWSROOM, open, plain, post, section } from "../support.ts";

test("what is sent to a person lands in their conversation with the app, and is edited there", async () => {
  const workspace = await open();
  const { channel, ts } = await call(workspace, "chat.postMessage", { channel: ELLIS, text: "an alert" });
  expect(channel).toBe("D0ELLISHA1");
  expect(workspace.messages("D0ELLISHA1").at(-1)).toMatchObject({ text: "an alert" });
  expect(workspace.state(MARA).messages).not.toHaveProperty("D0ELLISHA1");
  const byPerson = await call(workspace, "chat.update", { channel: ELLIS, ts, text: "new" });
  const byPlace = await call(workspace, "chat.update", { channel, ts, text: "new" });
  expect([byPerson["error"], byPlace["ok"]]).toEqual(["channel_not_found", true]);
  expect(await call(workspace, "conversations.open", { users: MARA })).toMatchObject({ channel: { id: DIRECT } });
});

test("text over 4,000 characters can be posted, but not by an edit", async () => {
  const workspace = await open();
  const text = "x".repeat(4001);
  const at = { channel: NEWSROOM, ts: await post(workspace, { text }) };
  expect(await call(workspace, "chat.update", { ...at, text })).toMatchObject({ error: "msg_too_long" });
  expect(await call(workspace, "chat.update", { ...at, text: text.slice(1) })).toMatchObject({ ok: true });
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

test("metadata comes back whole only on request; an edit keeps it unless it names it", async () => {
  const workspace = await open();
  const metadata = { event_type: "alert", event_payload: { key: "k1" } };
  const ts = await post(workspace, { metadata });
  const read = async (include_all_metadata: boolean) => {
    const args = { channel: NEWSROOM, limit: 1, include_all_metadata };
    const { messages } = await call(workspace, "conversations.history", args);
    return Array.isArray(messages) ? messages[0].metadata : "no messages";
  };
  await call(workspace, "chat.update", { channel: NEWSROOM, ts, text: "edited" });
  expect([await read(false), await read(true)]).toEqual([{ event_type: "alert" }, metadata]);
  await call(workspace, "chat.update", { channel: NEWSROOM, ts, text: "edited", metadata: {} });
  expect(await read(true)).toBeUndefined();
});

test("a faulty block is named by its position, and nothing is posted", async () => {
  const workspace = await open();
  const blocks = [section("fine"), { type: "header", text: plain("h".repeat(151)) }];
  const answer = await call(workspace, "chat.postMessage", { channel: NEWSROOM, text: "x", blocks });
  expect(answer).toMatchObject({
    error: "invalid_blocks",
    response_metadata: { messages: ["[ERROR] must be less than 151 characters [json-pointer:/blocks/1/text/text]"] },
  });
  expect(workspace.messages(NEWSROOM).some((one) => one.bot_id)).toBe(false);
});
