import { describe, expect, it } from "vitest";

import { createHabits } from "../../src/slack/habits.ts";
import { createClock } from "../support/clock.ts";
import { array, assert, integer, property } from "../support/property.ts";

/** A workspace in which an answer has begun every three seconds, half a minute long. */
async function busy() {
  const clock = createClock();
  const habits = createHabits(clock);
  for (let answer = 0; answer < 11; answer++) {
    habits.arrive();
    if (answer < 10) await clock.advance(3_000);
  }
  return { clock, habits };
}

describe("what a workspace is used to", () => {
  it("expects answers to go on beginning as often as they did", async () => {
    const { habits } = await busy();
    expect(habits.coming(60_000)).toBeCloseTo(20);
  });

  it("expects next to none once nobody has come for half a minute", async () => {
    const { clock, habits } = await busy();
    await clock.advance(30_000);
    expect(habits.coming(60_000)).toBeLessThanOrEqual(3);
  });

  it("takes answers that begin together for one flock, which says nothing about the next", async () => {
    const clock = createClock();
    const habits = createHabits(clock);
    for (let answer = 0; answer < 20; answer++) {
      habits.arrive();
      await clock.advance(50);
    }
    expect(habits.coming(60_000)).toBe(0);
  });

  it("counts of a few very long answers only what falls into the time in question", () => {
    const habits = createHabits(createClock());
    for (let answer = 0; answer < 60; answer++) habits.learn(answer % 4 === 0 ? 200_000 : 5_000);
    expect(habits.remaining(0)).toBeGreaterThan(40_000);
    expect(habits.remaining(0, 20_000)).toBeLessThan(10_000);
  });

  it("never expects more of an answer within a time than that time, nor than within a longer one", () => {
    const ms = integer({ min: 1_000, max: 200_000 });
    assert(
      property(array(ms, { maxLength: 80 }), ms, ms, ms, (durations, age, one, other) => {
        const habits = createHabits(createClock());
        for (const duration of durations) habits.learn(duration);
        const [shorter, longer] = [Math.min(one, other), Math.max(one, other)];
        expect(habits.remaining(age, shorter)).toBeLessThanOrEqual(shorter + 1e-6);
        expect(habits.remaining(age, shorter)).toBeLessThanOrEqual(habits.remaining(age, longer) + 1e-6);
      }),
    );
  });
});
