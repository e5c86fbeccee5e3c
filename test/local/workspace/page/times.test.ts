import { afterEach, describe, expect, it } from "vitest";

import {
  clockTime,
  dateOf,
  dayKey,
  dayName,
  fullTime,
  readIn,
  writeDate,
} from "../../../../local/workspace/page/times.ts";
import * as fc from "../../../support/property.ts";

// Local times throughout, as the page writes them: the tests hold in every zone.
const now = new Date(2026, 10, 20, 9, 41, 7);
const on = (day: number, hours = 12, minutes = 0) => new Date(2026, 10, day, hours, minutes);
const ago = (milliseconds: number) => new Date(now.getTime() - milliseconds);
const minute = 60_000;
const hour = 60 * minute;

describe("a message's time", () => {
  it("is read from its ts", () => {
    expect(dateOf("1700000000.250000").getTime()).toBe(1_700_000_000_250);
  });

  it("is written short, and in full on hover", () => {
    expect(clockTime(now)).toBe("09:41");
    expect(fullTime(now)).toMatch(/^Friday,? 20 November 2026 at 09:41:07$/);
  });
});

describe("a day", () => {
  it("has a key that tells it from every other", () => {
    expect([dayKey(on(20, 0)), dayKey(on(20, 23, 59)), dayKey(new Date(2026, 0, 5))]).toEqual([
      "2026-11-20",
      "2026-11-20",
      "2026-01-05",
    ]);
  });

  it.each([
    ["Today", on(20, 23, 59)],
    ["Yesterday", on(19, 0)],
    ["Tomorrow", on(21, 0)],
  ])("near now is %s", (name, date) => {
    expect(dayName(date, now)).toBe(name);
  });

  it("further away has its date, and its year where it is another one", () => {
    expect(dayName(on(16), now)).toMatch(/^Monday,? 16 November$/);
    expect(dayName(new Date(2025, 10, 16), now)).toMatch(/^Sunday,? 16 November 2025$/);
  });

  it("before the first of January is yesterday", () => {
    expect(dayName(new Date(2026, 11, 31, 23), new Date(2027, 0, 1, 1))).toBe("Yesterday");
  });
});

describe("the reader's time zone", () => {
  afterEach(() => readIn(undefined));
  const late = new Date("2026-10-24T23:30:00Z");

  it.each([
    ["Europe/London", "00:30", "2026-10-25"],
    ["America/New_York", "19:30", "2026-10-24"],
    ["Asia/Kolkata", "05:00", "2026-10-25"],
  ])("%s is the one of the profile, whatever the machine's is", (timeZone, time, day) => {
    readIn(timeZone);
    expect([clockTime(late), dayKey(late), writeDate("{time} {date_num}", late, late)]).toEqual([
      time,
      day,
      `${time} ${day}`,
    ]);
  });

  it("decides what today is, also on the days that are longer or shorter", () => {
    readIn("Europe/London");
    const after = (hours: number) => dayName(new Date(late.getTime() + hours * hour), late);
    expect([after(-1), after(0), after(24), after(24.4), after(24.6), after(48)]).toEqual([
      "Yesterday",
      "Today",
      "Today",
      "Today",
      "Tomorrow",
      "Tomorrow",
    ]);
  });
});

describe("a date's format", () => {
  it.each([
    ["{date_num}", "2026-11-16"],
    ["{date}", "16 November 2026"],
    ["{date_short}", "16 Nov 2026"],
    ["{date_pretty} at {time}", "16 November 2026 at 09:05"],
    ["{time_secs}", "09:05:00"],
    ["on {nothing} {}", "on {nothing} {}"],
    ["", ""],
  ])("%j becomes %j", (pattern, text) => {
    expect(writeDate(pattern, on(16, 9, 5), now)).toBe(text);
  });

  it("names near days where it asks for that, small inside a sentence", () => {
    expect(writeDate("{date_short_pretty} at {time}", on(19, 9, 5), now)).toBe("Yesterday at 09:05");
    expect(writeDate("It was {date_long_pretty}", on(20), now)).toBe("It was today");
    expect(writeDate("{date_short}", on(20), now)).toBe("20 Nov 2026");
  });

  it.each([
    [0, "just now"],
    [59_999, "just now"],
    [minute, "1 minute ago"],
    [90 * minute, "1 hour ago"],
    [24 * hour, "yesterday"],
    [72 * hour, "3 days ago"],
    [-5 * minute, "in 5 minutes"],
  ])("says how long ago: %d ms is %s", (distance, text) => {
    expect(writeDate("{ago}", ago(distance), now)).toBe(text);
  });

  it.each(["{constructor}", "{toString}", "{__proto__}", "{valueOf_pretty}", "{other_pretty}"])(
    "leaves %s as it is",
    (pattern) => {
      expect(writeDate(pattern, now, now)).toBe(pattern);
    },
  );

  it("is filled without an error for every moment that a date can hold", () => {
    const pattern = "{date_num} {date_long_pretty} {time_secs} {ago}";
    fc.assert(
      fc.property(fc.date({ noInvalidDate: true }), (date) => {
        expect(writeDate(pattern, date, now)).not.toMatch(/[{}]/);
      }),
    );
  });
});
