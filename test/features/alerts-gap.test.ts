import { describe, expect, it } from "vitest";

import type { Trend } from "../../src/apis/trend.ts";
import type { Alert } from "../../src/features/alerts/alert.ts";
import { ruleOf } from "../../src/features/alerts/rule/rule.ts";
import { now } from "../support/builders.ts";
import { desk, titlesOf, wordsNow } from "./alerts-desk.ts";
import { alert, course, hour, inShort, minute, trend } from "./alerts-setting.ts";

const day = 24 * hour;
const basf = trend("BASF");
const every = (pattern: string, words: string) => ({ schedule: { pattern, zone: "UTC", words } });

/** What each look tells, and how the last one leaves what it knows. */
function looks(first: Alert, at: (readonly [number, Trend[]])[]) {
  let current = first;
  const told = at.map(([ms, trends]) => {
    const { alert: after, decisions } = course(current, [trends], now + ms);
    current = after;
    return decisions.flatMap(inShort);
  });
  return { told: told.flat(), episodes: current.episodes.map(({ state, since }) => [state, since - now]), current };
}

describe("in a row are looks", () => {
  it.each<[string, Partial<Alert>, number]>([
    ["a minute apart", {}, minute],
    ["with a few minutes between them in which the source failed", {}, 20 * minute],
    ["at their times, however far apart these are", every("0 9 * * 1", "Mondays at 09:00"), 7 * day],
    ["with one between them that was missed", every("0 9 * * *", "daily at 09:00"), 2 * day],
    ["of which the second is late", every("0 9 * * *", "daily at 09:00"), day + 9 * hour],
  ])("%s", (_, about, ms) => {
    expect(
      looks(alert(about), [
        [0, [basf]],
        [ms, [basf]],
      ]).told,
    ).toEqual(["rise basf"]);
  });

  it.each<[string, Partial<Alert>, number]>([
    ["with an hour between them in which nobody looked each minute", {}, hour],
    ["with a weekend between them", every("*/15 * * * *", "every 15 minutes"), 3 * day],
    ["with two between them that were missed", every("0 9 * * *", "daily at 09:00"), 3 * day],
  ])("but not those %s: what is seen then has risen then", (_, about, ms) => {
    const found = looks(alert(about), [
      [0, [basf]],
      [ms, [basf]],
    ]);
    expect([found.told, found.episodes]).toEqual([[], [["pending", ms]]]);
  });

  it("also where something cools, or comes back", () => {
    const risen = looks(alert(), [
      [0, [basf]],
      [minute, [basf]],
      [2 * minute, []],
      [3 * minute, []],
    ]).current;
    const cooling = looks(risen, [
      [2 * hour, []],
      [2 * hour + minute, []],
    ]);
    expect([cooling.told, cooling.episodes]).toEqual([[], [["cooling", 0]]]);
    const cooled = looks(cooling.current, [[2 * hour + 2 * minute, []]]).current;
    const back = looks(cooled, [
      [3 * hour, [basf]],
      [4 * hour, [basf]],
    ]);
    expect([back.told, back.episodes]).toEqual([[], [["cooled", 0]]]);
  });
});

describe("what was told of", () => {
  const risen = looks(alert(), [
    [0, [basf]],
    [minute, [basf]],
  ]).current;

  it("goes on where nobody looked for less than a day: what is not known cools nobody", () => {
    const found = looks(risen, [
      [20 * hour, [basf]],
      [20 * hour + minute, [basf]],
    ]);
    expect([found.told, found.episodes]).toEqual([[], [["continuing", 0]]]);
  });

  it("and that nobody has seen for longer is over: what is there now is a new rise", () => {
    const found = looks(risen, [
      [5 * day, [basf]],
      [5 * day + minute, [basf]],
    ]);
    expect([found.told, found.episodes]).toEqual([["rise basf"], [["new", 5 * day]]]);
    expect(looks(risen, [[5 * day, []]]).episodes).toEqual([]);
    expect(found.current.left).toMatchObject([{ lostSince: now + minute, episodes: [{ name: "BASF" }] }]);
  });

  it("goes on for as long as its rest, where that is longer", () => {
    const rule = { ...ruleOf("balanced"), restMs: 7 * day };
    expect(looks({ ...risen, rule }, [[5 * day, [basf]]]).episodes).toEqual([["continuing", 0]]);
  });

  it("in quiet hours and was not told since is told all the same", () => {
    const night = alert({ quietHours: { from: "22:00", to: "07:00" } });
    const held = looks(night, [[14 * hour, [trend("BASF", { score: 8 })]]]).current;
    expect(held.held).toEqual(["company|basf"]);
    expect(looks(held, [[5 * day, [trend("Shell", { score: 8 })]]]).told).toEqual(["brief shell basf"]);
  });
});

describe("after the bot was down for days", () => {
  it("a message says that nobody knows how it went on, and what rises now comes as one of its own", async () => {
    const { add, later, restart, stands, read } = desk();
    await add();
    await later([basf, trend("Shell", { score: 3.5 })]);
    restart();
    await later([basf], 5 * day);
    await later([basf]);
    expect(titlesOf(stands)).toEqual(["2 rose at once", "BASF is rising"]);
    expect(stands.map(({ to }) => to.thread)).toEqual([undefined, undefined]);
    const [first] = stands;
    expect(first && wordsNow(first)).toMatch(
      /Nobody looked after <!date[^>]*>: how it went on is not known\. What rises/,
    );
    expect(first?.edits).toHaveLength(1);
    expect((await read()).left).toBeUndefined();
  });
});
