import { describe, expect, it } from "vitest";

import { readSchedule } from "../../../src/features/subscriptions/schedule.ts";

describe("words about when", () => {
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
    ['cron "0 7 * * 1-5"', "0 7 * * 1-5", "cron 0 7 * * 1-5"],
    ["cron “*/10 8-18 * * *”", "*/10 8-18 * * *", "cron */10 8-18 * * *"],
  ])("“%s” is %s", (text, pattern, words) => {
    expect(readSchedule(text, "Europe/Paris")).toEqual({ pattern, zone: "Europe/Paris", words });
  });

  it.each([
    ["weekdays at 9:00 Europe/London", "Europe/London"],
    ["weekdays at 9:00, in america/new_york", "America/New_York"],
    ["Mondays 08:30 (Asia/Tokyo time)", "Asia/Tokyo"],
    ['cron "*/5 * * * 1" America/Port-au-Prince', "America/Port-au-Prince"],
    ["daily at 9:00 America/Kentucky/Louisville", "America/Louisville"],
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
});
