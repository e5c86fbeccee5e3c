import { describe, expect, it } from "vitest";

import type { Trend } from "../../src/apis/trend.ts";
import { type Alert, entityKey } from "../../src/features/alerts/alert.ts";
import { afterQuiet, evaluate } from "../../src/features/alerts/rule/evaluate.ts";
import { prepare } from "../../src/features/alerts/rule/prepare.ts";
import { muted } from "../../src/features/alerts/rule/mute.ts";
import { isAlwaysQuiet, isBriefDue } from "../../src/features/alerts/rule/quiet.ts";
import { ruleOf } from "../../src/features/alerts/rule/rule.ts";
import { now } from "../support/builders.ts";
import { alert, course, hour, inShort, minute, posted, sample, trend } from "./alerts-setting.ts";

const basf = trend("BASF");
const told = (first: Alert, samples: Trend[][], from?: number) => course(first, samples, from).decisions.map(inShort);

describe("a filter", () => {
  const mixed = [trend("BASF"), trend("Shell"), trend("Ada", { type: "Person" })].map((each) => ({
    ...each,
    score: 8,
  }));

  it.each<[string, Partial<Alert["filter"]>, string[]]>([
    ["a type, in the singular or plural", { type: "companies" }, ["several basf shell"]],
    ["names, however they are spelt", { include: ["basf", "ADA"] }, ["several basf ada"]],
    ["all but some", { exclude: ["Basf", "ada"] }, ["rise shell"]],
    ["a type and names", { type: "person", include: ["Ada", "BASF"] }, ["rise ada"]],
  ])("lets through %s", (_, filter, expected) => {
    expect(told(alert({ filter: { include: [], exclude: [], ...filter } }), [mixed])).toEqual([expected]);
  });

  it("that was changed lets go of what it no longer lets through", () => {
    const { alert: before } = course(alert(), [mixed]);
    const changed = { ...before, filter: { include: [], exclude: ["BASF", "Shell"] } };
    expect(course(changed, [[]], now + hour).alert.episodes.map(({ name }) => name)).toEqual(["Ada"]);
  });
});

describe("a mute", () => {
  const mute = { entity: entityKey(basf), name: "BASF", by: "U1", at: now };

  it("holds through cooling and a new rise", () => {
    const rested = Array.from({ length: 4 }, () => []);
    const first = alert({ mutes: [mute], rule: { ...ruleOf("balanced"), restMs: 2 * minute } });
    expect(told(first, [[basf], [basf], ...rested, [], [basf], [basf], [trend("BASF", { score: 40 })]]).flat()).toEqual(
      [],
    );
  });

  it("that is over lets an escalation through, and is dropped with the next that is set", () => {
    const first = alert({ mutes: [{ ...mute, until: now + 3 * minute }] });
    const high = trend("BASF", { score: 9 });
    const { decisions, alert: after } = course(first, [[basf], [basf], [basf], [basf], [high]]);
    expect(decisions.map(inShort)).toEqual([[], [], [], [], ["rise basf"]]);
    const next = { ...mute, entity: "company|shell", name: "Shell", at: now + hour };
    expect(muted(after, next).mutes).toEqual([next]);
  });
});

describe("quiet hours", () => {
  const night = { from: "22:00", to: "07:00" };
  const late = Date.UTC(2026, 10, 20, 21, 58);
  const early = Date.UTC(2026, 10, 21, 7);
  const quiet = alert({ quietHours: night });
  const strong = trend("BASF", { score: 8 });

  it("hold what rises, while it is followed, and end with one message about it", () => {
    const through = course(
      quiet,
      [[], [], [strong], [strong, trend("Shell", { score: 7 })], [strong], [], [], []],
      late,
    );
    expect(through.decisions.flat()).toEqual([]);
    expect(through.alert.held).toEqual(["company|basf", "company|shell"]);
    const morning = course(through.alert, [[trend("Ada", { score: 9 })], [trend("Ada")]], early);
    expect(morning.decisions.map(inShort)).toEqual([["brief ada basf shell"], []]);
    expect(morning.alert.held).toEqual([]);
    expect(through.alert.episodes.map(({ state }) => state)).toEqual(["cooled", "cooled"]);
  });

  it("keep what has cooled and rested until it is told", () => {
    const short = { ...quiet, rule: { ...quiet.rule, restMs: minute } };
    const through = course(short, [[], [], [strong], [], [], [], [], [], []], late).alert;
    expect(told(through, [[]], early)).toEqual([["brief basf"]]);
    expect(course(through, [[], [], []], early).alert.episodes).toEqual([]);
  });

  it("are those of the schedule's zone", () => {
    const zoned = { ...quiet, schedule: { ...quiet.schedule, zone: "America/New_York" } };
    expect(told(zoned, [[strong]], Date.UTC(2026, 10, 20, 23))).toEqual([["rise basf"]]);
    expect(told(zoned, [[strong]], Date.UTC(2026, 10, 21, 4))).toEqual([[]]);
  });

  it("take what could not be posted before them into the message that ends them", () => {
    const { alert: before } = evaluate(quiet, prepare(sample(late, [strong])), late);
    expect(before.pending).toMatchObject([{ kind: "rise" }]);
    const through = evaluate(before, prepare(sample(late + hour, [strong, trend("Ada", { score: 9 })])), late + hour);
    const { alert: after, decisions } = evaluate(through.alert, prepare(sample(early, [strong])), early);
    expect(inShort(decisions)).toEqual(["brief basf ada"]);
    expect(after.pending).toMatchObject([{ kind: "brief" }]);
  });

  it("keep what could not be posted before them, also where it has cooled and rested since", () => {
    const short = { ...quiet, rule: { ...quiet.rule, restMs: minute } };
    const look = (before: Alert, at: number, trends: Trend[]) => evaluate(before, prepare(sample(at, trends)), at);
    let before = look(short, late, [strong]).alert;
    for (let minutes = 2; minutes < 10; minutes++) before = look(before, late + minutes * minute, []).alert;
    expect(before).toMatchObject({ held: ["company|basf"], episodes: [{ state: "cooled" }] });
    const { decisions, alert: after } = look(before, early, []);
    expect(inShort(decisions)).toEqual(["brief basf"]);
    expect(after.pending).toMatchObject([{ kind: "brief" }]);
  });

  it("tell nothing again that was waiting before them, and comes while the source fails", () => {
    const waiting = evaluate(quiet, prepare(sample(late, [strong])), late).alert;
    const through = evaluate(waiting, prepare(sample(late + hour, [strong])), late + hour).alert;
    expect([through.held, through.pending.map(({ kind }) => kind)]).toEqual([["company|basf"], ["rise"]]);
    expect(posted(through, early).held).toEqual([]);
  });

  it("end with what is known where no look tells it: the next one comes later", () => {
    const twice = { ...quiet, schedule: { pattern: "0 */12 * * *", zone: "UTC", words: "every 12 hours" } };
    const midnight = Date.UTC(2026, 10, 21);
    const held = { ...course(twice, [[strong]], midnight).alert, nextRun: midnight + 12 * hour };
    const at = (time: number) => [isBriefDue(held, time), inShort(afterQuiet(held, time).decisions)];
    expect(at(early - minute)).toEqual([false, []]);
    expect(at(early)).toEqual([true, ["brief basf"]]);
    const { alert: after } = afterQuiet(held, early);
    expect([after.held, isBriefDue(after, early)]).toEqual([[], false]);
  });

  it("give a look that is due a quarter of an hour to bring news, before what is known is told", () => {
    const held = { ...course(quiet, [[strong]], late + 3 * minute).alert, nextRun: early };
    expect([early, early + 14 * minute, early + 15 * minute].map((time) => isBriefDue(held, time))).toEqual([
      false,
      false,
      true,
    ]);
    expect(isBriefDue({ ...held, state: "paused" }, early + hour)).toBe(false);
  });

  it("end without a word of whom somebody has muted or left out since", () => {
    const held = course(quiet, [[strong, trend("Shell", { score: 8 })]], late + 3 * minute).alert;
    const mutes = [{ entity: "company|basf", name: "BASF", by: "U1", at: late }];
    const filter = { include: [], exclude: ["Shell"] };
    expect(
      afterQuiet({ ...held, nextRun: early + hour, mutes }, early).decisions.map(({ entities }) => entities),
    ).toEqual([["company|shell"]]);
    const none = afterQuiet({ ...held, nextRun: early + hour, mutes, filter }, early);
    expect([none.decisions, none.alert.held]).toEqual([[], []]);
  });

  it.each([
    ["0 6 * * *", "22:00", "07:00", true],
    ["0 7 * * *", "22:00", "07:00", false],
    ["0 22 * * 1-5", "22:00", "07:00", true],
    ["*/15 * * * *", "22:00", "07:00", false],
    ["0 */12 * * *", "23:00", "13:00", true],
    ["30 12 1 * *", "12:00", "13:00", true],
    ["59 23 * * *", "12:00", "00:00", true],
    ["0 0 * * *", "12:00", "00:00", false],
    ["* * * * *", "00:00", "23:59", false],
  ])("are never over for what looks at %s from %s to %s: %s", (pattern, from, to, expected) => {
    const schedule = { pattern, zone: "Asia/Tokyo", words: "" };
    expect(isAlwaysQuiet({ schedule, quietHours: { from, to } })).toBe(expected);
    expect(isAlwaysQuiet({ schedule })).toBe(false);
  });
});
