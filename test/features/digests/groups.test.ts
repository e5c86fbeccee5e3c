import * as fc from "../../support/property.ts";
import { describe, expect, it } from "vitest";

import type { Article } from "../../../src/apis/article.ts";
import { storiesOf } from "../../../src/features/articles/stories.ts";
import { groupsOf, sectionsOf } from "../../../src/features/digests/groups.ts";
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
