import type { Timer } from "../timer.ts";

/** The outcome of a call. */
export interface CallOutcome {
  /** Slack asked us to wait that long: it holds every such call of the workspace. */
  retryAfterMs?: number | undefined;
  /** No call was sent, so none of the budget is used up. */
  isFree?: true;
}

/** Slack counts a call when it arrives, we when it is answered; this much more and no clock is too fast. */
const windowMs = 60_250;

/**
 * The calls of one method that Slack takes in any 60 seconds, in one workspace: the documented number, which a bucket that
 * holds so many and is filled evenly takes as well.
 */
export function createMethodLimit(timer: Timer, perMinute: number) {
  /** The times at which the calls of the last minute were answered, oldest first. */
  const answered: number[] = [];
  let underway = 0;
  let heldUntil = Number.NEGATIVE_INFINITY;

  /** Calls of the 60 seconds before a time that has not passed yet. */
  function used(at = timer.now()): number {
    while (answered[0] !== undefined && answered[0] <= timer.now() - windowMs) answered.shift();
    return underway + answered.filter((time) => time > at - windowMs).length;
  }

  return {
    /** Calls that can be made now, or within a time. */
    spare: (withinMs = 0): number => perMinute - used(timer.now() + withinMs),
    /** Milliseconds until a call can be made and so many more are left after it; endless until one that is under way ends. */
    delay(kept: number): number {
      const now = timer.now();
      if (now < heldUntil) return heldUntil - now;
      const excess = used() + kept + 1 - perMinute;
      return excess > 0 ? (answered[excess - 1] ?? Number.POSITIVE_INFINITY) + windowMs - now : 0;
    },
    begin(): void {
      underway++;
    },
    end({ retryAfterMs = 0, isFree }: CallOutcome): void {
      underway--;
      const now = timer.now();
      if (!isFree) answered.push(now);
      if (retryAfterMs > 0) heldUntil = Math.max(heldUntil, now + retryAfterMs);
    },
  };
}
