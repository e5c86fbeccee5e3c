import { describe, expect, it } from "vitest";

import type { Article } from "../../../src/apis/article.ts";
import type { GenerateEvent } from "../../../src/apis/intelligence/generate.ts";
import { followUps, sourcesOf } from "../../../src/features/ask/answer.ts";
import { about, ask } from "../../../src/features/ask/commands.ts";
import { mainSubjects } from "../../../src/features/ask/context.ts";
import { createLists } from "../../../src/features/articles/store.ts";
import { list } from "../../../src/features/news/commands.ts";
import { answerOf, buttonsOf, menuOf, statesOf, wordsOf } from "../../support/answers.ts";
import { article, asking, inThread, memory, newsChannel, askServices, streamOf } from "../../support/builders.ts";
import { problemsOf } from "../slack-limits.ts";
import type { ArticleList } from "../../../src/features/articles/list.ts";

const says = (text: string): GenerateEvent => ({ type: "text", text });

function fetched(...articleIds: number[]): GenerateEvent[] {
  const calls = [{ id: "c", name: "search", args: { query: "oil" }, type: "tool_call" as const }];
  const content = { type: "svc_news" as const, articleIds };
  return [
    { type: "tool_start", calls, message: { role: "assistant", content: { type: "text", text: "" } } },
    { type: "tool_finish", callId: "c", articleIds, message: { role: "tool", content } },
  ];
}

async function desk(events: GenerateEvent[], given: Partial<ArticleList> = {}) {
  const lists = createLists(memory());
  const entities = async () => new Map();
  const to = askServices({ lists, intelligence: { generate: () => streamOf(...events), entities } });
  const articles = [article({ id: 11 }), article({ id: 12, title: "Gas falls", url: "https://a.example/gas" })];
  const key = await lists.keep({ title: "News: oil", articles, total: 2, ...given }, "T1");
  return { to, key, lists };
}

describe("the receipt under an answer", () => {
  it("says in one line which articles were given and read, below the answer", async () => {
    const { to, key } = await desk([...fetched(1, 2, 3), says("[Oil](https://news.example.com/oil) rises.")]);
    const shown = await answerOf(about, asking(`${key} why? --since 7d`, inThread), to);
    expect(wordsOf(shown)).toContain(
      "Written by AI from 2 articles of “News: oil” · *Sources* 1 of 1 link checked · 3 articles read · last 7 days",
    );
  });

  describe("for articles that the model retrieved", () => {
    const read = [
      article({ id: 1, title: "Oil rises", url: "https://a.example/1" }),
      article({ id: 2, title: "Gas falls", url: "https://a.example/2" }),
    ];

    /** An answer that retrieved articles 1 to 3 by these filters, and the queries that named them. */
    async function answered(args: Record<string, unknown>, words: string, from = "ask") {
      const queries: unknown[] = [];
      let known = new Map<number, Article>();
      const channel = newsChannel({ stages: [{ entities: [{ type: "entity", value: 5 }] }] });
      const [begun, ended] = fetched(1, 2, 3);
      const calls = [{ id: "c", name: "search", args, type: "tool_call" as const }];
      const intelligence = {
        generate: () =>
          streamOf<GenerateEvent>({ ...begun, calls } as GenerateEvent, ended as GenerateEvent, says(words)),
        articlesKnown: (ids: number[]) => new Map([...known].filter(([id]) => ids.includes(id))),
        async articles(stages: unknown) {
          queries.push(stages);
          known = new Map(read.map((one) => [one.id ?? 0, one]));
          return read;
        },
        channels: async () => [channel],
        channel: async () => channel,
      };
      const to = askServices({ lists: createLists(memory()), intelligence });
      return { shown: await answerOf(ask, asking(from, inThread), to), queries, to };
    }

    it("names them by headline after one free query by the same filters, and counts the others", async () => {
      const args = { query: "oil", filters: [{ type: "entity", value: 9001 }] };
      const { shown, queries, to } = await answered(args, "[Oil rises](https://a.example/1) again.");
      expect(queries).toEqual([[{ not: false, entities: [{ type: "entity", value: 9001 }] }]]);
      expect(wordsOf(shown)).toContain("*Sources* <https://a.example/2|Gas falls> · 1 of 1 link checked · 1 more read");
      const line = buttonsOf(shown)["Show sources"] ?? "";
      const sources = await answerOf(list, asking(line.replace("list ", ""), { surface: "button" }), to);
      expect(wordsOf(sources)).toMatch(/Oil rises[^]*Gas falls/);
    });

    it("knows an article by its headline if the answer links to the service’s own pages", async () => {
      const args = { stages: [{ entities: [{ type: "entity", value: 7 }] }] };
      const words = "[Oil rises](https://platform.example/articles/1) again.";
      const { shown } = await answered(args, words, "why? --links platform");
      expect(wordsOf(shown)).toMatch(/\*Sources\* <[^>]*\|Gas falls> · 1 of 1 link checked · 1 more read/);
    });

    it("queries the thread’s source if the search had words alone, and nothing without a source", async () => {
      const within = await answered({ query: "oil" }, "Words.", "why? --channel central");
      expect(within.queries).toEqual([[{ entities: [{ type: "entity", value: 5 }] }]]);
      const { shown, queries } = await answered({ query: "oil" }, "Words.");
      expect(queries).toEqual([]);
      expect(wordsOf(shown)).toContain("Written by AI from 3 articles");
    });
  });

  it("marks links to no article that was read, but none to an article of an earlier answer", async () => {
    const oil = article({ id: 1, title: "Oil rises", url: "https://a.example/1" });
    const lists = createLists(memory());
    let events = [...fetched(1), says("[Oil](https://a.example/1).")];
    const intelligence = { generate: () => streamOf(...events), articlesKnown: () => new Map([[1, oil]]) };
    const to = askServices({ lists, intelligence });
    await answerOf(ask, asking("why?", inThread), to);
    events = [says("[It](https://a.example/1) rose, [more](https://lure.example/).")];
    const shown = await answerOf(ask, asking("and then?", inThread), to);
    expect(wordsOf(shown)).toContain("1 of 2 links checked, not an article I read: <https://lure.example/|more>");
    const line = buttonsOf(shown)["Show sources"] ?? "";
    const sources = await answerOf(list, asking(line.replace("list ", ""), { surface: "button" }), to);
    expect(wordsOf(sources)).not.toContain("lure");
  });

  it.each(["<!channel> & <b>", "*x* `y` |z|", "\u202Eright to left", "👩‍👩‍👧‍👦 ".repeat(60), "x".repeat(3_000)])(
    "and what stands around it fits into Slack, whatever the names are: %.20j",
    async (name) => {
      const url = "https://a.example/1";
      const { to, key } = await desk([...fetched(1, 2), says(`[${name.replace(/[[\]]/g, "")} is](${url})`)], {
        title: name,
        articles: [article({ title: name, summary: name, entities: { primary: [7], secondary: [], tertiary: [] } })],
        names: { 7: name },
      });
      const { states } = await statesOf(about.run(asking(`${key} ${name.slice(0, 900)}`, { surface: "button" }), to));
      expect(states.length).toBeGreaterThan(2);
      expect(states.flatMap(problemsOf)).toEqual([]);
    },
  );
});

describe("the next steps below an answer", () => {
  it("are one row of questions, sources and scope, then the feedback buttons", async () => {
    const { to, key } = await desk([says("[Oil rises again](https://news.example.com/oil).")], {
      names: { 7: "Northwind" },
      articles: [article({ id: 1, entities: { primary: [7], secondary: [], tertiary: [] } })],
    });
    const shown = await answerOf(about, asking(`${key} why?`, inThread), to);
    expect(shown.blocks?.map(({ type }) => type)).toEqual(["markdown", "context", "actions", "context_actions"]);
    expect(Object.values(menuOf(shown))).toEqual([
      "ask What does this mean for Northwind?",
      "ask What is behind “Oil rises again”?",
      "ask What changed since yesterday?",
    ]);
    expect(Object.keys(buttonsOf(shown))).toEqual(["Show sources", "Only these articles"]);
    expect(JSON.stringify(shown.blocks)).toContain('"value":"feedback good stop-1"');
  });

  it("repeat no question, and offer none that the thread may not search for", () => {
    const grounds = { text: "Words", asked: [], articles: { title: "x", count: 1, messages: [] } };
    const { 0: changed = "", length } = followUps({ ...grounds, question: "why?" });
    expect([changed, length]).toEqual(["What changed since yesterday?", 3]);
    expect(followUps({ ...grounds, question: "why?", scope: { isOnly: true } })).toEqual([
      "Where do these articles disagree?",
      "What do they leave open?",
      "What do they agree on?",
    ]);
  });

  it.each([
    ["as it was offered", "What changed since yesterday?"],
    ["in other letters", "what changed  since yesterday"],
    ["about a message that is quoted below it", "What changed since yesterday?\n\n> Oil rises\n> again"],
  ])("offers nothing that was just asked %s", (_, question) => {
    const grounds = { text: "Words", asked: [] };
    expect(followUps({ ...grounds, question })).toEqual(["Who else is affected?", "What is expected next?"]);
  });

  it("name the main subject of the articles first", () => {
    const on = (...primary: number[]): Article => article({ entities: { primary, secondary: [9], tertiary: [] } });
    const articles = [on(1), on(1, 2), on(2), on(2, 3), on(4, 4, 4, 4)];
    expect(mainSubjects({ articles, names: { 1: "One", 2: "Two", 3: " ", 4: "Four", 9: "Nine" } })).toEqual([
      "Two",
      "One",
      "Four",
    ]);
    expect(mainSubjects({ articles })).toEqual([]);
  });
});

describe("an answer to a question", () => {
  it("offers to follow it, below what could be asked next", async () => {
    const { to } = await desk([says("because")]);
    const shown = await answerOf(ask, asking("why?", inThread), to);
    expect(Object.entries(menuOf(shown)).at(-1)).toEqual(["Follow this", "follow-question"]);
  });

  it("that hints at more offers that in a button instead", async () => {
    const offer = { label: "Get this every weekday", line: 'digests propose ask "why?" weekdays at 9:00' };
    const { to } = await desk([says("because")]);
    const shown = await answerOf(ask, asking("why?", inThread), { ...to, offerFor: () => offer });
    expect(buttonsOf(shown)).toMatchObject({ [offer.label]: offer.line });
    expect(Object.values(menuOf(shown))).not.toContain("follow-question");
  });
});

describe("“Show sources”", () => {
  it("lists the articles that the answer links to and was given, each once", async () => {
    const words = "[Oil](https://news.example.com/oil), [new](https://b.example/new)";
    const { to, key } = await desk([...fetched(1, 2, 3, 4), says(words)]);
    const shown = await answerOf(about, asking(`${key} why?`, inThread), to);
    const line = buttonsOf(shown)["Show sources"] ?? "";
    expect(line).toMatch(/^list [\da-f-]{36} 1$/);
    const sources = await answerOf(list, asking(line.replace("list ", ""), { surface: "button" }), to);
    expect(wordsOf(sources)).toMatch(/Sources: why\?[^]*Oil rises as supply tightens[^]*new[^]*Gas falls/);
    expect(wordsOf(sources).match(/Oil rises/g)).toHaveLength(1);
  });

  it("is not offered if the answer names none, or if they cannot be kept", async () => {
    const { to } = await desk([says("Because.")]);
    expect(buttonsOf(await answerOf(ask, asking("why?", inThread), to))).toEqual({});
    const lines: string[] = [];
    const broken = askServices({
      lists: {
        keep: () => Promise.reject(new Error("full")),
        get: () => Promise.reject(new Error("gone")),
        listed: () => undefined,
        prolong: async () => {},
      },
      intelligence: { generate: () => streamOf(says("[a b](https://a.example/)")) },
      write: (line) => lines.push(line),
    });
    const shown = await answerOf(ask, asking("why?", inThread), broken);
    expect(buttonsOf(shown)).toEqual({});
    expect(Object.keys(menuOf(shown))).toHaveLength(4);
  });

  it("lists a link of which no article is known by its words", () => {
    expect(sourcesOf({ question: "why?", text: "no links", given: [] })).toBeUndefined();
    const found = sourcesOf({ question: "why?", text: "[a](https://www.a.example/)", given: [] });
    expect(found?.articles).toMatchObject([{ title: "a", url: "https://www.a.example/" }]);
    expect([found?.total, found?.note]).toEqual([1, undefined]);
  });
});
