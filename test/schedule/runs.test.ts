import { Cron } from "croner";
import { describe, expect, it } from "vitest";

import { nextRuns } from "../../src/schedule/runs.ts";
import * as fc from "../support/property.ts";

describe("next runs", () => {
  it("are the same for every moment of a minute, and those of the library, also where clocks change", () => {
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

  it("may be changed by whoever got them", () => {
    const when = { pattern: "0 9 * * *", zone: "UTC" };
    const first = nextRuns(when, 0, 1);
    first.push(7);
    expect(nextRuns(when, 0, 1)).toEqual([9 * 3_600_000]);
  });
});
