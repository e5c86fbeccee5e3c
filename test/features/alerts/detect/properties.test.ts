import { describe, expect, it } from "vitest";

import type { AlertPost } from "../../../../src/features/alerts/posts.ts";
import { isUnsent } from "../../../../src/slack/delivery/outbox.ts";
import type { Trend } from "../../../../src/apis/article.ts";
import { type Alert, isSameAlert } from "../../../../src/features/alerts/alert.ts";
import type { IncidentState } from "../../../../src/features/alerts/detect/incident.ts";
import { sensitivities } from "../../../../src/features/alerts/detect/rule.ts";
import { now } from "../../../support/builders.ts";
import * as fc from "../../../support/property.ts";
import { alert, look, minute, posted, trend } from "../setting.ts";
import { entityKey } from "../../../../src/features/sources/samples.ts";

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
  trends: Trend[];
  isPosted: boolean;
}

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({ afterMs: fc.integer({ min: minute, max: 300 * minute }), trends, isPosted: fc.boolean() }),
  { maxLength: 40 },
);

const muted = { entity: entityKey({ name: "A", type: "Company" }), name: "A", by: "U1", at: now };

const first = fc
  .record({
    sensitivity: fc.constantFrom(...sensitivities),
    isNew: fc.boolean(),
    isQuietAtNight: fc.boolean(),
    filter: fc.record(
      {
        type: fc.constantFrom("person", "Companies"),
        include: fc.subarray(names, { maxLength: 2 }),
        exclude: fc.subarray(names, { maxLength: 2 }),
      },
      { requiredKeys: [] },
    ),
  })
  .map(({ sensitivity, isNew, isQuietAtNight, filter }) =>
    alert({
      options: { sensitivity, ...filter, ...(isQuietAtNight && { quietHours: { from: "22:00", to: "07:00" } }) },
      mutes: [muted],
      ...(isNew && { watchingSince: undefined }),
    }),
  );

interface Taken {
  before: Alert;
  outcome: ReturnType<typeof look>;
  at: number;
  isPosted: boolean;
}

function taken(start: Alert, course: Step[]): Taken[] {
  let at = now;
  let before = start;
  return course.map(({ afterMs, trends: seen, isPosted }) => {
    at += afterMs;
    const outcome = look(before, seen, at);
    const step = { before, outcome, at, isPosted };
    before = isPosted ? posted(outcome.alert, at) : outcome.alert;
    return step;
  });
}

const everyStep = (check: (step: Taken) => void) =>
  fc.assert(fc.property(first, steps, (start, course) => taken(start, course).forEach(check)));

const edges: Record<IncidentState, IncidentState[]> = {
  pending: ["pending", "firing"],
  firing: ["firing", "escalated", "resolved"],
  escalated: ["escalated", "resolved"],
  resolved: ["resolved", "firing", "escalated"],
};

describe("in any course of checks", () => {
  it("an incident only ever goes on to a state that may follow", () => {
    everyStep(({ before, outcome }) => {
      for (const { entity, since, state } of outcome.alert.incidents) {
        const earlier = before.incidents.find((each) => each.entity === entity && each.since === since);
        expect(earlier ? edges[earlier.state] : edges.pending).toContain(state);
      }
    });
  });

  it("no name is reported twice in one incident, unless it escalates", () => {
    fc.assert(
      fc.property(first, steps, (start, course) => {
        const reported = new Map<string, number>();
        for (const { outcome, at, isPosted } of taken(start, course)) {
          if (!isPosted) continue;
          const { posts, incidents } = outcome.alert;
          const isReport = ({ content: { kind }, ...post }: AlertPost) => !post.posted && kind === "firing";
          for (const entity of posts.filter(isReport).flatMap(({ content }) => content.entities)) {
            const incident = incidents.find((each) => each.entity === entity);
            // What has rested before its message could be posted is not in it any more.
            if (!incident) continue;
            const key = `${entity} ${incident.since}`;
            expect(incident.notified?.at).toBeGreaterThan(reported.get(key) ?? 0);
            reported.set(key, at);
          }
        }
      }),
    );
  });

  it("no two waiting messages report the same name", () => {
    everyStep(({ outcome }) => {
      const reports = outcome.alert.posts.filter((post) => isUnsent(post) && post.content.kind === "firing");
      const entities = reports.flatMap(({ content }) => content.entities);
      expect(new Set(entities).size).toBe(entities.length);
    });
  });

  it("an entity that is muted is in no message", () => {
    everyStep(({ outcome }) => {
      expect(outcome.posts.flatMap(({ content }) => content.entities)).not.toContain(muted.entity);
    });
  });

  it("the order in which a service lists entities does not matter", () => {
    fc.assert(
      fc.property(first, steps, fc.nat(), (start, course, seed) => {
        const turned = course.map((step) => {
          const by = seed % Math.max(1, step.trends.length);
          return { ...step, trends: [...step.trends.slice(by), ...step.trends.slice(0, by)].toReversed() };
        });
        expect(taken(start, turned).at(-1)?.outcome).toEqual(taken(start, course).at(-1)?.outcome);
      }),
    );
  });

  it("an alert keeps at most 200 incidents", () => {
    const rounds = Array.from({ length: 400 }, (_, round) => {
      const seen = Array.from({ length: 20 }, (__, index) => trend(`${round} ${index}`, { score: 9 }));
      return { afterMs: minute, trends: seen, isPosted: round % 3 === 0 };
    });
    for (const { outcome } of taken(alert({ options: { sensitivity: "eager", cooldownHours: 1e6 } }), rounds)) {
      expect(outcome.alert.incidents.length).toBeLessThanOrEqual(200);
    }
  });
});

describe("two alerts", () => {
  it("are the same where they watch the same for the same channel, however that is written", () => {
    const one = alert({ options: { type: "Companies", include: ["BASF", "Shell"], sensitivity: "quiet" } });
    const same = alert({ options: { type: "company", include: ["shell", "basf", "BASF"] } });
    expect(isSameAlert(one, same)).toBe(true);
    expect(isSameAlert(one, { ...same, channel: "C2" })).toBe(false);
    expect(isSameAlert(one, { ...same, options: { ...same.options, exclude: ["BP"] } })).toBe(false);
    expect(isSameAlert(one, { ...same, options: { include: ["shell", "basf"] } })).toBe(false);
  });
});
