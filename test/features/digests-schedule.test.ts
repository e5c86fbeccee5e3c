import * as fc from "../support/property.ts";
import { describe, expect, it } from "vitest";

import { UsageError } from "../../src/apis/errors.ts";
import { readAdd, wantedLine, lookLine, whenTyped } from "../../src/features/digests/options.ts";
import { readSchedule } from "../../src/features/subscriptions/schedule.ts";

function hintOf(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  throw new Error("it was understood");
}

describe("words about when", () => {
  it.each([
    ["every 15 minutes", "*/15 * * * *", "every 15 minutes"],
    ["Every 5min", "*/5 * * * *", "every 5 minutes"],
    ["every 1 minute", "* * * * *", "every minute"],
    ["every minute", "* * * * *", "every minute"],
    ["hourly", "0 * * * *", "hourly"],
    ["every hour", "0 * * * *", "hourly"],
    ["every 6 hours", "0 */6 * * *", "every 6 hours"],
    ["daily", "0 9 * * *", "daily at 09:00"],
    ["every day at 9am", "0 9 * * *", "daily at 09:00"],
    ["daily at 12 am", "0 0 * * *", "daily at 00:00"],
    ["daily 12pm", "0 12 * * *", "daily at 12:00"],
    ["daily at noon", "0 12 * * *", "daily at 12:00"],
    ["weekdays at 9:00", "0 9 * * 1,2,3,4,5", "weekdays at 09:00"],
    ["every weekday 17.30", "30 17 * * 1,2,3,4,5", "weekdays at 17:30"],
    ["weekends", "0 9 * * 0,6", "weekends at 09:00"],
    ["Mondays at 08:30", "30 8 * * 1", "Mondays at 08:30"],
    ["mondays 8:30", "30 8 * * 1", "Mondays at 08:30"],
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
    ["daily at 9:00 UTC", "UTC"],
    ['cron "*/5 * * * 1" America/Port-au-Prince', "America/Port-au-Prince"],
    ["daily at 9:00 America/Kentucky/Louisville", "America/Louisville"],
  ])("“%s” names its zone, which is %s", (text, zone) => {
    expect(readSchedule(text, "Europe/Paris").zone).toBe(zone);
  });

  it.each([
    ["", /^When should it come\? Say `every 15 minutes`/],
    ["Europe/London", /^When should it come\?/],
    ["tomorrow", /do not understand when “tomorrow” is.*`Mondays at 08:30`/],
    ["Mondays and <!channel>", /“Mondays and &lt;!channel&gt;”/],
    ["constructor", /do not understand/],
    ["daily at 9:00 Europe/Lodnon", /no time zone “Europe\/Lodnon”/],
    ["daily at 25:00", /“25:00” is no time of day/],
    ["daily at 13pm", /“13pm” is no time of day/],
    ["daily at 9:60", /“9:60” is no time of day/],
    ["every 7 minutes", /Say `every 6 minutes`/],
    ["every 0 minutes", /Say `every minute`/],
    ["every 90 minutes", /no even parts of 90 minutes/],
    ["every 5 hours", /A day has no even parts of 5 hours/],
    ["every 30 seconds", /Every minute is as often/],
    ['cron "* * * * * *"', /no cron expression of five fields/],
    ['cron "a b c d e"', /no cron expression of five fields/],
    ['cron "0 0 31 2 *"', /never comes/],
  ])("“%s” is answered with what to say", (text, expected) => {
    expect(hintOf(() => readSchedule(text, "UTC"))).toMatch(expected);
  });
});

describe("a line that adds a digest", () => {
  it.each([
    ["channel 501 every 5 minutes", "channel", "501", "every 5 minutes"],
    ['channel "Gold wire" weekdays at 9:00 Europe/London', "channel", "Gold wire", "weekdays at 09:00"],
    ['search "bank of england" Mondays 08:30', "search", "bank of england", "Mondays at 08:30"],
    ["search bank of england Mondays 08:30", "search", "bank of england", "Mondays at 08:30"],
    ['collection "Gold desk" cron "0 7 * * 1-5"', "collection", "Gold desk", "cron 0 7 * * 1-5"],
    ["SEARCH “every day” daily at 9:00", "search", "every day", "daily at 09:00"],
    ["search windows 11 daily", "search", "windows 11", "daily at 09:00"],
    ["channel 501", "channel", "501", undefined],
    ["search gold", "search", "gold", undefined],
  ])("“%s” is a %s, “%s”, %s", (text, kind, what, words) => {
    const added = readAdd(text);
    expect([added.kind, added.what, added.schedule?.words]).toEqual([kind, what, words]);
  });

  it.each([
    ["search gold daily --in C024BE7LR", "C024BE7LR"],
    ["search gold daily --in=c024be7lr", "C024BE7LR"],
    ["search gold daily —in me", "me"],
    ["search gold --in me daily", "me"],
    ["search gold daily", undefined],
  ])("“%s” goes to %s", (text, place) => {
    const added = readAdd(text);
    expect([added.what, added.schedule?.words, added.place]).toEqual(["gold", "daily at 09:00", place]);
  });

  it.each([
    ['channel "Gold wire" weekdays at 9:00 Europe/London compact', { isCompact: true }, "weekdays at 09:00"],
    ['search "compact" daily', {}, "daily at 09:00"],
    ["search compact cars", {}, undefined],
    ["search gold compact", {}, undefined],
    ['search "gold" compact', { isCompact: true }, undefined],
    [
      "search gold daily --compact --thread --lead",
      { isCompact: true, isThreaded: true, hasLead: true },
      "daily at 09:00",
    ],
    ["search gold daily compact --full", { isCompact: false }, "daily at 09:00"],
    ["search gold daily --empty line", { empty: "line" }, "daily at 09:00"],
    ["search gold --empty warn 7 daily", { empty: 7 }, "daily at 09:00"],
    ["search gold daily --empty warn", { empty: 5 }, "daily at 09:00"],
    ["search gold daily —empty=skip", { empty: "skip" }, "daily at 09:00"],
    ["search gold daily --max 5", { max: 5 }, "daily at 09:00"],
  ] as const)("“%s” looks like %o", (text, manner, words) => {
    const added = readAdd(text);
    expect([added.look, added.schedule?.words]).toEqual([manner, words]);
  });

  it("knows whether a time zone was named", () => {
    expect(readAdd("search gold daily")).toMatchObject({ isZoneless: true });
    expect(readAdd("search gold daily Europe/London").isZoneless).toBeUndefined();
  });

  it("is read back as it was, however it looks", () => {
    const schedules = [
      "hourly",
      "every 15 minutes",
      "Mondays and Thursdays at 08:30 Asia/Tokyo",
      'cron "0 7 * * 1-5" UTC',
    ];
    const flag = fc.constantFrom(
      "--compact",
      "--full",
      "--thread",
      "--no-lead",
      "--empty line",
      "--empty warn 9",
      "--max 5",
      "",
    );
    const place = fc.constantFrom("", "--in me", "--in C024BE7LR");
    fc.assert(
      fc.property(
        fc.string({ minLength: 1, maxLength: 40 }),
        fc.constantFrom(...schedules),
        flag,
        place,
        (what, when, ...flags) => {
          fc.pre(what.trim() === what && !/[“”„«»]/.test(what));
          const added = readAdd([wantedLine({ kind: "search", what }), when, ...flags].join(" "));
          const { schedule, place: to = "me", look } = added;
          const whenAgain = schedule ? whenTyped(schedule, added.isZoneless) : "";
          const again = readAdd([wantedLine(added), whenAgain, lookLine(look), `--in ${to}`].join(" "));
          expect(again).toEqual({ ...added, place: to });
          expect(added.what).toBe(what);
        },
      ),
    );
  });

  it.each([
    ["", /What should I follow, and when\? Type `\/digests add channel 501/],
    ["gold daily", /What should I follow/],
    ["channel", /What should I follow/],
    ['search "" daily', /Which search\?/],
    ["search gold every 7 minutes", /every 6 minutes/],
    ['search "gold" someday', /do not understand when “someday”/],
    ["search gold daily --to C1", /`--to` isn’t an option here/],
    ["search gold daily --compcat", /Did you mean `--compact`\?/],
    ["search gold daily --max 50", /`--max` takes a whole number from 1 to 20/],
    ["search gold daily --in #general", /Type the command in the channel/],
    ["search gold daily --in", /Type the command in the channel/],
    ["search gold daily --empty often", /Say `--empty skip`, `--empty line` or `--empty warn 5`/],
    ["search gold daily --empty warn 0", /Say `--empty skip`/],
  ])("“%s” is answered with what to type", (text, expected) => {
    expect(hintOf(() => readAdd(text))).toMatch(expected);
  });

  it("that is 50,000 characters long is refused at once", () => {
    expect(hintOf(() => readAdd(`search ${"gold ".repeat(10_000)}`))).toMatch(/too long/);
  });

  it.each([
    "gold",
    '"bank of england" rates',
    "a \\ backslash",
    "every 5 minutes",
    "gold --in C024BE7LR",
    "curled “quotes”",
    "501 --x",
  ])("says “%s” so that it is read back as it was", (what) => {
    const line = wantedLine({ kind: "search", what });
    expect(readAdd(`${line} daily at 9:00`)).toMatchObject({
      what: what.replace(/[“”]/g, '"'),
      schedule: { words: "daily at 09:00" },
    });
  });
});
