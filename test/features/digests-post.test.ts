import { describe, expect, it } from "vitest";

import type { Intelligence } from "../../src/apis/intelligence/client.ts";
import type { Article } from "../../src/apis/article.ts";
import { Unavailable } from "../../src/apis/errors.ts";
import type { Look } from "../../src/features/digests/options.ts";
import { digestViews, noteOf } from "../../src/features/digests/view.ts";
import { writeLead } from "../../src/features/digests/lead.ts";
import type { Message } from "../../src/features/feature.ts";
import type { ArticleList } from "../../src/features/news/view.ts";
import { article, buttonsOf, credits, now, services, streamOf, wordsOf } from "../support/builders.ts";
import { problemsOf } from "./slack-limits.ts";

const hour = 60 * 60_000;
const schedule = { pattern: "0 9 * * *", zone: "UTC", words: "daily at 09:00" };
const names = { 1: "Northwind", 2: "Ostara" };

function story(id: number, about: Partial<Article> = {}): Article {
  const url = `https://news.example.com/${id}`;
  return article({ id, title: `Story ${id}`, url, summary: "", published: now - id * hour, ...about });
}

const deal = { primary: [1, 2], secondary: [], tertiary: [9] };
const told = [
  story(1, { title: "Ostara is bought", source: "Example Wire", entities: deal }),
  story(2, { title: "Northwind buys Ostara", source: "Daily Example", entities: deal }),
  story(3, { title: "A takeover", source: "Example & Sons", entities: deal }),
  story(4, { title: "Northwind cuts jobs", entities: { primary: [1], secondary: [], tertiary: [] } }),
  story(5, { title: "Gold falls", entities: { primary: [3], secondary: [], tertiary: [] } }),
];

function posted(look: Look, articles = told, about: Partial<ArticleList> = {}): [Message, ...Message[]] {
  const list = { title: "Gold wire", articles, total: articles.length, names, ...about };
  return digestViews({
    digest: { number: 3, state: "active" as const, look, schedule },
    list,
    pending: { list: "k", note: "*5 new*", bill: "1 credit used" },
  });
}

describe("a digest as it is posted", () => {
  it("shows no more stories than somebody asked for, and says how many there are", () => {
    const [message] = posted({ max: 1 });
    expect(wordsOf(message)).toContain("Ostara is bought");
    expect(wordsOf(message)).not.toContain("Gold falls");
    expect(wordsOf(message)).toContain("2 more under All articles");
  });

  it("shows an event once, with links to all who tell it, under the entity that leads several stories", () => {
    const [message] = posted({});
    expect(wordsOf(message).split("\n")).toEqual([
      "Gold wire",
      "*5 new*",
      "*Northwind*",
      "*<https://news.example.com/1|Ostara is bought>*",
      "_Example Wire · <!date^1795161600^{date_short_pretty} {time}|2026-11-20 08:00 UTC>_",
      "3 sources: also <https://news.example.com/2|Daily Example>, <https://news.example.com/3|Example &amp; Sons> · `Ostara`",
      "*<https://news.example.com/4|Northwind cuts jobs>*",
      "_Example Wire · <!date^1795150800^{date_short_pretty} {time}|2026-11-20 05:00 UTC>_",
      "*Also*",
      "*<https://news.example.com/5|Gold falls>*",
      "_Example Wire · <!date^1795147200^{date_short_pretty} {time}|2026-11-20 04:00 UTC>_",
      "Digest 3 · daily at 09:00 (UTC) · 1 credit used",
      "Ask about these",
      "Summarise",
      "All articles",
      "Pause",
      "Change",
    ]);
    expect(problemsOf(message)).toEqual([]);
  });

  it("says the same to whoever has it read out", () => {
    expect(posted({})[0].text.split("\n")).toEqual([
      "Digest: Gold wire",
      "5 new",
      "Northwind:",
      "Ostara is bought, Example Wire, 3 sources",
      "Northwind cuts jobs, Example Wire",
      "Also:",
      "Gold falls, Example Wire",
    ]);
  });

  it("has ways to ask about it, to all of its articles, and to change it", () => {
    expect(buttonsOf(posted({})[0])).toEqual({
      "Ask about these": "about k",
      Summarise: "sum k",
      "All articles": "list k 1",
      Pause: "digests pause 3",
      Change: "digests edit 3",
    });
  });

  it("has one line a story where it is compact", () => {
    const [message] = posted({ isCompact: true });
    expect(wordsOf(message).split("\n").slice(2, 7)).toEqual([
      "*Northwind*",
      "• <https://news.example.com/1|Ostara is bought> · Example Wire · 3 sources: also <https://news.example.com/2|Daily Example>, <https://news.example.com/3|Example &amp; Sons>",
      "• <https://news.example.com/4|Northwind cuts jobs> · Example Wire",
      "*Also*",
      "• <https://news.example.com/5|Gold falls> · Example Wire",
    ]);
  });

  it("is a message that leads and one for its thread, where that was chosen", () => {
    const [first, second] = posted({ isThreaded: true });
    expect(wordsOf(first)).toContain(
      "• Ostara is bought\n• Northwind cuts jobs\n• Gold falls\nThe stories are in the thread.",
    );
    expect(Object.keys(buttonsOf(first))).toContain("Pause");
    expect(wordsOf(second ?? first)).toContain("<https://news.example.com/5|Gold falls>");
    expect(problemsOf(second ?? first)).toEqual([]);
  });

  it.each([{}, { isCompact: true }, { isThreaded: true }, { isCompact: true, isThreaded: true }] as Look[])(
    "looking like %o, it stays whole with 50 stories that are hostile or far too long",
    (look) => {
      const many = Array.from({ length: 50 }, (_, at) =>
        story(at + 1, {
          title: `<!channel> *${at}* ${"y".repeat(480)}`,
          source: `<@U1> & ${"s".repeat(90)}`,
          summary: "z".repeat(5_000),
          url: `https://news.example.com/${at}?${"q".repeat(400)}`,
        }),
      );
      for (const message of posted(look, many, { title: "Gold & <wire>" })) {
        expect(problemsOf(message)).toEqual([]);
        expect(JSON.stringify(message)).not.toMatch(/<!channel>|<@U1>/);
      }
    },
  );

  it("says how many are left where not all have room", () => {
    const many = Array.from({ length: 20 }, (_, at) => story(at + 1));
    expect(wordsOf(posted({}, many)[0])).toContain("12 more under All articles");
    expect(wordsOf(posted({ isCompact: true }, many)[0])).toContain("4 more under All articles");
  });
});

describe("what a digest says above its stories", () => {
  const list = { articles: told, names };
  const since = now - 24 * hour;

  it.each([
    [{ found: 9, fresh: 5, since }, "*5 new* since 2026-11-19 09:00 UTC, in 3 stories"],
    [{ found: 99, fresh: 99, since }, "*99 new* since 2026-11-19 09:00 UTC, here the newest 5, in 3 stories"],
    [{ found: 23, fresh: 5 }, "First digest: the newest 5 of 23 articles, from now on only what is new"],
    [
      { found: 9, fresh: 5, since, due: now },
      "*5 new* since 2026-11-19 09:00 UTC, in 3 stories\n_Late: it was due 2026-11-20 09:00 UTC._",
    ],
  ])("is how many, since when, and whether it is late", (counts, expected) => {
    expect(noteOf(list, counts).replace(/<!date[^|]*\|([^>]*)>/g, "$1")).toBe(expected);
  });
});

describe("a lead paragraph", () => {
  const list: ArticleList = {
    title: "Gold wire",
    articles: told,
    total: told.length,
    source: { kind: "channel", id: 501, name: "Gold wire" },
  };

  it("is written from exactly the articles of the digest, in plain words, and says what it cost", async () => {
    const sent: unknown[] = [];
    const to = services({
      intelligence: {
        generate(request) {
          sent.push(request.messages[0]);
          return streamOf(
            { type: "text", text: "# **Gold** [fell](https://x.example) & " },
            { type: "text", text: "<!channel> rose." },
          );
        },
      },
    });
    expect(await writeLead(list, to)).toEqual({
      text: "Gold fell &amp; &lt;!channel&gt; rose.",
      small: "Lead paragraph: no credits used",
    });
    expect(sent).toEqual([{ role: "user", content: { type: "svc_news", articleIds: [1, 2, 3, 4, 5] } }]);
  });

  it("tells in words of articles whose numbers are not the news service's", async () => {
    const sent: string[] = [];
    const to = services({
      intelligence: {
        generate(request) {
          sent.push(JSON.stringify(request.messages));
          return streamOf({ type: "text", text: "Gold fell." });
        },
      },
    });
    const found = list.articles.map(({ id, ...about }) => ({ ...about, gatewayId: id }));
    await writeLead({ ...list, articles: found, source: { kind: "search", query: "gold" } }, to);
    expect(sent[0]).not.toContain("svc_news");
    for (const { title, url } of found) {
      expect(sent[0]).toContain(title);
      expect(sent[0]).toContain(url);
    }
  });

  it("is written by the gateway where only that is set up, and its price is shown", async () => {
    const to = services({
      configured: { intelligence: false },
      gateway: { chat: async () => ({ text: "Gold fell.", model: "m", credits: credits() }) },
    });
    expect(await writeLead(list, to)).toEqual({
      text: "Gold fell.",
      small: "Lead paragraph: 1 credit used, 4,999 left",
    });
  });

  it.each([
    [
      () => streamOf(new Unavailable({ api: "intelligence", operation: "generate" })),
      "The news service could not be reached",
    ],
    [() => streamOf({ type: "text", text: "  " } as const), "The news service answered in a way I cannot read"],
  ])("that cannot be written is missed, and the digest comes without it", async (generate, why) => {
    const to = services({ intelligence: { generate: generate as Intelligence["generate"] } });
    expect(await writeLead(list, to)).toEqual({ small: `Without its lead paragraph this time: ${why}` });
  });

  it("is not waited for longer than a minute", async () => {
    let ring = () => {};
    const to = services({
      after: (ms, call) => {
        expect(ms).toBe(60_000);
        ring = call;
        return () => {};
      },
      intelligence: {
        async *generate({ signal }) {
          ring();
          signal?.throwIfAborted();
          yield { type: "text", text: "never" };
        },
      },
    });
    expect(await writeLead(list, to)).toEqual({
      small: "Without its lead paragraph this time: The news service could not be reached",
    });
  });

  it("ends where a model does not", async () => {
    const to = services({
      intelligence: {
        async *generate() {
          for (;;) yield { type: "text", text: "gold & silver and so on " };
        },
      },
    });
    const { text = "" } = await writeLead(list, to);
    expect(text.length).toBeLessThanOrEqual(700);
    expect(text).not.toMatch(/&[a-z]*…/);
  });
});
