import { describe, expect, it } from "vitest";

import type { Gateway } from "../../../src/apis/gateway/client.ts";
import { news } from "../../../src/features/news/commands.ts";
import { createLists } from "../../../src/features/news/store.ts";
import { createLog } from "../../../src/log.ts";
import { answerOf, buttonsOf, hintOf, wordsOf } from "../../support/answers.ts";
import { article, asking, credits, memory, now, services } from "../../support/builders.ts";

const search: Gateway["search"] = async (query) => ({ query, articles: [article()], total: 1, credits: credits() });

describe("/news QUERY", () => {
  it("shows headline, source, time and summary of what was found, and the cost", async () => {
    const message = await answerOf(news, asking("oil supply"), services({ gateway: { search } }));
    const time = (now - 60 * 60_000) / 1000;
    expect(message).toMatchObject({
      text: "News: oil supply, 1 article\nOil rises as supply tightens, Example Wire, 1 h ago\n1 credit used, 4,999 left",
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
        { type: "context", elements: [{ text: "1 article · 1 credit used, 4,999 left" }] },
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
    const words = wordsOf(await answerOf(news, asking('"oil supply" cuts'), services({ gateway })));
    expect(asked).toEqual(["oil supply cuts", 25]);
    expect(words.match(/Story \d+/g)).toEqual(["Story 0", "Story 1", "Story 2", "Story 3", "Story 4"]);
    expect(words).toContain("1–5 of 25 articles, 1,200 in all");
  });

  it("keeps what was found, so that it can be turned, summed up, asked about and followed", async () => {
    const lists = createLists(memory());
    const message = await answerOf(news, asking("oil supply"), services({ gateway: { search }, lists }));
    const key = buttonsOf(message)["Get a digest"]?.replace("follow ", "") ?? "";
    expect(buttonsOf(message)).toEqual({
      "Summarise these": `sum ${key}`,
      "Ask about these": `about ${key}`,
      "Get a digest": `follow ${key}`,
    });
    expect(await lists.get(key)).toMatchObject({
      title: "News: oil supply",
      articles: [article()],
      source: { kind: "search", query: "oil supply" },
    });
  });

  it("shows what was paid for where it cannot be kept, without what needs it", async () => {
    const said: string[] = [];
    const lists = { ...createLists(memory()), keep: () => Promise.reject(new Error("the disk is full")) };
    const to = services({ gateway: { search }, lists });
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
    const message = await answerOf(news, asking("oil"), services({ gateway, ...options }));
    expect(message.text).toMatch(/^News: oil, 1 article\nOil rises/);
  });

  it("says what to try where nothing was found, and what the search cost", async () => {
    const gateway: Partial<Gateway> = {
      search: async (query) => ({ query, articles: [], total: 0, credits: credits() }),
    };
    const message = await answerOf(news, asking("<qwertz>"), services({ gateway }));
    expect(message.text).toBe(
      "No articles match “&lt;qwertz&gt;”. Try fewer words, a company’s full name or its ticker symbol.",
    );
    expect(wordsOf(message)).toContain("1 credit used, 4,999 left");
    expect(message.shareable).toBeUndefined();
  });

  it.each([
    ["", "What are you looking for? Type `/news QUERY`"],
    ["  ", "What are you looking for?"],
    ['""', "What are you looking for?"],
    ["oil --since monday", "`--since` isn’t an option here. Type `/news QUERY`"],
    ["x".repeat(10_000), "That’s 10,000 characters long, and 500 fit"],
  ])("costs nothing where the query is no query: %.20j", async (text, hint) => {
    expect(await hintOf(news, asking(text))).toContain(hint);
  });
});
