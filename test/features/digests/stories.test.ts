import * as fc from "../../support/property.ts";
import { describe, expect, it } from "vitest";

import type { Article } from "../../../src/apis/article.ts";
import { type Story, groupsOf, sectionsOf, separateRepeats, storiesOf } from "../../../src/features/digests/stories.ts";
import { article, now } from "../../support/builders.ts";

const hour = 60 * 60_000;
let id = 0;

/** An article so many hours old; entities by tier. */
function told(title: string, hours: number, tiers: Partial<Article["entities"]> = {}, about: Partial<Article> = {}) {
  id++;
  const entities = { primary: [], secondary: [], tertiary: [], ...tiers };
  const url = `https://news.example.com/${id}`;
  return article({ id, title, url, source: `Wire ${id}`, published: now - hours * hour, entities, ...about });
}

const titlesOf = (stories: Story[]) => stories.map(({ lead, others }) => [lead, ...others].map(({ title }) => title));

describe("articles of one event", () => {
  it("are one story where they are mainly about the same two, however differently they say it", () => {
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

  it("are one story where one entity leads them and their headlines agree", () => {
    const stories = storiesOf([
      told("Northwind cuts 400 jobs in Bergen", 2, { primary: [1], secondary: [30] }),
      told("Jobs go at Northwind: 400 in Bergen", 1, { primary: [1], secondary: [30, 31] }),
    ]);
    expect(stories).toHaveLength(1);
  });

  it("are one story where several print the same words", () => {
    const title = "Oil rises as two producers announce cuts";
    expect(storiesOf([told(title, 2), told(title, 1)])).toHaveLength(1);
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
    expect(storiesOf(found, names)).toHaveLength(2);
  });

  it("stay apart where only their words agree", () => {
    const found = [
      told("Central bank raises rates by a quarter", 1, { primary: [1] }),
      told("Central bank raises rates by a half", 2, { primary: [2] }),
    ];
    expect(storiesOf(found)).toHaveLength(2);
  });

  it("stay apart where days lie between them", () => {
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

describe("articles on stories that a channel knows", () => {
  const deal = { primary: [1, 2], secondary: [30] };
  const job = { primary: [1], secondary: [30] };
  const names = { 1: "Northwind", 2: "Ostara" };
  const parts = (found: Article[], announced: Article[], hidden?: string) => {
    const known = announced.map((each) => (hidden ? { ...each, hidden } : each));
    const { news, repeats, hidden: left } = separateRepeats(found, { found, announced: known, names });
    return { news, repeats, left: [...left.keys()] };
  };

  it("repeat them for a day and a half", () => {
    const [soon, late] = [told("Shareholders cheer", 1, deal), told("Regulator agrees", 0, deal)];
    expect(parts([soon, late], [told("Northwind buys Ostara", 37, deal)])).toEqual({
      news: [late],
      repeats: [soon],
      left: [],
    });
  });

  it("are left out for as long as a story is hidden, where they follow on it", () => {
    const week = 7 * 24;
    const ruling = told("Regulator agrees", 0, deal);
    const jobs = told("Union sues over jobs in Bergen", 0, job);
    const other = told("Northwind wins Norwegian wind licence", 0, job);
    const hidden = [told("Northwind buys Ostara", week, deal), told("400 jobs go in Bergen", week, job)];
    expect(parts([ruling, jobs, other], hidden, "U1")).toEqual({ news: [other], repeats: [], left: [ruling, jobs] });
    // What was posted before it was hidden counts as hidden.
    const both = [...hidden, told("Northwind buys Ostara", 1, deal)];
    expect(parts([ruling], both, "U1")).toEqual({ news: [], repeats: [], left: [ruling] });
  });
});

const articles = fc.array(
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
      fc.property(articles, (found) => {
        const shown = storiesOf(found).flatMap(({ lead, others }) => [lead, ...others]);
        expect(shown).toHaveLength(found.length);
        expect(new Set(shown)).toEqual(new Set(found));
      }),
    );
  });

  it("the stories are the same in whatever order they come", () => {
    const shuffled = articles.chain((found) =>
      fc.tuple(fc.constant(found), fc.shuffledSubarray(found, { minLength: found.length })),
    );
    fc.assert(
      fc.property(shuffled, ([found, other]) => {
        expect(storiesOf(other)).toEqual(storiesOf(found));
      }),
    );
  });

  it("each story is in exactly one group", () => {
    fc.assert(
      fc.property(articles, (found) => {
        const stories = storiesOf(found);
        const grouped = groupsOf(stories, { 1: "One", 2: "Two", 3: "Three" }).flatMap((group) => group.stories);
        expect(grouped).toHaveLength(stories.length);
        expect(new Set(grouped)).toEqual(new Set(stories));
      }),
    );
  });
});

describe("groups of stories", () => {
  const names = { 1: "Northwind", 2: "Ostara", 3: "Gold" };
  const shown = (found: Article[]) =>
    groupsOf(storiesOf(found), names).map(({ name, stories }) => [name, stories.map(({ lead }) => lead.title)]);

  it("have the entity that leads several of them, the rest stand together at the beginning", () => {
    expect(
      shown([
        told("Alone", 0, { primary: [2] }),
        told("Second", 2, { primary: [1] }),
        told("First", 1, { primary: [1, 3] }),
        told("Nameless", 3, { primary: [77] }),
      ]),
    ).toEqual([
      [undefined, ["Alone", "Nameless"]],
      ["Northwind", ["First", "Second"]],
    ]);
  });

  it("have no heading that all of them would have", () => {
    expect(
      shown([told("A", 0, { primary: [1] }), told("B", 20, { primary: [1] }), told("C", 40, { primary: [1] })]),
    ).toEqual([[undefined, ["A", "B", "C"]]]);
  });
});

describe("stories under the headings of their articles", () => {
  const stories = ["A", "B", "C", "D"].map((title) => ({ lead: told(title, 0, {}), others: [] }));
  const [a = "", b = "", c = ""] = stories.map(({ lead }) => lead.url);
  const shown = (headings?: Record<string, string>) =>
    sectionsOf(stories, headings)?.map(({ name, stories: under }) => [name, under.map(({ lead }) => lead.title)]);

  it("come in the order of the news, with those that have none last", () => {
    expect(shown({ [b]: "SEC", [a]: "FCA", [c]: "SEC" })).toEqual([
      ["FCA", ["A"]],
      ["SEC", ["B", "C"]],
      ["Other", ["D"]],
    ]);
  });

  it("are what they are without where there’s one heading or none", () => {
    expect(shown({ [b]: "SEC", [c]: "SEC" })).toBeUndefined();
    expect(shown()).toBeUndefined();
  });
});
