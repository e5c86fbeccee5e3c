import { describe, expect, it } from "vitest";

import { outdated } from "../../src/features/alerts/post/compose.ts";
import { muted } from "../../src/features/alerts/rule/mute.ts";
import { ruleOf } from "../../src/features/alerts/rule/rule.ts";
import { now } from "../support/builders.ts";
import { alert, course, hour, inShort, minute, trend } from "./alerts-setting.ts";

const day = 24 * hour;
const basf = trend("BASF");
const mute = { entity: "company|basf", name: "BASF", by: "U1" };
const rest = ruleOf("balanced").restMs;

describe("a clock that was ahead for a while and is right again", () => {
  it("has ended no mute early", () => {
    const first = alert({ mutes: [{ ...mute, at: now, until: now + 7 * day }] });
    const ahead = course(first, [[], []], now + 10 * day).alert;
    expect(course(ahead, [[basf], [basf], [basf]], now + minute).decisions.flat()).toEqual([]);
  });

  it("leaves a mute that was set meanwhile as long as it was meant to be", () => {
    const first = muted(alert(), { ...mute, at: now + 30 * day, until: now + 30 * day + hour });
    const right = course(first, [[]]).alert;
    expect(right.mutes).toEqual([{ ...mute, at: now, until: now + hour }]);
    const forGood = muted(alert(), { ...mute, at: now + 30 * day });
    expect(course(forGood, [[]]).alert.mutes).toEqual([{ ...mute, at: now }]);
  });

  it("shortens no mute where it was only set back by an hour, as it is between two zones", () => {
    const first = alert({ mutes: [{ ...mute, at: now, until: now + day }] });
    expect(course(first, [[]], now - hour).alert.mutes).toEqual(first.mutes);
  });

  it("lets what has cooled meanwhile rest from now on, and no longer", () => {
    const risen = course(alert(), [[basf], [basf]]).alert;
    const ahead = course(risen, [[], [], []], now + 20 * hour).alert;
    expect(ahead.episodes).toMatchObject([{ state: "cooled" }]);
    const right = course(ahead, [[]], now + 5 * minute).alert;
    expect(right.episodes).toMatchObject([{ state: "cooled", changedAt: now + 5 * minute }]);
    const after = course(right, [[], [basf], [basf]], now + rest + hour);
    expect(after.decisions.map(inShort)).toEqual([[], [], ["rise basf"]]);
  });

  it("has left no time behind that is yet to come", () => {
    const ahead = course(alert(), [[basf], [basf], [basf, trend("Shell")], [trend("Shell")]], now + 30 * day).alert;
    const right = course(ahead, [[basf]], now).alert;
    const times = [...JSON.stringify(right.episodes).matchAll(/"(?:at|since|changedAt)":(\d+)/g)].map(([, at]) =>
      Number(at),
    );
    expect(Math.max(...times)).toBe(now);
  });

  it("tells nothing again", () => {
    const ahead = course(alert(), [[basf], [basf], [basf]], now + 30 * day);
    expect(ahead.decisions.flat()).toHaveLength(1);
    expect(course(ahead.alert, [[basf], [basf], [basf]], now).decisions.flat()).toEqual([]);
  });

  it("does not keep a message from being rewritten", () => {
    const risen = course(alert(), [[basf], [basf]]).alert;
    const late = { ...risen, episodes: risen.episodes.map((each) => ({ ...each, state: "continuing" as const })) };
    const ahead = late.episodes.map((each) => ({ ...each, shown: each.shown && { ...each.shown, at: now + day } }));
    expect(outdated({ ...late, episodes: ahead }, now + 2 * minute)).toHaveLength(1);
  });
});
