import { describe, expect, it } from "vitest";

import { readNewSchedule, readSchedule, startOf } from "../../../src/features/subscriptions/schedule.ts";

describe("a schedule in words", () => {
  it.each([
    ["every 15 minutes", "*/15 * * * *", "every 15 minutes"],
    ["Every 5min", "*/5 * * * *", "every 5 minutes"],
    ["every 1 minute", "* * * * *", "every minute"],
    ["every hour", "0 * * * *", "hourly"],
    ["every 6 hours", "0 */6 * * *", "every 6 hours"],
    ["daily", "0 9 * * *", "daily at 09:00"],
    ["every day at 9am", "0 9 * * *", "daily at 09:00"],
    ["daily at 12 am", "0 0 * * *", "daily at 00:00"],
    ["daily 12pm", "0 12 * * *", "daily at 12:00"],
    ["every weekday 17.30", "30 17 * * 1,2,3,4,5", "weekdays at 17:30"],
    ["weekends", "0 9 * * 0,6", "weekends at 09:00"],
    ["Mondays at 08:30", "30 8 * * 1", "Mondays at 08:30"],
    ["on Sunday", "0 9 * * 0", "Sundays at 09:00"],
    ["Mon, Wed and Fri 9:00", "0 9 * * 1,3,5", "Mondays, Wednesdays and Fridays at 09:00"],
    ["tues & thurs 7 pm", "0 19 * * 2,4", "Tuesdays and Thursdays at 19:00"],
    ["Mon–Fri 9", "0 9 * * 1,2,3,4,5", "weekdays at 09:00"],
    ["sat - mon 10:00", "0 10 * * 0,1,6", "Mondays, Saturdays and Sundays at 10:00"],
    ["at 9am", "0 9 * * *", "daily at 09:00"],
    ["8:30", "30 8 * * *", "daily at 08:30"],
    ["every morning at 9", "0 9 * * *", "daily at 09:00"],
    ["weekday mornings", "0 9 * * 1,2,3,4,5", "weekdays at 09:00"],
    ["every evening at 6", "0 18 * * *", "daily at 18:00"],
    ["at noon on Fridays", "0 12 * * 5", "Fridays at 12:00"],
    ["weekdays at 9:00 and 17:00", "0 9,17 * * 1,2,3,4,5", "weekdays at 09:00 and 17:00"],
    ["m-f 1430", "30 14 * * 1,2,3,4,5", "weekdays at 14:30"],
    ["daily 8h30", "30 8 * * *", "daily at 08:30"],
    ["three times a day: 7, 12 and 18", "0 7,12,18 * * *", "daily at 07:00, 12:00 and 18:00"],
    ["every half hour", "*/30 * * * *", "every 30 minutes"],
    ["daily at 17:30, 8 am and 12", "0 8,12 * * * | 30 17 * * *", "daily at 08:00, 12:00 and 17:30"],
    ["9:00 on weekdays", "0 9 * * 1,2,3,4,5", "weekdays at 09:00"],
    ["monthly", "0 9 1 * *", "monthly at 09:00"],
    ["monthly on the 15th at 10", "0 10 15 * *", "monthly on the 15th at 10:00"],
    ["on the 1st of each month at 9", "0 9 1 * *", "monthly at 09:00"],
    ["mon/wed/fri at quarter to eight", "45 7 * * 1,3,5", "Mondays, Wednesdays and Fridays at 07:45"],
    ["8 a.m. every month", "0 8 1 * *", "monthly at 08:00"],
    ["first Monday", "0 9 * * 1#1", "first Monday of the month at 09:00"],
    ["at 10 on the last Friday of each month", "0 10 * * 5#L", "last Friday of the month at 10:00"],
    ["weekly at 8:00", "0 8 * * 1", "Mondays at 08:00"],
    ['cron "0 7 * * 1-5"', "0 7 * * 1-5", "cron 0 7 * * 1-5"],
    ["cron “*/10 8-18 * * *”", "*/10 8-18 * * *", "cron */10 8-18 * * *"],
  ])("“%s” is %s", (text, pattern, words) => {
    expect(readSchedule(text, "Europe/Paris")).toEqual({ pattern, zone: "Europe/Paris", words });
  });

  it.each([
    ["tomorrow at 7", "0 7 * * *", "once at 07:00", true],
    ["tomorrow morning", "0 9 * * *", "once at 09:00", true],
    ["at 17:00 tomorrow", "0 17 * * *", "once at 17:00", true],
    ["today at 5pm", "0 17 * * *", "once at 17:00", undefined],
    ["tonight", "0 20 * * *", "once at 20:00", undefined],
    ["on Friday at 9", "0 9 * * 5", "once on Friday at 09:00", undefined],
    ["at 9 on Friday", "0 9 * * 5", "once on Friday at 09:00", undefined],
    ["next Monday at noon", "0 12 * * 1", "once on Monday at 12:00", undefined],
    ["once, tomorrow at 7", "0 7 * * *", "once at 07:00", true],
    ["tomorrow at 7, once only", "0 7 * * *", "once at 07:00", true],
    ["once on Friday", "0 9 * * 5", "once on Friday at 09:00", undefined],
    ["once at 07:00", "0 7 * * *", "once at 07:00", undefined],
  ])("“%s” is a single time", (text, pattern, words, isFromTomorrow) => {
    const read = readSchedule(text, "Europe/Paris");
    expect(read).toEqual({
      pattern,
      zone: "Europe/Paris",
      words,
      isOnce: true,
      ...(isFromTomorrow && { isFromTomorrow }),
    });
  });

  it.each(["Friday 9:00", "on Fridays at 9", "every Friday at 9", "on Monday and Thursday at 9"])(
    "“%s” comes every week",
    (text) => {
      expect(readSchedule(text, "Europe/Paris")).not.toHaveProperty("isOnce");
    },
  );

  it("from tomorrow on begins at the next midnight of its zone", () => {
    const schedule = { pattern: "0 23 * * *", zone: "UTC", words: "once at 23:00", isOnce: true as const };
    const noon = Date.UTC(2026, 10, 21, 12);
    expect(startOf({ ...schedule, isFromTomorrow: true }, noon)).toEqual({
      schedule,
      from: Date.UTC(2026, 10, 22) - 60_000,
    });
    expect(startOf(schedule, noon).from).toBe(noon);
  });

  it.each([
    ["weekdays at 9:00 Europe/London", "Europe/London"],
    ["weekdays at 9:00, in america/new_york", "America/New_York"],
    ["Mondays 08:30 (Asia/Tokyo time)", "Asia/Tokyo"],
    ['cron "*/5 * * * 1" America/Port-au-Prince', "America/Port-au-Prince"],
    ["daily at 9:00 America/Kentucky/Louisville", "America/Louisville"],
    ["9:00 ET on weekdays", "America/New_York"],
    ["daily at 9:00 PST", "America/Los_Angeles"],
    ["every morning at 9 CET", "Europe/Brussels"],
    ["daily at 9:00 CEST", "Europe/Brussels"],
  ])("“%s” names its zone, which is %s", (text, zone) => {
    expect(readSchedule(text, "Europe/Paris").zone).toBe(zone);
  });

  it.each([
    ["", /^When should it post\? Try `every 15 minutes`/],
    ["Europe/London", /^When should it post\?/],
    ["tomorrow", /can’t read the schedule “tomorrow”.*`Mondays at 08:30`/],
    ["Mondays and <!channel>", /“Mondays and &lt;!channel&gt;”/],
    ["constructor", /can’t read the schedule “constructor”/],
    ["daily at 9:00 Europe/Lodnon", /couldn’t find the time zone “Europe\/Lodnon”/],
    ["morning", /can’t read the schedule/],
    ["every constructor", /can’t read the schedule/],
    ["first of all", /can’t read the schedule/],
    ["monthly on Mondays", /can’t read the schedule/],
    ["monthly on the 31st", /can’t read the schedule/],
    ["on the 15th at 10", /can’t read the schedule/],
    ["Mondays at 9 and Fridays at 10", /can’t read the schedule/],
    ["weekdays at", /can’t read the schedule/],
    ["on the 31st of each month", /can’t read the schedule/],
    ["daily at 25:00", /“25:00” isn’t a time of day/],
    ["daily at 13pm", /“13pm” isn’t a time of day/],
    ["every 7 minutes", /Try `every 6 minutes`/],
    ["every 0 minutes", /Try `every minute`/],
    ["every 5 hours", /`every 4 hours`/],
    ["every 30 seconds", /The shortest interval is `every minute`/],
    ['cron "* * * * * *"', /isn’t a cron expression.*five fields/],
    ['cron "0 0 31 2 *"', /never comes/],
  ])("“%s” is answered with what to say", (text, expected) => {
    expect(() => readSchedule(text, "UTC")).toThrow(expected);
  });

  it.each([
    ["8:30", "weekdays at 08:30 Europe/London"],
    ["at 9am and 5pm", "weekdays at 09:00 and 17:00 Europe/London"],
    ["9 CET", "weekdays at 09:00 Europe/Brussels"],
    ["Mondays", "Mondays at 09:00 UTC"],
    ["daily at 7", "daily at 07:00 UTC"],
  ])("“%s” in an edit of a schedule on weekdays makes it %s", (text, expected) => {
    const standing = readSchedule("weekdays at 9:00 Europe/London", "UTC");
    const { words, zone } = readNewSchedule(text, "UTC", standing);
    expect(`${words} ${zone}`).toBe(expected);
  });

  it("becomes daily if a time alone is typed for one without days", () => {
    expect(readNewSchedule("8:30", "UTC", readSchedule("hourly", "UTC")).words).toBe("daily at 08:30");
  });
});
