import { describe, expect, it } from "vitest";

import { dayOf, nextMidnight } from "../../src/schedule/zone.ts";

const at = (text: string) => Date.parse(text);

describe("a day", () => {
  it.each([
    ["UTC", "2026-11-21T23:59:59Z", "2026-11-21"],
    ["UTC", "2026-11-22T00:00:00Z", "2026-11-22"],
    ["Asia/Tokyo", "2026-11-21T15:00:00Z", "2026-11-22"],
    ["America/New_York", "2026-01-01T04:59:59Z", "2025-12-31"],
    ["Asia/Kathmandu", "2026-11-21T18:15:00Z", "2026-11-22"],
  ])("is that of the zone: %s at %s", (zone, time, day) => {
    expect(dayOf(at(time), zone)).toBe(day);
  });
});

describe("the next midnight", () => {
  it.each([
    ["UTC", "2026-11-20T09:00:00Z", "2026-11-21T00:00:00Z"],
    ["UTC", "2026-11-20T00:00:00Z", "2026-11-21T00:00:00Z"],
    ["Europe/London", "2026-07-01T12:00:00Z", "2026-07-01T23:00:00Z"],
    ["Europe/London", "2026-03-28T22:00:00Z", "2026-03-29T00:00:00Z"],
    ["Europe/London", "2026-10-24T22:59:59Z", "2026-10-24T23:00:00Z"],
    ["America/New_York", "2026-11-01T04:00:00Z", "2026-11-02T05:00:00Z"],
  ])("is the beginning of the zone's next day: %s after %s", (zone, time, next) => {
    expect(nextMidnight(at(time), zone)).toBe(at(next));
  });

  it.each([
    ["is left out", "Africa/Cairo", "2026-04-23T12:00:00Z"],
    ["comes twice", "America/Havana", "2026-11-01T03:00:00Z"],
    ["comes twice, between the two", "America/Havana", "2026-11-01T04:30:00Z"],
  ])("is the first moment of another day even if midnight %s", (_, zone, time) => {
    const next = nextMidnight(at(time), zone);
    expect(dayOf(next, zone) > dayOf(at(time), zone)).toBe(true);
    expect(dayOf(next - 1, zone)).toBe(dayOf(at(time), zone));
  });
});
