import { describe, expect, it } from "vitest";

import type { Message } from "../../../src/slack/text/message.ts";
import { command, direct, mention, press, setUp } from "../receiver.ts";

describe("a slash command", () => {
  it("is acknowledged before anything is done, and answered to the asker alone", async () => {
    const { events, sent, asked, hear } = setUp();
    await hear(command("/news", "oil &amp; gas"));
    expect(events.slice(0, 2)).toEqual(["ack", "find"]);
    expect(asked).toMatchObject([
      { line: "/news oil & gas", surface: "slash", request: { team: "T1", user: "U1", channel: "C1" } },
    ]);
    expect(sent).toMatchObject([{ method: "respond", body: { response_type: "ephemeral", text: "ok" } }]);
  });

  it("is read as it was typed", async () => {
    const { lines, hear } = setUp();
    await hear(command("/bellwether", ""));
    await hear(command("/news", "from <http://x.example|x.example> &lt;now&gt;"));
    expect(lines()).toEqual(["/bellwether", "/news from x.example <now>"]);
  });

  it("is run once, however often the same request is sent, also to the next process", async () => {
    const noted = new Map<string, number>();
    const body = command("/news", "oil");
    const { lines, acks, hear } = setUp({ events: noted });
    await Promise.all([hear(body), hear(body)]);
    await hear(body);
    const next = setUp({ events: noted });
    await next.hear(body);
    expect([lines(), next.lines()]).toEqual([["/news oil"], []]);
    expect([acks.length, next.acks.length]).toEqual([3, 1]);
  });

  it("is run again where somebody types it again", async () => {
    const { lines, hear } = setUp();
    await hear(command("/news", "oil"));
    await hear(command("/news", "oil"));
    expect(lines()).toEqual(["/news oil", "/news oil"]);
  });

  it("whose answer is public is posted with the workspace's own token", async () => {
    const { sent, hear } = setUp({
      run: () =>
        (async function* (): AsyncGenerator<Message> {
          yield { text: "growing" };
        })(),
    });
    await hear(command("/news", "oil"));
    expect(sent).toMatchObject([
      { method: "chat.postMessage", token: "xoxb-T1", body: { channel: "C1", text: "growing" } },
    ]);
  });
});

describe("a mention", () => {
  it.each([
    ["<@UBOT> news oil", "news oil"],
    ["<@UBOT>: news oil", "news oil"],
    ["<@UBOT|bellwether>, news oil", "news oil"],
    ["hey <@UBOT> what about <@U7|ana>?", "hey what about @ana?"],
    ["what about oil <@UBOT>", "what about oil"],
    ["<@UBOT>", ""],
  ])("%j asks %j", async (text, line) => {
    const { lines, hear } = setUp();
    await hear(mention(text));
    expect(lines().map((asked) => asked.replace(/\s+/g, " "))).toEqual([line]);
  });

  it("is answered in its thread, or in one of its own", async () => {
    const { sent, asked, hear } = setUp();
    await hear(mention("<@UBOT> a", { ts: "7.000100" }));
    await hear(mention("<@UBOT> b", { ts: "8.000100", thread_ts: "3.000100" }));
    expect(asked.map(({ request }) => request.thread)).toEqual(["7.000100", "3.000100"]);
    expect(asked.map(({ request }) => request.isThreadNew)).toEqual([true, false]);
    expect(asked.map(({ request }) => request.asked)).toEqual(["7.000100", "8.000100"]);
    expect(sent.map(({ body }) => body["thread_ts"])).toEqual(["7.000100", "3.000100"]);
  });

  it("is answered once, however often Slack delivers it", async () => {
    const { lines, hear } = setUp();
    const body = mention("<@UBOT> a");
    await Promise.all([hear(body), hear(body)]);
    await hear(body);
    expect(lines()).toEqual(["a"]);
  });

  it("is not answered again by the next process", async () => {
    const noted = new Map<string, number>();
    const body = mention("<@UBOT> a", { ts: "9.4" });
    await setUp({ events: noted }).hear(body);
    expect(noted.size).toBe(1);
    const next = setUp({ events: noted });
    await next.hear(body);
    await next.hear({ ...body, event_id: "EvOther" });
    await next.hear(mention("<@UBOT> b", { ts: "9.45" }));
    expect(next.lines()).toEqual(["b"]);
  });

  it("that arrives as a mention and as a message is answered once", async () => {
    const { lines, hear } = setUp();
    await hear(mention("<@UBOT> a", { ts: "9.5", channel: "D1" }));
    await hear(direct("<@UBOT> a", { ts: "9.5" }));
    expect(lines()).toEqual(["a"]);
  });

  it("is another one in another workspace or channel", async () => {
    const { lines, hear } = setUp();
    await hear(mention("<@UBOT> a", { ts: "9.6" }));
    await hear(mention("<@UBOT> b", { ts: "9.6", channel: "C2" }));
    await hear(mention("<@UBOT> c", { ts: "9.6" }, { team_id: "T2" }));
    expect(lines()).toEqual(["a", "b", "c"]);
  });

  it("by a bot is not answered", async () => {
    const { lines, hear } = setUp();
    await hear(mention("<@UBOT> a", { bot_id: "B2" }));
    await hear(mention("<@UBOT> c", { user: "UBOT" }));
    expect(lines()).toEqual([]);
  });
});

describe("a direct message", () => {
  it("is answered in its thread", async () => {
    const { asked, hear } = setUp();
    await hear(direct("news oil", { ts: "7.5" }));
    await hear(direct("and gas?", { ts: "7.6", thread_ts: "7.5" }));
    expect(asked).toMatchObject([
      { line: "news oil", surface: "direct", request: { channel: "D1", thread: "7.5", asked: "7.5" } },
      { line: "and gas?", surface: "direct", request: { channel: "D1", thread: "7.5", asked: "7.6" } },
    ]);
  });

  it.each([
    ["<@UBOT>: trending", "trending"],
    ["<@UBOT|bellwether> news oil", "news oil"],
    ["what about <@U7|ana>?", "what about @ana?"],
  ])("%j asks %j, as a mention does", async (text, line) => {
    const { lines, hear } = setUp();
    await hear(direct(text));
    expect(lines()).toEqual([line]);
  });

  it("may come with a file or also go to the channel", async () => {
    const { lines, hear } = setUp();
    await hear(direct("a", { subtype: "file_share" }));
    await hear(direct("b", { subtype: "thread_broadcast", thread_ts: "1.5" }));
    expect(lines()).toEqual(["a", "b"]);
  });

  it.each<[string, Record<string, unknown>]>([
    ["of a bot", { bot_id: "B2" }],
    ["that was edited", { subtype: "message_changed", user: undefined, message: { text: "x" } }],
    ["that was deleted", { subtype: "message_deleted", user: undefined }],
    ["of the bot itself", { user: "UBOT" }],
    ["in a channel", { channel_type: "channel", channel: "C1" }],
    ["in a group", { channel_type: "mpim", channel: "G1" }],
  ])("%s is not answered", async (_, event) => {
    const { lines, hear } = setUp();
    await hear(direct("x", event));
    expect(lines()).toEqual([]);
  });
});

describe("a button", () => {
  it("runs its line for who pressed it, and shows the result beside the message", async () => {
    const { events, sent, asked, hear } = setUp();
    await hear(press({ action_id: "run:2", value: "news oil" }));
    expect(events.slice(0, 2)).toEqual(["ack", "find"]);
    expect(asked).toMatchObject([
      { line: "news oil", surface: "button", request: { team: "T1", user: "U2", channel: "C1", thread: undefined } },
    ]);
    expect(sent).toMatchObject([{ method: "respond", body: { replace_original: false, response_type: "ephemeral" } }]);
  });

  it("in a thread answers there", async () => {
    const { asked, hear } = setUp();
    await hear(press({ action_id: "run", value: "a" }, { container: { message_ts: "5.0", thread_ts: "4.0" } }));
    await hear(press({ action_id: "run", value: "b" }, { message: { ts: "5.0", thread_ts: "3.0" } }));
    expect(asked.map(({ request }) => request.thread)).toEqual(["4.0", "3.0"]);
  });

  it("runs once where it is tapped twice, and again later", async () => {
    const { clock, lines, hear } = setUp();
    const tap = press({ action_id: "run:1", value: "a" });
    await Promise.all([hear(tap), hear(tap)]);
    await clock.advance(1_500);
    await hear(tap);
    expect(lines()).toEqual(["a"]);
    await clock.advance(1);
    await hear(tap);
    expect(lines()).toEqual(["a", "a"]);
  });

  it("is another one for another person, message, line or place in it", async () => {
    const { lines, hear } = setUp();
    const action = { action_id: "run:1", value: "a" };
    const container = { type: "message", message_ts: "5.1", channel_id: "C1" };
    await hear(press(action));
    await hear(press(action, { user: { id: "U3" } }));
    await hear(press(action, { container }));
    await hear(press({ ...action, value: "b" }));
    await hear(press({ ...action, action_id: "run:2" }));
    await hear(press(action, { team: { id: "T2" } }));
    await hear(press(action, { channel: { id: "C2" } }));
    expect(lines()).toEqual(["a", "a", "a", "b", "a", "a", "a"]);
  });

  it("of another kind runs nothing", async () => {
    const { lines, hear } = setUp();
    await hear(press({ action_id: "runner", value: "a" }));
    await hear(press({ action_id: "other", value: "a" }));
    expect(lines()).toEqual([]);
  });

  it("shares a reply once", async () => {
    const { sent, shelf, hear } = setUp();
    shelf.set("key", { text: "Oil rose", blocks: [] });
    await Promise.all([
      hear(press({ action_id: "share", value: "key" })),
      hear(press({ action_id: "share", value: "key" })),
    ]);
    const shared = sent.filter(({ body }) => body["response_type"] === "in_channel");
    expect(shared).toMatchObject([{ body: { text: "Oil rose" } }]);
  });
});

describe("two workspaces", () => {
  it("never share a token, also while they answer at the same time", async () => {
    const { sent, hear } = setUp();
    const teams = ["T1", "T2", "T3", "T1", "T2"];
    await Promise.all(
      teams.map((team, index) => hear(mention(`<@UBOT> ${index}`, { channel: `C-${team}` }, { team_id: team }))),
    );
    expect(sent.length).toBe(5);
    for (const { token, body } of sent) expect(body["channel"]).toBe(String(token).replace("xoxb-", "C-"));
  });

  it("take a new token as soon as there is one", async () => {
    let token = "xoxb-old";
    const { sent, hear } = setUp({ authorize: async () => ({ botToken: token, botId: "B", botUserId: "UBOT" }) });
    await hear(mention("<@UBOT> a"));
    token = "xoxb-new";
    await hear(mention("<@UBOT> b"));
    expect(sent.map((call) => call.token)).toEqual(["xoxb-old", "xoxb-new"]);
  });
});

describe("what Slack cannot be answered", () => {
  it("is logged where nobody vouches for the workspace, and nothing is run", async () => {
    const { events, lines, hear } = setUp({ authorize: () => Promise.reject(new Error("not installed in T1")) });
    await hear(mention("<@UBOT> a")).catch(() => undefined);
    expect(lines()).toEqual([]);
    expect(events.join()).toContain("slack.error");
  });
});
