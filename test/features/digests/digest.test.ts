import { describe, expect, it } from "vitest";

import type { Article } from "../../../src/apis/article.ts";
import { newArticles } from "../../../src/features/digests/arrivals.ts";
import { type Digest, afterRead, digestSchema, isDigestDue } from "../../../src/features/digests/digest.ts";
import { keysOf } from "../../../src/features/subscriptions/announced.ts";
import { advanced, isLate } from "../../../src/features/subscriptions/model.ts";
import { article, now } from "../../support/builders.ts";
import { articles, daily, day, goldWire, minute } from "./setting.ts";

function digest(about: Partial<Digest> = {}): Digest {
  return {
    team: "T1",
    number: 1,
    source: goldWire,
    schedule: daily,
    channel: "C1",
    maker: "U1",
    state: "active",
    nextRun: now,
    changed: [],
    ...about,
  };
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
    expect(isDigestDue(digest(), now)).toBe(true);
    expect(isDigestDue(later, now)).toBe(false);
    expect(isDigestDue(digest({ state: "paused" }), now)).toBe(false);
    expect(isDigestDue(digest({ state: "removed" }), now)).toBe(false);
    const pending = { key: "k", since: now, list: "l", keys: [], tries: 0 };
    expect(isDigestDue({ ...later, pending }, now)).toBe(true);
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
    expect(isDigestDue(digest(), early)).toBe(true);
    expect(afterRead(digest(), { at: early, fresh: 0 }).nextRun).toBe(now + day);
  });

  it("that never comes again pauses it, with the reason", () => {
    const never = digest({ schedule: { pattern: "0 0 31 2 *", zone: "UTC", words: "cron 0 0 31 2 *" } });
    expect(advanced(never, now)).toMatchObject({ state: "paused", problem: "Its time does not come again." });
  });
});

/** As version 2 of the export wrote it, with fields that are no more. */
const stored = {
  team: "T1",
  number: 3,
  source: { kind: "trending", type: "Company", exclude: ["BASF"] },
  schedule: { pattern: "0 9 * * *", zone: "Europe/London", words: "daily at 09:00" },
  channel: "U1",
  group: ["Ana", "Ben"],
  maker: "U1",
  state: "paused",
  stranded: "access",
  untold: { sentAt: now, about: ["digest 3"] },
  nextRun: now,
  silentUntil: now,
  look: { isCompact: true, isThreaded: true, hasLead: true, empty: 5, colour: "red" },
  isTravelling: true,
  last: { at: now, fresh: 3, postedAt: now },
  stirredAt: now,
  quiet: { runs: 2, since: now },
  pending: { key: "k", since: now, list: "l", counts: { found: 5, fresh: 3, since: now }, tries: 1, sentAt: now },
  changed: [{ by: "U1", at: now, what: "added" }],
};

describe("a digest that an earlier version stored", () => {
  it("loads with all that somebody chose and all that is under way; fields that are no more are dropped", () => {
    const { group: _group, isTravelling: _travelling, stirredAt: _stirred, ...kept } = stored;
    const { colour: _colour, ...look } = stored.look;
    expect(digestSchema.parse(stored)).toEqual({ ...kept, look, stranded: "removed", untold: { sentAt: now } });
  });
});
