import { describe, expect, it } from "vitest";

import { createMethodLimit } from "../../../src/slack/answer/method-limit.ts";
import { createClock } from "../../support/clock.ts";

const minuteMs = 60_000;

/** A limit of ten calls a minute; `use` makes as many as it lets at once, each answered. */
function setUp() {
  const clock = createClock();
  const learning = { from: 0 };
  const limit = createMethodLimit(clock, 10, learning);
  const other = createMethodLimit(clock, 10, learning);
  const use = (of = limit) => {
    let calls = 0;
    for (; of.delay(0) === 0; calls++) {
      of.begin();
      of.end({});
    }
    return calls;
  };
  /** Uses all of it for so many minutes, and gives how much that was in each. */
  const useFor = async (minutes: number, of = limit) => {
    const calls: number[] = [];
    for (let minute = 0; minute < minutes; minute++) {
      calls.push(use(of));
      await clock.advance(minuteMs + 500);
    }
    return calls;
  };
  return { clock, limit, other, use, useFor };
}

describe("what Slack takes of a method", () => {
  it("is at most the documented number in any 60 seconds", async () => {
    const { clock, use } = setUp();
    expect(use()).toBe(10);
    await clock.advance(minuteMs - 1);
    expect(use()).toBe(0);
    await clock.advance(500);
    expect(use()).toBeGreaterThanOrEqual(10);
  });

  it("grows by a tenth after each minute that used all of it, up to twice the number", async () => {
    const { useFor } = setUp();
    expect(await useFor(12)).toEqual([10, 11, 12, 13, 14, 15, 17, 19, 20, 20, 20, 20]);
  });

  it("does not grow after minutes that left some", async () => {
    const { clock, limit, use } = setUp();
    for (let minute = 0; minute < 5; minute++) {
      limit.begin();
      limit.end({});
      await clock.advance(minuteMs);
    }
    expect(use()).toBeLessThanOrEqual(10);
  });

  it("is the documented number again for a day after a refusal of any method of the workspace", async () => {
    const { clock, limit, other, use, useFor } = setUp();
    await useFor(5);
    other.begin();
    other.end({ retryAfterMs: 1_000 });
    expect(await useFor(5)).toEqual([10, 10, 10, 10, 10]);
    await clock.advance(24 * 60 * minuteMs);
    expect((await useFor(3)).at(-1)).toBe(12);
    expect(limit.perMinute()).toBeGreaterThan(10);
    expect(use()).toBeGreaterThan(10);
  });

  it("is tried by one call at a time beyond the documented number", async () => {
    const { limit, useFor } = setUp();
    await useFor(3);
    for (let call = 0; call < 10; call++) limit.begin();
    expect(limit.delay(0)).toBe(Number.POSITIVE_INFINITY);
    for (let call = 0; call < 10; call++) limit.end({});
    expect(limit.delay(0)).toBe(0);
    limit.begin();
    expect(limit.delay(0)).toBe(Number.POSITIVE_INFINITY);
  });

  it("waits as long as Slack asks", async () => {
    const { clock, limit } = setUp();
    limit.begin();
    limit.end({ retryAfterMs: 30_000 });
    await clock.advance(29_000);
    expect(limit.delay(0)).toBe(1_000);
  });
});
