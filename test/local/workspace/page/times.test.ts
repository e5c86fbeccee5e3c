import { describe, expect, it } from "vitest";
import { createTimes, dateOf } from "../../../../local/workspace/page/times.ts";

const now = new Date("2026-11-20T09:41:07Z");
const on = (day: number, hours = 12, minutes = 0) => new Date(Date.UTC(2026, 10, day, hours, minutes));
const { clock, full, dayName, write } = createTimes("UTC");

describe("a message's time", () => {
  it("is read from its ts", () => {
    expect(dateOf("1700000000.250000").getTime()).toBe(1_700_000_000_250);
  });

  it("is written short, and in full on hover", () => {
    expect(clock(now)).toBe("09:41");
    expect(full(now)).toMatch(/^Friday,? 20 November 2026 at 09:41:07$/);
  });
});

describe("a day", () => {
  it.each([
    ["Today", on(20, 23, 59)],
    ["Yesterday", on(19, 0)],
    ["Tomorrow", on(21, 0)],
  ])("near now is %s", (name, date) => {
    expect(dayName(date, now)).toBe(name);
  });

  it("further away has its date, and its year where it is another one", () => {
    expect(dayName(on(16), now)).toMatch(/^Monday,? 16 November$/);
    expect(dayName(new Date("2025-11-16T12:00Z"), now)).toMatch(/^Sunday,? 16 November 2025$/);
    expect(dayName(new Date("2026-12-31T23:00Z"), new Date("2027-01-01T01:00Z"))).toBe("Yesterday");
  });
});

describe("the reader's time zone", () => {
  const late = new Date("2026-10-24T23:30:00Z");

  it.each([
    ["Europe/London", "00:30", "2026-10-25"],
    ["America/New_York", "19:30", "2026-10-24"],
    ["Asia/Kolkata", "05:00", "2026-10-25"],
  ])("%s is the one of the profile, whatever the machine's is", (timeZone, time, day) => {
    const times = createTimes(timeZone);
    expect([times.clock(late), times.dayKey(late)]).toEqual([time, day]);
    expect(times.write("{time} {date_num}", late, late)).toBe(`${time} ${day}`);
  });

  it("decides what today is, also on the days that are longer or shorter", () => {
    const london = createTimes("Europe/London");
    const after = (hours: number) => london.dayName(new Date(late.getTime() + hours * 3_600_000), late);
    const names = ["Yesterday", "Today", "Today", "Today", "Tomorrow", "Tomorrow"];
    expect([-1, 0, 24, 24.4, 24.6, 48].map(after)).toEqual(names);
  });
});

describe("a date's format", () => {
  it.each([
    ["{date_num}", "2026-11-16"],
    ["{date}", "16 November 2026"],
    ["{date_short}", "16 Nov 2026"],
    ["{date_pretty} at {time}", "16 November 2026 at 09:05"],
    ["on {nothing} {}", "on {nothing} {}"],
    ["{constructor} {toString} {__proto__} {valueOf_pretty}", "{constructor} {toString} {__proto__} {valueOf_pretty}"],
    ["", ""],
  ])("%j becomes %j", (pattern, text) => {
    expect(write(pattern, on(16, 9, 5), now)).toBe(text);
  });

  it("names near days where it asks for that, small inside a sentence", () => {
    expect(write("{date_short_pretty} at {time}", on(19, 9, 5), now)).toBe("Yesterday at 09:05");
    expect(write("It was {date_pretty}", on(20), now)).toBe("It was today");
    expect(write("{date_short}", on(20), now)).toBe("20 Nov 2026");
  });
});
