import { describe, expect, it } from "vitest";

import { type Digest, afterRead, chosen, isDue } from "../../src/features/digests/compose.ts";
import { plainAddress } from "../../src/features/subscriptions/story.ts";
import { advanced, isLate } from "../../src/features/subscriptions/subscription.ts";
import { article, now } from "../support/builders.ts";

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

function seenAfter(found: Parameters<typeof chosen>[0]): Set<string> {
  return new Set(chosen(found, { digest: digest(), known: new Set() }).keys);
}

describe("what is new to a channel", () => {
  it("is nothing afterwards of what a read has brought", () => {
    const first = chosen(articles(23), { digest: digest(), known: new Set<string>() });
    const ran = digest({ last: { at: now, fresh: 5 } });
    const known = new Set(first.keys);
    expect(chosen(articles(23), { digest: ran, known }).fresh).toEqual([]);
  });

  it("is all that the channel has not seen, the newest first", () => {
    const ran = digest({ last: { at: now, fresh: 5 } });
    const found = articles(9).toReversed();
    expect(idsOf(chosen(found, { digest: ran, known: seenAfter(articles(3)) }).fresh)).toEqual([4, 5, 6, 7, 8, 9]);
  });

  it("is nothing that another source has brought already", () => {
    const search = digest({ source: { kind: "search", query: "gold" } });
    // The gateway's IDs are others, so the address has to do.
    const found = articles(3).map((each) => ({ ...each, id: 900 }));
    expect(chosen(found, { digest: search, known: seenAfter(articles(3)) }).fresh).toEqual([]);
  });

  it("is nothing whose headline, time, address or tracking has changed", () => {
    const known = seenAfter([article({ id: 7, url: "https://news.example.com/oil?id=3" })]);
    const ran = { digest: digest({ last: { at: now, fresh: 1 } }), known };
    const changed = [
      article({ id: 7, url: "https://news.example.com/oil-prices", title: "Update 1: oil rises", published: now }),
      article({ id: undefined, url: "https://www.news.example.com/oil/?utm_source=rss&id=3#top" }),
    ];
    expect(chosen(changed, ran).fresh).toEqual([]);
    expect(idsOf(chosen([article({ id: 8, url: "https://news.example.com/oil?id=4" })], ran).fresh)).toEqual([8]);
  });

  it("counts a story once that a source has twice", () => {
    const [one] = articles(1);
    const twice = [one, one].map((each, index) => article({ ...each, title: `Copy ${index}` }));
    expect(chosen(twice, { digest: digest(), known: new Set<string>() }).fresh).toHaveLength(1);
  });

  it("does not take two stories for one where different services use one number", () => {
    const known = seenAfter([article({ id: 7, url: "https://news.example.com/a" })]);
    const search = digest({ source: { kind: "search", query: "gold" }, last: { at: now, fresh: 1 } });
    const other = article({ id: undefined, gatewayId: 7, url: "https://news.example.com/b" });
    expect(chosen([other], { digest: search, known }).fresh).toHaveLength(1);
    const again = article({ id: undefined, gatewayId: 7, url: "https://news.example.com/c" });
    expect(chosen([again], { digest: search, known: seenAfter([other]) }).fresh).toEqual([]);
  });

  it("is nothing old that slides back into the source, which is remembered all the same", () => {
    const ran = digest({ last: { at: now, fresh: 5 } });
    const old = article({ id: 99, url: "https://news.example.com/99", published: now - 8 * day });
    const { fresh, keys } = chosen([old], { digest: ran, known: new Set<string>() });
    expect(fresh).toEqual([]);
    expect(keys).toEqual(["news.example.com/99", "intelligence 99"]);
  });

  it("includes what has no date", () => {
    const ran = digest({ last: { at: now, fresh: 5 } });
    expect(chosen([article({ published: undefined })], { digest: ran, known: new Set<string>() }).fresh).toHaveLength(
      1,
    );
  });

  it("stays within what the channel can remember, however much a source has", () => {
    const { fresh, keys } = chosen(articles(5_000), {
      digest: digest({ last: { at: now, fresh: 5 } }),
      known: new Set<string>(),
    });
    expect([fresh.length, keys.length]).toEqual([200, 400]);
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
    expect(plainAddress(url)).toBe(expected);
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
