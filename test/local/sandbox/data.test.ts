import { describe, expect, test } from "vitest";
import { channels, passes } from "../../../local/sandbox/channels.ts";
import { companies, entities, entitiesIn, entityById } from "../../../local/sandbox/entities.ts";
import { articleById, articlesBetween, recentArticles } from "../../../local/sandbox/news.ts";
import { agencies, contributors, jurisdictions, regions, sources } from "../../../local/sandbox/jurisdictions.ts";
import { trending } from "../../../local/sandbox/trending.ts";
import { NOON } from "./client.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Every fifth hour of a whole run of the sample news, from an odd minute on. */
const TIMES = Array.from({ length: 48 }, (_, at) => NOON + 17 * 60_000 + at * 5 * HOUR);

describe("articles", () => {
  test("are about four hundred with unique IDs and titles, at any time", () => {
    for (const now of TIMES) {
      const articles = recentArticles(now);
      expect(articles.length).toBeGreaterThan(370);
      expect(new Set(articles.map((article) => article.id)).size).toBe(articles.length);
      expect(new Set(articles.map((article) => article.title.toLowerCase())).size).toBe(articles.length);
    }
  });

  test("refer to entities that exist, each in one tier", () => {
    for (const { title, primary, secondary, tertiary } of recentArticles(NOON)) {
      const ids = [...primary, ...secondary, ...tertiary];
      expect([title, new Set(ids).size, primary.length > 0]).toEqual([title, ids.length, true]);
      expect(ids.filter((id) => !entityById(id))).toEqual([]);
    }
  });

  test("keep ID, text and time while they are on show, and can be found later by ID", () => {
    const before = recentArticles(NOON);
    const after = new Map(recentArticles(NOON + HOUR).map((article) => [article.id, article]));
    const kept = before.filter((article) => after.has(article.id));
    expect(kept.length).toBeGreaterThan(350);
    for (const article of kept) expect(after.get(article.id)).toEqual(article);
    for (const article of before) expect(articleById(article.id, NOON + 30 * DAY)).toEqual(article);
    const [next] = articlesBetween(NOON, NOON + DAY);
    expect(next && articleById(next.id, NOON)).toBeUndefined();
  });

  test("hold no unfilled gap, and the odd signs that upstream services send", () => {
    const texts = recentArticles(NOON).map((article) => `${article.title} ${article.summary}`);
    expect(texts.filter((text) => /[{}]|undefined|NaN|\s{2}/.test(text))).toEqual([]);
    for (const odd of [/&/, /<b>/, /“/, /\p{Extended_Pictographic}/u, /é/, /\p{Script=Arabic}/u]) {
      expect(texts.some((text) => odd.test(text))).toBe(true);
    }
  });
});

describe("trends", () => {
  test("stand out at any time, and a list of twenty is always full", () => {
    for (const now of TIMES) {
      const trends = trending({ now, limit: 20 });
      expect(trends).toHaveLength(20);
      const clear = trends.filter((trend) => trend.count >= 3 && trend.score >= 2);
      expect(clear.length).toBeGreaterThanOrEqual(3);
    }
  });
});

describe("channels", () => {
  test("are never empty and never hold everything", () => {
    for (const now of TIMES) {
      const articles = recentArticles(now);
      for (const { name, stages } of channels) {
        const inside = articles.filter((article) => passes(article, stages)).length;
        expect([name, inside > 0, inside < articles.length * 0.7]).toEqual([name, true, true]);
      }
    }
  });
});

describe("entities", () => {
  test("have unique IDs, names and symbols", () => {
    expect(new Set(entities.map((entity) => entity.id)).size).toBe(entities.length);
    expect(new Set(entities.map((entity) => entity.name)).size).toBe(entities.length);
    expect(new Set(companies.map((company) => company.symbol)).size).toBe(companies.length);
  });

  test.each([
    ["What is Marlowe & Finch up to?", ["Marlowe & Finch Bank"]],
    ["tell us about aerian", ["Aérian"]],
    ["US chip curbs", ["United States", "Semiconductors"]],
    ["Straits Harbour Logistics’s berths", ["Straits Harbour Logistics"]],
    ["nothing of the kind", []],
  ])("are found in “%s”", (text, names) => {
    expect(entitiesIn(text).found.map((entity) => entity.name)).toEqual(names);
  });
});

test("regulators have unique IDs and numbers throughout, and some have channels that are saved", () => {
  const all = [...regions, ...jurisdictions, ...agencies, ...contributors, ...sources];
  expect(new Set(all.map((one) => one.id)).size).toBe(all.length);
  expect(new Set(all.map((one) => one.original_id)).size).toBe(all.length);
  const saved = new Set(channels.map((channel) => channel.id));
  expect(jurisdictions.filter((one) => saved.has(one.agencychannel)).length).toBeGreaterThan(3);
});
