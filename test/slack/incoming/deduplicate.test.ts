import { describe, expect, it } from "vitest";

import { createDeduplicator, createEventDeduplicator, eventMemoryMs } from "../../../src/slack/incoming/deduplicate.ts";
import { memory } from "../../support/builders.ts";
import { createClock, settled } from "../../support/clock.ts";

/** A process that remembers in these records; a second one is the same after a restart. */
function setUp(records: Parameters<typeof createEventDeduplicator>[0]["records"], timer = createClock()) {
  const warnings: string[] = [];
  const log = { warn: (event: string) => void warnings.push(event) };
  return { isDuplicate: createEventDeduplicator({ records, timer, log }), timer, warnings };
}

describe("an event", () => {
  it("is new once: of many that come at once, all but one are duplicates", async () => {
    const { isDuplicate } = setUp(memory<number>());
    expect(await Promise.all(["a", "a", "b", "a"].map((key) => isDuplicate(key)))).toEqual([false, true, false, true]);
    expect(await isDuplicate("a")).toBe(true);
  });

  it("is a duplicate after a restart, too, for an hour from the first time", async () => {
    const records = memory<number>();
    const before = setUp(records);
    await before.isDuplicate("a");
    await before.timer.advance(eventMemoryMs - 1);
    expect(await setUp(records, before.timer).isDuplicate("a")).toBe(true);
    await before.timer.advance(1);
    const after = setUp(records, before.timer);
    expect([await after.isDuplicate("a"), await after.isDuplicate("a")]).toEqual([false, true]);
  });

  it("is written down before anybody acts on it", async () => {
    const written: string[] = [];
    const kept = Promise.withResolvers<void>();
    const { isDuplicate } = setUp({
      get: async () => undefined,
      set: (key) => {
        written.push(key);
        return kept.promise;
      },
    });
    let answer: boolean | undefined;
    const asking = isDuplicate("a").then((found) => (answer = found));
    await Promise.resolve();
    await Promise.resolve();
    expect([written, answer]).toEqual([["a"], undefined]);
    kept.resolve();
    await asking;
    expect(answer).toBe(false);
  });

  it("comes again if a crash cut it off before it was prepared, and is new then", async () => {
    const records = memory<number>();
    const before = setUp(records);
    void before.isDuplicate("a", () => new Promise(() => undefined));
    await settled();
    expect(await setUp(records, before.timer).isDuplicate("a")).toBe(false);
  });

  it("that came already is not prepared again", async () => {
    const { isDuplicate } = setUp(memory<number>());
    let prepared = 0;
    const prepare = async () => void prepared++;
    expect([await isDuplicate("a", prepare), await isDuplicate("a", prepare)]).toEqual([false, true]);
    expect(prepared).toBe(1);
  });

  it.each([
    ["read", { ...memory<number>(), get: () => Promise.reject(new Error("disk")) }],
    ["written", { ...memory<number>(), set: () => Promise.reject(new Error("disk")) }],
  ])("is known to this process alone if the store cannot be %s, and the log says so", async (_, records) => {
    const { isDuplicate, warnings } = setUp(records);
    expect([await isDuplicate("a"), await isDuplicate("a")]).toEqual([false, true]);
    expect(warnings).toEqual(["event.record.failed"]);
  });
});

describe("a key that one process remembers", () => {
  it("is forgotten after its time, counted from the first", async () => {
    const clock = createClock();
    const isKnown = createDeduplicator(clock, 5_000);
    expect([isKnown("a"), isKnown("a"), isKnown("b")]).toEqual([false, true, false]);
    await clock.advance(5_000);
    expect(isKnown("a")).toBe(true);
    await clock.advance(1);
    expect([isKnown("a"), isKnown("a")]).toEqual([false, true]);
  });
});
