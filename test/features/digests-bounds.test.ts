import { describe, expect, it } from "vitest";

import { digestKind } from "../../src/features/digests/kind.ts";
import { subscriptionFrom } from "../../src/features/subscriptions/entry.ts";
import { now } from "../support/builders.ts";

const schedule = { pattern: "0 * * * *", zone: "UTC", words: "hourly" };
const source = { kind: "search", query: "gold" };

/** What becomes of an entry that holds this, or why it is refused. */
function taken(entry: Record<string, unknown>) {
  const common = { team: "T1", channel: "C1", maker: "U1", schedule, nextRun: now, state: "active" as const };
  return subscriptionFrom({ source, ...entry }, digestKind.portable, common);
}

describe("a digest that is taken in", () => {
  it.each([
    [source],
    [{ kind: "channel", id: 501, name: "Gold wire" }],
    [{ kind: "collection", id: "col_1", name: "Gold desk" }],
    [{ kind: "jurisdiction", id: 7, name: "France" }],
    [{ kind: "trending", type: "Company" }],
  ])("may follow %j", (wanted) => {
    expect(taken({ source: wanted, look: { isCompact: true, empty: 5 } }).source).toEqual(wanted);
  });

  it.each<[string, Record<string, unknown>, RegExp]>([
    ["searches for nothing", { source: { kind: "search", query: " " } }, /`source\.query`/],
    ["searches for a page", { source: { kind: "search", query: "x".repeat(501) } }, /`source\.query`/],
    ["follows half a channel", { source: { kind: "channel", id: 1.5, name: "x" } }, /`source\.id`/],
    ["has a name of a page", { source: { kind: "channel", id: 1, name: "x".repeat(201) } }, /`source\.name`/],
    ["warns after years", { look: { empty: 1_000_000 } }, /`look\.empty`/],
  ])("is refused where it %s", (_, entry, expected) => {
    expect(() => taken(entry)).toThrow(expected);
  });
});
