import { describe, expect, it } from "vitest";

import { endOf, readLength, readSpan } from "../../src/features/span.ts";

/** A Saturday, 18:30 in Berlin. */
const now = Date.parse("2026-11-21T17:30:00Z");
const minute = 60_000;
const hour = 60 * minute;
const berlin = async () => "Europe/Berlin";

/** When a span is over that is typed behind a name, in Berlin. */
async function overAt(typed: string): Promise<string | undefined> {
  const { rest, span } = readSpan(`Alba Steel ${typed}`);
  expect(rest).toBe("Alba Steel");
  const end = await endOf(span, now, berlin);
  return end === undefined ? undefined : new Date(end).toISOString().slice(0, 16);
}

describe("a span behind a name", () => {
  it.each([
    ["30m", 30 * minute],
    ["2 h", 2 * hour],
    ["for an hour", hour],
    ["2d", 48 * hour],
    ["for 3 days", 72 * hour],
    ["a week", 7 * 24 * hour],
    ["1W", 7 * 24 * hour],
    ["today", 24 * hour],
  ])("%s is so long", async (typed, ms) => {
    expect(await overAt(typed)).toBe(new Date(now + ms).toISOString().slice(0, 16));
  });

  it.each([
    ["until tomorrow", "2026-11-22T08:00"],
    ["until tomorrow at 7:30", "2026-11-22T06:30"],
    ["tonight", "2026-11-22T08:00"],
    ["until tonight", "2026-11-21T19:00"],
    ["until today", "2026-11-21T23:00"],
    ["until Monday", "2026-11-23T08:00"],
    ["until Monday 9:00", "2026-11-23T08:00"],
    ["until Friday at 5 pm", "2026-11-27T16:00"],
    ["till 9:00", "2026-11-22T08:00"],
    ["until 19:00", "2026-11-21T18:00"],
    ["until noon", "2026-11-22T11:00"],
  ])("%s ends at that time of the reader’s clock", async (typed, end) => {
    expect(await overAt(typed)).toBe(end);
  });

  it.each(["forever", "for good", "for ever"])("%s has no end", async (typed) => {
    expect(await overAt(typed)).toBeUndefined();
  });

  it.each([
    "Alba Steel",
    "Alba Steel 5 years",
    "Alba until Pluto",
    "Alba until 25:00",
    "Alba until weekdays",
    "2d",
    "",
  ])("is a day if “%s” names none", (line) => {
    expect(readSpan(line)).toEqual({ rest: line, span: { ms: 24 * hour } });
  });

  it("is read at once from a line of any length", () => {
    for (const line of [" ".repeat(300_000), "until ".repeat(60_000), `x${" ".repeat(300_000)}for`]) {
      expect(readSpan(`${line} x`).rest).toBe(`${line} x`);
    }
  });
});

describe("a length of time", () => {
  it("is a count and a unit, however they are written", () => {
    expect(readLength("7d")).toEqual({ count: 7, unit: "d", ms: 7 * 24 * hour });
    expect(readLength("24 Hours")).toEqual({ count: 24, unit: "h", ms: 24 * hour });
    for (const typed of ["0h", "1y", "h", "1.5h", "a d", `${"1".repeat(50)}h`]) {
      expect(readLength(typed)).toBeUndefined();
    }
  });
});
