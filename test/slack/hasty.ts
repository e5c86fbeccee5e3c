import type { Timer } from "../../src/slack/timer.ts";

/** A timer on which every pause passes at once, and adds to the time. */
export interface HastyTimer extends Timer {
  /** The pauses asked for so far, in milliseconds. */
  pauses: number[];
  /** Lets time pass. */
  skip(ms: number): void;
}

/** A timer for what waits between calls of real I/O. */
export function createHastyTimer(): HastyTimer {
  let time = Date.UTC(2026, 0, 5, 12);
  const pauses: number[] = [];
  return {
    pauses,
    now: () => time,
    skip: (ms) => void (time += ms),
    after(ms, call) {
      pauses.push(ms);
      const immediate = setImmediate(call);
      return () => clearImmediate(immediate);
    },
  };
}
