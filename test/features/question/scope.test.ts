import { describe, expect, it } from "vitest";

import { UsageError } from "../../../src/apis/errors.ts";
import { about, ask, switchScope } from "../../../src/features/ask/commands.ts";
import {
  askOptions,
  changeScope,
  readScopeChanges,
  newsContextOf,
  scopeWords,
} from "../../../src/features/question/scope.ts";
import { createLists } from "../../../src/features/articles/store.ts";
import { parseOptions } from "../../../src/features/options.ts";
import { answerOf, buttonsOf, hintOf, wordsOf } from "../../support/answers.ts";
import {
  article,
  asking,
  credits,
  inThread,
  memory,
  newsChannel,
  newsModel,
  now,
  askServices,
} from "../../support/builders.ts";

const hour = 60 * 60_000;

const read = (text: string) => parseOptions(text, askOptions);
/** The scope of a thread about articles after a question. */
const scopeAfter = async (text: string, zone = "UTC") =>
  changeScope(
    undefined,
    await readScopeChanges(read(text).values, {
      now,
      zone,
      hasArticles: true,
      ask: asking(text),
      deps: askServices(),
    }),
  );

describe("the scope in a question", () => {
  it.each(["--channel 7 --in-source entity usa why?", "why? --in-source all --channel 7"])(
    "is refused if it names two sources: %s",
    async (text) => {
      await expect(scopeAfter(text)).rejects.toThrow(/^Those are two sources.*Keep one of them/);
    },
  );

  it("is refused if one option has two different values", () => {
    expect(() => read("why? --in-source entity usa --in-source entity japan")).toThrow(
      "`--in-source` is here twice, with different values. Keep one of them.",
    );
    expect(read("why? --since 1d --since 1d").values).toEqual({ since: { count: 1, unit: "d" } });
  });

  it.each([
    ["--since 7d why gold?", "why gold?", { since: { count: 7, unit: "d" } }],
    ["why gold? --since=24h", "why gold?", { since: { count: 24, unit: "h" } }],
    ["why —since 2w gold?", "why gold?", { since: { count: 2, unit: "w" } }],
    ['why gold? --since "3 days"', "why gold?", { since: { count: 3, unit: "d" } }],
    ["what changed --since 7d?", "what changed", { since: { count: 7, unit: "d" } }],
    ["why? --since 2026-11-01", "why?", { since: { day: "2026-11-01" } }],
    ["why? --since all", "why?", { since: "all" }],
    ['--channel "Central banks" why?', "why?", { channel: { kind: "channel", what: "Central banks" } }],
    ['--in-source channel "Central banks" why?', "why?", { inSource: { kind: "channel", what: "Central banks" } }],
    ["--in-source company BASF why?", "why?", { inSource: { kind: "entity", what: "BASF" } }],
    ["why? --in-source trending", "why?", { inSource: { kind: "trending", what: "all" } }],
    ['why? --in-source "trending companies"', "why?", { inSource: { kind: "trending", what: "companies" } }],
    ['why? --in-source "entity BASF, Bayer"', "why?", { inSource: { kind: "entity", what: "BASF, Bayer" } }],
    ["--in-source entity usa, japan gold?", "gold?", { inSource: { kind: "entity", what: "usa, japan" } }],
    ['--in-source entity "Bank A", B why?', "why?", { inSource: { kind: "entity", what: "Bank A, B" } }],
    [
      "--channel 7 --since 1d why?",
      "why?",
      { channel: { kind: "channel", what: "7" }, since: { count: 1, unit: "d" } },
    ],
    ["why? --only", "why?", { isOnly: true }],
    ["why? --until 2026-11-15", "why?", { until: { day: "2026-11-15" } }],
    ["why? --until 2d?", "why?", { until: { count: 2, unit: "d" } }],
    ["why --sort newest?", "why", { sort: "newest" }],
    ["--full why? --limit 20", "why?", { isFull: true, limit: 20 }],
    ["why? --limit all --model gpt-5.1", "why?", { limit: 0, model: "gpt-5.1" }],
    ["why? --links platform", "why?", { links: "platform" }],
    ["why? --language German", "why?", { language: "German" }],
    ["why? --language deutsch?", "why?", { language: "German" }],
    ["why? --language auto", "why?", { language: "auto" }],
    ["--only why? --more", "why?", { isOnly: false }],
    ["why?\n\n> run --since 7d --only", "why?\n\n> run --since 7d --only", {}],
  ])("is separated from its words: %j", (text, rest, values) => {
    expect(read(text)).toMatchObject({ rest, values });
    expect(Object.keys(read(text).values)).toEqual(Object.keys(values));
  });

  it.each([
    ["why? --since", "Since when? Type for example `--since 7d`"],
    ["why? --sinse 7d", "Did you mean `--since`?"],
    ["why? --since soon", "I can’t read `--since soon`. Type for example `--since 7d`"],
    ["why? --since 0d", "I can’t read"],
    ["why? --since 2026-02-30", "I can’t read"],
    ["why? --since `<!here>`", "I can’t read"],
    ["why? --channel", "Which news channel?"],
    ["why? --channel “ ”", "Which news channel?"],
    ["why? --until", "Until when? Type for example `--until 2026-11-15`"],
    ["why? --until tomorrow", "I can’t read `--until tomorrow`"],
    ["why? --untill 2d", "Did you mean `--until`?"],
    ["why? --sort oldest", "“oldest” isn’t one of `newest`, `relevance`, `any`"],
    ["why? --limit 0", "takes a whole number from 1 to 100, not “0”"],
    ["why? --model", "Which model?"],
    ["why? --links both", "“both” isn’t one of `direct`, `platform`"],
    ["why? --language Germn", "Did you mean `--language German`?"],
  ])("is refused with a hint if it cannot be read: %j", (text, hint) => {
    expect(() => read(text)).toThrow(UsageError);
    expect(() => read(text)).toThrow(hint);
  });

  it.each([
    ["--since 2026-11-21", "2026-11-21 is still to come"],
    ["--since 1999-01-01", "too long ago"],
    ["--since 999999w", "too long ago"],
    ["--until 2026-11-21", "2026-11-21 is still to come"],
    ["--until 1999-01-01", "too long ago"],
  ])("is refused if no article can be from then: %s", async (text, hint) => {
    await expect(scopeAfter(text)).rejects.toThrow(hint);
  });

  it.each([
    ["America/New_York", Date.UTC(2026, 10, 1, 4)],
    ["Pacific/Pago_Pago", Date.UTC(2026, 10, 1, 11)],
  ])("begins a day at its midnight in %s", async (zone, start) => {
    expect((await scopeAfter("--since 2026-11-01", zone))?.since).toEqual({ day: "2026-11-01", at: start });
    const end = start + 24 * hour - 1;
    // New York turns its clocks back on the first of November.
    const longer = zone === "America/New_York" ? hour : 0;
    expect((await scopeAfter("--until 2026-11-01", zone))?.until).toEqual({ day: "2026-11-01", at: end + longer });
  });

  it("takes an option back that is typed with its usual value", async () => {
    expect(
      await scopeAfter("--sort any --no-full --limit all --model default --links direct --until now"),
    ).toBeUndefined();
    expect(await scopeAfter("--language auto")).toEqual({ language: "auto" });
  });
});

describe("a day that a question names", () => {
  async function startOf(zone: () => Promise<string | undefined>, text = "why? --since 2026-11-01") {
    const { sent, generate } = newsModel("Because.");
    const asked: string[] = [];
    const timeZone = async (team: string, user: string) => {
      asked.push(`${team} ${user}`);
      return zone();
    };
    const to = { ...askServices({ intelligence: { generate }, people: { timeZone } }), timeZone: "America/New_York" };
    await answerOf(ask, asking(text), to);
    return { start: sent[0]?.messages.at(-1)?.content.metadata?.news_context?.start, asked };
  }

  it("begins in the asker's zone", async () => {
    expect(await startOf(async () => "Asia/Tokyo")).toEqual({ start: Date.UTC(2026, 9, 31, 15), asked: ["T1 U1"] });
  });

  it("begins in the operator's zone if Slack does not name the asker's", async () => {
    expect((await startOf(async () => undefined)).start).toBe(Date.UTC(2026, 10, 1, 4));
  });
});

describe("a scope", () => {
  const week = { count: 7, unit: "d" } as const;

  it("holds until it is changed or lifted", () => {
    expect(changeScope(undefined, {})).toBeUndefined();
    expect(changeScope({ since: week }, { isOnly: true })).toEqual({ since: week, isOnly: true });
    expect(changeScope({ since: week, isOnly: true }, { isOnly: false })).toEqual({ since: week });
    expect(changeScope({ since: week }, { since: undefined })).toBeUndefined();
  });

  it("moves with the time for a length, and stays for a day", () => {
    expect(newsContextOf({ since: week }, now)).toEqual({ start: now - 7 * 24 * hour });
    expect(newsContextOf({ since: { day: "2026-11-01", at: 5 } }, now + hour)).toEqual({ start: 5 });
    expect(newsContextOf({ until: { count: 2, unit: "d" } }, now)).toEqual({ end: now - 48 * hour });
    expect(newsContextOf({ until: { day: "2026-11-01", at: 5 } }, now)).toEqual({ end: 5 });
    expect(newsContextOf({ sort: "newest", isFull: true }, now)).toEqual({ sorting: "newest", useFullText: true });
    expect(newsContextOf({ limit: 5, model: "m", links: "platform", language: "German" }, now)).toBeUndefined();
    expect(newsContextOf({}, now)).toBeUndefined();
  });

  it.each([
    [{ since: week }, ["last 7 days"]],
    [{ since: { count: 1, unit: "w" } as const }, ["last week"]],
    [{ since: { count: 24, unit: "h" } as const }, ["last 24 hours"]],
    [{ since: { day: "2026-11-01", at: 1 } }, ["since 2026-11-01"]],
    [
      {
        since: week,
        source: { title: "A <b> & c", source: { kind: "channel" as const, id: 7, name: "A" } },
      },
      ["last 7 days", "channel A &lt;b&gt; &amp; c"],
    ],
    [{ since: week, isOnly: true }, ["only these articles"]],
    [{ since: week, until: { count: 1, unit: "d" } as const }, ["last 7 days", "until 1 day ago"]],
    [{ until: { day: "2026-11-01", at: 1 }, sort: "newest" as const }, ["until 2026-11-01", "newest first"]],
    [{ sort: "relevance" as const, isFull: true, limit: 1 }, ["by relevance", "full texts", "at most 1 article"]],
    [{ model: "a<b", links: "platform" as const, language: "German" }, ["model a&lt;b", "platform links", "in German"]],
    [{ language: "auto" }, []],
    [undefined, []],
  ])("is described in a few words: %j", (frame, words) => {
    expect(scopeWords(frame)).toEqual(words);
  });
});

/** A bot that answers every question, with one channel and one list. */
async function desk() {
  const channels = [newsChannel({ stages: [{ entities: [{ type: "company", value: 1 }] }] })];
  const { sent, generate } = newsModel("Because.");
  const lists = createLists(memory());
  const to = askServices({
    lists,
    intelligence: {
      channels: async () => channels,
      channel: async (id) => channels.find((each) => each.id === id) ?? newsChannel({ id }),
      generate,
    },
  });
  const key = await lists.keep({ title: "News: oil", articles: [article({ id: 11 })], total: 1 }, "T1");
  const says = (text: string) => answerOf(ask, asking(text, inThread), to);
  const contexts = () => sent.map(({ messages }) => messages.at(-1)?.content.metadata?.news_context);
  return { sent, to, key, says, contexts };
}

describe("a thread", () => {
  it("keeps the window and the channel of an earlier question until they are changed", async () => {
    const { says, contexts, sent } = await desk();
    const first = await says('why? --since 7d --channel "central"');
    await says("and then?");
    await says("and before? --since 24h");
    const last = await says("all? --since all --channel all");
    const start = now - 7 * 24 * hour;
    const stages = [{ entities: [{ type: "company", value: 1 }] }];
    expect(contexts()).toEqual([{ start, stages }, { start, stages }, { start: now - 24 * hour, stages }, undefined]);
    expect(wordsOf(first)).toContain("Written by AI · last 7 days · channel Central banks");
    expect(wordsOf(last)).not.toMatch(/last|channel/);
    // What an earlier question was confined to would still be in force if it were sent once more.
    const earlier = sent.flatMap(({ messages }) => messages.slice(0, -1));
    expect(earlier.filter(({ content }) => content.metadata?.news_context)).toEqual([]);
    expect(sent[0]?.messages).toMatchObject([{ content: { text: "why?" } }]);
  });

  it("keeps the options of searching and writing until they are changed", async () => {
    const { says, sent, to } = await desk();
    const first = await says("why? --sort newest --full --limit 5 --model big-2 --links platform --language de");
    await says("and then?");
    await says("and now? --no-full --limit all --model default --links direct --language auto");
    const last = { role: "user", content: { type: "text", text: "why?" } };
    const news_context = { sorting: "newest", useFullText: true };
    expect(sent[0]).toMatchObject({ model: "big-2", directUrls: false });
    expect(sent[0]?.messages).toEqual([
      { role: "user", content: { type: "svc_news", articleIds: [], count: 5 } },
      { role: "user", content: { type: "text", text: "Answer in German." } },
      { ...last, content: { ...last.content, metadata: { news_context } } },
    ]);
    expect(sent[1]).toMatchObject({ model: "big-2", directUrls: false });
    expect(sent[1]?.messages.slice(-3)).toMatchObject([
      { content: { articleIds: [], count: 5 } },
      { content: { text: "Answer in German." } },
      { content: { text: "and then?", metadata: { news_context } } },
    ]);
    expect(sent[2]?.model).toBeUndefined();
    expect(sent[2]?.directUrls).toBe(true);
    expect(JSON.stringify(sent[2]?.messages)).not.toMatch(/Answer in|count/);
    expect(wordsOf(first)).toContain(
      "Written by AI · newest first · full texts · at most 5 articles · model big-2 · platform links · in German",
    );
    expect((await to.conversations.get("T1 C1 50.1"))?.scope).toEqual({ sort: "newest", language: "auto" });
  });

  it("refuses a window that ends before it begins, also where an earlier question set one end of it", async () => {
    const { says, to, sent } = await desk();
    await says("why? --since 24h");
    const hint = await hintOf(ask, asking("why? --until 2d", inThread), to);
    expect(hint).toMatch(/“Last 24 hours” and “until 2 days ago” don’t overlap.*`--since all`/);
    expect(sent).toHaveLength(1);
  });

  it("reads its chosen articles in full and in the number that was asked for", async () => {
    const { to, sent } = await desk();
    const articles = [11, 12, 13].map((id) => article({ id }));
    const key = await to.lists.keep({ title: "News: gas", articles, total: 3 }, "T1");
    const shown = await answerOf(about, asking(`${key} why? --full --limit 2`, inThread), to);
    expect(sent[0]?.messages[0]?.content).toEqual({ type: "svc_news", articleIds: [11, 12], useFullText: true });
    expect(wordsOf(shown)).toMatch(/Written by AI from 2 articles of/);
  });

  it("is answered from its articles alone with `--only`, by an order and an empty window", async () => {
    const { to, key, says, sent, contexts } = await desk();
    const shown = await answerOf(about, asking(`${key} why? --only`, inThread), to);
    expect(sent[0]?.messages).toMatchObject([
      { content: { type: "svc_news", articleIds: [11] } },
      { content: { text: expect.stringContaining("search for no others") } },
      { content: { text: "why?" } },
    ]);
    expect(contexts()).toEqual([{ start: now - 1, end: now }]);
    expect(wordsOf(shown)).toMatch(/Written by AI from \d+ articles? of .* · only these articles/);
    await says("and why?");
    expect(contexts()[1]).toEqual(contexts()[0]);
    const wider = await says("anything else? --since 7d");
    expect(wordsOf(wider)).toMatch(/last 7 days/i);
    expect(JSON.stringify(sent[2]?.messages)).not.toContain("search for no others");
  });

  it("is switched by a button under an answer that stands on chosen articles, for whoever asked", async () => {
    const { to, key, says, contexts } = await desk();
    const shown = await answerOf(about, asking(`${key} why?`, inThread), to);
    expect(buttonsOf(shown)["Only these articles"]).toBe("scope only");
    expect(JSON.stringify(shown.blocks)).toContain('"run:below@U1');
    const said = await answerOf(switchScope, asking("only", inThread), to);
    expect(said.text).toBe("From now on, answers here use only the articles of News: oil.");
    const next = await says("and why?");
    expect(contexts().at(-1)).toEqual({ start: now - 1, end: now });
    expect(buttonsOf(next)["Search beyond these"]).toBe("scope more");
    await answerOf(switchScope, asking("more", inThread), to);
    await says("and now?");
    expect(contexts().at(-1)).toBeUndefined();
  });

  it.each(["slowly?", "slowly? --more"])("keeps a switch that is pressed while %j is answered", async (question) => {
    const { to, key } = await desk();
    await answerOf(about, asking(`${key} why?`, inThread), to);
    const growing = (await ask.run(asking(question, inThread), to)) as AsyncGenerator;
    await growing.next();
    await answerOf(switchScope, asking("only", inThread), to);
    for await (const _ of growing);
    const kept = await to.conversations.get("T1 C1 50.1");
    expect(kept?.scope).toEqual({ isOnly: true });
    expect(kept?.turns).toHaveLength(2);
  });

  it("without chosen articles refuses `--only`", async () => {
    const { to } = await desk();
    expect(await hintOf(ask, asking("why? --only", inThread), to)).toMatch(/No articles were chosen.*Ask about these/);
    expect(await hintOf(switchScope, asking("only", inThread), to)).toMatch(/No articles were chosen/);
    expect(await hintOf(switchScope, asking("only"), to)).toMatch(/No articles were chosen/);
  });
});

describe("a source that the news service has no filter for", () => {
  const found = (id: number, ago: number) =>
    article({
      id: undefined,
      gatewayId: id,
      title: `Gold ${id}`,
      url: `https://a.example/${id}`,
      published: now - ago,
    });

  /** A thread in which a search was asked, whose two articles have no ID of the news service. */
  async function searched() {
    const { sent, generate } = newsModel("Because.");
    const search = async (query: string) => ({
      query,
      articles: [found(1, hour), found(2, 72 * hour)],
      total: 2,
      credits: credits(),
    });
    const to = askServices({ intelligence: { generate }, gateway: { search } });
    const says = (text: string) => answerOf(ask, asking(text, inThread), to);
    const newest = () => {
      const { messages = [] } = sent.at(-1) ?? {};
      return {
        told: [...JSON.stringify(messages).matchAll(/https:\/\/a\.example\/(\d)/g)].map(([, id]) => Number(id)),
        context: messages.at(-1)?.content.metadata?.news_context,
        isFenced: JSON.stringify(messages).includes("search for no others"),
      };
    };
    return { says, newest };
  }
  const fence = { isFenced: true, context: { start: now - 1, end: now } };

  it("is answered from its articles alone, also when its thread goes on or names another time", async () => {
    const { says, newest } = await searched();
    const first = await says("why? --in-source search gold");
    expect(newest()).toEqual({ told: [1, 2], ...fence });
    expect(buttonsOf(first)["Search beyond these"]).toBe("scope more");
    await says("and then?");
    expect(newest()).toEqual({ told: [1, 2], ...fence });
    const later = await says("and lately? --since 2d");
    expect(newest()).toEqual({ told: [1], ...fence });
    expect(wordsOf(later)).toContain("Written by AI from 1 article of “gold” · only these articles · last 2 days");
  });

  it("is searched beyond when somebody says so, and no longer once its thread asks somewhere else", async () => {
    const { says, newest } = await searched();
    await says("why? --in-source search gold --more");
    expect(newest()).toMatchObject({ isFenced: false, context: undefined });
    await says("why? --in-source search gold");
    await says("why? --in-source all --since 7d");
    expect(newest()).toMatchObject({ isFenced: false, context: { start: now - 7 * 24 * hour } });
  });
});
