import { describe, expect, it } from "vitest";

import { UsageError } from "../../../src/apis/errors.ts";
import { alertForm } from "../../../src/features/alerts/form.ts";
import { shortId } from "../../../src/features/alerts/messages/buttons.ts";
import { readMute } from "../../../src/features/alerts/mute.ts";
import { type AlertOptions, changedOptions, lineOfAlert, readAlertLine } from "../../../src/features/alerts/options.ts";
import { quote } from "../../../src/features/options.ts";
import { array, assert, constantFrom, integer, oneof, property, string, uniqueArray } from "../../support/property.ts";
import { alert } from "./setting.ts";

const read = (text: string) => readAlertLine(text, "Europe/London");
const night = { from: "22:00", to: "07:00" };

function problemOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  return "";
}

describe("the line of an alert", () => {
  it.each<[string, AlertOptions & { place?: string }, string]>([
    ["every 5 minutes quiet", { sensitivity: "quiet" }, "*/5 * * * *"],
    ["quiet companies weekdays at 9:00", { type: "companies", sensitivity: "quiet" }, "0 9 * * 1,2,3,4,5"],
    ['all cron "0 7,19 * * 1-5" eager', { type: "all", sensitivity: "eager" }, "0 7,19 * * 1-5"],
    ['company include "Shell","BP" every 15 minutes', { type: "company", include: ["Shell", "BP"] }, "*/15 * * * *"],
    [
      "all exclude A Bank, BP eager hourly",
      { type: "all", exclude: ["A Bank", "BP"], sensitivity: "eager" },
      "0 * * * *",
    ],
    ["company only “Shell” hourly --in me", { type: "company", include: ["Shell"], place: "me" }, "0 * * * *"],
    ["all hourly quiet hours 22:00-07:00", { type: "all", quietHours: night }, "0 * * * *"],
    ["hourly quiet hours 22 – 7 quiet —in C0A", { quietHours: night, sensitivity: "quiet", place: "C0A" }, "0 * * * *"],
    ["all hourly quiet-hours 22-7 eager", { type: "all", quietHours: night, sensitivity: "eager" }, "0 * * * *"],
    ["include BASF quiet-hours 22-7 hourly", { include: ["BASF"], quietHours: night }, "0 * * * *"],
    ["all hourly quiet hours off include none", { type: "all", quietHours: "off", include: [] }, "0 * * * *"],
    ["hourly mentions=20 --ratio 2 rest=6h", { mentions: 20, ratio: 2, cooldownHours: 6 }, "0 * * * *"],
  ])("%s is understood", (text, expected, pattern) => {
    const { schedule, place, options } = read(text);
    expect({ ...options, ...(place && { place }) }).toEqual(expected);
    expect(schedule?.pattern).toBe(pattern);
  });

  it.each([
    ["all hourly at 25:61", /can’t read the schedule/],
    ["all hourly --mention 3", /Did you mean `--mentions`\?/],
    ["all hourly mentions=many", /`--mentions` takes a whole number from 1 to 1,000,000, not “many”/],
    ["all hourly quiet hours late", /“late” isn’t a range of hours/],
    ["all hourly include", /Which names\?/],
    ["all hourly --in https://nowhere.example", /can’t read that channel/],
    [`all hourly include ${Array.from({ length: 51 }, (_, at) => `"n${at}"`).join(",")}`, /At most 50 names/],
    ["x".repeat(2_001), /too long/],
  ])("says what to do instead of %s", (text, expected) => {
    expect(problemOf(() => read(text))).toMatch(expected);
  });

  it("is read or explained, whatever is typed, and never crashes", () => {
    const word = constantFrom(
      ...'all company every 5 minutes hourly quiet hours 22:00-07:00 off include exclude none , " “ -- --in me C1 ratio=3 rest=x cron * - – eager'.split(
        " ",
      ),
    );
    assert(
      property(array(oneof(word, string({ maxLength: 6 })), { maxLength: 14 }), (words) => {
        expect(typeof problemOf(() => read(words.join(" ")))).toBe("string");
      }),
    );
  });

  it("holds any names between quotation marks", () => {
    const name = string({ minLength: 1, maxLength: 40 }).map((text) => text.replace(/[“”„«»]/g, "").trim());
    const names = uniqueArray(
      name.filter((text) => text !== "" && !/^(none|nobody|nothing)$/i.test(text)),
      { minLength: 1, maxLength: 5 },
    );
    assert(
      property(names, (all) => {
        expect(read(`company include ${all.map(quote).join(",")} hourly`).options.include).toEqual(all);
      }),
    );
  });
});

describe("an alert that is changed", () => {
  const before: AlertOptions = {
    type: "Company",
    sensitivity: "quiet",
    ratio: 9,
    include: ["BASF"],
    quietHours: night,
  };

  it("keeps options that the line doesn’t name, and stores no defaults", () => {
    expect(changedOptions(before, { mentions: 7 }, [])).toEqual({ ...before, mentions: 7 });
    const usual = { type: "all", include: [], quietHours: "off" as const };
    expect(changedOptions(before, usual, [])).toEqual({ sensitivity: "quiet", ratio: 9 });
  });

  it("takes all thresholds of a new sensitivity, but for those in the same line", () => {
    const { ratio: _, ...others } = before;
    expect(changedOptions(before, { sensitivity: "eager" }, [])).toEqual({ ...others, sensitivity: "eager" });
    expect(changedOptions(before, { sensitivity: "eager", ratio: 4 }, [])).toMatchObject({ ratio: 4 });
  });

  it("is as before after Undo", () => {
    for (const options of [before, {}, { exclude: ['a "b"', "c, d"], cooldownHours: 2 }]) {
      const one = alert({ options, channel: "C024BE7LR" });
      // Whoever undoes it may live elsewhere.
      const quietHours = "quietHours" in options && { quietHours: { ...night, zone: one.schedule.zone } };
      const line = readAlertLine(lineOfAlert(one).replace("edit 1 ", ""), "Asia/Tokyo");
      const changed: AlertOptions = {
        type: "Person",
        sensitivity: "eager",
        include: ["X"],
        exclude: ["Y"],
        mentions: 2,
      };
      const after = changedOptions(changed, line.options, ["Company", "Person"]);
      expect(changedOptions({}, { sensitivity: "balanced", ...options, ...quietHours }, [])).toEqual(after);
      expect(line).toMatchObject({ schedule: one.schedule, place: one.channel });
    }
  });
});

describe("the window of an alert", () => {
  const filled = {
    kind: "trending",
    "source-trending": "Company",
    sensitivity: "eager",
    when: "every 15 minutes",
    place: "C1",
  };
  const lineOf = (fields: Record<string, string>, state = "") => {
    const filledIn = alertForm.read({ fields, state });
    return "errors" in filledIn ? filledIn.errors : "line" in filledIn && filledIn.line;
  };

  it("becomes the line that saves it", () => {
    expect(lineOf(filled)).toBe("alerts add every 15 minutes --type Company --sensitivity eager --in C1");
    const { place: _, ...personal } = filled;
    expect(
      lineOf({
        ...personal,
        include: "BASF, Deutsche Bank",
        quietHours: "22-7",
        when: "other",
        words: "hourly",
        ratio: "4",
      }),
    ).toBe(
      'alerts add hourly --quiet-hours 22:00-07:00 --type Company --sensitivity eager --include "BASF","Deutsche Bank" --ratio 4 --in me',
    );
  });

  it("searches for a name that nobody has used yet before it saves", () => {
    expect(lineOf({ ...filled, kind: "entity", "source-entity": "12,?silver" })).toBe(
      'find "silver" alerts add entity "12,silver" every 15 minutes --sensitivity eager --in C1',
    );
  });

  it("of an existing alert takes back what was emptied", () => {
    expect(lineOf({ type: "all", sensitivity: "balanced", when: "hourly", include: "" }, "3")).toBe(
      "alerts edit 3 hourly --quiet-hours off --type all --sensitivity balanced --escalate-to off --include none --exclude none --in me",
    );
  });

  it("says beside each field what is wrong with it", () => {
    const wrong = {
      when: "other",
      words: "sometimes",
      quietHours: "at night",
      mentions: "hourly",
      exclude: "x".repeat(130),
    };
    expect(lineOf({ ...filled, ...wrong })).toEqual({
      words: expect.stringMatching(/can’t read the schedule “sometimes”/),
      quietHours: expect.stringMatching(/22:00–07:00/),
      mentions: expect.stringMatching(/a whole number from 1/),
      exclude: expect.stringMatching(/too long for a name/),
    });
  });
});

describe("lengths of time in an alert’s options", () => {
  it("are typed as everywhere else", () => {
    expect(readAlertLine("entity BASF hourly --silence 1w --rest 2d", "UTC").options).toEqual({
      silence: 168,
      cooldownHours: 48,
    });
    expect(readAlertLine("company hourly rest=6", "UTC").options).toMatchObject({ cooldownHours: 6 });
    for (const silence of ["30m", "90m", "2w"]) {
      expect(() => readAlertLine(`entity BASF hourly --silence ${silence}`, "UTC")).toThrow(/Type `--silence 6h`/);
    }
  });
});

describe("the line of a mute", () => {
  it("fits into a menu with whatever name and number", () => {
    assert(
      property(string(), integer({ min: 1, max: 999_999_999 }), (entity, number) => {
        const line = `alerts mute ${shortId(entity)} for good --alert ${number}`;
        expect(line.length).toBeLessThanOrEqual(75);
        expect(readMute(line.replace("alerts mute ", ""))).toMatchObject({ what: shortId(entity), number });
      }),
    );
  });
});
