import { describe, expect, it } from "vitest";

import type { Article } from "../../../src/apis/article.ts";
import type { Style } from "../../../src/features/digests/options.ts";
import { digestViews } from "../../../src/features/digests/view.ts";
import type { Message } from "../../../src/features/feature.ts";
import { buttonsOf, moreOf, wordsOf } from "../../support/answers.ts";
import { article, now } from "../../support/builders.ts";
import { problemsOf, slackRefuses } from "../slack-limits.ts";
import { daily, day, digestDesk, hour } from "./setting.ts";
import type { ArticleList } from "../../../src/features/articles/list.ts";

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

const articleActs = {
  Summarise: "sum",
  "Ask about it": "about",
  Share: "share",
  "Not for us": "digests hide 3",
};

function posted(
  style: Style,
  articles = told,
  about: Partial<ArticleList> = {},
  kept?: Article[],
): [Message, ...Message[]] {
  const list = { title: "Gold wire", articles, total: articles.length, names, ...about };
  return digestViews({
    digest: { number: 3, state: "active" as const, style, schedule: daily, channel: "C1" },
    list,
    kept,
    post: {
      since: now,
      content: {
        list: "k",
        bill: "1 credit used",
        counts: { since: now - day },
      },
    },
    now,
  }).messages;
}

describe("a digest as it is posted", () => {
  it("shows no more stories than somebody asked for, and says how many there are", () => {
    const [message] = posted({ max: 1 });
    expect(wordsOf(message)).toContain("Ostara is bought");
    expect(wordsOf(message)).not.toContain("Gold falls");
    expect(wordsOf(message)).toContain("2 not shown");
    expect(wordsOf(message)).toMatch(/^Gold wire · Friday 20 Nov · 1 new story\n/);
  });

  it("shows an event once, with links to all who report it", () => {
    const [message] = posted({});
    expect(wordsOf(message).split("\n")).toEqual([
      "Gold wire · Friday 20 Nov · 3 new stories",
      "*<https://news.example.com/1|Ostara is bought>* · Example Wire · <!date^1795161600^{ago}|1 h ago> · 3 outlets · also in <https://news.example.com/2|Daily Example>, <https://news.example.com/3|Example &amp; Sons>",
      ...Object.keys(articleActs),
      "*<https://news.example.com/4|Northwind cuts jobs>* · Example Wire · <!date^1795150800^{ago}|4 h ago>",
      ...Object.keys(articleActs),
      "*<https://news.example.com/5|Gold falls>* · Example Wire · <!date^1795147200^{ago}|5 h ago>",
      ...Object.keys(articleActs),
      "1 credit used",
      "Ask about these",
      "Summarise",
      "All articles",
      "Why these stories",
      "Edit digest",
      "Digest 3 · daily at 09:00 (UTC)",
      "Pause digest",
    ]);
    expect(problemsOf(message)).toEqual([]);
  });

  it("says the same as text for screen readers", () => {
    expect(posted({})[0].text.split("\n")).toEqual([
      "Gold wire · Friday 20 Nov · 3 new stories",
      "• Ostara is bought · Example Wire · 3\u00a0outlets · also in Daily Example, Example &amp; Sons",
      "• Northwind cuts jobs · Example Wire",
      "• Gold falls · Example Wire",
    ]);
  });

  it("has ways to ask about it, to all of its articles, and to change it", () => {
    expect(buttonsOf(posted({})[0])).toEqual({
      "Ask about these": "about k",
      Summarise: "sum k",
    });
    expect(moreOf(posted({})[0])).toEqual({
      "All articles": "list k 1 3",
      "Why these stories": "digests why 3",
      "Edit digest": "digests edit 3",
      "Pause digest": "digests pause 3",
      ...articleActs,
    });
  });

  it("has a menu for each story, by its place in the kept list, even if other posts have shown some of that list", () => {
    const menus = ({ blocks = [] }: Message) =>
      blocks.flatMap((block) =>
        block.type === "section" && block.accessory?.type === "overflow" ? (block.accessory.action_id ?? []) : [],
      );
    const action = "run:below:article:on:k:";
    expect(menus(posted({})[0])).toEqual([`${action}1`, `${action}4`, `${action}5`]);
    expect(menus(posted({}, told.slice(3), {}, told)[0])).toEqual([`${action}4`, `${action}5`]);
    expect(menus(posted({ isCompact: true })[0])).toEqual([]);
  });

  it("keeps its menus and stories within the size of a message", () => {
    const title = "Washington softens chip rule after lobbying by the makers of accelerators";
    const long = Array.from({ length: 20 }, (_, id) =>
      story(id, {
        title: `${String.fromCharCode(97 + id).repeat(5)} ${title}`,
        summary: "A sentence that goes on. ".repeat(9),
        entities: { primary: [id], secondary: [], tertiary: [] },
      }),
    );
    const [message] = posted({}, long, { names: {} });
    expect(message.blocks?.filter((block) => block.type === "section" && block.accessory)).toHaveLength(8);
    expect(slackRefuses(message)).toEqual([]);
    // A thread has room for twice as many, and not for their menus as well.
    const [, thread = { text: "" }] = posted({ isThreaded: true }, long, { names: {} });
    const sections = thread.blocks?.filter((block) => block.type === "section") ?? [];
    expect(sections.length).toBeGreaterThan(12);
    expect(sections.some(({ accessory }) => accessory)).toBe(false);
    expect(slackRefuses(thread)).toEqual([]);
  });

  it("names the other outlets that report a story, each once", () => {
    const wire = { source: "Example Wire", entities: deal };
    const others = [story(6, { title: "Ostara sold", ...wire }), story(7, { title: "Ostara goes", ...wire })];
    const line = wordsOf(posted({}, [...told, ...others])[0]);
    expect(line).toContain(
      "also in <https://news.example.com/2|Daily Example>, <https://news.example.com/3|Example &amp; Sons> · <https://news.example.com/6|another report> · <https://news.example.com/7|another report>",
    );
    const unlessRunning = posted(
      {},
      [told[0], ...others].flatMap((each) => each ?? []),
    );
    expect(wordsOf(unlessRunning[0])).not.toContain("also in");
  });

  it("has one line for each story if it’s compact", () => {
    const [message] = posted({ isCompact: true });
    expect(wordsOf(message).split("\n").slice(1, 4)).toEqual([
      "• <https://news.example.com/1|Ostara is bought> · Example Wire · 3 outlets · also in <https://news.example.com/2|Daily Example>, <https://news.example.com/3|Example &amp; Sons>",
      "• <https://news.example.com/4|Northwind cuts jobs> · Example Wire",
      "• <https://news.example.com/5|Gold falls> · Example Wire",
    ]);
  });

  it("is one message in the channel and one in its thread, if that was chosen", () => {
    const [first, second] = posted({ isThreaded: true });
    expect(wordsOf(first)).toContain(
      "• Ostara is bought\n• Northwind cuts jobs\n• Gold falls\nThe stories are in the thread.",
    );
    expect(moreOf(first)).toHaveProperty("Pause digest");
    expect(wordsOf(second ?? first)).toContain("<https://news.example.com/5|Gold falls>");
    expect(problemsOf(second ?? first)).toEqual([]);
  });

  it.each([{}, { isThreaded: true }])("says below what AI wrote, and nothing if AI wrote nothing: %o", (style) => {
    const list = { title: "Gold wire", articles: told, total: told.length, names };
    const digest = { number: 3, state: "active" as const, style, schedule: daily, channel: "C1" };
    const made = (lead?: string) =>
      digestViews({ digest, list, post: { since: now, content: { list: "k", lead } }, now }).messages;
    expect(wordsOf(made("Gold fell.")[0])).toContain("\nIntro: Written by AI from 5 articles\n");
    expect(made().map(wordsOf).join()).not.toContain("AI");
  });

  it.each([{}, { isCompact: true }, { isThreaded: true }, { isCompact: true, isThreaded: true }] as Style[])(
    "holds 50 hostile or far too long stories with %o",
    (style) => {
      const many = Array.from({ length: 50 }, (_, at) =>
        story(at + 1, {
          title: `<!channel> *${at}* ${"y".repeat(480)}`,
          source: `<@U1> & ${"s".repeat(90)}`,
          summary: "z".repeat(5_000),
          url: `https://news.example.com/${at}?${"q".repeat(400)}`,
        }),
      );
      for (const message of posted(style, many, { title: "Gold & <wire>" })) {
        expect(problemsOf(message)).toEqual([]);
        expect(JSON.stringify(message)).not.toMatch(/<!channel>|<@U1>/);
      }
    },
  );

  it("cuts a summary at the end of a sentence", () => {
    const summary = `Gold fell for a third day. ${"Traders waited for figures. ".repeat(4)}${"Nobody ".repeat(20)}`;
    expect(wordsOf(posted({}, [story(1, { summary })])[0])).toContain(
      "\nGold fell for a third day. Traders waited for figures. Traders waited for figures. Traders waited for figures. Traders waited for figures.\n",
    );
  });

  it("says how many stories have no room", () => {
    const many = Array.from({ length: 20 }, (_, at) => story(at + 1));
    expect(wordsOf(posted({}, many)[0])).toContain("12 not shown");
    expect(wordsOf(posted({ isCompact: true }, many)[0])).toContain("4 not shown");
  });
});

describe("a digest in a list and on its card", () => {
  it("shows its last run, what it posted, its cost, and its problem", async () => {
    const { say, update } = digestDesk();
    for (const line of ["gold daily", "oil every 5 minutes", "tin daily"]) await say(`add search ${line}`);
    await update({ last: { at: now - day, fresh: 7, postedAt: now - day } });
    await update({ last: { at: now - day, fresh: 0 }, problem: "The credits are used up." }, 2);
    await update({ state: "paused", changed: [{ by: "U9", at: now, type: "paused" }] }, 3);
    await update({ last: { at: now - day, fresh: 7, postedAt: now - day, stories: 4 } });
    expect((await say("list")).text).toMatch(/^1 · gold · .*\n.*: 4 stories posted$/m);
    await update({ last: { at: now - day, fresh: 7, postedAt: now - day } });
    const { text } = await say("list");
    expect(text.split("\n").slice(2)).toEqual([
      "1 · gold · daily at 09:00 (Europe/London) · next 21 Nov, 09:00 UTC",
      "<#C1> · by you · last 19 Nov, 09:00 UTC: 7 stories posted",
      "2 · oil · every 5 minutes · next 20 Nov, 09:05 UTC",
      ":warning: The credits are used up. · last 19 Nov, 09:00 UTC: nothing new",
      "3 · tin · daily at 09:00 (Europe/London) · paused by Name of U9",
      "<#C1> · by you · not run yet",
    ]);
    expect(wordsOf(await say("edit 2 --compact"))).toContain("about 288 a day");
    expect(wordsOf(await say("add channel 501 every minute"))).not.toContain("credit");
  });

  it("holds hostile and far too long names", async () => {
    const { say } = digestDesk();
    await say(`add search "<!channel> *x* ${"y".repeat(470)}" cron "0 7 * * 1-5"`);
    const message = await say("list");
    expect(slackRefuses(message)).toEqual([]);
    expect(JSON.stringify(message)).not.toMatch(/<!channel>|<@/);
    expect(wordsOf(message)).toContain(" · `cron 0 7 * * 1-5` (Europe/London) · ");
    expect(message.text).toContain(" · cron 0 7 * * 1-5 (Europe/London) · ");
  });

  it("is replaced by how to begin if there is none", async () => {
    const message = await digestDesk().say("");
    expect(message.text).toMatch(/^There are no digests here yet\./);
    expect(buttonsOf(message)).toEqual({ "New digest": "digests add" });
  });
});
