import { describe, expect, it } from "vitest";

import { readSchedule } from "../../src/features/subscriptions/schedule.ts";
import { type Subscription, advanced, earlyMs, healed } from "../../src/features/subscriptions/subscription.ts";
import { now as start } from "../support/builders.ts";
import * as fc from "../support/property.ts";
import { day, minute } from "./subscriptions-desk.ts";

const hour = 60 * minute;

function standing(when: string, nextRun: number): Subscription {
  return {
    team: "T1",
    number: 1,
    schedule: readSchedule(when, "Europe/London"),
    channel: "C1",
    maker: "U1",
    state: "active",
    nextRun,
    changed: [],
  };
}

describe("a next time", () => {
  it("that a clock years ahead has left is put right", () => {
    expect(healed(standing("hourly", start + 3_000 * day), start).nextRun).toBe(start + hour);
    expect(healed(standing("daily at 9:30", start + 30 * day), start).nextRun).toBe(start + 30 * minute);
    expect(healed(standing("every minute", start + hour), start).nextRun).toBe(start + minute);
  });

  it("after a silence that such a clock has left comes after the longest that somebody can have meant", () => {
    const silent = { ...standing("daily at 9:30", start + 31 * day), silentUntil: start + 30 * day + hour };
    expect(healed(silent, start)).toMatchObject({
      nextRun: start + 7 * day + 30 * minute,
      silentUntil: start + 7 * day,
    });
    const meant = { ...standing("daily at 9:30", start + 7 * day + 30 * minute), silentUntil: start + 7 * day };
    expect(healed(meant, start)).toBe(meant);
    expect(healed(meant, start - hour)).toBe(meant);
  });

  it("that it has run at before the clock was set back by an hour is left, and does not come twice", () => {
    const ran = advanced(standing("daily at 9:00", start), start + earlyMs);
    expect(healed(ran, start - hour)).toBe(ran);
    const often = advanced(standing("hourly", start), start + earlyMs);
    expect(healed(often, start - hour)).toBe(often);
  });

  it("that lies behind, or of what is paused, is left", () => {
    const late = standing("hourly", start - day);
    expect(healed(late, start)).toBe(late);
    const paused = { ...standing("hourly", start + 300 * day), state: "paused" as const };
    expect(healed(paused, start)).toBe(paused);
  });

  it("that was reckoned with a right clock is never touched, whenever one looks", () => {
    const schedules = fc.constantFrom(
      "every minute",
      "every 15 minutes",
      "hourly",
      "weekdays at 9:00",
      "Sundays at 1:30",
    );
    const moment = fc.integer({ min: start - 400 * day, max: start + 400 * day });
    fc.assert(
      fc.property(schedules, moment, fc.integer({ min: 0, max: 10 * day }), (when, at, later) => {
        const due = advanced(standing(when, 0), at + earlyMs);
        expect(healed(due, at + later)).toBe(due);
      }),
    );
  });

  it("once put right stays so", () => {
    const schedules = fc.constantFrom("every minute", "hourly", "weekdays at 9:00", "Sundays at 1:30");
    const ahead = fc.integer({ min: 0, max: 4_000 * day });
    fc.assert(
      fc.property(schedules, ahead, (when, by) => {
        const once = healed(advanced(standing(when, 0), start + by), start);
        expect(healed(once, start)).toBe(once);
        expect(once.nextRun).toBeGreaterThan(start);
        expect(once.nextRun).toBeLessThan(start + 15 * day);
      }),
    );
  });
});
