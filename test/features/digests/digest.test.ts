import { describe, expect, it } from "vitest";

import { newArticles } from "../../../src/features/subscriptions/arrivals.ts";
import { type Digest, afterRead, digestSchema, isDigestDue } from "../../../src/features/digests/digest.ts";
import { keysOf } from "../../../src/features/subscriptions/announced.ts";
import { scheduleNext } from "../../../src/features/subscriptions/model.ts";
import { article, now } from "../../support/builders.ts";
import { daily, day, goldWire } from "./setting.ts";

function digest(about: Partial<Digest> = {}): Digest {
  return {
    team: "T1",
    number: 1,
    source: goldWire,
    schedule: daily,
    channel: "C1",
    owner: "U1",
    state: "active",
    nextRun: now,
    changed: [],
    ...about,
  };
}

describe("the new articles of a digest", () => {
  it("are those that arrived since its last run, each once, without old ones that slide back into the source", () => {
    const url = (id: number) => `https://news.example.com/${id}`;
    const [late, before, old] = [
      article({ id: 1, url: url(1), published: undefined }),
      article({ id: 2, url: url(2) }),
      article({ id: 3, url: url(3), published: now - 8 * day }),
    ];
    const found = [late, before, old, { ...late, title: "Copy" }];
    const arrivals = new Map(found.map((each) => [each, each === before ? now - day : now + 1]));
    expect(newArticles(found, { lastAt: now, arrivals })).toEqual([late]);
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
  it("isn’t used twice if a timer rings a moment early", () => {
    const early = now - 400;
    expect(isDigestDue(digest(), early)).toBe(true);
    expect(afterRead(digest(), { at: early, fresh: 0 }).nextRun).toBe(now + day);
  });

  it("pauses the subscription, with the reason, if it has no more runs", () => {
    const never = digest({ schedule: { pattern: "0 0 31 2 *", zone: "UTC", words: "cron 0 0 31 2 *" } });
    expect(scheduleNext(never, now)).toMatchObject({ state: "paused", problem: "Its schedule has no more runs." });
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
  owner: "U1",
  state: "paused",
  unreachable: "removed",
  ownerNotice: "due",
  nextRun: now,
  silentUntil: now,
  style: { isCompact: true, isThreaded: true, hasLead: true, empty: 5, colour: "red" },
  isTravelling: true,
  last: { at: now, fresh: 3, postedAt: now },
  stirredAt: now,
  quiet: { runs: 2, since: now },
  posts: [{ key: "k", since: now, content: { list: "l", counts: { unlisted: 3, since: now } }, tries: 1, sentAt: now }],
  changed: [{ by: "U1", at: now, type: "added" }],
};

describe("a stored digest", () => {
  it("loads with all choices and posts that are under way, and without fields that it doesn’t know", () => {
    const { group: _group, isTravelling: _travelling, stirredAt: _stirred, ...kept } = stored;
    const { colour: _colour, ...style } = stored.style;
    expect(digestSchema.parse(stored)).toEqual({ ...kept, style });
  });
});
