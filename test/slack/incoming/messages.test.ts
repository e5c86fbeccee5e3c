import { describe, expect, it } from "vitest";

import type { Message } from "../../../src/slack/text/message.ts";
import { command, direct, heard, inGroup, mention, reply, setUp } from "./receiver.ts";

const inOurs = { following: { decide: async () => "answer" as const } };

describe("a mention", () => {
  it.each([
    ["<@UBOT> news oil", "news oil"],
    ["<@UBOT>: news oil", "news oil"],
    ["<@UBOT|bellwether>, news oil", "news oil"],
    ["hey <@UBOT> what about <@U7|ana>?", "hey what about @ana?"],
    ["what about oil <@UBOT>", "what about oil"],
    ["<@UBOT>", ""],
  ])("%j asks %j", async (text, line) => {
    const { lines } = await heard(mention(text));
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

describe("a question that is edited", () => {
  const minutesAgo = (clock: { now(): number }, minutes: number) => `${clock.now() / 1000 - minutes * 60}`;
  const edited = { edited: { user: "U1", ts: "1.0" } };

  it("is not answered again, in channels and in direct messages", async () => {
    const { clock, lines, hear } = setUp(inOurs);
    const ts = minutesAgo(clock, 1);
    await hear(mention("<@UBOT> why gold?", { ts }));
    await hear(mention("<@UBOT> why silver?", { ts, ...edited }));
    await hear(reply("why gold?", { ts, subtype: "message_changed", message: { text: "why silver?", ts } }));
    await hear(direct("why gold?", { subtype: "message_changed", message: { text: "why silver?", ts } }));
    expect(lines()).toEqual(["why gold?"]);
  });

  it("is answered once if only the edit mentions the bot", async () => {
    const { clock, lines, hear } = setUp();
    const ts = minutesAgo(clock, 50);
    await hear(mention("<@UBOT> why gold?", { ts, ...edited }));
    await hear(mention("<@UBOT> why gold, please?", { ts, ...edited }));
    expect(lines()).toEqual(["why gold?"]);
  });

  it("is left alone if it is so old that nobody knows whether it was answered", async () => {
    const { clock, lines, hear } = setUp();
    await hear(mention("<@UBOT> why gold?", { ts: minutesAgo(clock, 61), ...edited }));
    expect(lines()).toEqual([]);
  });
});

describe("a direct message", () => {
  it("with a question is answered in a thread on it, with a command in line, in a thread in that", async () => {
    const { asked, sent, hear } = setUp();
    await hear(direct("news oil", { ts: "7.5" }));
    await hear(direct("why oil?", { ts: "7.6" }));
    await hear(direct("and gas?", { ts: "7.7", thread_ts: "7.6" }));
    expect(asked).toMatchObject([
      { line: "news oil", continuation: "inLine", request: { channel: "D1", thread: undefined, asked: "7.5" } },
      {
        line: "why oil?",
        continuation: "inLine",
        request: { channel: "D1", thread: "7.6", isThreadNew: true, asked: "7.6" },
      },
      { line: "and gas?", continuation: "mentioned", request: { channel: "D1", thread: "7.6", asked: "7.7" } },
    ]);
    const posts = sent.filter(({ method }) => method === "chat.postMessage");
    expect(posts.map(({ body }) => body["thread_ts"])).toEqual([undefined, "7.6", "7.6"]);
  });

  it("with a question that fails at once is told so in line", async () => {
    const run = () => ({ text: "no such option", failed: true as const });
    const { sent } = await heard(direct("why --oil?", { ts: "7.5" }), { run });
    expect(sent.map(({ method, body }) => [method, body["thread_ts"]])).toEqual([["chat.postMessage", undefined]]);
  });

  it("may come with a file or also go to the channel", async () => {
    const { lines, hear } = setUp();
    await hear(direct("a", { subtype: "file_share" }));
    await hear(direct("b", { subtype: "thread_broadcast", thread_ts: "1.5" }));
    expect(lines()).toEqual(["a", "b"]);
  });

  it.each<[string, Record<string, unknown>]>([
    ["that was deleted", { subtype: "message_deleted", user: undefined }],
    ["in a channel", { channel_type: "channel", channel: "C1" }],
    ["in a group", { channel_type: "mpim", channel: "G1" }],
  ])("%s is not answered", async (_, event) => {
    const { lines } = await heard(direct("x", event));
    expect(lines()).toEqual([]);
  });
});

describe("a group direct message", () => {
  it("is a channel: a mention is answered in its thread", async () => {
    const { asked, hear } = setUp();
    await hear(inGroup("<@UBOT> gold?", { ts: "9.1" }));
    await hear(inGroup("so <@UBOT|bellwether>, silver?", { ts: "9.2", thread_ts: "3.5" }));
    expect(asked).toMatchObject([
      { surface: "mention", request: { channel: "G1", thread: "9.1", isThreadNew: true } },
      { surface: "mention", request: { channel: "G1", thread: "3.5", isThreadNew: false } },
    ]);
  });

  it("answers once what comes as a mention besides", async () => {
    const { lines, hear } = setUp(inOurs);
    await hear(inGroup("<@UBOT> gold?", { ts: "9.1", thread_ts: "3.5" }));
    await hear(mention("<@UBOT> gold?", { ts: "9.1", thread_ts: "3.5", channel: "G1" }));
    expect(lines()).toEqual(["gold?"]);
  });
});

describe("what is said in a thread of ours without a mention", () => {
  it("is answered there, as a mention is", async () => {
    const { asked, sent } = await heard(reply("and gas?", { ts: "9.1" }), inOurs);
    const request = { team: "T1", user: "U1", channel: "C1", thread: "0.000300", asked: "9.1" };
    expect(asked).toMatchObject([{ line: "and gas?", surface: "mention", request }]);
    expect(sent[0]?.body).toMatchObject({ channel: "C1", thread_ts: "0.000300" });
  });

  it.each([
    ["a thread that our message began", "who loses?", { parent_user_id: "UBOT" }, true, true],
    ["one sent to the channel too", "who loses?", { subtype: "thread_broadcast", root: { user: "UBOT" } }, true, true],
    ["somebody’s thread", "bad for them", { parent_user_id: "U7" }, false, false],
    ["a thread of which Slack doesn’t say who began it", "who loses?", {}, false, true],
  ])("is described to whoever decides on it: %s", async (_, text, event, isRootOurs, isQuestion) => {
    const seen: unknown[] = [];
    const decide = async (said: unknown) => (seen.push(said), "ignore" as const);
    const { lines, sent } = await heard(reply(text, event), { following: { decide } });
    const place = { team: "T1", channel: "C1", thread: "0.000300", user: "U1", isAnswering: false };
    expect(seen).toMatchObject([{ ...place, isRootOurs, isQuestion }]);
    expect([lines(), sent]).toEqual([[], []]);
  });

  it("is not answered if its author is to be told to mention the bot, which only they see", async () => {
    const told = { following: { decide: async () => "tell" as const } };
    const { lines, sent } = await heard(reply("who loses?"), told);
    expect(lines()).toEqual([]);
    const text = "I answer here when I’m mentioned.";
    expect(sent).toMatchObject([{ method: "chat.postEphemeral", body: { user: "U1", thread_ts: "0.000300", text } }]);
    const guest = await heard(reply("who loses?"), { ...told, checkAccess: async () => "guest" });
    expect(guest.sent).toEqual([]);
  });

  it("and mentions the bot is answered once, as the mention that it is", async () => {
    const { lines, hear } = setUp(inOurs);
    const at = { ts: "9.5", thread_ts: "0.000300" };
    await hear(reply("<@UBOT> and gas?", at));
    await hear(mention("<@UBOT> and gas?", at));
    await hear(reply("so <@UBOT|bellwether> and gas?", { ts: "9.6" }));
    expect(lines()).toEqual(["and gas?"]);
  });

  it.each<[string, string, Record<string, unknown>?]>([
    ["to somebody else", "<@U7> what do you think?"],
    ["as thanks", "Thanks!"],
    ["as a link", "<https://news.example/a>"],
    ["by another app", "and gas?", { app_id: "A2" }],
    ["by somebody who joins", "joined", { subtype: "channel_join" }],
    ["as the first message of a thread", "and gas?", { ts: "0.000300" }],
    ["in no thread", "and gas?", { thread_ts: undefined }],
    ["by a workflow", "and gas?", { user: undefined, bot_id: "B3", subtype: "bot_message" }],
  ])("%s is not answered", async (_, text, event = {}) => {
    const { lines } = await heard(reply(text, event), inOurs);
    expect(lines()).toEqual([]);
  });
});

describe("stop", () => {
  async function* endless() {
    yield { text: "Half" };
    await new Promise(() => undefined);
  }

  it("in a thread ends what its author asked for there, without a mention, and is no question afterwards", async () => {
    const { answers, lines, clock, hear } = setUp({ ...inOurs, run: endless });
    await hear(mention("<@UBOT> a", { ts: "7.5" }));
    await hear(reply("stop", { thread_ts: "7.5", user: "U2" }));
    expect(answers.count()).toBe(1);
    await hear(reply("Stop!", { thread_ts: "7.5" }));
    await clock.advance(1_000);
    expect(answers.count()).toBe(0);
    await hear(reply("stop", { thread_ts: "7.5" }));
    expect(lines()).toEqual(["a"]);
  });

  it("in a direct message ends the answer in its thread", async () => {
    const { answers, lines, clock, hear } = setUp({ run: endless });
    await hear(direct("why?", { ts: "7.5" }));
    await hear(direct("stop"));
    await clock.advance(1_000);
    expect(answers.count()).toBe(0);
    expect(lines()).toEqual(["why?"]);
  });
});

describe("thanks and emoji", () => {
  it.each(["<@UBOT> thanks!", "<@UBOT> :thumbsup:", "👍 <@UBOT>"])("get no answer in a channel: %s", async (text) => {
    const { lines, sent } = await heard(mention(text));
    expect([lines(), sent]).toEqual([[], []]);
  });

  it("get one in a direct message if they are words of thanks", async () => {
    const { lines, hear } = setUp();
    for (const text of ["🔥", ":thumbsup:", "ok", "Thank you!"]) await hear(direct(text));
    expect(lines()).toEqual(["Thank you!"]);
  });
});

describe("what is said while an answer is under way", () => {
  /** Remembers what it is asked; answers what is said while an answer is under way. */
  function createDecide() {
    const places: unknown[] = [];
    const decide = async ({ thread, isAnswering }: { thread: string; isAnswering: boolean }) => {
      places.push([thread, isAnswering]);
      return isAnswering ? ("answer" as const) : ("ignore" as const);
    };
    return { places, decide };
  }

  it("is known to be said then, there alone", async () => {
    const { places, decide } = createDecide();
    const { promise, resolve } = Promise.withResolvers<Message>();
    const { clock, hear } = setUp({ following: { decide }, run: () => promise });
    await hear(mention("<@UBOT> a", { ts: "7.5" }));
    await hear(reply("and gas?", { thread_ts: "7.5" }));
    await hear(reply("and gas?", { thread_ts: "8.5" }));
    resolve({ text: "done" });
    await clock.advance(1_000);
    await hear(reply("and gas?", { thread_ts: "7.5" }));
    expect(places).toEqual([
      ["7.5", true],
      ["8.5", false],
      ["7.5", false],
    ]);
  });

  it("is known to be said below an answer that began its thread, as to a slash command", async () => {
    const { places, decide } = createDecide();
    const { clock, sent, asked, hear } = setUp({
      following: { decide },
      async *run() {
        yield { text: "Oil" };
        await new Promise(() => undefined);
      },
    });
    await hear(command("/news", "oil"));
    await clock.advance(1_000);
    const root = `${sent.findIndex(({ method }) => method === "chat.postMessage") + 1}.0`;
    await hear(reply("and gas?", { thread_ts: root }));
    await hear(reply("and gas?", { thread_ts: root, channel: "C2" }));
    expect(places).toEqual([
      [root, true],
      [root, false],
    ]);
    expect(asked.map(({ line, request }) => [line, request.thread])).toEqual([
      ["/news oil", undefined],
      ["and gas?", root],
    ]);
  });
});

describe("a message that continues a thread", () => {
  it("is told from one that begins a thread, and with the bot's name from without", async () => {
    const { asked, hear } = setUp(inOurs);
    await hear(mention("<@UBOT> a", { ts: "9.1" }));
    await hear(mention("<@UBOT> b", { ts: "9.2", thread_ts: "9.1" }));
    await hear(reply("c", { ts: "9.3", thread_ts: "9.1" }));
    await hear(direct("d", { ts: "9.4" }));
    await hear(direct("e", { ts: "9.5", thread_ts: "9.4" }));
    await hear(command("/news", "f"));
    expect(asked.map(({ line, continuation }) => [line, continuation])).toEqual([
      ["a", undefined],
      ["b", "mentioned"],
      ["c", "reply"],
      ["d", "inLine"],
      ["e", "mentioned"],
      ["/news f", undefined],
    ]);
  });
});
