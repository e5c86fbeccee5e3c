import { expect, test } from "vitest";
import { call, DEAL_ROOM, ELLIS, NEWSROOM, open, post, RANDOM, REGULATORS, section } from "./support.ts";

const stranger = "1600000000.000100";
const inNewsroom = (extra: object) => ({ channel: NEWSROOM, ...extra });
const long = { event_type: "key", event_payload: { key: "k".repeat(8200) } };
const wall = Array.from({ length: 5 }, () => section("x".repeat(2700)));
const home = { type: "home", blocks: [] };

test.each<[string, string, Record<string, unknown>, string]>([
  ["an unknown method", "chat.shout", {}, "unknown_method"],
  ["no token", "auth.test", { token: null }, "not_authed"],
  ["a wrong token", "auth.test", { token: "xoxb-wrong" }, "invalid_auth"],
  ["a bot token where the app's belongs", "apps.connections.open", {}, "not_allowed_token_type"],
  ["an unknown channel", "chat.postMessage", { channel: "C0NOWHERE1", text: "x" }, "channel_not_found"],
  ["a private channel without the app", "chat.postMessage", { channel: DEAL_ROOM, text: "x" }, "channel_not_found"],
  ["an unknown person", "chat.postMessage", { channel: "U0NOBODY01", text: "x" }, "channel_not_found"],
  ["the app itself", "chat.postMessage", { channel: "U0BELLWTH1", text: "x" }, "channel_not_found"],
  ["nothing to say", "chat.postMessage", inNewsroom({ text: " " }), "no_text"],
  ["an unknown thread", "chat.postMessage", inNewsroom({ text: "x", thread_ts: stranger }), "thread_not_found"],
  ["blocks that are no list", "chat.postMessage", inNewsroom({ blocks: "{}" }), "invalid_blocks_format"],
  ["13,500 characters in blocks", "chat.postMessage", inNewsroom({ text: "x", blocks: wall }), "msg_blocks_too_long"],
  ["two texts", "chat.postMessage", inNewsroom({ text: "x", markdown_text: "y" }), "markdown_text_conflict"],
  ["long Markdown", "chat.postMessage", inNewsroom({ markdown_text: "y".repeat(12_001) }), "msg_too_long"],
  ["odd metadata", "chat.postMessage", inNewsroom({ text: "x", metadata: { a: 1 } }), "invalid_metadata_format"],
  ["metadata of over 8 KB", "chat.postMessage", inNewsroom({ text: "x", metadata: long }), "metadata_too_large"],
  ["an outsider", "chat.postEphemeral", { channel: REGULATORS, user: ELLIS, text: "x" }, "user_not_in_channel"],
  ["a channel without the app", "chat.postEphemeral", { channel: RANDOM, user: ELLIS, text: "x" }, "not_in_channel"],
  ["an edit of nothing", "chat.update", inNewsroom({ ts: stranger, text: "x" }), "message_not_found"],
  ["a channel without the app", "conversations.history", { channel: RANDOM }, "not_in_channel"],
  ["a foreign cursor", "conversations.history", inNewsroom({ cursor: "bm9uZQ==" }), "invalid_cursor"],
  ["a bad time", "conversations.history", inNewsroom({ oldest: "soon" }), "invalid_ts_oldest"],
  ["replies to nothing", "conversations.replies", inNewsroom({ ts: stranger }), "thread_not_found"],
  ["an unknown user", "users.info", { user: "U0NOBODY01" }, "user_not_found"],
  ["a Home for nobody", "views.publish", { user_id: "U0NOBODY01", view: home }, "user_not_found"],
  ["a closed view", "views.update", { view_id: "V1", view: home }, "not_found"],
  [
    "a status in no thread",
    "assistant.threads.setStatus",
    { channel_id: NEWSROOM, thread_ts: stranger, status: "x" },
    "thread_not_found",
  ],
])("%s is refused by %s", async (_name, method, args, error) => {
  const workspace = await open();
  const answer = await call(workspace, method, args);
  expect(answer).toMatchObject({ ok: false, error, status: 200 });
  expect(workspace.calls).toEqual([expect.objectContaining({ method, outcome: error })]);
});

test("people have their names, as in Slack’s own profiles, and no handles", async () => {
  const { user } = await call(await open(), "users.info", { user: ELLIS });
  expect(user).toMatchObject({ profile: { display_name: "Ellis Hart" }, real_name: "Ellis Hart" });
});

test("timestamps rise and never repeat, even within one millisecond", async () => {
  const workspace = await open({ now: () => 1_763_683_200_000 });
  const stamps = [await post(workspace), await post(workspace), await post(workspace)];
  expect(stamps).toEqual(["1763683200.000000", "1763683200.000100", "1763683200.000200"]);
});
