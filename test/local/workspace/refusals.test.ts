import { expect, test } from "vitest";
import { APP } from "../../../local/workspace/seed.ts";
import { call, DEAL_ROOM, ELLIS, MANIFEST, NEWSROOM, open, plain, post, RANDOM, REGULATORS, section } from "./bench.ts";

const stranger = "1600000000.000100";

test.each<[string, string, Record<string, unknown>, string]>([
  ["an unknown method", "chat.shout", {}, "unknown_method"],
  ["no token", "auth.test", { token: null }, "not_authed"],
  ["a wrong token", "auth.test", { token: "xoxb-wrong" }, "invalid_auth"],
  ["a bot token where the app's belongs", "apps.connections.open", {}, "not_allowed_token_type"],
  ["an unknown channel", "chat.postMessage", { channel: "C0NOWHERE1", text: "x" }, "channel_not_found"],
  ["a private channel without us", "chat.postMessage", { channel: DEAL_ROOM, text: "x" }, "channel_not_found"],
  ["nothing to say", "chat.postMessage", { channel: NEWSROOM, text: " " }, "no_text"],
  ["an unknown thread", "chat.postMessage", { channel: NEWSROOM, text: "x", thread_ts: stranger }, "thread_not_found"],
  ["blocks that are no list", "chat.postMessage", { channel: NEWSROOM, blocks: "{}" }, "invalid_blocks_format"],
  ["two texts", "chat.postMessage", { channel: NEWSROOM, text: "x", markdown_text: "y" }, "markdown_text_conflict"],
  ["long Markdown", "chat.postMessage", { channel: NEWSROOM, markdown_text: "y".repeat(12_001) }, "msg_too_long"],
  ["odd metadata", "chat.postMessage", { channel: NEWSROOM, text: "x", metadata: { a: 1 } }, "invalid_metadata_format"],
  [
    "an ephemeral for an outsider",
    "chat.postEphemeral",
    { channel: REGULATORS, user: ELLIS, text: "x" },
    "user_not_in_channel",
  ],
  [
    "an ephemeral where we are not",
    "chat.postEphemeral",
    { channel: RANDOM, user: ELLIS, text: "x" },
    "not_in_channel",
  ],
  ["an edit of nothing", "chat.update", { channel: NEWSROOM, ts: stranger, text: "x" }, "message_not_found"],
  ["history of a channel we are not in", "conversations.history", { channel: RANDOM }, "not_in_channel"],
  ["a foreign cursor", "conversations.history", { channel: NEWSROOM, cursor: "bm9uZQ==" }, "invalid_cursor"],
  ["a bad time", "conversations.history", { channel: NEWSROOM, oldest: "soon" }, "invalid_ts_oldest"],
  ["replies to nothing", "conversations.replies", { channel: NEWSROOM, ts: stranger }, "thread_not_found"],
  ["an unknown user", "users.info", { user: "U0NOBODY01" }, "user_not_found"],
  ["joining a private channel", "conversations.join", { channel: REGULATORS }, "missing_scope"],
  [
    "a Home for nobody",
    "views.publish",
    { user_id: "U0NOBODY01", view: { type: "home", blocks: [] } },
    "user_not_found",
  ],
  ["an update of a closed view", "views.update", { view_id: "V1", view: { type: "home", blocks: [] } }, "not_found"],
  [
    "a status in no thread",
    "assistant.threads.setStatus",
    { channel_id: NEWSROOM, thread_ts: stranger, status: "x" },
    "thread_not_found",
  ],
])("%s is refused", async (_name, method, args, error) => {
  const workspace = await open();
  const answer = await call(workspace, method, args);
  expect(answer).toMatchObject({ ok: false, error, status: 200 });
  expect(workspace.calls).toEqual([expect.objectContaining({ method, outcome: error })]);
});

test("a missing scope is named, with those the manifest grants", async () => {
  const workspace = await open({ manifest: MANIFEST.replace("      - users:read\n", "") });
  const answer = await call(workspace, "users.info", { user: ELLIS });
  expect(answer).toMatchObject({ error: "missing_scope", needed: "users:read" });
  expect(String(answer["provided"]).split(",")).toContain("chat:write");
});

test("a public channel without the app takes its posts only with chat:write.public", async () => {
  const workspace = await open();
  const strict = await open({ manifest: MANIFEST.replace("      - chat:write.public\n", "") });
  const args = { channel: RANDOM, text: "x" };
  expect(await call(workspace, "chat.postMessage", args)).toMatchObject({ ok: true, channel: RANDOM });
  expect(await call(strict, "chat.postMessage", args)).toMatchObject({ ok: false, error: "not_in_channel" });
});

test("an archived channel takes nothing", async () => {
  const workspace = await open();
  await workspace.say({ channel: NEWSROOM, text: "/archive" });
  expect(await call(workspace, "chat.postMessage", { channel: NEWSROOM, text: "x" })).toMatchObject({
    error: "is_archived",
  });
  await expect(workspace.say({ channel: NEWSROOM, text: "hello?" })).rejects.toThrow("is_archived");
});

test("text over 4,000 characters can be posted and not be put in by an edit", async () => {
  const workspace = await open();
  const text = "x".repeat(4001);
  const ts = await post(workspace, { text });
  expect(await call(workspace, "chat.update", { channel: NEWSROOM, ts, text })).toMatchObject({
    error: "msg_too_long",
  });
  const shorter = await call(workspace, "chat.update", { channel: NEWSROOM, ts, text: text.slice(1) });
  expect(shorter["ok"]).toBe(true);
});

test("only the app's own messages can be edited or deleted", async () => {
  const workspace = await open();
  const { ts } = await workspace.say({ channel: NEWSROOM, text: "mine" });
  const args = { channel: NEWSROOM, ts, text: "yours" };
  expect(await call(workspace, "chat.update", args)).toMatchObject({ error: "cant_update_message" });
  expect(await call(workspace, "chat.delete", args)).toMatchObject({ error: "cant_delete_message" });
});

test("an ephemeral message can be seen by its reader and edited by nobody", async () => {
  const workspace = await open();
  const { message_ts: ts } = await call(workspace, "chat.postEphemeral", {
    channel: NEWSROOM,
    user: ELLIS,
    text: "psst",
  });
  expect(await call(workspace, "chat.update", { channel: NEWSROOM, ts, text: "x" })).toMatchObject({
    error: "message_not_found",
  });
  const isThere = (user: string) => workspace.state(user).messages[NEWSROOM]?.some((one) => one.ts === ts);
  expect([isThere(ELLIS), isThere(workspace.me)]).toEqual([true, false]);
});

test("metadata above 8 KB is too large", async () => {
  const workspace = await open();
  const metadata = { event_type: "key", event_payload: { key: "k".repeat(8200) } };
  const answer = await call(workspace, "chat.postMessage", { channel: NEWSROOM, text: "x", metadata });
  expect(answer["error"]).toBe("metadata_too_large");
});

test("blocks of more than 13,000 characters in all are too long", async () => {
  const workspace = await open();
  const blocks = Array.from({ length: 5 }, () => section("x".repeat(2700)));
  const answer = await call(workspace, "chat.postMessage", { channel: NEWSROOM, text: "x", blocks });
  expect(answer["error"]).toBe("msg_blocks_too_long");
});

test("rich text cannot be replaced by other blocks", async () => {
  const workspace = await open();
  const rich = {
    type: "rich_text",
    elements: [{ type: "rich_text_section", elements: [{ type: "text", text: "a" }] }],
  };
  const ts = await post(workspace, { blocks: [rich] });
  const answer = await call(workspace, "chat.update", { channel: NEWSROOM, ts, text: "b", blocks: [section("b")] });
  expect(answer["error"]).toBe("block_mismatch");
});

test("a faulty block is named by where it stands", async () => {
  const workspace = await open();
  const blocks = [section("fine"), { type: "header", text: plain("h".repeat(151)) }];
  const answer = await call(workspace, "chat.postMessage", { channel: NEWSROOM, text: "x", blocks });
  expect(answer).toMatchObject({
    error: "invalid_blocks",
    response_metadata: { messages: ["[ERROR] must be less than 151 characters [json-pointer:/blocks/1/text/text]"] },
  });
  expect(workspace.messages(NEWSROOM).some((one) => one.user === APP.botUser)).toBe(false);
});

test("blocks.validate says what is wrong without a token and posts nothing", async () => {
  const workspace = await open();
  const blocks = [{ type: "actions", elements: [] }];
  const answer = await call(workspace, "blocks.validate", { token: null, blocks });
  expect(answer).toMatchObject({ ok: false, errors: [{ code: "too_few", pointer: "/blocks/0/elements" }] });
  expect(await call(workspace, "blocks.validate", { token: null, blocks: [section("x")] })).toMatchObject({ ok: true });
});
