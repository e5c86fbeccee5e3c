import * as fc from "../../support/property.ts";
import { describe, expect, it } from "vitest";

import type { Article } from "../../../src/apis/article.ts";
import {
  type Story,
  articlesOf,
  separateRepeats,
  storiesInOrder,
  storiesOf,
} from "../../../src/features/articles/stories.ts";
import { article, now } from "../../support/builders.ts";

const hour = 60 * 60_000;
let id = 0;

/** An article so many hours old; entities by tier. */
function told(title: string, hours: number, tiers: Partial<Article["entities"]> = {}, about: Partial<Article> = {}) {
  id++;
  const entities = { primary: [], secondary: [], tertiary: [], ...tiers };
  const url = `https://news.example.com/${id}`;
  return article({
    id,
    title,
    summary: "",
    url,
    source: `Wire ${id}`,
    published: now - hours * hour,
    entities,
    ...about,
  });
}

const titlesOf = (stories: Story[]) => stories.map(({ lead, others }) => [lead, ...others].map(({ title }) => title));

describe("articles of one event", () => {
  it("are one story if they are mainly about the same two, however differently they say it", () => {
    const deal = { primary: [1, 2], secondary: [30] };
    const stories = storiesOf([
      told("Northwind buys Ostara", 5, deal),
      told("A takeover in the North Sea is agreed", 3, { primary: [2, 1], secondary: [30], tertiary: [8] }),
      told("Shareholders cheer", 1, deal),
      told("Rates stay where they are", 2, { primary: [9] }),
    ]);
    expect(titlesOf(stories)).toEqual([
      ["Shareholders cheer", "A takeover in the North Sea is agreed", "Northwind buys Ostara"],
      ["Rates stay where they are"],
    ]);
  });

  it("are one story if one entity leads them and their headlines agree", () => {
    const stories = storiesOf([
      told("Northwind cuts 400 jobs in Bergen", 2, { primary: [1], secondary: [30] }),
      told("Jobs go at Northwind: 400 in Bergen", 1, { primary: [1], secondary: [30, 31] }),
    ]);
    expect(stories).toHaveLength(1);
  });

  it("are one story if several print the same words", () => {
    const title = "Oil rises as two producers announce cuts";
    expect(storiesOf([told(title, 2), told(title, 1)])).toHaveLength(1);
    const short = "G-7 issues statement after meeting";
    expect(storiesOf([told(short, 2), told(short, 1)])).toHaveLength(1);
    expect(storiesOf([told("Morning briefing", 2), told("Morning briefing", 1)])).toHaveLength(2);
  });
});

describe("articles of several events", () => {
  it("of one company stay apart, though they share its name, its country and its trade", () => {
    const company = { primary: [1], secondary: [30, 31] };
    const names = { 1: "Verdanta Beverages" };
    const found = [
      told("Verdanta Beverages bids for Colombian juice maker", 1, company),
      told("Verdanta Beverages blames currencies for lower profit", 3, company),
    ];
    expect(storiesOf(found, { names })).toHaveLength(2);
  });

  it("stay apart if only their words agree", () => {
    const found = [
      told("Central bank raises rates by a quarter", 1, { primary: [1] }),
      told("Central bank raises rates by a half", 2, { primary: [2] }),
    ];
    expect(storiesOf(found)).toHaveLength(2);
  });

  it("stay apart if days lie between them", () => {
    const deal = { primary: [1, 2], secondary: [30] };
    expect(storiesOf([told("Ostara is bought", 0, deal), told("Ostara is bought", 60, deal)])).toHaveLength(2);
  });

  it("in a search for one entity are told apart by the rest", () => {
    const found = Array.from({ length: 12 }, (_, at) =>
      told(`Topic${at} Headline${at}`, at, { primary: [1], secondary: [100 + at] }),
    );
    expect(storiesOf(found)).toHaveLength(12);
  });

  it("with one flat list of entities need headlines that agree", () => {
    const flat = { primary: [1, 30, 31] };
    expect(storiesOf([told("Profit falls", 1, flat), told("Factory opens", 2, flat)])).toHaveLength(2);
    expect(storiesOf([told("Profit falls by half", 1, flat), told("Profits fall", 2, flat)])).toHaveLength(1);
  });
});

/** News of a day that has nothing to do with the rest, so that words that are common in a list are known as such. */
const otherNews = [
  "Parliament passes budget after night of votes",
  "Storm closes airports along the coast",
  "Museum finds lost painting in its own cellar",
  "Champions lose at home to last year’s runners-up",
  "Scientists map seabed beneath Arctic ice",
  "Wheat harvest is smallest in a decade",
  "Actor’s memoir tops the lists for a third week",
  "City to ban diesel vans from its centre",
].map((title, at) => told(title, at));

describe("articles without entities", () => {
  const together = (...articles: Article[]) =>
    storiesOf([...articles, ...otherNews]).some((story) => articles.every((each) => articlesOf(story).includes(each)));

  it("are one story if two outlets tell one event in different words", () => {
    const first = told("Skagerrak Wind walks away from $7 billion offshore project in the US", 3);
    const second = told("US offshore wind hit as Skagerrak drops $7 billion project", 1);
    expect(together(first, second)).toBe(true);
  });

  it("are one story in scripts without spaces and in alphabets with other endings", () => {
    expect(together(told("日本銀行が政策金利を引き上げ", 2), told("日銀、政策金利の引き上げを決定", 1))).toBe(true);
    expect(
      together(told("Банк России повысил ключевую ставку", 2), told("Ключевая ставка Банка России повышена", 1)),
    ).toBe(true);
    expect(together(told("日本銀行が政策金利を引き上げ", 2), told("台風で東京の空港が閉鎖", 1))).toBe(false);
  });

  it("stay apart if an outlet puts the same words below all of its headlines", () => {
    const below = {
      source: "Daily Example",
      summary: "All the news of the day from our correspondents around the world.",
    };
    expect(together(told("Harbour bridge reopens", 2, {}, below), told("Miners end strike", 1, {}, below))).toBe(false);
  });
});

describe("a story of several reports", () => {
  const first = told("Ferry runs aground off Skagen in thick fog", 4);
  const second = told("Hundreds wait for rescue from ferry off Skagen", 3);
  const third = told("Rescue helicopters lift hundreds through thick fog", 1);
  const together = (...articles: Article[]) =>
    storiesOf([...articles, ...otherNews]).some((story) => articles.every((each) => articlesOf(story).includes(each)));

  it("takes in a report that is like all of them together, though too unlike the first alone", () => {
    expect(together(first, third)).toBe(false);
    expect(together(first, second, third)).toBe(true);
  });
});

describe("articles of a search", () => {
  it("are not one story because all of them have the words that are searched for", () => {
    const found = otherNews.map((each) => ({ ...each, title: `Chip export rules: ${each.title}` }));
    expect(storiesOf(found)).toHaveLength(found.length);
  });
});

describe("news of one kind", () => {
  it("stays apart if it is on different companies, however alike it is written", () => {
    const found = [
      told(
        "Write-down pulls Tasman Ridge into the red",
        2,
        { primary: [1] },
        { summary: "A write-down of $300 million led to a loss." },
      ),
      told(
        "Write-down pulls Kaapberg into the red",
        1,
        { primary: [2] },
        { summary: "A write-down of $200 million led to a loss." },
      ),
      ...otherNews,
    ];
    expect(storiesOf(found)).toHaveLength(found.length);
  });

  it("is one story if the link to a name is missing that both reports write", () => {
    const found = [
      told("Tasman Ridge halts iron ore trains after derailment", 2, { primary: [1] }),
      told("Derailment halts Tasman Ridge’s iron ore trains", 1, { primary: [7] }),
      ...otherNews,
    ];
    expect(storiesOf(found, { names: { 1: "Tasman Ridge", 7: "Iron ore" } })).toHaveLength(found.length - 1);
  });
});

describe("articles on known stories", () => {
  const deal = { primary: [1, 2], secondary: [30] };
  const parts = (found: Article[], before: Article[]) => {
    const known = before.map((each) => ({ reports: [each] }));
    const { stories, repeats } = separateRepeats(found, { known, names: { 1: "Northwind", 2: "Ostara" } });
    return { news: stories.flatMap(articlesOf), repeats: repeats.map((repeat) => [repeat.of, repeat.articles]), known };
  };

  it("count as repeats for two days", () => {
    const soon = told("Shareholders cheer", 1, deal);
    const { news, repeats, known } = parts([soon], [told("Northwind buys Ostara", 37, deal)]);
    expect(repeats).toEqual([[known[0], [soon]]]);
    expect(news).toEqual([]);
    const late = told("Regulator agrees", 0, deal);
    expect(parts([late], [told("Northwind buys Ostara", 49, deal)]).news).toEqual([late]);
  });

  it("count as repeats together if one of them alone would not be recognised", () => {
    const near = told("Northwind to buy Ostara in North Sea wind deal", 2);
    const far = told("Union fears for jobs after North Sea wind deal", 1);
    const { news } = parts([near, far, ...otherNews], [told("Northwind agrees to buy Ostara", 3)]);
    expect(news).not.toContain(near);
    expect(news).toHaveLength(otherNews.length + (news.includes(far) ? 1 : 0));
  });
});

describe("the stories of a list in its order", () => {
  it("stand where their first article does, which leads them", () => {
    const deal = { primary: [1, 2], secondary: [30] };
    const old = told("Northwind buys Ostara", 5, deal);
    const other = told("Gold falls", 1);
    const young = told("Shareholders cheer", 0, deal);
    expect(storiesInOrder([old, other, young]).map(articlesOf)).toEqual([[old, young], [other]]);
  });
});

/** Up to 25 articles that share titles, names and numbers. */
const anyArticles = fc.array(
  fc
    .record({
      title: fc.constantFrom("Oil rises as supply tightens", "Oil rises", "Gold falls in thin trade", "", "Ölpreis"),
      published: fc.option(fc.integer({ min: now - 50 * hour, max: now }), { nil: undefined }),
      primary: fc.uniqueArray(fc.integer({ min: 1, max: 4 }), { maxLength: 3 }),
      secondary: fc.uniqueArray(fc.integer({ min: 1, max: 9 }), { maxLength: 3 }),
      number: fc.integer({ min: 1, max: 30 }),
    })
    .map(({ primary, secondary, number, ...rest }) =>
      article({
        ...rest,
        id: number,
        url: `https://news.example.com/${number}`,
        entities: { primary, secondary, tertiary: [] },
      }),
    ),
  { maxLength: 25 },
);

describe("whatever the articles are", () => {
  it("each is in exactly one story", () => {
    fc.assert(
      fc.property(anyArticles, (found) => {
        const shown = storiesOf(found).flatMap(({ lead, others }) => [lead, ...others]);
        expect(shown).toHaveLength(found.length);
        expect(new Set(shown)).toEqual(new Set(found));
      }),
    );
  });

  it("the stories are the same in whatever order they come", () => {
    const shuffled = anyArticles.chain((found) =>
      fc.tuple(fc.constant(found), fc.shuffledSubarray(found, { minLength: found.length })),
    );
    fc.assert(
      fc.property(shuffled, ([found, other]) => {
        expect(storiesOf(other)).toEqual(storiesOf(found));
      }),
    );
  });
});
