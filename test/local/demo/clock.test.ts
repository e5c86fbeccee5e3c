import { describe, expect, it } from "vitest";

import { createDemoClock } from "../../../local/demo/clock.ts";
import { createSchedule } from "../../../src/schedule/schedule.ts";
import { createClock, settled } from "../../support/clock.ts";

const minute = 60_000;

describe("the clock of the demo", () => {
  it("runs at the machine’s pace, as far ahead or behind as it was set", async () => {
    const machine = createClock();
    const clock = createDemoClock(-5 * minute, machine);
    expect(clock.now() - machine.now()).toBe(-5 * minute);
    await machine.advance(1_000);
    clock.jump(7 * minute);
    expect([clock.now() - machine.now(), clock.offset()]).toEqual([2 * minute, 2 * minute]);
  });

  it("ends waits of a second or less when it jumps, and no longer ones", async () => {
    const machine = createClock();
    const clock = createDemoClock(0, machine);
    const calls: string[] = [];
    clock.after(1_000, () => calls.push("second"));
    clock.after(500, () => calls.push("first"));
    clock.after(10_000, () => calls.push("later"));
    const cancel = clock.after(1_000, () => calls.push("cancelled"));
    cancel();
    clock.jump(minute);
    expect(calls).toEqual(["first", "second"]);
    await machine.advance(minute);
    expect(calls).toEqual(["first", "second", "later"]);
  });

  it("runs the jobs that have become due as soon as it jumps", async () => {
    const machine = createClock();
    const clock = createDemoClock(0, machine);
    let runs = 0;
    const schedule = createSchedule(
      [{ name: "job", every: "0 0 1 1 *", atOnce: true, run: async () => void runs++ }],
      () => {},
      clock,
    );
    schedule.start();
    await settled();
    clock.jump(minute);
    expect(runs).toBe(2);
    await machine.advance(5_000);
    expect(runs).toBe(2);
    await schedule.stop();
  });
});
