import { describe, expect, it } from "vitest";

import { createLastingSeen, seenSchema } from "../../../src/slack/incoming/deduplicate.ts";
import { openStore } from "../../../src/store/store.ts";
import { memory } from "../../support/builders.ts";
import { createClock } from "../../support/clock.ts";

const hour = 60 * 60_000;

/** A process that remembers in these records; a second one is the same after a restart. */
function setUp(records: Parameters<typeof createLastingSeen>[2]["records"], clock = createClock()) {
  const warnings: string[] = [];
  const log = { warn: (event: string) => void warnings.push(event) };
  return { seen: createLastingSeen(clock, hour, { records, log }), clock, warnings };
}

describe("what was seen, across restarts,", () => {
  it("is known once it was asked for, of many that ask at once to all but one", async () => {
    const { seen } = setUp(memory<number>());
    expect(await Promise.all([seen("a"), seen("a"), seen("b"), seen("a")])).toEqual([false, true, false, true]);
    expect(await seen("a")).toBe(true);
  });

  it("is known after a restart, for an hour from the first time", async () => {
    const records = memory<number>();
    const before = setUp(records);
    await before.seen("a");
    await before.clock.advance(hour - 1);
    expect(await setUp(records, before.clock).seen("a")).toBe(true);
    await before.clock.advance(1);
    const after = setUp(records, before.clock);
    expect([await after.seen("a"), await after.seen("a")]).toEqual([false, true]);
  });

  it("is written down before anybody acts on it", async () => {
    const written: string[] = [];
    const kept = Promise.withResolvers<void>();
    const { seen } = setUp({
      get: async () => undefined,
      set: (key) => {
        written.push(key);
        return kept.promise;
      },
    });
    let answer: boolean | undefined;
    const asking = seen("a").then((was) => (answer = was));
    await Promise.resolve();
    await Promise.resolve();
    expect([written, answer]).toEqual([["a"], undefined]);
    kept.resolve();
    await asking;
    expect(answer).toBe(false);
  });

  it.each([
    ["read", { ...memory<number>(), get: () => Promise.reject(new Error("disk")) }],
    ["written", { ...memory<number>(), set: () => Promise.reject(new Error("disk")) }],
  ])("is known to this process alone where the store cannot be %s, and the operator is told", async (_, records) => {
    const { seen, warnings } = setUp(records);
    expect([await seen("a"), await seen("a")]).toEqual([false, true]);
    expect(warnings).toEqual(["seen.unnoted"]);
  });

  it("outlives the process in the store", async () => {
    const store = await openStore("sqlite::memory:");
    const records = store.collection("seen", seenSchema, { ttlMs: hour });
    const clock = createClock(Date.now());
    expect(await setUp(records, clock).seen("T1 C1 100.1")).toBe(false);
    expect(await setUp(records, clock).seen("T1 C1 100.1")).toBe(true);
    await store.close();
  });
});
