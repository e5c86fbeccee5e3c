import { once } from "node:events";
import { connect } from "node:net";

import { describe, expect, it } from "vitest";

import { flawIn } from "../../../src/slack/incoming/payload.ts";
import { createClock } from "../../support/clock.ts";
import {
  command,
  mention,
  move,
  open,
  press,
  pressInside,
  stopSession,
  submit,
  typed,
  useShortcut,
} from "../receiver.ts";
import { serve, signed } from "./served.ts";

/** A bot in HTTP mode that has started, and what it was answered and logged for something that Slack signed. */
async function setUp(settings: Parameters<typeof serve>[0]["settings"] = {}) {
  const served = await serve({ settings: { botToken: "xoxb-1", ...settings } });
  await served.bolt.start();
  const send = async (body: string, type = "application/json", signing = {}) => {
    const answer = await fetch(`${served.url}/slack/events`, signed(body, type, signing));
    return answer.status;
  };
  return { ...served, send };
}

/** What is answered to bytes that no HTTP client would send. */
async function exchange(port: number, text: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.write(text);
  const [answer] = await once(socket.setEncoding("utf8"), "data");
  socket.destroy();
  return String(answer).split("\r\n")[0] ?? "";
}

const form = (fields: Record<string, string>) => new URLSearchParams(fields).toString();
const commandFields = { command: "/news", team_id: "T1", user_id: "U1", channel_id: "C1", trigger_id: "1.2" };
const formType = "application/x-www-form-urlencoded";

describe("a request without a signature", () => {
  it.each<[string, string]>([
    ["says how long it is", "content-length: 1000001\r\n\r\n"],
    ["comes in pieces", `transfer-encoding: chunked\r\n\r\n${(1_000_001).toString(16)}\r\n${"x".repeat(1_000_001)}`],
  ])("and with more than 1 MB, which %s, is refused before it is whole", async (_, rest) => {
    const { port } = await setUp();
    const head = `POST /slack/events HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n`;
    expect(await exchange(port, head + rest)).toBe("HTTP/1.1 413 Payload Too Large");
  });

  it.each(["//", "///", "//["])("to %s is refused, with one line for whoever looks closely", async (path) => {
    const { port, logged } = await setUp();
    expect(await exchange(port, `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`)).toBe("HTTP/1.1 404 Not Found");
    expect(logged).toEqual([`debug nothing is at GET ${path}`]);
  });
});

describe("a signed request", () => {
  it("with app_rate_limited, which holds no event, is acknowledged", async () => {
    const { send } = await setUp();
    expect(await send(JSON.stringify({ type: "app_rate_limited", team_id: "T1", minute_rate_limited: 1 }))).toBe(200);
  });

  it("for more than five minutes ahead is refused, for fewer it is taken", async () => {
    const { send, lines, logged } = await setUp();
    const event = (text: string) => JSON.stringify(mention(text));
    expect(await send(event("<@UBOT> a"), "application/json", { ageSeconds: -330 })).toBe(401);
    expect(logged.join("\n")).toMatch(/^warn .*clock/);
    expect(await send(event("<@UBOT> b"), "application/json", { ageSeconds: -270 })).toBe(200);
    expect(lines).toEqual(["b"]);
  });

  it.each<[string, string, string?]>([
    ["null", "null"],
    ["a number", "5"],
    ["a list", "[]"],
    ["nothing", "{}"],
    ["no JSON", "{"],
    ["null in a form", form({ payload: "null" }), formType],
    ["two texts", `${form(commandFields)}&text=a&text=b`, formType],
    ["a command without a user", form({ command: "/news", team_id: "T1", channel_id: "C1" }), formType],
    ["an event that is null", JSON.stringify({ ...mention("a"), event: null })],
    ["an event of no kind", JSON.stringify({ ...mention("a"), event: { type: 5 } })],
    ["a message at no time", JSON.stringify({ ...mention("a"), event: { type: "message", ts: {} } })],
    ["a mention with a number for its text", JSON.stringify(mention("a", { text: 5 }))],
    ["a mention in an object", JSON.stringify(mention("a", { channel: { id: "C1" } }))],
    ["authorizations of null", JSON.stringify(mention("a", {}, { authorizations: [null] }))],
    ["a user of null", JSON.stringify(mention("a", { user: null, type: "reaction_added" }))],
    ["a workspace that is a number", JSON.stringify(mention("a", {}, { team_id: 1 }))],
    ["a press of nobody", JSON.stringify(press({ action_id: "run" }, { user: null }))],
    ["a press of no button", JSON.stringify(press({}, { actions: [] }))],
    ["a press with an object for its value", JSON.stringify(press({ action_id: "run", value: {} }))],
    ["a form without fields", JSON.stringify(submit({}, { state: null }))],
    ["a field that is a number", JSON.stringify(submit({ question: { value: 5 } }))],
    ["a shortcut beside no message", JSON.stringify({ ...useShortcut({}), message: null })],
    ["a window that is closed by nobody", JSON.stringify({ type: "view_closed", view: {} })],
  ])("with %s is refused, with one line for whoever looks closely", async (_, body, type) => {
    const { send, lines, logged } = await setUp();
    expect(await send(body, type)).toBe(400);
    expect(logged).toEqual([expect.stringMatching(/^debug a signed request /)]);
    expect(lines).toEqual([]);
  });

  const noTeam = { team_id: null, enterprise_id: "E1", is_enterprise_install: true };

  it.each<[string, Record<string, unknown>]>([
    ["a mention", mention("<@UBOT> a")],
    ["a message of nobody", mention("a", { text: null, user: undefined, thread_ts: null, edited: { user: "U1" } })],
    ["an event of an organisation", mention("a", {}, { authorizations: [noTeam] })],
    ["an event that we do not listen to", move("channel_rename", { channel: { id: "C1", name: "x" }, ts: undefined })],
    ["an event of a strange name", move("constructor")],
    ["the end of a channel", move("channel_archive")],
    ["another ID of a channel", move("channel_id_changed", { old_channel_id: "C1", new_channel_id: "C2" })],
    ["the end of a person's token", move("tokens_revoked", { tokens: { oauth: ["U1"] } })],
    ["somebody who opens the bot's page", open("home")],
    ["somebody who stops a session", stopSession()],
    ["a command", command("/news", "")],
    ["a check of the certificate", { ssl_check: "1", token: "x" }],
    ["a check of the address", { type: "url_verification", challenge: "x" }],
    ["a button", press({ action_id: "run", value: "a" })],
    ["a menu without a choice", press({ type: "static_select", action_id: "run", selected_option: null })],
    ["a button in no channel", press({ action_id: "run", value: "a" }, { channel: null, team: null })],
    ["a button in a window", pressInside({ action_id: "run", value: "a" })],
    ["a form", submit({ question: typed(null), day: { type: "checkboxes", selected_options: [] } })],
    ["a shortcut", useShortcut({ text: "a" })],
    ["a window that is closed", { type: "view_closed", user: { id: "U1" }, view: { id: "V1" } }],
  ])("of Slack's is read: %s", (_, payload) => {
    expect(flawIn(payload)).toBeUndefined();
  });
});

describe("the end of HTTP mode", () => {
  const head = "POST /slack/events HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n";

  it("refuses what becomes whole only now: Slack sends it again", async () => {
    const { bolt, port } = await setUp();
    const socket = connect(port, "127.0.0.1").setEncoding("utf8");
    socket.write(`${head}{`);
    await once(socket, "connect");
    // The server has read that, too, once it has answered a later one.
    await exchange(port, "GET /health HTTP/1.1\r\nhost: x\r\n\r\n");
    await bolt.refuse();
    socket.write("}");
    const [answer] = await once(socket, "data");
    expect(answer).toMatch(/^HTTP\/1.1 503 /);
  });

  it("closes connections on which nothing or half a request came, at once", async () => {
    const { bolt, port } = await setUp();
    const sockets = ["", head, `${head}{`].map((text) => {
      const socket = connect(port, "127.0.0.1")
        .on("error", () => {})
        .resume();
      socket.write(text);
      return socket;
    });
    await Promise.all(sockets.map((socket) => once(socket, "connect")));
    const closed = sockets.map((socket) => new Promise((resolve) => socket.once("close", resolve)));
    await bolt.stop();
    expect(await Promise.all(closed)).toHaveLength(3);
  });

  it("waits half a second for requests that are being answered", async () => {
    const clock = createClock();
    const { bolt, send } = await setUp({ timer: clock });
    const { promise: heard, resolve: onHeard } = Promise.withResolvers<void>();
    bolt.app.use(async () => onHeard());
    const unanswered = send(JSON.stringify({ type: "block_suggestion", user: { id: "U1", team_id: "T1" } }));
    await heard;
    let hasStopped = false;
    const stopped = bolt.stop().then(() => (hasStopped = true));
    await clock.advance(499);
    expect(hasStopped).toBe(false);
    await clock.advance(1);
    await stopped;
    await expect(unanswered).rejects.toThrow("fetch failed");
  });

  it("waits no longer than until they are answered", async () => {
    const { bolt, send } = await setUp({ timer: createClock() });
    const { promise: heard, resolve: onHeard } = Promise.withResolvers<void>();
    const { promise: word, resolve: giveWord } = Promise.withResolvers<void>();
    bolt.app.use(async ({ next }) => {
      onHeard();
      await word;
      await next();
    });
    const answered = send(form(commandFields), formType);
    await heard;
    const stopped = bolt.stop();
    giveWord();
    await stopped;
    expect(await answered).toBe(200);
  });
});
