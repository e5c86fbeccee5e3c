import { describe, expect, it } from "vitest";

import type { Message } from "../../../src/slack/text/message.ts";
import { command, direct, mention, press, reply, setUp, stopSession, submit, typed } from "../receiver.ts";

const inOurs = { following: { isOurs: async () => true } };

describe("what is said in a thread of ours without a mention", () => {
  it("is answered there, as a mention is", async () => {
    const { asked, sent, hear } = setUp(inOurs);
    await hear(reply("and gas?", { ts: "9.1" }));
    expect(asked).toMatchObject([
      {
        line: "and gas?",
        surface: "mention",
        request: { team: "T1", user: "U1", channel: "C1", thread: "0.000300", asked: "9.1" },
      },
    ]);
    expect(sent[0]?.body).toMatchObject({ channel: "C1", thread_ts: "0.000300" });
  });

  it("is answered in private channels, with files, and where it also goes to the channel", async () => {
    const { lines, hear } = setUp(inOurs);
    await hear(reply("private", { channel_type: "group" }));
    await hear(reply("with a file", { subtype: "file_share" }));
    await hear(reply("to all", { subtype: "thread_broadcast" }));
    expect(lines()).toEqual(["private", "with a file", "to all"]);
  });

  it("is answered once, however often Slack delivers it", async () => {
    const { lines, hear } = setUp(inOurs);
    const body = reply("and gas?");
    await Promise.all([hear(body), hear(body)]);
    await hear({ ...body, event_id: "EvOther" });
    expect(lines()).toEqual(["and gas?"]);
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
    ["to somebody else, after a space", "  <@U7|ana> what do you think?"],
    ["to somebody else, in bold", "*<@U7>* what do you think?"],
    ["to somebody else, below a quotation", "&gt; gas fell\n&gt; a lot\n<@U7> what do you think?"],
    ["to somebody else, after what cannot be seen", "\u200B\u2060<@U7> what do you think?"],
    ["to a group", "<!subteam^S1> what do you think?"],
    ["to everybody", "<!here> look"],
    ["as thanks", "Thanks!"],
    ["as a word of assent", "ok."],
    ["as a smile", ":joy: :+1::skin-tone-2: 👍"],
    ["without words", ""],
    ["by a bot", "and gas?", { bot_id: "B2" }],
    ["by another app", "and gas?", { app_id: "A2" }],
    ["by the bot itself", "and gas?", { user: "UBOT" }],
    ["by nobody", "and gas?", { user: undefined }],
    ["as an edit", "and gas?", { subtype: "message_changed", message: { text: "x" } }],
    ["by somebody who joins", "joined", { subtype: "channel_join" }],
    ["as a bot's message", "and gas?", { subtype: "bot_message" }],
    ["as the first message of a thread", "and gas?", { ts: "0.000300" }],
    ["in no thread", "and gas?", { thread_ts: undefined }],
    ["by a workflow", "and gas?", { user: undefined, bot_id: "B3", subtype: "bot_message" }],
  ])("%s is not answered", async (_, text, event = {}) => {
    const { lines, hear } = setUp(inOurs);
    await hear(reply(text, event));
    expect(lines()).toEqual([]);
  });

  it("but mentions somebody in the middle is answered", async () => {
    const { lines, hear } = setUp(inOurs);
    await hear(reply("what did <@U7|ana> mean by 80?"));
    expect(lines()).toEqual(["what did @ana mean by 80?"]);
  });

  it("but quotes somebody's name is answered", async () => {
    const { lines, hear } = setUp(inOurs);
    await hear(reply("&gt; <@U7|ana> says 80\nis that so?"));
    expect(lines()).toHaveLength(1);
  });

  it.each(["thanks, and gas?", "ok what about gas", "好的,石油呢?", "7?"])("%j is a question", async (text) => {
    const { lines, hear } = setUp(inOurs);
    await hear(reply(text));
    expect(lines()).toEqual([text]);
  });
});

describe("what goes on in a thread", () => {
  it("is known from what begins one, and with the bot's name from without", async () => {
    const { asked, hear } = setUp(inOurs);
    await hear(mention("<@UBOT> a", { ts: "9.1" }));
    await hear(mention("<@UBOT> b", { ts: "9.2", thread_ts: "9.1" }));
    await hear(reply("c", { ts: "9.3", thread_ts: "9.1" }));
    await hear(direct("d", { ts: "9.4" }));
    await hear(direct("e", { ts: "9.5", thread_ts: "9.4" }));
    await hear(command("/news", "f"));
    expect(asked.map(({ line, goesOn }) => [line, goesOn])).toEqual([
      ["a", undefined],
      ["b", "mentioned"],
      ["c", "reply"],
      ["d", undefined],
      ["e", "mentioned"],
      ["/news f", undefined],
    ]);
  });
});

describe("what is said while an answer is under way", () => {
  it("is known to be said then, there alone", async () => {
    const places: unknown[] = [];
    const isOurs = async ({ thread, isAnswering }: { thread: string; isAnswering: boolean }) => {
      places.push([thread, isAnswering]);
      return false;
    };
    const { promise, resolve } = Promise.withResolvers<Message>();
    const { clock, hear } = setUp({ following: { isOurs }, run: () => promise });
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
    const places: unknown[] = [];
    const isOurs = async ({ thread, isAnswering }: { thread: string; isAnswering: boolean }) => {
      places.push([thread, isAnswering]);
      return isAnswering;
    };
    const { clock, sent, asked, hear } = setUp({
      following: { isOurs },
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

describe("what is said in other threads", () => {
  it("is not answered, whatever it is", async () => {
    const places: unknown[] = [];
    const isOurs = async (place: unknown) => {
      places.push(place);
      return false;
    };
    const { lines, sent, hear } = setUp({ following: { isOurs } });
    await hear(reply("and gas?"));
    expect(places).toEqual([{ team: "T1", channel: "C1", thread: "0.000300", isAnswering: false }]);
    expect(lines()).toEqual([]);
    expect(sent).toEqual([]);
  });

  it("is not looked up where it cannot be meant for the bot", async () => {
    const isOurs = () => Promise.reject(new Error("not to be asked"));
    const { events, hear } = setUp({ following: { isOurs } });
    await hear(reply("<@U7> and gas?"));
    await hear(reply("and gas?", { thread_ts: undefined }));
    expect(events.filter((event) => event !== "ack")).toEqual([]);
    await hear(reply("and gas?"));
    expect(events.join()).toContain("not to be asked");
  });
});

describe("a thread that somebody asks in", () => {
  it("is noted, and whether the question began it", async () => {
    const entered: [string, boolean][] = [];
    const enter = async ({ channel, thread }: { channel: string; thread: string }, isOwn: boolean) =>
      void entered.push([`${channel} ${thread}`, isOwn]);
    const { hear } = setUp({ following: { enter } });
    await hear(mention("<@UBOT> a", { ts: "7.5" }));
    await hear(mention("<@UBOT> b", { ts: "8.5", thread_ts: "3.5" }));
    await hear(command("/news", "c"));
    await hear(direct("d"));
    await hear(press({ action_id: "run", value: "e" }, { container: { message_ts: "5.0", thread_ts: "4.0" } }));
    expect(entered).toEqual([
      ["C1 7.5", true],
      ["C1 3.5", false],
      ["C1 4.0", false],
    ]);
  });
});

describe("somebody whom the bot does not answer", () => {
  const guest = { checkAccess: async () => "guest" as const };
  const refused = /I answer its members only/;

  it.each<[string, Record<string, unknown>, string]>([
    ["beside a mention", mention("<@UBOT> a", { thread_ts: "3.5" }), "chat.postEphemeral"],
    ["beside a slash command", command("/news", "a"), "respond"],
    ["beside a button", press({ action_id: "run", value: "a" }), "respond"],
    ["in a direct message", direct("a"), "chat.postMessage"],
  ])("is told so %s", async (_, body, method) => {
    const { lines, sent, hear } = setUp(guest);
    await hear(body);
    expect(lines()).toEqual([]);
    expect(sent).toMatchObject([{ method, body: { text: expect.stringMatching(refused) } }]);
  });

  it("is left in peace where nobody called the bot", async () => {
    const { lines, sent, hear } = setUp({ ...guest, ...inOurs });
    await hear(reply("and gas?"));
    expect(lines()).toEqual([]);
    expect(sent).toEqual([]);
  });

  it("is known by where they come from, on every surface", async () => {
    const homes: unknown[] = [];
    const checkAccess = async ({ homeTeam }: { homeTeam?: string | undefined }) => {
      homes.push(homeTeam);
      return "allowed" as const;
    };
    const { hear } = setUp({ checkAccess, ...inOurs, read: () => ({ line: "a" }) });
    await hear(mention("<@UBOT> a", { user_team: "T2", team: "T1" }));
    await hear(mention("<@UBOT> a", { team: "T3" }));
    await hear(reply("a b", { user_team: "T4" }));
    await hear(direct("a", { team: "T5" }));
    await hear(press({ action_id: "run", value: "a" }, { user: { id: "U2", team_id: "T6" } }));
    await hear({ ...submit({ text: typed("a") }), user: { id: "U2", team_id: "T7" } });
    await hear(command("/news", "a"));
    expect(homes).toEqual(["T2", "T3", "T4", "T5", "T6", "T7", undefined]);
  });

  it("gets no answer either where the refusal cannot be shown, and the log says so", async () => {
    const { events, lines, hear } = setUp({
      ...guest,
      refuses: { "chat.postEphemeral": ["x"], "chat.postMessage": ["y"] },
    });
    await hear(mention("<@UBOT> a", { thread_ts: "3.5" }));
    expect(lines()).toEqual([]);
    expect(events.join()).toContain("slack.undelivered");
  });
});

describe("Slack's own way to stop", () => {
  async function* endless({ signal }: { signal: AbortSignal }): AsyncGenerator<Message> {
    yield { text: "Oil" };
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    throw signal.reason;
  }
  const statuses = (sent: { method: string; body: Record<string, unknown> }[]) =>
    sent.flatMap(({ method, body }) => (method === "agents.sessions.setStatus" ? [body["status"]] : []));

  it("ends the answers in that thread, and the sign of work", async () => {
    const { clock, asked, sent, hear } = setUp({ run: (request) => endless(request) });
    await hear(direct("a", { ts: "7.5" }));
    await hear(direct("b", { ts: "8.5" }));
    await clock.advance(1_000);
    await hear(stopSession());
    await clock.advance(5_000);
    expect(asked.map(({ request }) => request.signal.aborted)).toEqual([true, false]);
    expect(statuses(sent)).toEqual(["processing", "processing", "active"]);
  });

  it("ends the sign of work that an earlier process left", async () => {
    const { sent, hear } = setUp();
    await hear(stopSession());
    expect(sent).toMatchObject([
      { method: "agents.sessions.setStatus", body: { channel_id: "D1", thread_ts: "7.5", status: "active" } },
    ]);
  });

  it("ends nothing that others asked for, or elsewhere", async () => {
    const { clock, asked, hear } = setUp({ run: (request) => endless(request) });
    await hear(mention("<@UBOT> a", { ts: "7.5" }));
    await hear(stopSession({ channel: "C1", user: "U9" }));
    await hear(stopSession({ channel: "C2" }));
    await hear(stopSession({ channel: "C1", thread_ts: "7.6" }));
    await hear({ ...stopSession({ channel: "C1" }), team_id: "T2" });
    await clock.advance(2_000);
    expect(asked[0]?.request.signal.aborted).toBe(false);
    await hear(stopSession({ channel: "C1" }));
    expect(asked[0]?.request.signal.aborted).toBe(true);
  });
});

describe("a question that is edited", () => {
  const minutesAgo = (clock: { now(): number }, minutes: number) => `${clock.now() / 1000 - minutes * 60}`;
  const edited = { edited: { user: "U1", ts: "1.0" } };

  it("is not answered again, in channels and in direct messages", async () => {
    const { clock, lines, hear } = setUp({ following: { isOurs: async () => true } });
    const ts = minutesAgo(clock, 1);
    await hear(mention("<@UBOT> why gold?", { ts }));
    await hear(mention("<@UBOT> why silver?", { ts, ...edited }));
    await hear(reply("why gold?", { ts, subtype: "message_changed", message: { text: "why silver?", ts } }));
    await hear(direct("why gold?", { subtype: "message_changed", message: { text: "why silver?", ts } }));
    expect(lines()).toEqual(["why gold?"]);
  });

  it("is answered once where only the edit mentions the bot", async () => {
    const { clock, lines, hear } = setUp();
    const ts = minutesAgo(clock, 50);
    await hear(mention("<@UBOT> why gold?", { ts, ...edited }));
    await hear(mention("<@UBOT> why gold, please?", { ts, ...edited }));
    expect(lines()).toEqual(["why gold?"]);
  });

  it("is left alone where it is so old that nobody knows whether it was answered", async () => {
    const { clock, lines, hear } = setUp();
    await hear(mention("<@UBOT> why gold?", { ts: minutesAgo(clock, 61), ...edited }));
    expect(lines()).toEqual([]);
  });
});
