import { describe, expect, it } from "vitest";

import { NotAllowed, UnexpectedAnswer, UsageError } from "../../../src/apis/errors.ts";
import type { NewsChannel, Stage } from "../../../src/apis/intelligence/schema.ts";
import { channels as saved } from "../../../src/features/news/channels.ts";
import { news } from "../../../src/features/news/commands.ts";
import { watchlists } from "../../../src/features/watchlists/commands.ts";
import type { Message } from "../../../src/slack/text/message.ts";
import { answerOf, buttonsOf, hintOf, wordsOf } from "../../support/answers.ts";
import {
  article,
  asking,
  credits,
  entity,
  newsChannel,
  now,
  readerServices,
  subscriptionServices,
} from "../../support/builders.ts";

describe("/news channel NAME", () => {
  const reading = { api: "intelligence", operation: "channel" } as const;
  const gone = new UnexpectedAnswer({ ...reading, status: 404, detail: "gone" });
  const channels = [
    newsChannel({ id: 7, name: "Central banks", stages: [{ not: false, entities: [{ type: "entity", value: 5 }] }] }),
    newsChannel({ id: 8, name: "Chips & <AI>", stages: [] }),
    newsChannel({ id: 9, name: "Chip makers" }),
  ];

  function withChannels(articles = [article()]) {
    const asked: Stage[][] = [];
    const to = readerServices({
      intelligence: {
        channels: async () => channels,
        channel: async (id) => channels.find((each) => each.id === id) ?? Promise.reject(gone),
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
    expect(message.text.match(/^(Undated|Old|New)/gm)).toEqual(["New", "Old", "Undated"]);
    expect(wordsOf(message)).toContain("Entity 1, Entity 2 · also Entity 3");
  });

  it("reads a channel that nobody has saved by its number", async () => {
    const { to, asked } = withChannels();
    const stages = [{ not: true, entities: [{ type: "entity", value: 9 }] }];
    const channel = async (id: number) => newsChannel({ id, name: "Bank of Nordland", stages });
    const intelligence = { ...to.intelligence, channel };
    const message = await answerOf(news, asking("channel 4711"), { ...to, intelligence });
    expect(message.text).toMatch(/^Bank of Nordland\n/);
    expect(asked).toEqual([stages]);
  });

  it.each([
    ["does not exist", gone],
    ["belongs to others", new NotAllowed({ ...reading, status: 403 })],
    ["is no number there", new UsageError("no such channel")],
  ])("names the news channels if a number %s", async (_, error) => {
    const { to } = withChannels();
    const intelligence = { ...to.intelligence, channel: () => Promise.reject(error) };
    const hint = await hintOf(news, asking("channel 4711"), { ...to, intelligence });
    expect(hint).toContain("I couldn’t find the news channel “4711”.");
    expect(hint).toContain("• Central banks");
  });

  it.each(["channel", "channels "])("shows the news channels if none is named: %j", async (text) => {
    const { to } = withChannels();
    expect((await answerOf(news, asking(text), to)).text).toMatch(/^News channels\n[^]*3 news channels/);
  });

  it.each([
    ["channel gold", "I couldn’t find the news channel “gold”"],
    ["channel chip", "I couldn’t find the news channel “chip”"],
    ["channel 7 --page 3", "`--page` isn’t an option here"],
  ])("names the channels if none is meant clearly: %s", async (text, hint) => {
    const { to } = withChannels();
    expect(await hintOf(news, asking(text), to)).toContain(hint);
  });

  it("says how to search for words that only look like a channel's name", async () => {
    const { to } = withChannels();
    expect(await hintOf(news, asking("channel tunnel `x` & more"), to)).toContain(
      "To search for these words (1 credit), type `/news \"channel tunnel 'x' &amp; more\"`.",
    );
    expect(await hintOf(news, asking('channel "tunnel, east"'), to)).toContain('`/news "channel tunnel, east"`');
    const tunnel = await answerOf(
      news,
      asking('"channel tunnel"'),
      readerServices({
        gateway: { search: async (query) => ({ query, articles: [article()], total: 1, credits: credits() }) },
      }),
    );
    expect(tunnel.text).toMatch(/^News: channel tunnel\n/);
  });

  it("says what to do if there are no channels", async () => {
    const to = readerServices({ intelligence: { channels: async () => [] } });
    expect(await hintOf(news, asking("channel gold"), to)).toContain("There are none yet");
  });
});

const shown = (all: NewsChannel[], text = "") =>
  answerOf(saved, asking(text), readerServices({ intelligence: { channels: async () => all } }));

/** The lines of the buttons below the channels, by what they are read out as. */
function besides({ blocks = [] }: Message): Record<string, string | undefined> {
  const elements = blocks.flatMap((block) => (block.type === "actions" ? block.elements : []));
  return Object.fromEntries(
    elements.flatMap((each) =>
      each.type === "button" && !each.action_id?.startsWith("turn") ? [[each.accessibility_label, each.value]] : [],
    ),
  );
}

/** The lines of the buttons that turn its pages. */
function turnsOf(message: Message): Record<string, string | undefined> {
  const { Previous, Next } = buttonsOf(message);
  return { ...(Previous && { Previous }), ...(Next && { Next }) };
}

const numbered = (count: number) =>
  Array.from({ length: count }, (_, index) => newsChannel({ id: 500 + index, name: `Channel ${index}` }));

describe("the list of news channels", () => {
  it("shows the name and the number of filters of each, and buttons that read it and show its content", async () => {
    const include = { not: false, entities: [{ type: "entity", value: 5 }] };
    const message = await shown([
      newsChannel({ id: 7, name: "Central banks", stages: [include, include, { ...include, not: true }] }),
      newsChannel({ id: 8, name: "Chips", stages: [include] }),
      newsChannel({ id: 9, name: "All", stages: [] }),
    ]);
    expect(wordsOf(message)).toContain("*Central banks*\n3 filters, 1 excluded");
    expect(wordsOf(message)).toContain("*Chips*\n1 filter");
    expect(wordsOf(message)).toContain("*All*\nno filters");
    expect(besides(message)).toEqual({
      "Read Central banks": "news channel 7",
      "What’s in it: Central banks": "channels show 7",
      "Read Chips": "news channel 8",
      "What’s in it: Chips": "channels show 8",
      "Read All": "news channel 9",
      "What’s in it: All": "channels show 9",
    });
    expect(message.text).toBe(
      [
        "News channels",
        "Central banks\n3 filters, 1 excluded\nChips\n1 filter\nAll\nno filters",
        "3 news channels · Saved filters of the news service; read one with /news channel NAME",
      ].join("\n"),
    );
    expect(turnsOf(message)).toEqual({});
  });

  it.each([
    ["", 1, { Next: "channels 2" }],
    ["2", 2, { Previous: "channels 1", Next: "channels 3" }],
    ["99", 4, { Previous: "channels 3" }],
  ])("is turned in place: %j", async (text, page, turning) => {
    const message = await shown(numbered(20), text);
    expect(message.text).toMatch(new RegExp(`\n20 news channels · page ${page} of 4 · `));
    expect(turnsOf(message)).toEqual(turning);
    expect(Object.keys(besides(message)).length).toBeLessThanOrEqual(10);
  });

  it("is searched by name, a page at a time", async () => {
    const message = await shown([...numbered(20), newsChannel({ id: 7, name: "Central banks" })], "Channel");
    expect(message.text).toMatch(/\n20 of 21 news channels · page 1 of 4 · /);
    expect(turnsOf(message)).toEqual({ Next: 'channels "channel" 2' });
    const bank = await shown([...numbered(20), newsChannel({ id: 7, name: "Central banks" })], "bank");
    expect(besides(bank)).toMatchObject({ "Read Central banks": "news channel 7" });
  });
});

describe("the content of a news channel", () => {
  const by = (...values: number[]) => values.map((value) => ({ type: "entity", value }));
  const bank = newsChannel({
    id: 7,
    name: "Central banks",
    stages: [
      { not: false, entities: by(1, 2) },
      { not: false, entities: [{ type: "keyword", words: "rate <cut>" }, ...by(3)] },
      { not: true, entities: by(9) },
      { not: null, entities: null },
    ],
  });

  function withBank(channel = bank) {
    return subscriptionServices({
      intelligence: {
        channels: async () => [channel],
        channel: async () => channel,
        articles: async () => [],
        entities: async (ids) =>
          new Map(ids.flatMap((id) => (id === 9 ? [] : [[id, entity({ id, name: `Bank ${id}` })]]))),
      },
    });
  }

  it.each(["show central", 'show "Central banks"', "show 7"])("is shown like a watchlist’s: %s", async (line) => {
    const message = await answerOf(saved, asking(line), withBank());
    expect(wordsOf(message)).toContain(
      "*Any of*  Bank 1 · Bank 2\n*And any of*  keyword “rate &lt;cut&gt;” · Bank 3\n*Never*  a name that the news service no longer has",
    );
    expect(buttonsOf(message)).toEqual({
      Read: "news channel 7",
      "Get a digest": "follow channel 7",
      "Get alerts": "alerts add channel 7",
      "Copy to a watchlist": "watchlists copy 7",
    });
  });

  it("is all news if it has no filters", async () => {
    const message = await answerOf(saved, asking("show 7"), withBank(newsChannel({ stages: [] })));
    expect(wordsOf(message)).toContain("No filters: it has all news.");
    expect(buttonsOf(message)).not.toHaveProperty("Copy to a watchlist");
  });

  it("includes the number of other filters, which are not copied", async () => {
    const topics = { not: true, topics: ["Sports"] };
    const channel = newsChannel({ stages: [{ not: false, entities: by(1), topics: [], note: null }, topics] });
    const message = wordsOf(await answerOf(saved, asking("show 7"), withBank(channel)));
    expect(message).toContain("*About*  Bank 1\n1 filter by something that I can’t name");
    const copied = wordsOf(await answerOf(watchlists, asking("copy 7"), withBank(channel)));
    expect(copied).toContain("Not copied: 1 filter with more than names");
    const alone = await answerOf(saved, asking("show 7"), withBank(newsChannel({ stages: [topics] })));
    expect(wordsOf(alone)).not.toContain("all news");
    expect(buttonsOf(alone)).not.toHaveProperty("Copy to a watchlist");
  });

  it("can’t be copied if it only leaves names out, and the hint says why", async () => {
    const to = withBank(newsChannel({ stages: [{ not: true, entities: by(1) }] }));
    const alone = await answerOf(saved, asking("show 7"), to);
    expect(wordsOf(alone)).toContain("*Never*  Bank 1");
    expect(buttonsOf(alone)).not.toHaveProperty("Copy to a watchlist");
    expect(await hintOf(watchlists, asking("copy 7"), to)).toMatch(
      /^“Central banks” only excludes names, and a watchlist has to include at least one\..*`\/news channel 7`/,
    );
  });

  it("is copied to a watchlist as far as it is made of names, and the rest is named", async () => {
    const to = withBank();
    const copied = wordsOf(await answerOf(watchlists, asking("copy 7"), to));
    expect(copied).toMatch(
      /\*Central banks\* is saved\.\nBank 1, Bank 2, not a name that the news service no longer has/,
    );
    expect(copied).toContain("Not copied: 1 filter with more than names");
    expect(await hintOf(watchlists, asking("copy 7"), to)).toContain("You already have a watchlist “Central banks”");
    const other = newsChannel({ stages: [{ not: false, entities: [{ type: "keyword" }] }] });
    expect(await hintOf(watchlists, asking("copy 7"), withBank(other))).toContain(
      "Nothing of “Central banks” can be copied",
    );
  });
});
