import { describe, expect, it } from "vitest";

import { UsageError } from "../../../src/apis/errors.ts";
import { alertForm } from "../../../src/features/alerts/form.ts";
import { shortId } from "../../../src/features/alerts/messages/buttons.ts";
import { readMute } from "../../../src/features/alerts/mute.ts";
import { type AlertOptions, changedOptions, readAlertLine } from "../../../src/features/alerts/options.ts";
import { quote } from "../../../src/features/options.ts";
import { array, assert, constantFrom, integer, oneof, property, string, uniqueArray } from "../../support/property.ts";
import { desk, deskWith, fill, saved } from "./talk.ts";

const read = readAlertLine;
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
});

describe("the window of an alert", () => {
  const filled = {
    kind: "trending",
    "source-trending": "Company",
    sensitivity: "eager",
    when: "every 15 minutes",
    place: "C1",
  };
  it("hands over its values", async () => {
    const to = desk();
    await fill(filled, to);
    expect(await saved(to)).toMatchObject({
      options: { type: "Company", sensitivity: "eager" },
      schedule: { pattern: "*/15 * * * *", zone: "Europe/London" },
      channel: "C1",
    });
    const { place: _, ...personal } = filled;
    const own = { when: "other", words: "hourly", include: "BASF, Deutsche Bank", quietHours: "22-7", ratio: "4" };
    await fill({ ...personal, ...own }, to);
    const { options, schedule, channel } = await saved(to, 2);
    expect([options, schedule.pattern, channel]).toEqual([
      { type: "Company", sensitivity: "eager", include: ["BASF", "Deutsche Bank"], quietHours: night, ratio: 4 },
      "0 * * * *",
      "U1",
    ]);
  });

  it("searches for a name that nobody has used yet before it saves", () => {
    const fields = { ...filled, kind: "entity", "source-entity": "12,?silver" };
    expect(alertForm.read({ fields, state: "" })).toEqual({ unmet: ["silver"] });
  });

  it("of an existing alert takes back what was emptied", async () => {
    const to = await deskWith("company hourly eager include BASF quiet hours 22-7 ratio=9 --escalate-to C0DESK123");
    const emptied = { type: "all", sensitivity: "balanced", when: "hourly", include: "" };
    await fill(emptied, to, '{"number":1}');
    expect(await saved(to)).toMatchObject({ options: { sensitivity: "balanced" }, channel: "U1" });
    expect(Object.keys((await saved(to)).options)).toEqual(["sensitivity"]);
  });

  it("says beside each field what is wrong with it", () => {
    const wrong = {
      when: "other",
      words: "sometimes",
      quietHours: "at night",
      mentions: "hourly",
      exclude: "x".repeat(130),
    };
    expect(alertForm.read({ fields: { ...filled, ...wrong }, state: "" })).toEqual({
      errors: {
        words: expect.stringMatching(/can’t read the schedule “sometimes”/),
        quietHours: expect.stringMatching(/22:00–07:00/),
        mentions: expect.stringMatching(/a whole number from 1/),
        exclude: expect.stringMatching(/too long for a name/),
      },
    });
  });
});

describe("lengths of time in an alert’s options", () => {
  it("are typed as everywhere else", () => {
    expect(readAlertLine("entity BASF hourly --silence 1w --rest 2d").options).toEqual({
      silence: 168,
      cooldownHours: 48,
    });
    expect(readAlertLine("company hourly rest=6").options).toMatchObject({ cooldownHours: 6 });
    for (const silence of ["30m", "90m", "2w"]) {
      expect(() => readAlertLine(`entity BASF hourly --silence ${silence}`)).toThrow(/Type `--silence 6h`/);
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
