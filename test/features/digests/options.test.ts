import { describe, expect, it } from "vitest";

import { digestForm } from "../../../src/features/digests/form.ts";
import { readAdd } from "../../../src/features/digests/options.ts";
import { quote } from "../../../src/features/options.ts";
import { readSchedule } from "../../../src/features/subscriptions/schedule.ts";
import * as fc from "../../support/property.ts";

describe("a line that adds a digest", () => {
  it.each([
    ['channel "Gold wire" weekdays at 9:00 Europe/London', "channel", "Gold wire", "weekdays at 09:00"],
    ['search "bank of england" Mondays 08:30', "search", "bank of england", "Mondays at 08:30"],
    ["search bank of england Mondays 08:30", "search", "bank of england", "Mondays at 08:30"],
    ['collection "Gold desk" cron "0 7 * * 1-5"', "collection", "Gold desk", "cron 0 7 * * 1-5"],
    ["SEARCH “every day” daily at 9:00", "search", "every day", "daily at 09:00"],
    ["search windows 11 daily", "search", "windows 11", "daily at 09:00"],
    ["search iron 9:00 on weekdays", "search", "iron", "weekdays at 09:00"],
    ["search iron at 9am", "search", "iron", "daily at 09:00"],
    ["search apollo 11 every morning at 8", "search", "apollo 11", "daily at 08:00"],
    ["search good morning america weekdays 9", "search", "good morning america", "weekdays at 09:00"],
    ["channel 501 first Monday at 9", "channel", "501", "first Monday of the month at 09:00"],
    ['search "John 3:16" weekdays at 9:00 and 17:30', "search", "John 3:16", "weekdays at 09:00 and 17:30"],
    ["search lockheed mt weekdays at 9:00", "search", "lockheed mt", "weekdays at 09:00"],
    ["search daily mail weekdays at 9:00", "search", "daily mail", "weekdays at 09:00"],
    ["channel 501", "channel", "501", undefined],
    ["search gold", "search", "gold", undefined],
  ])("“%s” is a %s, “%s”, %s", (text, kind, what, words) => {
    const added = readAdd(text);
    expect([added.kind, added.what, added.schedule?.words]).toEqual([kind, what, words]);
  });

  it.each([
    ["search gold daily --in C024BE7LR", "C024BE7LR"],
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
    ["search gold daily --thread --lead", { isThreaded: true, hasLead: true }, "daily at 09:00"],
    ["search gold daily compact --full", { isCompact: false }, "daily at 09:00"],
    ["search gold daily --empty line", { empty: "line" }, "daily at 09:00"],
    ["search gold --empty warn 7 daily", { empty: 7 }, "daily at 09:00"],
    ["search gold daily --empty warn", { empty: 5 }, "daily at 09:00"],
    ["search gold daily --max 5", { max: 5 }, "daily at 09:00"],
  ] as const)("“%s” looks like %o", (text, manner, words) => {
    const added = readAdd(text);
    expect([added.style, added.schedule?.words]).toEqual([manner, words]);
  });

  it("without a kind is about a name", () => {
    const added = readAdd("Novalith Semiconductor every day at 8:30 --in me");
    expect(added).toMatchObject({ kind: "entity", what: "Novalith Semiconductor", place: "me" });
    expect(added.schedule?.words).toBe("daily at 08:30");
  });

  it("with a quoted search is read with all of its words, whatever they are", () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1, maxLength: 40 }),
        fc.constantFrom("hourly", "Mondays and Fridays at 08:30 Asia/Tokyo", 'cron "0 7 * * 1-5" UTC'),
        fc.constantFrom("", "--compact", "--no-lead --in me", "--empty warn 9", "--max 5"),
        (what, when, options) => {
          fc.pre(what.trim() === what && !/[“”„«»]/.test(what));
          const added = readAdd(`search ${quote(what)} ${when} ${options}`);
          expect(added.what).toBe(what);
          expect(added.schedule?.words).toBe(readSchedule(when, "").words);
        },
      ),
    );
  });

  it.each([
    ["", /What should I follow, and when\? Type `\/digests add Novalith/],
    ["chanel gold daily", /What should I follow/],
    ['search "" daily', /Which search\?/],
    ["search gold every 7 minutes", /every 6 minutes/],
    ['search "gold" someday', /can’t read the schedule “someday”/],
    ["search gold every blue moon at 9:00", /^“every” looks like a time/],
    ["search John 3:16 weekdays at 9:00", /^“3:16” looks like a time.*put what to look for in quotation marks/],
    ["search tin Mondays at 9 and Fridays at 10", /^“at” looks like a time/],
    ["search gold daily --to C1", /`--to` isn’t an option here/],
    ["search gold daily --compcat", /Did you mean `--compact`\?/],
    ["search gold daily --max 50", /`--max` takes a whole number from 1 to 20/],
    ["search gold daily --in https://acme.example/C1", /Type the command in that channel/],
    ["search gold daily --in", /Type the command in that channel/],
    ["search gold daily --empty often", /Use `--empty skip`, `--empty line` or `--empty warn 5`/],
  ])("“%s” is answered with what to type", (text, expected) => {
    expect(() => readAdd(text)).toThrow(expected);
  });

  it("is refused at once if it’s 50,000 characters long", () => {
    expect(() => readAdd(`search ${"gold ".repeat(10_000)}`)).toThrow(/too long/);
  });

  it.each([
    ["trending company weekdays at 9:00", { what: "company" }],
    ["trending weekdays at 9:00", { what: "all" }],
    ["trending all daily compact", { what: "all", style: { isCompact: true } }],
    ['trending company exclude "Brio","Cove & Co" daily', { what: "company", exclude: ["Brio", "Cove & Co"] }],
    ["trending only Alba, Dune weekdays at 9:00", { what: "all", include: ["Alba", "Dune"] }],
    ['trending company daily --exclude "Brio"', { what: "company", exclude: ["Brio"] }],
  ])("“%s” is a ranking", (text, expected) => {
    expect(readAdd(text)).toMatchObject({ kind: "trending", ...expected, schedule: expect.anything() });
  });
});

describe("the form of a digest", () => {
  const read = (fields: Record<string, string>, state = "") => digestForm.read({ fields, state });
  const known = JSON.stringify({ wanted: { kind: "channel", what: "501" } });

  it("is read as the values of the digest", () => {
    const gold = { kind: "search", what: "gold" } as const;
    expect(read({ when: "hourly", place: "C9" }, JSON.stringify({ wanted: gold }))).toEqual({
      wanted: gold,
      unmet: [],
      when: "hourly",
      style: {},
      place: "C9",
    });
    const search = { kind: "search", "source-search": "gold --in C2", when: "other", words: "Mondays 8:30 Asia/Tokyo" };
    expect(read(search)).toMatchObject({
      wanted: { what: "gold --in C2" },
      when: "Mondays 8:30 Asia/Tokyo",
      place: "me",
    });
    expect(read({ kind: "trending", "source-trending": "company", when: "hourly", hasLead: "on" })).toMatchObject({
      wanted: { kind: "trending", what: "company" },
      style: {},
    });
  });

  it("shows each error beside its field", () => {
    expect(read({ kind: "search", when: "hourly" })).toEqual({ errors: { "source-search": "Say what to look for." } });
    // What was chosen of another kind is none of this one.
    expect(read({ kind: "channel", "source-search": "gold", when: "hourly" })).toEqual({
      errors: { "source-channel": "Choose one from the list." },
    });
    expect(read({ kind: "channel", when: "sometimes", max: "many" })).toEqual({
      errors: { "source-channel": expect.anything(), when: expect.anything(), max: expect.anything() },
    });
    expect(read({ when: "other", words: "every 7 minutes" }, known)).toEqual({
      errors: { words: "An hour can’t be split evenly into 7 minutes. Try every 6 minutes." },
    });
    expect(read({}, known)).toMatchObject({ errors: { when: expect.stringMatching(/^When should it post/) } });
    expect(read({ kind: "search", what: "gold", when: "hourly", max: "many" })).toMatchObject({
      errors: { max: expect.stringContaining("a whole number from 1 to 20") },
    });
  });
});
