import { describe, expect, it } from "vitest";

import { UsageError } from "../../src/apis/errors.ts";
import { alertForm } from "../../src/features/alerts/forms.ts";
import { hoursIn, quoted, readLine } from "../../src/features/alerts/setup/line.ts";
import { readMute, refOf } from "../../src/features/alerts/rule/mute.ts";
import { numbersLine } from "../../src/features/alerts/setup/numbers.ts";
import { ruleOf } from "../../src/features/alerts/rule/rule.ts";
import { array, assert, constantFrom, integer, oneof, property, string, uniqueArray } from "../support/property.ts";

const read = (text: string) => readLine(text, "Europe/London");

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
  it.each([
    ["all every 1 minute eager", { type: "all", word: "eager" }, "* * * * *"],
    ["company every 15 minutes balanced", { type: "company", word: "balanced" }, "*/15 * * * *"],
    ["stock index hourly", { type: "stock index" }, "0 * * * *"],
    ["every 5 minutes quiet", { word: "quiet" }, "*/5 * * * *"],
    ["quiet companies weekdays at 9:00", { type: "companies", word: "quiet" }, "0 9 * * 1,2,3,4,5"],
    ['all cron "0 7,19 * * 1-5" eager', { type: "all", word: "eager" }, "0 7,19 * * 1-5"],
    ["all cron 0 7,19 * * 1-5", { type: "all" }, "0 7,19 * * 1-5"],
    ["company, Mondays, Fridays at 8:30, eager", { type: "company", word: "eager" }, "30 8 * * 1,5"],
    [
      'company include "Rheinmetall","BASF" every 15 minutes',
      { type: "company", include: ["Rheinmetall", "BASF"] },
      "*/15 * * * *",
    ],
    [
      "all exclude Deutsche Bank, BASF eager hourly",
      { type: "all", exclude: ["Deutsche Bank", "BASF"], word: "eager" },
      "0 * * * *",
    ],
    [
      "company include “Rheinmetall” hourly --in me",
      { type: "company", include: ["Rheinmetall"], place: "me" },
      "0 * * * *",
    ],
    ["all hourly quiet hours 22:00-07:00", { type: "all", quietHours: { from: "22:00", to: "07:00" } }, "0 * * * *"],
    [
      "all hourly quiet hours 22 – 7 quiet —in C024BE7LR",
      { type: "all", quietHours: { from: "22:00", to: "07:00" }, word: "quiet", place: "C024BE7LR" },
      "0 * * * *",
    ],
    ["all hourly quiet hours off include none", { type: "all", quietHours: "off", include: [] }, "0 * * * *"],
  ])("%s is understood", (text, expected, pattern) => {
    const { schedule, numbers, ...said } = read(text);
    expect(said).toEqual(expected);
    expect(schedule?.pattern).toBe(pattern);
    expect(numbers).toEqual({});
  });

  it("takes an expert's numbers, in the units that people use", () => {
    expect(read("company hourly score=3 mentions=20 ratio=2 ticks=2 rest=6h").numbers).toEqual({
      score: 3,
      mentions: 20,
      ratio: 2,
      ticks: 2,
      restMs: 6 * 3_600_000,
    });
  });

  it("says all numbers of a rule so that they can be typed again", () => {
    const { word: _, ...numbers } = ruleOf("quiet");
    expect(read(numbersLine(numbers)).numbers).toEqual(numbers);
  });

  it.each([
    ["all every 7 minutes", /no even parts of 7 minutes/],
    ["all hourly at 25:61", /I do not understand when/],
    ["all hourly scores=3", /no number `scores`.*`score`, `mentions`/],
    ["all hourly mentions=many", /`mentions=` takes a whole number from 1 to 1,000,000, not “many”/],
    ["all hourly ticks=1.5", /takes a whole number/],
    ["all hourly quiet hours late", /“late” are no quiet hours/],
    ["all hourly quiet hours 7-7", /“7-7” are no quiet hours/],
    ["all hourly include", /Whom should I include/],
    ["all hourly --to C1", /`--to` is not an option here/],
    ["all hourly --in nowhere", /Where to\?/],
    [`all hourly include ${Array.from({ length: 51 }, (_, at) => `"n${at}"`).join(",")}`, /50 names at most/],
    ["x".repeat(2_001), /too long/],
  ])("says what to do instead of %s", (text, expected) => {
    expect(problemOf(() => read(text))).toMatch(expected);
  });

  it("is read or explained, whatever is typed, and never crashes", () => {
    const word = constantFrom(
      ...'all company every 5 minutes hourly quiet hours 22:00-07:00 off include exclude none , " “ -- --in me C1 score=3 ticks=x cron * - – eager'.split(
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
    assert(
      property(
        uniqueArray(
          name.filter((text) => text !== "" && !/^(none|nobody|nothing)$/i.test(text)),
          { minLength: 1, maxLength: 5 },
        ),
        (names) => {
          expect(read(`company include ${quoted(names)} hourly`).include).toEqual(names);
        },
      ),
    );
  });
});

describe("quiet hours", () => {
  it.each([
    ["22:00-07:00", { from: "22:00", to: "07:00" }],
    ["9-17:30", { from: "09:00", to: "17:30" }],
    ["22.00 until 7.15", { from: "22:00", to: "07:15" }],
    ["off", "off"],
    ["24-7", undefined],
    ["7", undefined],
  ])("%s are read", (typed, expected) => {
    expect(hoursIn(typed)).toEqual(expected);
  });
});

describe("the form of an alert", () => {
  const filled = { type: "Company", word: "eager", when: "every 15 minutes", place: "C1" };
  const lineOf = (fields: Record<string, string>, state = "") => {
    const filledIn = alertForm.read({ fields, state });
    return "line" in filledIn ? filledIn.line : filledIn.errors;
  };

  it("becomes the line that says the same", () => {
    expect(lineOf(filled)).toBe(
      'alerts preview add "Company" every 15 minutes eager include none exclude none quiet hours off --in C1',
    );
    const more = { include: "BASF, Deutsche Bank", quiet: "22-7", words: "hourly" };
    const { place: _, ...personal } = filled;
    expect(lineOf({ ...personal, ...more })).toBe(
      'alerts preview add "Company" hourly eager include "BASF","Deutsche Bank" exclude none quiet hours 22:00-07:00 --in me',
    );
  });

  it("changes one that there is, and leaves alone what is kept", () => {
    expect(lineOf({ type: "all", word: "keep", when: "keep", numbers: "score=4" }, "3")).toBe(
      'alerts preview edit 3 "all" include none exclude none quiet hours off score=4 --in me',
    );
  });

  it("says beside each field what is wrong with it", () => {
    const wrong = { words: "sometimes", quiet: "at night", numbers: "hourly", exclude: "x".repeat(130) };
    expect(lineOf({ ...filled, ...wrong })).toEqual({
      words: expect.stringMatching(/I do not understand when “sometimes” is/),
      quiet: expect.stringMatching(/“at night” are no quiet hours/),
      numbers: "Write numbers such as score=3 mentions=20.",
      exclude: expect.stringMatching(/too long for a name/),
    });
  });
});

describe("the line of a mute", () => {
  it.each([
    ["Northwind Energy", "Northwind Energy", "1d", undefined],
    ["Northwind Energy 1h", "Northwind Energy", "1h", undefined],
    ['"Northwind Energy" for a week', "Northwind Energy", "1w", undefined],
    ["BASF for good --alert 3", "BASF", "for good", 3],
    ["“1 Day” 1d —alert=12", "1 Day", "1d", 12],
    ["#00abc12d forever", "#00abc12d", "for good", undefined],
  ])("%s is understood", (text, what, word, number) => {
    expect(readMute(text)).toMatchObject({ what, span: { word }, number, isSure: false });
  });

  it("asks whom, where nobody is named", () => {
    expect(problemOf(() => readMute(" "))).toMatch(/Whom should I mute/);
  });

  it("fits into a menu with whatever name and number", () => {
    assert(
      property(string(), integer({ min: 1, max: 999_999_999 }), (entity, number) => {
        const line = `alerts mute ${refOf(entity)} for good --alert ${number}`;
        expect(line.length).toBeLessThanOrEqual(75);
        expect(readMute(line.replace("alerts mute ", ""))).toMatchObject({ what: refOf(entity), number });
      }),
    );
  });
});
