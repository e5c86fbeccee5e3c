import { describe, expect, it } from "vitest";

import { NotAllowed, OutOfCredits, Unavailable, UnexpectedAnswer, UsageError } from "../../src/apis/errors.ts";
import {
  type Notice,
  type Pair,
  type Sighting,
  type Standing,
  judged,
  unknown,
} from "../../src/features/account/health/rule.ts";
import { now as start } from "../support/builders.ts";
import * as fc from "../support/property.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const about = { api: "intelligence", operation: "articles" } as const;
const down = new Unavailable({ ...about, status: 503 });
const refused = new NotAllowed({ ...about, status: 401 });
const broke = new OutOfCredits(about);
const gone = new UnexpectedAnswer({ ...about, status: 404, detail: "no such channel" });

/** What is known of one service, told of reads minute by minute. */
function watch() {
  const sources = new Map<string, Standing>();
  const state = { now: start, service: unknown({ api: "intelligence" }), notices: [] as Notice[] };
  return {
    state,
    saw: (outcome: unknown, source?: string): string[] => {
      const known: Pair = {
        service: state.service,
        source: source === undefined ? undefined : (sources.get(source) ?? unknown({ api: "intelligence", source })),
      };
      const read: Sighting["outcome"] = typeof outcome === "number" ? { found: outcome } : { error: outcome };
      const after = judged(known, { api: "intelligence", source, outcome: read }, state.now);
      state.service = after.service;
      if (after.source && source !== undefined) sources.set(source, after.source);
      state.notices.push(...after.notices);
      return after.notices.map((notice) => [notice.kind, notice.source].filter(Boolean).join(" "));
    },
    later: (ms: number) => {
      state.now += ms;
    },
  };
}

describe("a service that does not answer", () => {
  it("is told of once, after three failures in a row over five minutes, and once when it is well again", () => {
    const { saw, later, state } = watch();
    const told = Array.from({ length: 30 }, () => {
      later(minute);
      return saw(down, "Gold wire");
    });
    expect(told.flat()).toEqual(["failing"]);
    expect(told.findIndex((each) => each.length > 0)).toBe(5);
    later(minute);
    expect([saw(2, "Gold wire"), saw(2, "Gold wire")]).toEqual([["well"], []]);
    expect(state.notices[0]).toEqual({
      kind: "failing",
      api: "intelligence",
      since: start + minute,
      reason: "status",
      status: 503,
    });
    expect(state.notices[1]?.since).toBe(start + minute);
  });

  it("is told of once however many sources it has", () => {
    const { saw, later } = watch();
    const told = Array.from({ length: 10 }, (_, round) => {
      later(minute);
      return Array.from({ length: 50 }, (_unused, index) => saw(round % 2 ? down : gone, `source ${index}`)).flat();
    });
    expect(told.flat()).toEqual(["failing"]);
    later(minute);
    expect(Array.from({ length: 50 }, (_, index) => saw(0, `source ${index}`)).flat()).toEqual(["well"]);
  });

  it("is not told of for a bad minute, nor for one failure a day", () => {
    const { saw, later } = watch();
    expect([saw(down), saw(down), saw(down), saw(1)].flat()).toEqual([]);
    // Twice is not three times, however long it lasts.
    expect(saw(down)).toEqual([]);
    later(hour);
    expect([saw(down), saw(1)].flat()).toEqual([]);
    for (let days = 0; days < 10; days++) {
      later(day);
      expect([saw(down), saw(1)].flat()).toEqual([]);
    }
  });

  it("that comes and goes is told of again only when it stays away", () => {
    const { saw, later } = watch();
    const told: string[] = [];
    for (let round = 0; round < 6; round++) {
      for (let minutes = 0; minutes < 8; minutes++) {
        later(minute);
        told.push(...saw(down));
      }
      later(minute);
      told.push(...saw(1));
    }
    expect(told).toEqual(["failing", "well"]);
    for (let minutes = 0; minutes < 60; minutes++) {
      later(minute);
      told.push(...saw(down));
    }
    expect(told).toEqual(["failing", "well", "failing"]);
  });
});

describe("a service that was well again a moment ago", () => {
  it("is not told of by the names of its sources instead", () => {
    const { saw, later } = watch();
    saw(refused, "Gold wire");
    expect(saw(1, "Gold wire")).toEqual(["well"]);
    const told = Array.from({ length: 40 }, () => {
      later(minute);
      return [saw(down, "Gold wire"), saw(down, "Metals")].flat();
    });
    expect(told.flat()).toEqual(["failing"]);
    expect(told.findIndex((each) => each.length > 0)).toBe(30);
  });
});

describe("a service that says no", () => {
  it.each([
    ["refused", refused],
    ["credits", broke],
  ])("is told of at once as %s, and once", (kind, error) => {
    const { saw, later } = watch();
    expect(saw(error, "gold")).toEqual([kind]);
    later(minute);
    expect([saw(error, "gold"), saw(error, "oil"), saw(error)].flat()).toEqual([]);
    expect(saw(1)).toEqual(["well"]);
  });

  it("can say several things one after the other, each once", () => {
    const { saw, later } = watch();
    const told: string[] = [];
    for (const error of [down, refused, broke, down, refused, broke]) {
      for (let minutes = 0; minutes < 8; minutes++) {
        later(minute);
        told.push(...saw(error));
      }
    }
    expect(told).toEqual(["failing", "refused", "credits"]);
    expect(saw(0)).toEqual(["well"]);
  });

  it("is not well again because something cheaper still goes through", () => {
    const { saw, later } = watch();
    const told: string[] = [];
    for (let hours = 0; hours < 40; hours++) {
      told.push(...saw(1, "cheap"), ...saw(broke, "dear"));
      later(hour);
    }
    expect(told).toEqual(["credits"]);
    expect(saw(1, "dear")).toEqual(["well"]);
  });

  it("is well when nothing has asked for what failed for an hour, as what follows it tries again sooner", () => {
    const { saw, later } = watch();
    saw(broke, "removed since");
    later(hour);
    expect(saw(1, "other")).toEqual([]);
    later(minute);
    expect(saw(1, "other")).toEqual(["well"]);
  });
});

describe("one source", () => {
  it("that fails where the others answer is told of by its name", () => {
    const { saw, later } = watch();
    const told: string[] = [];
    for (let minutes = 0; minutes < 20; minutes++) {
      later(minute);
      told.push(...saw(1, "Gold wire"), ...saw(gone, "Metals"));
    }
    expect(told).toEqual(["failing Metals"]);
    expect(saw(0, "Metals")).toEqual(["well Metals"]);
  });

  it("that used to bring something and is silent for a day is told of once, and when it brings something again", () => {
    const { saw, later } = watch();
    later(4 * day);
    for (let hours = 0; hours < 10; hours++) {
      later(hour);
      saw(3, "Gold wire");
    }
    const told = Array.from({ length: 72 }, () => {
      later(hour);
      return saw(0, "Gold wire");
    });
    expect(told.flat()).toEqual(["quiet Gold wire"]);
    expect(told.findIndex((each) => each.length > 0)).toBe(24);
    expect(saw(1, "Gold wire")).toEqual(["well Gold wire"]);
    // How long that silence was is no habit.
    const again = Array.from({ length: 4 * 24 }, () => {
      later(hour);
      return saw(0, "Gold wire");
    });
    expect(again.flat()).toEqual(["quiet Gold wire"]);
  });

  it("is not quiet where it never brought much, where it seldom does, or where it rests at weekends", () => {
    const { saw, later, state } = watch();
    saw(5, "new one");
    for (let weeks = 0; weeks < 6; weeks++) {
      expect(saw(1, "weekly")).toEqual([]);
      for (let days = 0; days < 7; days++) {
        for (let hours = 0; hours < 24; hours++) {
          later(hour);
          const date = new Date(state.now);
          const isWork = date.getUTCDay() % 6 !== 0 && date.getUTCHours() >= 8 && date.getUTCHours() < 17;
          expect([saw(0, "new one"), saw(0, "weekly"), saw(isWork ? 1 : 0, "office hours")].flat()).toEqual([]);
        }
      }
    }
  });

  it("is quiet after a day at weekends too where it brings something on them", () => {
    const { saw, later, state } = watch();
    for (let hours = 0; hours < 7 * 24; hours++) {
      later(hour);
      saw(1, "Gold wire");
    }
    later(day);
    // A Friday morning and the day after.
    expect(new Date(state.now).getUTCDay()).toBe(6);
    expect(saw(0, "Gold wire")).toEqual([]);
    later(hour);
    expect(saw(0, "Gold wire")).toEqual(["quiet Gold wire"]);
  });

  it("is not quiet because it could not be read", () => {
    const { saw, later } = watch();
    for (let hours = 0; hours < 10; hours++) {
      later(hour);
      saw(3, "Gold wire");
    }
    const told = Array.from({ length: 72 }, () => {
      later(hour);
      return saw(down, "Gold wire");
    });
    expect(told.flat()).toEqual(["failing"]);
    expect(saw(4, "Gold wire")).toEqual(["well"]);
  });
});

describe("what is told", () => {
  it("says nothing of what was asked wrongly, or went wrong on our side", () => {
    const { saw, later } = watch();
    for (let minutes = 0; minutes < 20; minutes++) {
      later(minute);
      expect([saw(new UsageError("No such channel.")), saw(new TypeError("undefined"), "Gold wire")].flat()).toEqual(
        [],
      );
    }
  });

  it("takes turns: nothing is told twice without being well in between, whatever happens and however the clock jumps", () => {
    const outcome = fc.constantFrom<unknown>(down, refused, broke, gone, 0, 0, 1, 5);
    const source = fc.constantFrom(undefined, "a", "b");
    const step = fc.oneof(
      { weight: 9, arbitrary: fc.integer({ min: 0, max: 2 * hour }) },
      fc.integer({ min: -40 * day, max: 40 * day }),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(outcome, source, step), { maxLength: 120 }), (reads) => {
        const { saw, later, state } = watch();
        for (const [read, of, ms] of reads) {
          later(ms);
          saw(read, of);
        }
        for (const of of [undefined, "a", "b"]) {
          const kinds = state.notices.filter((notice) => notice.source === of).map(({ kind }) => kind);
          const bouts = kinds.join(" ").split("well");
          for (const bout of bouts) {
            const each = bout.trim().split(" ").filter(Boolean);
            expect(new Set(each).size).toBe(each.length);
          }
          expect(kinds[0]).not.toBe("well");
          expect(kinds.join(" ")).not.toContain("well well");
        }
      }),
    );
  });
});
