import { describe, expect, test } from "vitest";
import { articleById, articlesBetween, recentArticles } from "../../../local/sandbox/news.ts";
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
