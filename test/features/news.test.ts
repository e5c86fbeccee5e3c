import { describe, expect, it } from "vitest";

import type { Gateway } from "../../src/apis/gateway/client.ts";
import type { Stage } from "../../src/apis/intelligence/schema.ts";
import { news } from "../../src/features/news/commands.ts";
import {
  answerOf,
  article,
  asking,
  buttonsOf,
  credits,
  entity,
  hintOf,
  newsChannel,
  now,
  services,
  wordsOf,
} from "../support/builders.ts";

const search: Gateway["search"] = async (query) => ({ query, articles: [article()], total: 1, credits: credits() });

describe("/news QUERY", () => {
  it("shows headline, source, time and summary of what was found, and the cost", async () => {
    const message = await answerOf(news, asking("oil supply"), services({ gateway: { search } }));
    const time = (now - 60 * 60_000) / 1000;
    expect(message).toMatchObject({
      text: "News: oil supply\nOil rises as supply tightens\nExample Wire · 2026-11-20 08:00 UTC",
      shareable: true,
      blocks: [
        { type: "header", text: { text: "News: oil supply" } },
        {
          type: "section",
          text: {
            text:
              "*<https://news.example.com/oil|Oil rises as supply tightens>*\n" +
              `_Example Wire · <!date^${time}^{date_short_pretty} {time}|2026-11-20 08:00 UTC>_\n` +
              "Prices rose on Friday after two producers announced cuts.",
          },
        },
        { type: "context", elements: [{ text: "1 article · 1 credit used, 4,999 left" }] },
        { type: "actions" },
      ],
    });
    expect(buttonsOf(message)).toEqual({ "Summarise this": "summary oil supply" });
  });

  it("asks for one screen of articles and says how many there are", async () => {
    const asked: unknown[] = [];
    const many = Array.from({ length: 9 }, (_, index) => article({ title: `Story ${index}` }));
    const gateway: Partial<Gateway> = {
      async search(query, options) {
        asked.push(query, options?.limit);
        return { query, articles: many, total: 1_200, credits: credits({ test: true }) };
      },
    };
    const words = wordsOf(await answerOf(news, asking('"oil supply" cuts'), services({ gateway })));
    expect(asked).toEqual(["oil supply cuts", 5]);
    expect(words).toContain("Story 4");
    expect(words).not.toContain("Story 5");
    expect(words).toContain("5 of 1,200 articles · Test key: no credits used");
  });

  it("hands on the signal, so that a restart ends the call", async () => {
    const signal = AbortSignal.abort(new Error("restart"));
    const gateway: Partial<Gateway> = { search: async (_, options) => Promise.reject(options?.signal?.reason) };
    await expect(answerOf(news, asking("oil", { signal }), services({ gateway }))).rejects.toThrow("restart");
  });

  it("says what to try where nothing was found, and what the search cost", async () => {
    const gateway: Partial<Gateway> = {
      search: async (query) => ({ query, articles: [], total: 0, credits: credits() }),
    };
    const message = await answerOf(news, asking("<qwertz>"), services({ gateway }));
    expect(message.text).toBe(
      "No articles match “&lt;qwertz&gt;”. Try fewer words, a company's full name, or its ticker symbol.",
    );
    expect(wordsOf(message)).toContain("1 credit used, 4,999 left");
    expect(message.shareable).toBeUndefined();
  });

  it.each([
    ["", "What are you looking for? Type `/news QUERY`"],
    ["  ", "What are you looking for?"],
    ['""', "What are you looking for?"],
    ["oil --since monday", "`--since` is not an option here. Type `/news QUERY`"],
    ["x".repeat(10_000), "That is 10,000 characters long, and 500 fit"],
  ])("costs nothing where the query is no query: %.20j", async (text, hint) => {
    expect(await hintOf(news, asking(text))).toContain(hint);
  });

  it("keeps a hint short however long the option is", async () => {
    expect((await hintOf(news, asking(`--${"x".repeat(10_000)}`))).length).toBeLessThan(300);
  });
});

describe("/news channel NAME", () => {
  const channels = [
    newsChannel({ id: 7, name: "Central banks", stages: [{ not: false, entities: [{ type: "entity", value: 5 }] }] }),
    newsChannel({ id: 8, name: "Chips & <AI>", stages: [] }),
    newsChannel({ id: 9, name: "Chip makers" }),
  ];

  function withChannels(articles = [article()]) {
    const asked: Stage[][] = [];
    const to = services({
      intelligence: {
        channels: async () => channels,
        async articles(stages) {
          asked.push(stages);
          return articles;
        },
        entities: async (ids) => new Map(ids.map((id) => [id, entity({ id, name: `Entity ${id}` })])),
      },
    });
    return { to, asked };
  }

  it.each([
    "channel Central banks",
    'channel "central BANKS"',
    "Channel 7",
    "channels bank",
    "channel “Central banks”",
  ])("reads a channel by its name, its ID or a part of its name: %s", async (text) => {
    const { to, asked } = withChannels();
    const message = await answerOf(news, asking(text), to);
    expect(message.text).toMatch(/^Central banks\nOil rises/);
    expect(asked).toEqual([channels[0]?.stages]);
  });

  it("shows the newest articles first with the names of what they are about", async () => {
    const entities = { primary: [1, 2], secondary: [3], tertiary: [] };
    const { to } = withChannels([
      article({ title: "Undated", published: undefined }),
      article({ title: "Old", published: now - 2_000 }),
      article({ title: "New", published: now - 1_000, entities }),
    ]);
    const message = await answerOf(news, asking("channel 7"), to);
    const [, ...titles] = message.text.split("\n").filter((line) => !line.includes("Wire"));
    expect(titles).toEqual(["New", "Old", "Undated"]);
    expect(wordsOf(message)).toContain("`Entity 1`  `Entity 2`");
    expect(wordsOf(message)).not.toContain("Entity 3");
  });

  it("shows the articles without names where those cannot be had", async () => {
    const { to } = withChannels([article({ entities: { primary: [1], secondary: [], tertiary: [] } })]);
    const entities = () => Promise.reject(new Error("down"));
    const message = await answerOf(news, asking("channel 7"), {
      ...to,
      intelligence: { ...to.intelligence, entities },
    });
    expect(message.text).toMatch(/^Central banks\nOil rises/);
  });

  it("says so where the channel is empty", async () => {
    const { to } = withChannels([]);
    expect((await answerOf(news, asking("channel 7"), to)).text).toContain("No articles match “Central banks”");
  });

  it.each([
    ["channel", "Which saved channel?"],
    ["channels ", "Which saved channel?"],
    ["channel gold", "No saved channel is called “gold”"],
    ["channel chip", "No saved channel is called “chip”"],
    ["channel 7 --limit 3", "`--limit` is not an option here"],
  ])("names the channels where none is meant clearly: %s", async (text, hint) => {
    const { to } = withChannels();
    expect(await hintOf(news, asking(text), to)).toContain(hint);
  });

  it("says how to search for words that only look like a channel's name", async () => {
    const { to } = withChannels();
    expect(await hintOf(news, asking("channel tunnel `x` & more"), to)).toContain(
      "To search for these words, type `/news \"channel tunnel 'x' &amp; more\"`.",
    );
    const tunnel = await answerOf(news, asking('"channel tunnel"'), services({ gateway: { search } }));
    expect(tunnel.text).toMatch(/^News: channel tunnel\n/);
  });

  it("lists each channel with its ID, its name harmless", async () => {
    const { to } = withChannels();
    expect(await hintOf(news, asking("channel"), to)).toContain("• Chips &amp; &lt;AI&gt; (8)");
  });

  it("says how many channels the list leaves out", async () => {
    const many = Array.from({ length: 40 }, (_, id) => newsChannel({ id, name: `Saved ${id}` }));
    const hint = await hintOf(news, asking("channel"), services({ intelligence: { channels: async () => many } }));
    expect(hint).toContain("• Saved 14 (14)");
    expect(hint).not.toContain("Saved 15");
    expect(hint).toContain("and 25 more");
  });

  it("says what to do where there are no channels", async () => {
    const to = services({ intelligence: { channels: async () => [] } });
    expect(await hintOf(news, asking("channel gold"), to)).toContain("no saved channels yet");
  });
});
