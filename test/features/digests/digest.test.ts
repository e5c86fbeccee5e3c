import { describe, expect, it } from "vitest";

import type { Article } from "../../../src/apis/article.ts";
import { newArticles } from "../../../src/features/digests/arrivals.ts";
import { type Digest, afterRead, isDigestDue as isDue } from "../../../src/features/digests/digest.ts";
import { keysOf } from "../../../src/features/subscriptions/announced.ts";
import { advanced, isLate } from "../../../src/features/subscriptions/model.ts";
import { article, now } from "../../support/builders.ts";

const minute = 60_000;
const day = 24 * 60 * minute;

function digest(about: Partial<Digest> = {}): Digest {
  return {
    team: "T1",
    number: 1,
    source: { kind: "channel", id: 501, name: "Gold wire" },
    schedule: { pattern: "0 9 * * *", zone: "UTC", words: "daily at 09:00" },
    channel: "C1",
    maker: "U1",
    state: "active",
    nextRun: now,
    changed: [],
    ...about,
  };
}

function articles(count: number, from = 1) {
  return Array.from({ length: count }, (_, index) => {
    const id = from + index;
    return article({ id, url: `https://news.example.com/${id}`, published: now - id * minute });
  });
}

const idsOf = (fresh: { id?: number | undefined }[]) => fresh.map(({ id }) => id);

/** When articles came to the source, by their IDs; those that are not named came before the last digest. */
const arrivalsOf = (found: Article[], latest: number[] = []) =>
  new Map(found.map((each) => [each, latest.includes(each.id ?? 0) ? now + 1 : now - day]));

const ran = digest({ last: { at: now, fresh: 5 } });

describe("what is new to a digest", () => {
  it("is everything before its first run, the newest first, each article once", () => {
    const found = articles(9);
    const twice = [...found.toReversed(), ...found.map((each) => ({ ...each, title: "Copy" }))];
    expect(idsOf(newArticles(twice, { lastAt: undefined, arrivals: arrivalsOf(twice) }))).toEqual([
      1, 2, 3, 4, 5, 6, 7, 8, 9,
    ]);
  });

  it("is afterwards what came to the source since, whatever its date", () => {
    const found = [...articles(4), article({ id: 7, published: undefined, url: "https://news.example.com/7" })];
    expect(idsOf(newArticles(found, { lastAt: ran.last?.at, arrivals: arrivalsOf(found, [3, 7]) }))).toEqual([3, 7]);
  });

  it("is nothing old that slides back into the source", () => {
    const old = article({ id: 99, url: "https://news.example.com/99", published: now - 8 * day });
    expect(newArticles([old], { lastAt: ran.last?.at, arrivals: arrivalsOf([old], [99]) })).toEqual([]);
  });
});

describe("an address", () => {
  it.each([
    ["https://News.Example.com/a/", "news.example.com/a"],
    ["http://www.news.example.com/a?utm_medium=x&fbclid=1#part", "news.example.com/a"],
    ["https://news.example.com/a?b=2&a=1", "news.example.com/a?a=1&b=2"],
    ["https://news.example.com/#!/story/3", "news.example.com#!/story/3"],
    ["https://news.example.com:8443/a", "news.example.com:8443/a"],
    ["no address", "no address"],
  ])("%s is known as %s", (url, expected) => {
    expect(keysOf({ url })).toEqual([expected]);
  });
});

describe("a subscription's time", () => {
  it("is due at its next run and not before, paused never, and with something to post always", () => {
    const later = digest({ nextRun: now + minute });
    expect(isDue(digest(), now)).toBe(true);
    expect(isDue(later, now)).toBe(false);
    expect(isDue(digest({ state: "paused" }), now)).toBe(false);
    expect(isDue(digest({ state: "removed" }), now)).toBe(false);
    const pending = { key: "k", since: now, list: "l", keys: [], tries: 0 };
    expect(isDue({ ...later, pending }, now)).toBe(true);
  });

  it("is late when more than five minutes have passed", () => {
    expect(isLate(digest(), now + 5 * minute)).toBe(false);
    expect(isLate(digest(), now + 6 * minute)).toBe(true);
  });

  it("goes on from now after a run that was missed many times, and not through each of them", () => {
    const often = digest({
      schedule: { pattern: "*/5 * * * *", zone: "UTC", words: "every 5 minutes" },
      nextRun: now - 3 * day,
    });
    expect(afterRead(often, { at: now + minute, fresh: 0 }).nextRun).toBe(now + 5 * minute);
  });

  it("is not taken twice by a timer that rings a moment early", () => {
    const early = now - 400;
    expect(isDue(digest(), early)).toBe(true);
    expect(afterRead(digest(), { at: early, fresh: 0 }).nextRun).toBe(now + day);
  });

  it("that never comes again pauses it, with the reason", () => {
    const never = digest({ schedule: { pattern: "0 0 31 2 *", zone: "UTC", words: "cron 0 0 31 2 *" } });
    expect(advanced(never, now)).toMatchObject({ state: "paused", problem: "Its time does not come again." });
  });
});
