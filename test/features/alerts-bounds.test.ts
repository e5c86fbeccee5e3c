import { describe, expect, it } from "vitest";

import { alertKind } from "../../src/features/alerts/kind.ts";
import { ruleOf } from "../../src/features/alerts/rule/rule.ts";
import { subscriptionFrom } from "../../src/features/subscriptions/entry.ts";
import { now } from "../support/builders.ts";

const schedule = { pattern: "0 * * * *", zone: "UTC", words: "hourly" };
const filter = { include: [], exclude: [] };

/** What becomes of an entry that holds this, or why it is refused. */
function taken(entry: Record<string, unknown>) {
  const common = { team: "T1", channel: "C1", maker: "U1", schedule, nextRun: now, state: "active" as const };
  return subscriptionFrom({ filter, rule: ruleOf("balanced"), ...entry }, alertKind.portable, common);
}

describe("an alert that is taken in", () => {
  it.each(["quiet", "balanced", "eager"] as const)("may be %s", (word) => {
    expect(taken({ rule: ruleOf(word) }).rule).toEqual(ruleOf(word));
  });

  it("keeps its quiet hours, and whom it does not tell of", () => {
    const quietHours = { from: "22:00", to: "07:00" };
    const mutes = [{ entity: "company|basf", name: "BASF", by: "U1", at: now }];
    expect(taken({ quietHours, mutes })).toMatchObject({ quietHours, mutes });
  });

  it.each<[string, Record<string, unknown>, RegExp]>([
    ["rises further with each look", { rule: { ...ruleOf("eager"), escalate: 0 } }, /`rule\.escalate`/],
    ["tells of a million at once", { rule: { ...ruleOf("eager"), most: 1_000_000 } }, /`rule\.most`/],
    ["cools backwards", { rule: { ...ruleOf("eager"), coolTicks: -1 } }, /`rule\.coolTicks`/],
    ["counts half looks", { rule: { ...ruleOf("eager"), ticks: 1.5 } }, /`rule\.ticks`/],
    [
      "has thousands of names",
      { filter: { include: Array.from({ length: 51 }, String), exclude: [] } },
      /`filter\.inc/,
    ],
    ["has a name of a page", { filter: { include: [], exclude: ["x".repeat(5_000)] } }, /`filter\.exclude\.0`/],
    ["has a name of nothing", { filter: { include: [" "], exclude: [] } }, /`filter\.include\.0`/],
    ["is quiet at no time of day", { quietHours: { from: "noon", to: "7" } }, /`quietHours\.from`/],
    ["was muted by nobody", { mutes: [{ entity: "a|b", name: "b", by: "<!here>", at: now }] }, /`mutes\.0\.by`/],
  ])("is refused where it %s", (_, entry, expected) => {
    expect(() => taken(entry)).toThrow(expected);
  });
});
