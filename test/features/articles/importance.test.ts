import { describe, expect, it } from "vitest";

import type { Article } from "../../../src/apis/article.ts";
import { byImportance } from "../../../src/features/articles/importance.ts";
import type { Story } from "../../../src/features/articles/stories.ts";
import { article, now } from "../../support/builders.ts";

const hour = 60 * 60_000;
let id = 0;

function report(title: string, hours: number, source: string, tiers: Partial<Article["entities"]> = {}): Article {
  id++;
  const entities = { primary: [], secondary: [], tertiary: [], ...tiers };
  return article({ id, title, url: `https://news.example.com/${id}`, published: now - hours * hour, source, entities });
}

const story = (lead: Article, ...others: Article[]): Story => ({ lead, others });
const order = (stories: Story[], about: Partial<Parameters<typeof byImportance>[1]> = {}) =>
  byImportance(stories, { now, ...about }).map(({ lead }) => lead.title);

describe("the most important story", () => {
  it("is reported by most outlets, each of which counts once", () => {
    const one = story(report("One outlet", 1, "A"), report("One outlet, again", 1, "A"), report("And again", 1, "A"));
    const two = story(report("Two outlets", 1, "A"), report("Two outlets", 1, "B"));
    expect(order([one, two])).toEqual(["Two outlets", "One outlet"]);
  });

  it("is reported now rather than long ago", () => {
    const old = story(report("Old", 20, "A"), report("Old", 21, "B"));
    const young = story(report("Young", 1, "A"), report("Young", 2, "B"));
    expect(order([old, young])).toEqual(["Young", "Old"]);
  });

  it("may be older if the previous digest was longer ago", () => {
    const old = story(report("Old", 90, "A"), report("Old", 90, "B"), report("Old", 90, "C"));
    const young = story(report("Young", 1, "A"));
    expect(order([old, young])).toEqual(["Young", "Old"]);
    expect(order([old, young], { since: now - 7 * 24 * hour })).toEqual(["Old", "Young"]);
  });

  it("is about names that are seldom in the news", () => {
    const usual = story(report("Usual", 1, "A", { primary: [1] }));
    const rare = story(report("Rare", 1, "A", { primary: [2] }));
    const among = [usual.lead, rare.lead, ...Array.from({ length: 9 }, () => report("Else", 1, "B", { primary: [1] }))];
    expect(order([usual, rare], { among })).toEqual(["Rare", "Usual"]);
  });

  it("is mainly about the followed name", () => {
    const aside = story(report("Aside", 1, "A", { primary: [2], tertiary: [1] }));
    const main = story(report("Main", 1, "A", { primary: [1] }));
    expect(order([aside, main], { watched: [1] })).toEqual(["Main", "Aside"]);
  });

  it("is not about a name whose story the channel hid", () => {
    const unwanted = story(report("Unwanted", 1, "A", { primary: [1] }));
    const wanted = story(report("Wanted", 1, "A", { primary: [2] }));
    expect(order([unwanted, wanted], { hidden: [[1]] })).toEqual(["Wanted", "Unwanted"]);
  });
});
