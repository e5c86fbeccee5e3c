import { describe, expect, it } from "vitest";

import { stagesOfWatchlist } from "../../../src/features/sources/watchlist.ts";
import { fittingContent, needName, readTerms, splitName } from "../../../src/features/watchlists/watchlist.ts";
import { lastDayOf } from "../../../src/features/watchlists/last-day.ts";
import { article, now } from "../../support/builders.ts";
import { isSameContent } from "../../../src/features/sources/watchlist-store.ts";

const entry = (id: number) => ({ id, name: `Entity ${id}` });

describe("the content of a watchlist", () => {
  it.each<[string, string[][], string[]]>([
    ["BASF, Bayer, -Football", [["BASF", "Bayer"]], ["Football"]],
    ["Novalith, Orbis + Export controls, -Football", [["Novalith", "Orbis"], ["Export controls"]], ["Football"]],
    ["A; B, C AND D", [["A"], ["B", "C"], ["D"]], []],
    ["Oil and Gas, Marlowe & Finch", [["Oil and Gas", "Marlowe & Finch"]], []],
    ["A, B, and C", [["A", "B", "C"]], []],
    ["“Tom, Dick + Harry”, Disney+, – Sport", [["Tom, Dick + Harry", "Disney+"]], ["Sport"]],
    ['-"Oil, Gas"', [], ["Oil, Gas"]],
    [" , + ; ", [], []],
  ])(
    "is read with commas for “or”, a plus for “and”, and a dash for what is left out: %s",
    (typed, groups, excluded) => {
      expect(readTerms(typed)).toEqual({ groups, excluded });
    },
  );

  it.each([" ", "“", "\n", " ;", "+ "])("is read at once if somebody typed 400,000 characters of %j", (piece) => {
    // Looking at the rest of the line from each blank, the test would run out of time.
    const terms = readTerms(`a${piece.repeat(400_000 / piece.length)}z`);
    expect(terms.groups.flat().length).toBeGreaterThan(0);
  });

  it("becomes a stage for each group, and one for what is excluded", () => {
    const stage = (not: boolean, ...ids: number[]) => ({
      not,
      entities: ids.map((value) => ({ type: "entity", value })),
    });
    const content = { groups: [[entry(1), entry(2)], [entry(3)]], excluded: [entry(4), entry(5)] };
    expect(stagesOfWatchlist(content)).toEqual([stage(false, 1, 2), stage(false, 3), stage(true, 4, 5)]);
  });

  it("holds each name once, and is the same by its IDs alone", () => {
    const content = fittingContent({ groups: [[entry(1), entry(1)], []], excluded: [entry(2), entry(2)] });
    expect(content).toEqual({ groups: [[entry(1)]], excluded: [entry(2)] });
    expect(isSameContent(content, { groups: [[{ id: 1, name: "Renamed" }]], excluded: [entry(2)] })).toBe(true);
    expect(isSameContent(content, { groups: [[entry(1)]], excluded: [] })).toBe(false);
  });

  it.each([
    [{ groups: [], excluded: [entry(1)] }, /at least one/],
    [{ groups: [[entry(1)]], excluded: [entry(1)] }, /both included and excluded/],
    [{ groups: [Array.from({ length: 101 }, (_, id) => entry(id))], excluded: [] }, /at most 100 names/],
    [{ groups: Array.from({ length: 11 }, (_, id) => [entry(id)]), excluded: [] }, /at most 10 groups/],
  ])("is refused if it would bring nothing, or is too long", (content, expected) => {
    expect(() => fittingContent(content)).toThrow(expected);
  });
});

describe("the name of a watchlist", () => {
  it.each([
    ["Chip rules: A, B", { name: "Chip rules", rest: "A, B" }],
    ['"Chips: Europe": A', { name: "Chips: Europe", rest: "A" }],
    ['"Chip rules"', { name: "Chip rules" }],
    ["Chip  rules", { name: "Chip rules" }],
    ["Chip rules:", { name: "Chip rules", rest: "" }],
    ["", { name: "" }],
  ])("ends at the colon, unless that is quoted: %s", (typed, expected) => {
    expect(splitName(typed)).toEqual(expected);
  });

  it.each([
    ["", /What should it be called/],
    ["x".repeat(61), /60 characters fit/],
    ['A "B"', /quotation marks/],
  ])("is refused if nobody could type it again: %j", (name, expected) => {
    expect(() => needName(name)).toThrow(expected);
  });
});

describe("the last day of a watchlist", () => {
  const at = (hours: number) => article({ title: `${hours} h`, published: now - hours * 60 * 60_000 });

  it("counts its articles of 24 hours, and names the newest of all", () => {
    expect(lastDayOf([at(30), at(3), at(20)], now)).toMatchObject({
      count: 2,
      newest: { title: "3 h" },
    });
    expect(lastDayOf([at(30)], now)).toMatchObject({ count: 0, newest: { title: "30 h" } });
    expect(lastDayOf([], now)).toEqual({ count: 0, newest: undefined });
  });
});
