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
  const use = () => {
    let calls = 0;
    for (; limit.delay(0) === 0; calls++) {
      limit.begin();
      limit.end({});
    }
    return calls;
  };
  /** Uses all that it lets for so many minutes, and gives how much that was in each. */
  const useFor = async (minutes: number) => {
    const calls: number[] = [];
    for (let second = 0; second < minutes * 60; second++) {
      const minute = Math.floor(second / 60);
      calls[minute] = (calls[minute] ?? 0) + use();
      await clock.advance(minuteMs / 60 + 10);
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
    expect(use()).toBe(10);
  });

  it("grows by a tenth after each busy minute, up to twice the number, less what a bucket would refuse", async () => {
    const { clock, use, useFor } = setUp();
    const calls: number[] = [];
    for (let round = 0; round < 12; round++) {
      calls.push(...(await useFor(1)));
      await clock.advance(minuteMs);
    }
    expect(calls).toEqual([10, 11, 12, 13, 14, 15, 17, 19, 19, 19, 19, 19]);
    expect(use()).toBe(10);
  });

  it("does not grow after minutes that left some", async () => {
    const { clock, limit, useFor } = setUp();
    for (let minute = 0; minute < 5; minute++) {
      for (let call = 0; call < 7; call++) limit.begin();
      for (let call = 0; call < 7; call++) limit.end({});
      await clock.advance(minuteMs + 500);
    }
    expect(await useFor(1)).toEqual([10]);
  });

  it("is the documented number again for a day after a refusal of any method of the workspace", async () => {
    const { clock, other, useFor } = setUp();
    await useFor(5);
    other.begin();
    other.end({ retryAfterMs: 1_000 });
    await clock.advance(2 * minuteMs);
    expect(await useFor(4)).toEqual([10, 10, 10, 10]);
    await clock.advance(24 * 60 * minuteMs);
    expect((await useFor(3)).at(-1)).toBeGreaterThan(10);
  });

  it("is tried by one call at a time beyond the documented number", async () => {
    const { clock, limit, use, useFor } = setUp();
    await useFor(3);
    await clock.advance(minuteMs + 500);
    expect(use()).toBe(10);
    await clock.advance(minuteMs / 4);
    limit.begin();
    expect(limit.delay(0)).toBe(Number.POSITIVE_INFINITY);
    limit.end({});
    expect(limit.delay(0)).toBe(0);
  });

  it("waits as long as Slack asks", async () => {
    const { clock, limit } = setUp();
    limit.begin();
    limit.end({ retryAfterMs: 30_000 });
    await clock.advance(29_000);
    expect(limit.delay(0)).toBe(1_000);
  });
});
