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

  it("is a story on a name that the channel used rather than an equal one", () => {
    const equal = story(report("Equal", 1, "A", { primary: [1] }));
    const used = story(report("Used", 1, "A", { primary: [2] }));
    expect(order([equal, used])).toEqual(["Equal", "Used"]);
    expect(order([equal, used], { interest: new Map([[2, 0.1]]) })).toEqual(["Used", "Equal"]);
  });

  it("is never, by use alone, a story that only mentions a followed name before an equal one on it", () => {
    const mention = story(report("Mention", 1, "A", { primary: [2], secondary: [1] }));
    const main = story(report("Main", 1, "A", { primary: [1] }));
    const interest = new Map([[2, 100]]);
    expect(order([mention, main], { interest, watched: [1] })).toEqual(["Main", "Mention"]);
  });

  it("is what is mainly about a followed name, rather than an equal mention, even if the channel hid stories on it", () => {
    const mention = story(report("Mention", 1, "A", { primary: [2], secondary: [1] }));
    const main = story(report("Main", 1, "A", { primary: [1] }));
    const hidden = Array.from({ length: 100 }, () => [1]);
    expect(order([mention, main], { hidden, watched: [1] })).toEqual(["Main", "Mention"]);
  });

  it("is the same without feedback, however often it is asked for", () => {
    const stories = Array.from({ length: 40 }, (_, at) =>
      story(report(`Story ${at}`, at % 7, `Outlet ${at % 3}`, { primary: [at % 5] })),
    );
    expect(order(stories, { hidden: [], interest: new Map() })).toEqual(order(stories));
    expect(order(stories)).toEqual(order(stories));
  });
});

describe("the share of a subject", () => {
  /** Stories on four names, each reported by one outlet to six, with others that only mention a followed one. */
  function news(): Story[] {
    return [1, 2, 3, 4].flatMap((name) =>
      [1, 2, 3, 4, 5, 6].map((outlets) => {
        const tiers = { primary: [name], secondary: [9] };
        const [lead = report("", 1, ""), ...others] = Array.from({ length: outlets }, (_, at) =>
          report(`${name}`, 1 + at, `Outlet ${at}`, tiers),
        );
        return story(lead, ...others);
      }),
    );
  }
  const ten = Array.from({ length: 10 }, () => [1]);
  const share = (about: Parameters<typeof order>[1]) =>
    order(news(), about)
      .slice(0, 8)
      .filter((name) => name === "1");

  it.each([
    ["a search", []],
    ["a watchlist that names it", [1, 2, 3, 4]],
    ["a watchlist that names another one", [9]],
  ])("is at most half in the next digest of %s after ten of its stories were hidden", (_, watched) => {
    const before = share({ watched }).length;
    expect(before).toBe(2);
    expect(share({ watched, hidden: ten }).length).toBeLessThanOrEqual(before / 2);
  });

  it("falls without a loss of stories on followed names, which stand as high as before or higher", () => {
    const mentions = news().filter(({ lead }) => lead.title === "1");
    const main = [102, 103, 104, 105].map((name) => story(report("Followed", 2, "Outlet 0", { primary: [name] })));
    const watched = [9, 102, 103, 104, 105];
    const firstOf = (hidden: number[][]) =>
      order([...mentions, ...main], { watched, hidden })
        .slice(0, 8)
        .filter((title) => title === "Followed").length;
    expect(firstOf([])).toBeLessThanOrEqual(firstOf(ten));
    expect(firstOf(ten)).toBe(4);
  });
});
