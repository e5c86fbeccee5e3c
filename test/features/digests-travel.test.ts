import { describe, expect, it } from "vitest";

import type { Digest } from "../../src/features/digests/compose.ts";
import { followReaders } from "../../src/features/digests/travel/job.ts";
import { isWanted, travelled } from "../../src/features/digests/travel/rule.ts";
import { advanced, healed } from "../../src/features/subscriptions/subscription.ts";
import { dayOf } from "../../src/schedule/zone.ts";
import * as fc from "../support/property.ts";
import { article } from "../support/builders.ts";
import { day, desk, minute } from "./digests-desk.ts";

const hour = 60 * minute;
const at = (text: string) => Date.parse(text);

function scheduleOf(pattern: string, zone = "Europe/London") {
  return { pattern, zone, words: "as they said" };
}

function digest(about: Partial<Digest> = {}): Digest {
  return {
    team: "T1",
    number: 1,
    source: { kind: "channel", id: 501, name: "Gold wire" },
    schedule: scheduleOf("0 9 * * *"),
    channel: "U1",
    maker: "U1",
    state: "active",
    isTravelling: true,
    nextRun: at("2026-11-21T09:00Z"),
    changed: [],
    ...about,
  };
}

describe("a digest whose reader has flown", () => {
  it.each([
    ["east, by their next morning", "Asia/Tokyo", "2026-11-20T17:00Z", "2026-11-21T00:00Z"],
    ["east, after the hour has passed there", "Asia/Tokyo", "2026-11-21T05:00Z", "2026-11-21T00:00Z"],
    ["west, before it was due", "America/New_York", "2026-11-20T17:00Z", "2026-11-21T14:00Z"],
    ["west, when it is due", "America/New_York", "2026-11-21T09:00Z", "2026-11-21T14:00Z"],
    ["far west, into the day before", "Pacific/Honolulu", "2026-11-21T09:00Z", "2026-11-21T19:00Z"],
  ])("%s, comes at their hour of the same date", (_, zone, now, nextRun) => {
    expect(travelled(digest(), zone, at(now))).toMatchObject({ schedule: { zone }, nextRun: at(nextRun) });
  });

  it("east on a Wednesday comes on Thursday, where it comes on weekdays", () => {
    const schedule = scheduleOf("0 9 * * 1-5");
    const thursday = digest({ schedule, nextRun: at("2026-11-19T09:00Z") });
    expect(travelled(thursday, "Asia/Tokyo", at("2026-11-18T19:00Z")).nextRun).toBe(at("2026-11-19T00:00Z"));
    expect(travelled(thursday, "Asia/Tokyo", at("2026-11-19T09:00Z")).nextRun).toBe(at("2026-11-19T00:00Z"));
  });

  it("comes on in its rhythm, where it comes again and again in a day", () => {
    const hourly = digest({ schedule: scheduleOf("0 * * * *"), nextRun: at("2026-11-20T18:00Z") });
    expect(travelled(hourly, "Asia/Kolkata", at("2026-11-20T17:01Z")).nextRun).toBe(at("2026-11-20T17:30Z"));
    expect(travelled(hourly, "America/New_York", at("2026-11-20T17:01Z")).nextRun).toBe(at("2026-11-20T18:00Z"));
    expect(travelled(hourly, "America/New_York", at("2026-11-20T18:00Z")).nextRun).toBe(at("2026-11-20T18:00Z"));
  });

  it("stays silent as long as it was silenced for", () => {
    const silenced = digest({ nextRun: at("2026-11-21T09:00Z"), silentUntil: at("2026-11-21T08:00Z") });
    expect(travelled(silenced, "Asia/Tokyo", at("2026-11-20T17:00Z")).nextRun).toBe(at("2026-11-22T00:00Z"));
  });

  it("comes once on every date, wherever they fly", () => {
    const zones = ["Pacific/Auckland", "Asia/Tokyo", "Asia/Kolkata", "Europe/London", "America/New_York"];
    const flights = fc.array(fc.tuple(fc.constantFrom(...zones), fc.integer({ min: 60, max: 5 * 24 * 60 })), {
      minLength: 1,
      maxLength: 12,
    });
    const from = fc.integer({ min: at("2026-01-01T00:00Z"), max: at("2026-12-31T00:00Z") });
    fc.assert(
      fc.property(fc.constantFrom("0 9 * * *", "30 2 * * *", "59 23 * * *"), from, flights, (pattern, start, moves) => {
        const dates: string[] = [];
        let now = start;
        let own = advanced(digest({ schedule: scheduleOf(pattern) }), now);
        for (const [zone, minutes] of moves) {
          const until = now + minutes * minute;
          while (own.nextRun <= until) {
            dates.push(dayOf(own.nextRun, own.schedule.zone));
            now = Math.max(now, own.nextRun);
            own = advanced(own, now);
          }
          now = until;
          own = travelled(own, zone, now);
          expect(healed(own, now)).toBe(own);
        }
        const [first = ""] = dates;
        expect(dates).toEqual(dates.map((_, index) => dayOf(at(first) + index * day, "UTC")));
      }),
    );
  });
});

describe("a reader", () => {
  const wanted = (about: Partial<Digest>, now: string) => isWanted(digest({ number: 0, ...about }), at(now));

  it("is looked after on the day before something comes, twice an hour", () => {
    const minutes = Array.from({ length: 3 * 24 * 60 }, (_, index) => at("2026-11-19T00:00Z") + index * minute);
    const looks = minutes.filter((now) => isWanted(digest({ number: 7 }), now));
    expect(looks.slice(0, 2).map((now) => new Date(now).toISOString().slice(5, 16))).toEqual([
      "11-20T05:07",
      "11-20T05:37",
    ]);
    expect([looks.length, looks.at(-1)]).toEqual([56, at("2026-11-21T08:37Z")]);
  });

  it("is let be where nothing comes soon, or nothing that keeps their hours", () => {
    expect(wanted({}, "2026-11-20T17:00Z")).toBe(true);
    expect(wanted({ isTravelling: undefined }, "2026-11-20T17:00Z")).toBe(false);
    expect(wanted({ state: "paused" }, "2026-11-20T17:00Z")).toBe(false);
    expect(wanted({}, "2026-11-19T17:00Z")).toBe(false);
    expect(wanted({}, "2026-11-21T09:00Z")).toBe(false);
  });

  it("who has landed gets the digest of the morning in the morning, and every day one", async () => {
    const { add, tick, state, posts, services } = desk();
    state.now = at("2026-11-18T08:59Z");
    state.zone = "Europe/London";
    const nextRun = at("2026-11-18T09:00Z");
    await add({ channel: "U1", schedule: scheduleOf("0 9 * * 1-5"), isTravelling: true, nextRun });
    const came: string[] = [];
    for (let minutes = 0; minutes < 3 * 24 * 60; minutes++) {
      if (state.now >= at("2026-11-18T19:00Z")) state.zone = "Asia/Tokyo";
      const id = Math.floor(state.now / hour);
      state.articles = [
        article({ id, url: `https://news.example.com/${id}`, title: `Story ${id}`, published: state.now }),
      ];
      await followReaders.run(services());
      await tick();
      for (; came.length < posts.length;) came.push(new Date(state.now).toISOString().slice(5, 16));
      state.now += minute;
    }
    expect(came).toEqual(["11-18T09:00", "11-19T00:00", "11-20T00:00"]);
  });
});
