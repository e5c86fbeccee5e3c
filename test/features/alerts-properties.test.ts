import { describe, expect, it } from "vitest";

import type { Trend } from "../../src/apis/trend.ts";
import { type Alert, type State, entityKey, isSame } from "../../src/features/alerts/alert.ts";
import { type Outcome, evaluate } from "../../src/features/alerts/rule/evaluate.ts";
import { prepare } from "../../src/features/alerts/rule/prepare.ts";
import { ruleOf } from "../../src/features/alerts/rule/rule.ts";
import { now } from "../support/builders.ts";
import * as fc from "../support/property.ts";
import { alert, minute, posted, sample } from "./alerts-setting.ts";

const names = ["A", "B", "C", "D", "E", "F"];
const figure = fc.option(fc.double({ min: -2, max: 40, noNaN: true }), { nil: undefined });
const trends = fc.uniqueArray(
  fc.record({
    name: fc.constantFrom(...names),
    type: fc.constantFrom("Company", "Person"),
    mentions: fc.nat(40),
    average: figure,
    score: figure,
  }),
  { maxLength: 10, selector: entityKey },
);

interface Step {
  afterMs: number;
  reading: Trend[] | "unavailable";
  isPosted: boolean;
}

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    afterMs: fc.integer({ min: minute, max: 300 * minute }),
    reading: fc.oneof({ weight: 6, arbitrary: trends }, { weight: 1, arbitrary: fc.constant("unavailable" as const) }),
    isPosted: fc.boolean(),
  }),
  { maxLength: 40 },
);

const muted = { entity: entityKey({ name: "A", type: "Company" }), name: "A", by: "U1", at: now };

const first = fc
  .record({
    word: fc.constantFrom("quiet" as const, "balanced" as const, "eager" as const),
    isNew: fc.boolean(),
    isQuietAtNight: fc.boolean(),
    filter: fc.record({
      type: fc.constantFrom(undefined, "person", "Companies"),
      include: fc.subarray(names, { maxLength: 2 }),
      exclude: fc.subarray(names, { maxLength: 2 }),
    }),
  })
  .map(({ word, isNew, isQuietAtNight, filter }) =>
    alert({
      rule: ruleOf(word),
      filter,
      mutes: [muted],
      ...(isNew && { baseline: undefined }),
      ...(isQuietAtNight && { quietHours: { from: "22:00", to: "07:00" } }),
    }),
  );

interface Taken {
  before: Alert;
  reading: Trend[] | "unavailable";
  outcome: Outcome;
  /** When everything that was pending after it was posted; missing where it was not. */
  sentAt: number | undefined;
}

function taken(start: Alert, course: Step[]): Taken[] {
  let at = now;
  let before = start;
  return course.map(({ afterMs, reading, isPosted }) => {
    at += afterMs;
    const outcome = evaluate(before, reading === "unavailable" ? reading : prepare(sample(at, reading)), at);
    const step = { before, reading, outcome, sentAt: isPosted ? at : undefined };
    before = isPosted ? posted(outcome.alert, at) : outcome.alert;
    return step;
  });
}

const everyStep = (check: (step: Taken) => void) =>
  fc.assert(fc.property(first, steps, (start, course) => taken(start, course).forEach(check)));

const edges: Record<State, State[]> = {
  pending: ["pending", "new"],
  new: ["new", "continuing", "escalated", "cooling"],
  continuing: ["continuing", "escalated", "cooling"],
  escalated: ["escalated", "cooling"],
  cooling: ["cooling", "continuing", "escalated", "cooled"],
  cooled: ["cooled", "continuing", "escalated"],
};

describe("whatever the course of samples", () => {
  it("a service that does not answer changes nothing", () => {
    everyStep(({ before, reading, outcome }) => {
      const same = { alert: before, decisions: [], isNews: false };
      expect(reading === "unavailable" ? outcome : same).toEqual(same);
    });
  });

  it("an episode only ever goes on to a state that may follow", () => {
    everyStep(({ before, outcome }) => {
      for (const { entity, since, state } of outcome.alert.episodes) {
        const earlier = before.episodes.find((each) => each.entity === entity && each.since === since);
        const allowed = earlier ? edges[earlier.state] : (["pending", "new", "continuing"] as const);
        expect(allowed).toContain(state);
      }
    });
  });

  it("nobody is told of twice in one rise, but where it escalates", () => {
    fc.assert(
      fc.property(first, steps, (start, course) => {
        const told = new Map<string, number>();
        for (const { outcome, sentAt } of taken(start, course)) {
          if (sentAt === undefined) continue;
          const { pending, episodes } = outcome.alert;
          const telling = pending.filter(({ kind }) => kind === "rise" || kind === "several" || kind === "brief");
          for (const entity of telling.flatMap(({ entities }) => entities)) {
            const episode = episodes.find((each) => each.entity === entity);
            // What has rested before its message could be posted is not in it any more.
            if (!episode) continue;
            const rise = `${entity} ${episode.since}`;
            expect(episode.told?.at).toBeGreaterThan(told.get(rise) ?? 0);
            told.set(rise, sentAt);
          }
        }
      }),
    );
  });

  it("no two messages on their way tell of the same rise", () => {
    everyStep(({ outcome }) => {
      const telling = outcome.alert.pending.filter(({ kind }) => kind === "rise" || kind === "several");
      const entities = telling.flatMap((each) => each.entities);
      expect(new Set(entities).size).toBe(entities.length);
    });
  });

  it("an entity that is muted is in no message", () => {
    everyStep(({ outcome }) => {
      expect(outcome.decisions.flatMap(({ entities }) => entities)).not.toContain(muted.entity);
    });
  });

  it("nothing is told in quiet hours but that watching begins", () => {
    everyStep(({ before, outcome }) => {
      const { last, quietHours } = outcome.alert;
      const hourOfDay = new Date(last?.at ?? 0).getUTCHours();
      if (!quietHours || last === before.last || (hourOfDay >= 7 && hourOfDay < 22)) return;
      expect(outcome.decisions.filter(({ kind }) => kind !== "baseline")).toEqual([]);
    });
  });

  it("the order in which a service lists entities does not matter", () => {
    fc.assert(
      fc.property(first, steps, fc.nat(), (start, course, seed) => {
        const turned = course.map((step) => {
          if (step.reading === "unavailable") return step;
          const by = seed % Math.max(1, step.reading.length);
          return { ...step, reading: [...step.reading.slice(by), ...step.reading.slice(0, by)].toReversed() };
        });
        expect(taken(start, turned).at(-1)?.outcome).toEqual(taken(start, course).at(-1)?.outcome);
      }),
    );
  });

  it("what an alert keeps is bounded", () => {
    const eager = { ...ruleOf("eager"), restMs: 1e12 };
    const before = Array.from({ length: 400 }, (_, round) => {
      const reading = Array.from({ length: 20 }, (__, index) => ({ ...trendOf(`${round} ${index}`) }));
      return { afterMs: minute, reading, isPosted: round % 3 === 0 };
    });
    for (const { outcome } of taken(alert({ rule: eager }), before)) {
      expect(outcome.alert.episodes.length).toBeLessThanOrEqual(200);
      expect(outcome.alert.pending.length).toBeLessThanOrEqual(50);
    }
  });
});

function trendOf(name: string): Trend {
  return { name, type: "Company", mentions: 20, average: 2, score: 9 };
}

describe("two alerts", () => {
  it("are the same where they watch the same for the same place, however that is written", () => {
    const one = alert({ filter: { type: "Companies", include: ["BASF", "Shell"], exclude: [] } });
    const same = alert({ filter: { type: "company", include: ["shell", "basf", "BASF"], exclude: [] } });
    expect(isSame(one, same)).toBe(true);
    expect(isSame(one, { ...same, channel: "C2" })).toBe(false);
    expect(isSame(one, { ...same, filter: { ...same.filter, exclude: ["BP"] } })).toBe(false);
    expect(isSame(one, { ...same, filter: { ...same.filter, type: undefined } })).toBe(false);
  });
});
