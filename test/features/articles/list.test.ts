import { describe, expect, it } from "vitest";

import type { Ask } from "../../../src/features/feature.ts";
import { list, reports, share } from "../../../src/features/news/commands.ts";
import { createLists } from "../../../src/features/articles/store.ts";
import { listView } from "../../../src/features/articles/view.ts";
import { answerOf, buttonsOf, hintOf, moreOf, wordsOf } from "../../support/answers.ts";
import { article, asking, credits, memory, now, readerServices } from "../../support/builders.ts";
import { heightOf, problemsOf } from "../slack-limits.ts";
import type { ArticleList } from "../../../src/features/articles/list.ts";

const key = "01234567-89ab-4cde-8f01-23456789abcd";

/** A list of so many articles, `Story 1` first. */
function listOf(count: number, about: Partial<ArticleList> = {}): ArticleList {
  const articles = Array.from({ length: count }, (_, index) =>
    article({ id: index, title: `Story ${index + 1}`, published: now - index }),
  );
  return { title: "News: oil", articles, total: count, ...about };
}

/** A screen and a half of a phone, below the head of a conversation and above its composer. */
const phoneLines = 45;

const storiesIn = (text: string) => [...text.matchAll(/Story (\d+)/g)].map(([, number]) => Number(number));

describe("a list of articles", () => {
  it.each([
    [1, [1, 2, 3, 4, 5], "1–5 of 23 articles", { Older: `list ${key} 2` }],
    [2, [6, 7, 8, 9, 10], "6–10 of 23 articles", { Newer: `list ${key} 1`, Older: `list ${key} 3` }],
    [5, [21, 22, 23], "21–23 of 23 articles", { Newer: `list ${key} 4` }],
  ])("is turned in place: page %i", (page, stories, count, turning) => {
    const message = listView(listOf(23), { key, page, canAsk: true, now });
    expect(storiesIn(message.text)).toEqual(stories);
    expect(wordsOf(message)).toContain(count);
    const { "Summarise these": _, "Ask about these": __, ...rest } = buttonsOf(message);
    expect(rest).toEqual(turning);
  });

  it("shows a story once, with links to other reports, and all of them on request", async () => {
    const told = (id: number, title: string, source: string) =>
      article({ id, title, summary: "", url: `https://news.example.com/${id}`, source, published: now - id });
    const articles = [
      told(1, "Northwind agrees to buy rival Ostara", "A"),
      told(2, "Museum opens new wing beside the river", "A"),
      told(3, "Rival Ostara agrees to Northwind takeover", "B"),
      told(4, "Northwind to buy its rival Ostara", "C"),
      told(5, "Ostara to be bought by rival Northwind", "D"),
      told(6, "Northwind agrees to buy Ostara, a rival", "E"),
    ];
    const found = { title: "News: wind", articles, total: 6 };
    const message = listView(found, { key, page: 1, canAsk: true, now });
    expect(message.text).toContain("2 stories, 6 articles");
    expect(wordsOf(message)).toMatch(/also in <https:\/\/news.example.com\/3\|B>, .*\|C>, .*\|D> · 1 more/);
    expect(wordsOf(message).match(/Ostara/g)).toHaveLength(1);
    expect(moreOf(message)["All reports"]).toBe("reports");
    const lists = createLists(memory());
    const kept = await lists.keep(found, "T1");
    const all = await answerOf(reports, asking(`${kept}:1`), readerServices({ lists }));
    expect(all.text).toContain("5 articles");
    for (const { title } of articles.filter(({ id }) => id !== 2)) expect(all.text).toContain(title);
  });

  it("turns its pages in place and runs its other buttons below, in two rows", () => {
    const source = { kind: "search", query: "oil" } as const;
    const rows = (listView(listOf(12, { source }), { key, page: 2, canAsk: true, now }).blocks ?? []).flatMap((block) =>
      block.type === "actions" ? [block.elements.map(({ action_id: id }) => id)] : [],
    );
    expect(rows).toEqual([
      ["turn:newer", "turn:older"],
      ["run:below:sum", "run:below", "run:follow", "run:alerts"],
    ]);
  });

  it.each([
    [0, 1],
    [-7, 1],
    [99, 3],
    [2.9, 2],
    [Number.POSITIVE_INFINITY, 3],
  ])("shows the nearest page to one that it does not have: %d", (page, shown) => {
    expect(listView(listOf(12), { key, page, canAsk: true, now }).text).toContain(`${5 * shown - 4}–`);
  });

  it("has pages for its first 100 articles, and says how many there are in all", () => {
    const message = listView(listOf(130), { key, page: 99, canAsk: true, now });
    expect(storiesIn(message.text)).toEqual([96, 97, 98, 99, 100]);
    expect(wordsOf(message)).toContain("96–100 of 100 articles, 130 in all");
  });

  it("has a menu for each article, by its number in the list", () => {
    const { blocks = [] } = listView(listOf(12), { key, page: 2, canAsk: true, now });
    const menus = blocks.flatMap((block) =>
      block.type === "section" && block.accessory?.type === "overflow" ? (block.accessory.action_id ?? []) : [],
    );
    expect(menus).toEqual([6, 7, 8, 9, 10].map((at) => `run:below:article:on:${key}:${at}`));
    const subcommands = { Summarise: "sum", "Ask about it": "about", Share: "share" };
    expect(moreOf({ text: "", blocks })).toEqual(subcommands);
    const { "Ask about it": _, ...others } = subcommands;
    expect(moreOf(listView(listOf(12), { key, page: 2, canAsk: false, now }))).toEqual(others);
    expect(moreOf(listView(listOf(12), { page: 2, canAsk: true, now }))).toEqual({});
  });

  it("of a digest lets its readers hide a story, also after its pages were turned", async () => {
    const lists = createLists(memory());
    const kept = await lists.keep(listOf(12), "T1");
    const turn = (line: string) => answerOf(list, asking(line), readerServices({ lists }));
    const message = await turn(`${kept} 2 3`);
    expect(moreOf(message)["Not for us"]).toBe("digests hide 3");
    expect(buttonsOf(message)).toMatchObject({ Newer: `list ${kept} 1 3`, Older: `list ${kept} 3 3` });
    const own = await turn(`${kept} 2 3 own`);
    expect(moreOf(own)).toHaveProperty("Not for me");
    expect(buttonsOf(own)).toMatchObject({ Older: `list ${kept} 3 3 own` });
  });

  it("opens in a window if a button asks for it", async () => {
    const lists = createLists(memory());
    const kept = await lists.keep(listOf(12), "T1");
    const shown = (surface: Ask["surface"]) =>
      answerOf(list, asking(`${kept} 1`, { surface }), readerServices({ lists }));
    expect((await shown("button")).window).toBeDefined();
    expect((await shown("slash")).window).toBeUndefined();
  });

  it("has no buttons if it could not be kept", () => {
    const message = listView(listOf(12), { page: 1, canAsk: true, now });
    expect(buttonsOf(message)).toEqual({});
    expect(message.text).toContain("1–5 of 12 articles");
  });

  it("offers no question if no service answers any", () => {
    const message = listView(listOf(3), { key, page: 1, canAsk: false, now });
    expect(buttonsOf(message)).toEqual({ "Summarise these": `sum ${key}` });
  });

  it("fits on a screen and a half of a phone with long headlines and every button", () => {
    const title = "Washington softens chip rule after lobbying by the makers of accelerators";
    const about = { primary: [1, 2], secondary: [3], tertiary: [] };
    const long = article({ title, summary: "A sentence that goes on. ".repeat(20), entities: about });
    const names = { 1: "Devika Kamath", 2: "Novalith Semiconductor", 3: "Chips" };
    const source = { kind: "search", query: "chips" } as const;
    const whole = { title: "News: chips", articles: Array.from({ length: 12 }, () => long), total: 400, names, source };
    const message = listView({ ...whole, credits: credits() }, { key, page: 2, canAsk: true, now });
    expect(heightOf(message)).toBeLessThanOrEqual(phoneLines);
  });

  it("shows its note above the articles and what it cost below them", () => {
    const message = listView(listOf(1, { note: "*3 new* since Tuesday", credits: credits() }), {
      key,
      page: 1,
      canAsk: true,
      now,
    });
    expect(wordsOf(message).split("\n").slice(0, 2)).toEqual(["News: oil", "*3 new* since Tuesday"]);
    expect(wordsOf(message)).toContain("1 article · 1 credit used, 4,999 left");
  });

  it("names the main entities of an article first, and a few others, each once", () => {
    const ids = Array.from({ length: 9 }, (_, index) => index + 1);
    const names = Object.fromEntries(ids.map((id) => [id, `Name ${id}`]));
    const entities = { primary: [1, 2, 2, 99], secondary: [2, 3, 4], tertiary: [4, 5, 6] };
    const message = listView(
      { title: "News", articles: [article({ entities })], total: 1, names },
      { key, page: 1, canAsk: true, now },
    );
    expect(wordsOf(message)).toContain("Name 1, Name 2 · also Name 3, Name 4, Name 5\n");
  });
});

describe("turning a page", () => {
  const lists = createLists(memory());
  const to = readerServices({ lists });

  it("shows the page of the kept list, and costs nothing", async () => {
    const kept = await lists.keep(listOf(12, { credits: credits() }), "T1");
    const message = await answerOf(list, asking(`${kept} 4`), to);
    expect(storiesIn(message.text)).toEqual([11, 12]);
    expect(wordsOf(message)).not.toContain("credit");
    expect(buttonsOf(message)["Newer"]).toBe(`list ${kept} 2`);
  });

  it.each(["", "nonsense", "11111111-89ab-4cde-8f01-23456789abcd 2"])(
    "says what to do where the list is gone: %j",
    async (text) => {
      expect(await hintOf(list, asking(text), to)).toContain("Run its command again");
    },
  );
});

describe("an article of a list", () => {
  const lists = createLists(memory());
  const to = readerServices({ lists });

  it("is shown with its headline, source and summary to the person who shares it", async () => {
    const kept = await lists.keep(
      {
        ...listOf(3),
        articles: [article(), article({ title: "Oil & gas", summary: "More." })],
      },
      "T1",
    );
    const message = await answerOf(share, asking(`${kept}:2`), to);
    expect(message).toMatchObject({ private: true, shareable: true });
    expect(wordsOf(message)).toMatch(/^\*<https[^|]*\|Oil &amp; gas>\*.*\nMore\.$/);
    expect(problemsOf(message)).toEqual([]);
    const alone = await answerOf(share, asking(`${kept}:2`, { channel: "D1" }), to);
    expect(alone.shareable).toBeUndefined();
    expect(alone.text).toContain("copy the headline’s link");
  });

  it.each([`${key}:1`, `${key}:99`])("that is gone says what to do: %s", async (reference) => {
    expect(await hintOf(share, asking(reference), to)).toContain("Run its command again");
  });
});

describe("kept lists", () => {
  it("have keys of their own, fit for a menu, and no more articles than can be turned to", async () => {
    const lists = createLists(memory());
    const keys = await Promise.all([lists.keep(listOf(130), "T1"), lists.keep(listOf(1), "T1")]);
    expect(new Set(keys).size).toBe(2);
    expect(`list ${keys[0]} 10`.length).toBeLessThanOrEqual(75);
    expect((await lists.get(keys[0] ?? "", "T1"))?.articles).toHaveLength(100);
    expect(await lists.get("another", "T1")).toBeUndefined();
  });

  it("open in their own workspace alone, whoever knows their keys", async () => {
    const lists = createLists(memory());
    const to = readerServices({ lists });
    const kept = await lists.keep(listOf(2), "T1");
    expect(await lists.get(kept, "T2")).toBeUndefined();
    for (const [command, line] of [[list, `${kept} 1`] as const, [share, `${kept}:1`] as const]) {
      expect(await hintOf(command, asking(line, { team: "T2" }), to)).toContain("Run its command again");
    }
  });
});
