import { describe, expect, it } from "vitest";

import type { Article } from "../../src/apis/article.ts";
import { opening, parted } from "../../src/features/digests/again/rule.ts";
import { retoldLine } from "../../src/features/digests/again/view.ts";
import { storiesOf } from "../../src/features/digests/read/cluster.ts";
import { toldOf, withTold } from "../../src/features/subscriptions/told.ts";
import { entities as sampleEntities } from "../../local/sandbox/entities.ts";
import { articlesBetween } from "../../local/sandbox/news.ts";
import { article, now } from "../support/builders.ts";
import * as fc from "../support/property.ts";

const hour = 60 * 60_000;
let id = 0;

function report(title: string, hours: number, about: Partial<Article> = {}): Article {
  id++;
  const entities = { primary: [1, 2], secondary: [30], tertiary: [] };
  const url = `https://news.example.com/${id}`;
  return article({ id, title, summary: "", url, published: now - hours * hour, entities, ...about });
}

const takeover = report("Northwind in advanced talks to buy Ostara for about $41 billion", 20, {
  summary:
    "Northwind is in talks to acquire Dutch toolmaker Ostara in a deal valued at $41 billion, three people said.",
});
const names = { 1: "Northwind", 2: "Ostara" };

/** Headlines that are no news to a place that was told of the takeover. */
function againOf(...fresh: Article[]): string[] {
  const told = [toldOf([takeover], now - 19 * hour)];
  return parted(fresh, { found: fresh, told, names }).retold.map((each) => each.article.title);
}

describe("an article of an event that a place was told of", () => {
  it.each([
    "Northwind nears $41 billion acquisition of Dutch toolmaker Ostara",
    "Ostara and Northwind in advanced deal talks",
    "Northwind talks to buy Ostara, people say",
  ])("tells it again: %s", (title) => {
    expect(againOf(report(title, 15))).toEqual([title]);
  });

  it.each([
    "Northwind agrees to buy Ostara at €212 a share",
    "Regulators block Northwind’s purchase of Ostara",
    "Ostara shares jump as trading resumes",
    "Northwind in advanced talks to buy Ostara for about $48 billion",
  ])("is news where it is a development: %s", (title) => {
    expect(againOf(report(title, 15))).toEqual([]);
  });

  it("tells it again, whatever it says, where it was published before what the place was told", () => {
    expect(againOf(report("Ostara shares jump as trading resumes", 21))).toEqual([
      "Ostara shares jump as trading resumes",
    ]);
  });

  it("is news where its event is another one, or so long ago that it may be", () => {
    const other = { primary: [1], secondary: [40], tertiary: [] };
    const gone = report("Northwind in advanced talks to buy Ostara", 15, {
      published: now + 17 * hour,
    });
    expect(againOf(report("Northwind opens a plant", 19, { entities: other }), gone)).toEqual([]);
  });

  it("goes by all that the place was told of the event, also of what became of it later", () => {
    const agreed = report("Northwind agrees to buy Ostara at €212 a share", 10);
    const told = [toldOf([agreed], now - 9 * hour), toldOf([takeover], now - 19 * hour)];
    const fresh = [report("Ostara agrees to Northwind bid of €212 a share", 8)];
    expect(parted(fresh, { found: fresh, told, names })).toMatchObject({ news: [], retold: [{ article: fresh[0] }] });
  });
});

const sampleNames = Object.fromEntries(sampleEntities.map(({ id: number, name }) => [number, name]));

describe("the sample news, read hour by hour", () => {
  it.each([{}, sampleNames])("hides no development of a story, whether or not names are known", (known) => {
    const all = articlesBetween(now - 240 * hour, now).map(({ primary, secondary, tertiary, ...rest }) => ({
      ...rest,
      entities: { primary, secondary, tertiary },
    }));
    let told: ReturnType<typeof withTold> = [];
    const hidden: string[] = [];
    for (const each of all.toReversed()) {
      const { retold } = parted([each], { found: all.slice(0, 60), told, names: known });
      hidden.push(...retold.map(({ article: { title }, of }) => `${title} (${of})`));
      told = withTold(told, [toldOf([each], each.published)], each.published);
    }
    expect([all.length > 100, hidden]).toEqual([true, []]);
  });
});

const articles = fc.array(
  fc
    .record({
      title: fc.constantFrom("Oil rises as supply tightens", "Oil rises 3%", "Gold falls in thin trade", "", "Ölpreis"),
      summary: fc.constantFrom("", "Oil rises 3% as two producers cut supply."),
      published: fc.option(fc.integer({ min: now - 50 * hour, max: now }), { nil: undefined }),
      primary: fc.uniqueArray(fc.integer({ min: 1, max: 3 }), { maxLength: 3 }),
      secondary: fc.uniqueArray(fc.integer({ min: 1, max: 9 }), { maxLength: 3 }),
      number: fc.integer({ min: 1, max: 1_000 }),
    })
    .map(({ primary, secondary, number, ...rest }) =>
      article({
        ...rest,
        id: number,
        url: `https://news.example.com/${number}`,
        entities: { primary, secondary, tertiary: [] },
      }),
    ),
  { maxLength: 15 },
);
const toldBy = (before: Article[]) =>
  storiesOf(before).map(({ lead, others }, at) => toldOf([lead, ...others], now - at));

describe("whatever was told and has come", () => {
  it("each article is either news or told again, in the order in which they came", () => {
    fc.assert(
      fc.property(articles, articles, (before, fresh) => {
        const { news, retold } = parted(fresh, { found: fresh, told: toldBy(before) });
        const again = new Set(retold.map((each) => each.article));
        expect(news).toEqual(fresh.filter((each) => !again.has(each)));
        expect(news.length + retold.length).toBe(fresh.length);
      }),
    );
  });

  it("the outcome is the same in whatever order it is remembered", () => {
    fc.assert(
      fc.property(articles, articles, (before, fresh) => {
        const told = toldBy(before);
        const all = parted(fresh, { found: fresh, told });
        expect(parted(fresh, { found: fresh, told: told.toReversed() })).toEqual(all);
      }),
    );
  });

  it("all is news to a place that was told nothing, and to one that was told of other things", () => {
    fc.assert(
      fc.property(articles, articles, (before, fresh) => {
        expect(parted(fresh, { found: fresh, told: [] }).news).toEqual(fresh);
        const elsewhere = before.map((each) => ({
          ...each,
          title: "",
          entities: { primary: [99], secondary: [], tertiary: [] },
        }));
        expect(parted(fresh, { found: fresh, told: toldBy(elsewhere) }).news).toEqual(fresh);
      }),
    );
  });

  it("what is told again is an article that a digest of both would have as one story", () => {
    fc.assert(
      fc.property(articles, articles, ([one], fresh) => {
        if (!one) return;
        for (const { article: other } of parted(fresh, { found: [one, ...fresh], told: toldBy([one]) }).retold) {
          const gap = Math.abs((one.published ?? now) - (other.published ?? one.published ?? now));
          const shared = one.entities.primary.some((each) => other.entities.primary.includes(each));
          expect(shared || one.title === other.title).toBe(true);
          expect(one.published === undefined || gap <= 36 * hour).toBe(true);
        }
      }),
    );
  });

  it("the first digest has the newest five that are news, and no line", () => {
    fc.assert(
      fc.property(articles, articles, (before, fresh) => {
        const parts = parted(fresh, { found: fresh, told: toldBy(before) });
        expect(opening(parts)).toEqual({ news: parts.news.slice(0, 5), retold: [] });
      }),
    );
  });
});

describe("the line at the end", () => {
  const lines = (count: number, of: (at: number) => string) => {
    const all = Array.from({ length: count }, (_, at) => report(`Title ${at}`, at, { source: `Wire & ${at}` }));
    return retoldLine({ articles: all, retold: all.map(({ url }, at) => ({ url, of: of(at) })) });
  };

  it("names who tells it, with links, and the headline that it came under", () => {
    expect(lines(2, () => "A <deal>")?.replace(/\/\d+\|/g, "/N|")).toBe(
      "2 more on a story you have had: <https://news.example.com/N|Wire &amp; 0>, <https://news.example.com/N|Wire &amp; 1> on “A &lt;deal&gt;”",
    );
  });

  it("stays short, however many there are, and is missing where there are none", () => {
    const line = lines(9, (at) => `Deal ${at % 2}`) ?? "";
    expect([line.match(/https/g)?.length, line.startsWith("9 more on stories you have had: ")]).toEqual([4, true]);
    expect(line.endsWith("; and 5 others")).toBe(true);
    expect(lines(0, () => "")).toBeUndefined();
  });
});
