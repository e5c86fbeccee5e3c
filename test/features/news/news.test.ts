import { describe, expect, it } from "vitest";

import type { Gateway } from "../../../src/apis/gateway/client.ts";
import { news } from "../../../src/features/news/commands.ts";
import { createLists } from "../../../src/features/articles/store.ts";
import { createLog } from "../../../src/log.ts";
import { answerOf, buttonsOf, hintOf, orHint, wordsOf } from "../../support/answers.ts";
import { article, asking, credits, entity, memory, newsChannel, now, readerServices } from "../../support/builders.ts";

const search: Gateway["search"] = async (query) => ({ query, articles: [article()], total: 1, credits: credits() });

describe("/news QUERY", () => {
  it("shows headline, source, time and summary of what was found, and the cost", async () => {
    const message = await answerOf(news, asking("oil supply"), readerServices({ gateway: { search } }));
    const time = (now - 60 * 60_000) / 1000;
    expect(message).toMatchObject({
      text: "News: oil supply\nOil rises as supply tightens · Example Wire · 1 h ago\nPrices rose on Friday after two producers announced cuts.\n1 article · 1 credit used, 4,999 left",
      shareable: true,
      blocks: [
        { type: "header", text: { text: "News: oil supply" } },
        {
          type: "section",
          text: {
            text:
              "*<https://news.example.com/oil|Oil rises as supply tightens>*" +
              ` · Example Wire · <!date^${time}^{ago}|1 h ago>\n` +
              "Prices rose on Friday after two producers announced cuts.",
          },
        },
        { type: "context", elements: [{ text: "1\u00a0article · 1\u00a0credit used, 4,999 left" }] },
        { type: "actions", elements: [] },
        { type: "actions" },
      ],
    });
  });

  it("asks for several pages at once, shows the first, and says how many there are", async () => {
    const asked: unknown[] = [];
    const many = Array.from({ length: 25 }, (_, index) => article({ title: `Story ${index}`, published: now - index }));
    const gateway: Partial<Gateway> = {
      async search(query, options) {
        asked.push(query, options?.limit);
        return { query, articles: many.toReversed(), total: 1_200, credits: credits({ test: true }) };
      },
    };
    const words = wordsOf(await answerOf(news, asking('"oil supply" cuts'), readerServices({ gateway })));
    expect(asked).toEqual(["oil supply cuts", 25]);
    expect(words.match(/Story \d+/g)).toEqual(["Story 0", "Story 1", "Story 2", "Story 3", "Story 4"]);
    expect(words).toContain("1–5 of 25 articles, 1,200 in all");
  });

  it("keeps what was found, so that it can be turned, summed up, asked about and followed", async () => {
    const lists = createLists(memory());
    const message = await answerOf(news, asking("oil supply"), readerServices({ gateway: { search }, lists }));
    const key = buttonsOf(message)["Get a digest"]?.replace("follow ", "") ?? "";
    expect(buttonsOf(message)).toEqual({
      "Summarise these": `sum ${key}`,
      "Ask about these": `about ${key}`,
      "Get a digest": `follow ${key}`,
      "Get alerts": 'alerts add search "oil supply"',
    });
    expect(await lists.get(key, "T1")).toMatchObject({
      title: "News: oil supply",
      articles: [article()],
      source: { kind: "search", query: "oil supply" },
    });
  });

  it("shows paid articles even if the list can’t be kept, without the buttons that need it", async () => {
    const said: string[] = [];
    const lists = { ...createLists(memory()), keep: () => Promise.reject(new Error("the disk is full")) };
    const to = readerServices({ gateway: { search }, lists });
    const log = createLog({ level: "warn", write: (line) => said.push(line) });
    const message = await answerOf(news, asking("oil supply"), { ...to, log });
    expect(message.text).toContain("Oil rises as supply tightens");
    expect(buttonsOf(message)).toEqual({});
    expect(said.join()).toContain("the disk is full");
  });

  it.each([
    ["asks nobody for names where the news service is not set up", { configured: { intelligence: false } }],
    [
      "shows the articles without names that take too long",
      { intelligence: { entities: () => Promise.reject(new DOMException("too late", "TimeoutError")) } },
    ],
  ])("%s", async (_, options) => {
    const articles = [article({ entities: { primary: [1], secondary: [], tertiary: [] } })];
    const gateway = { search: async (query: string) => ({ query, articles, total: 1, credits: credits() }) };
    const message = await answerOf(news, asking("oil"), readerServices({ gateway, ...options }));
    expect(message.text).toMatch(/^News: oil\nOil rises/);
  });

  it("says what to try if nothing was found, and the cost of the search", async () => {
    const gateway: Partial<Gateway> = {
      search: async (query) => ({ query, articles: [], total: 0, credits: credits() }),
    };
    const message = await answerOf(news, asking("<qwertz>"), readerServices({ gateway }));
    expect(message.text).toBe(
      "No articles match “&lt;qwertz&gt;”.\nTry fewer words, a company’s full name or its ticker symbol.\n1 credit used, 4,999 left",
    );
    expect(message.shareable).toBeUndefined();
  });

  it.each([
    ["", "What are you looking for? Type `/news QUERY`"],
    ["  ", "What are you looking for?"],
    ['""', "What are you looking for?"],
    ["oil --since monday", "I can’t read `--since monday`"],
    ["oil --since 2d --until 3d", "“Last 2 days” and “until 3 days ago”"],
    ["oil --page 2", "`--page` isn’t an option here."],
    ["oil --limit 101", "a whole number from 1 to 100"],
    ["oil --tier primary", "Use it with `company NAME`"],
    ["oil --source", "Which outlet?"],
    ["x".repeat(10_000), "That’s 10,000 characters long, and 500 fit"],
  ])("costs nothing if the query is no query: %.20j", async (text, hint) => {
    expect(await hintOf(news, asking(text), readerServices())).toContain(hint);
  });
});

const hour = 60 * 60_000;

describe("/news with options", () => {
  const found = [
    article({ title: "Closest", published: now - 50 * hour, source: "Nordic Ledger", id: 1 }),
    article({ title: "Newest", published: now - hour, source: "Example Wire", id: 2 }),
    article({ title: "Undated", published: undefined, source: "Nordic Ledger", id: 3 }),
    article({ title: "Middle", published: now - 10 * hour, source: "The Nordic Ledger", id: 4 }),
  ];

  async function listed(text: string) {
    const limits: unknown[] = [];
    const lists = createLists(memory());
    const gateway: Partial<Gateway> = {
      async search(query, options) {
        limits.push(options?.limit);
        return { query, articles: found, total: 312, credits: credits() };
      },
    };
    const message = await answerOf(
      news,
      asking(text),
      readerServices({ gateway, lists, people: { timeZone: async () => "UTC" } }),
    );
    const key = buttonsOf(message)["Get a digest"]?.replace("follow ", "") ?? "";
    const titles = message.text.match(/Closest|Newest|Undated|Middle/g) ?? [];
    return { message, titles, limit: limits[0], list: key ? await lists.get(key, "T1") : undefined };
  }

  it.each([
    ["oil", ["Newest", "Middle", "Closest", "Undated"], 25],
    ["oil --sort relevance", ["Closest", "Newest", "Undated", "Middle"], 25],
    ["oil --limit 60", ["Newest", "Middle", "Closest", "Undated"], 60],
    ["oil --limit 2", ["Newest", "Middle"], 2],
    ["oil --since 24h", ["Newest", "Middle"], 100],
    ["oil --since 2026-11-18", ["Newest", "Middle", "Closest"], 100],
    ["oil --until 2026-11-18", ["Closest", "Undated"], 100],
    ["oil --until 5h", ["Middle", "Closest", "Undated"], 100],
    ["oil --since 24h --until 5h", ["Middle"], 100],
    ["oil --source nordic", ["Middle", "Closest", "Undated"], 100],
    ["oil --source NORDIC --limit 1", ["Middle"], 100],
    ["oil --source all", ["Newest", "Middle", "Closest", "Undated"], 25],
    ['search "oil" --since 24h', ["Newest", "Middle"], 100],
  ])("chooses and orders what a search finds: %s", async (text, titles, limit) => {
    const shown = await listed(text);
    expect(shown.titles).toEqual(titles);
    expect(shown.limit).toBe(limit);
  });

  it.each(["trending", "trending companies"])(
    "spends nothing on a ranking, which has no articles: %s",
    async (line) => {
      const hint = await hintOf(news, asking(line), readerServices());
      expect(hint).toContain(`ranking of names and has no articles. \`/trending\` shows it`);
      expect(hint).toContain(`(1 credit), type \`/news "${line}"\``);
    },
  );

  it("searches for words that begin like a ranking", async () => {
    expect(wordsOf(await answerOf(news, asking("trending diets"), readerServices({ gateway: { search } })))).toContain(
      "News: trending diets",
    );
  });

  it("searches for the words of a source of that kind as they are, with their quotation marks", async () => {
    const { list } = await listed('search "\\"crude oil\\" futures" --limit 3');
    expect(list?.source).toEqual({ kind: "search", query: '"crude oil" futures' });
  });

  it("names its limits above the list, and keeps them for a digest", async () => {
    const { message, list } = await listed('oil --since 24h --source "nordic ledger"');
    expect(message.text).toContain("Last 24 hours · from nordic ledger only · 4 of 312 articles read\n");
    expect(list).toMatchObject({ filter: { outlet: "nordic ledger" }, total: 1 });
  });

  it("says so if the filter leaves nothing, with the cost of the search", async () => {
    const { message } = await listed("oil --source Gazette");
    expect(message.text).toBe(
      "None of the first 4 of 312 articles in “oil” fits: from Gazette only.\n1 credit used, 4,999 left",
    );
  });

  it("keeps the order of the service while pages are turned", async () => {
    expect((await listed("oil --sort relevance")).list).toMatchObject({ isRanked: true });
  });
});

describe("/news of a source with options", () => {
  const tiers = (primary: number[], secondary: number[], tertiary: number[] = []) => ({ primary, secondary, tertiary });
  const found = [
    article({ title: "Alpha", entities: tiers([7], []) }),
    article({ title: "Beta", entities: tiers([9], [7]), published: now - 2 * hour }),
    article({ title: "Gamma", entities: tiers([9], [], [7]), published: now - 3 * hour }),
  ];

  async function read(text: string) {
    const stages = [
      { entities: [{ type: "entity", value: 7 }] },
      { not: true, entities: [{ type: "entity", value: 9 }] },
    ];
    const empty = newsChannel({ id: 8, name: "Words alone", stages: [{ keywords: ["oil"] }] });
    const channels = [newsChannel({ id: 6, stages }), empty];
    const to = readerServices({
      directory: {
        find: async () => ({ match: entity({ id: 7, name: "BASF" }), near: [] }),
        search: () => ({ near: [] }),
      },
      intelligence: {
        articles: async () => found,
        channels: async () => channels,
        channel: async (id) => channels.find((each) => each.id === id) ?? newsChannel(),
        entities: async () => new Map(),
      },
    });
    const message = await orHint(answerOf(news, asking(text), to));
    return typeof message === "string" ? message : (message.text.match(/Alpha|Beta|Gamma/g) ?? []);
  }

  it.each([
    ["entity BASF", ["Alpha", "Beta", "Gamma"]],
    ["entity BASF --tier primary", ["Alpha"]],
    ["entity BASF --tier secondary", ["Alpha", "Beta"]],
    ["entity BASF --tier all", ["Alpha", "Beta", "Gamma"]],
    ["channel 6 --tier primary", ["Alpha"]],
    ["entity BASF --limit 2", ["Alpha", "Beta"]],
    ["channel 8 --tier primary", expect.stringContaining("Use it with `company NAME`")],
  ])("takes articles by how much they are about its names: %s", async (text, titles) => {
    expect(await read(text)).toEqual(titles);
  });
});
