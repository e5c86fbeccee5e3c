import { describe, expect, it } from "vitest";

import type { Trend } from "../../src/apis/trend.ts";
import type { Alert } from "../../src/features/alerts/alert.ts";
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
  return { told: told.flat(), states: current.episodes.map(({ state }) => state), current };
}

describe("an incident that is open when nobody looks", () => {
  const firing = looks(alert(), [
    [0, [basf]],
    [minute, [basf]],
  ]).current;

  it("goes on where that is for less than a day: what is not known resolves nothing", () => {
    expect(looks(firing, [[20 * hour, [basf]]])).toMatchObject({ told: [], states: ["continuing"] });
  });

  it("is closed where it is for longer, and what is above the floors then is a new incident", () => {
    const closed = looks(firing, [[5 * day, [basf]]]);
    expect(closed).toMatchObject({ told: [], states: ["cooled"] });
    expect(closed.current.episodes).toMatchObject([{ unwatchedSince: now + minute, changedAt: now + 5 * day }]);
    expect(
      looks(closed.current, [
        [5 * day + minute, [basf]],
        [5 * day + 2 * minute, [basf]],
        [5 * day + 3 * minute, [basf]],
      ]).told,
    ).toEqual(["rise basf"]);
  });

  it.each<[string, Partial<Alert>, number]>([
    ["looks come once a week", every("0 9 * * 1", "Mondays at 09:00"), 7 * day],
    ["one of the looks of each day was missed", every("0 9 * * *", "daily at 09:00"), 2 * day],
  ])("goes on where %s", (_, about, ms) => {
    const found = looks(alert(about), [
      [0, [basf]],
      [ms, [basf]],
    ]);
    expect(found.told).toEqual(["rise basf"]);
  });

  it("is in the brief all the same where it came up in quiet hours", () => {
    const night = alert({ quietHours: { from: "22:00", to: "07:00" } });
    const held = looks(night, [[14 * hour, [trend("BASF", { score: 8 })]]]).current;
    expect(held.held).toEqual(["company|basf"]);
    expect(
      looks(held, [
        [5 * day, [trend("Shell", { score: 8 })]],
        [5 * day + minute, [trend("Shell", { score: 8 })]],
      ]).told,
    ).toEqual(["brief shell basf"]);
  });
});

describe("after the bot was down for days", () => {
  it("a message says since when nobody watched, and what is unusual now comes as one of its own", async () => {
    const { add, later, restart, stands, read } = desk();
    await add();
    await later([basf, trend("Shell", { score: 3.5 })]);
    restart();
    await later([basf], 5 * day);
    await later([basf]);
    await later([basf]);
    expect(stands.map(({ to }) => to.thread)).toEqual([undefined, undefined]);
    expect(titlesOf(stands).at(-1)).toBe("BASF is rising");
    const [first] = stands;
    expect(first && wordsNow(first)).toMatch(/Not watched since <!date/);
    expect(first?.edits).toHaveLength(1);
    expect((await read()).episodes).toHaveLength(1);
  });
});
