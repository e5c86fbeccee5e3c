import { Cron } from "croner";
import { describe, expect, it } from "vitest";

import { countRuns, isPattern, nextRuns } from "../../src/schedule/runs.ts";
import * as fc from "../support/property.ts";

describe("next runs", () => {
  it("are the same for every moment of a minute, and equal to the library's, even if clocks change", () => {
    const patterns = fc.constantFrom("* * * * *", "*/15 * * * *", "30 1 * * *", "0 9 * * 1-5", "59 23 31 12 *");
    const zones = fc.constantFrom("UTC", "Europe/London", "Australia/Lord_Howe", "Asia/Kolkata");
    const moments = fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2027, 0, 1) });
    fc.assert(
      fc.property(patterns, zones, moments, fc.integer({ min: 1, max: 3 }), (pattern, zone, after, count) => {
        const cron = new Cron(pattern, { timezone: zone, mode: "5-part", paused: true });
        const expected = cron.nextRuns(count, new Date(after)).map(Number);
        expect(nextRuns({ pattern, zone }, after, count)).toEqual(expected);
        expect(nextRuns({ pattern, zone }, after, count)).toEqual(expected);
      }),
      { numRuns: 300 },
    );
  });

  it("of several expressions come in the order of time, each once, even if clocks change", () => {
    const when = { pattern: "30 2 * * * | 0 3,17 * * *", zone: "Europe/Berlin" };
    const night = Date.parse("2026-03-28T23:00:00Z");
    const times = ["2026-03-29T01:00Z", "2026-03-29T15:00Z", "2026-03-30T00:30Z"].map((each) => Date.parse(each));
    expect(nextRuns(when, night, 3)).toEqual(times);
    expect(countRuns(when, times[1] ?? 0, times[2] ?? 0)).toBe(1);
    expect([isPattern(when.pattern), isPattern("30 2 * * * | 3")]).toEqual([true, false]);
  });

  it("may be changed by whoever got them", () => {
    const when = { pattern: "0 9 * * *", zone: "UTC" };
    const first = nextRuns(when, 0, 1);
    first.push(7);
    expect(nextRuns(when, 0, 1)).toEqual([9 * 3_600_000]);
  });
});
