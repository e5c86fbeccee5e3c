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
const dayMs = 24 * 60 * 60_000;
/** A busy minute uses so much: answers spread their calls, and keep some of them for their last states. */
const busyShare = 0.75;

/**
 * The number of calls of one method that Slack takes in any 60 seconds, in one workspace: at first, the documented one.
 * It grows by a tenth after a busy minute, up to twice the number, because Slack may also mean a bucket that holds the
 * documented number and is filled evenly: such a bucket takes twice as many in some minutes, and what it would refuse
 * is never tried. A refusal has every limit with the same `learning` fall back to the documented number for a day.
 */
export function createMethodLimit(timer: Timer, documented: number, learning: { from: number }) {
  /** The times at which the calls of the last minute were answered, oldest first. */
  const answered: number[] = [];
  /** The content of the bucket when the last call was answered. */
  let bucket = { calls: documented, at: timer.now() };
  let underway = 0;
  let heldUntil = Number.NEGATIVE_INFINITY;
  let learnt = documented;
  let busySince: number | undefined;

  function perMinute(): number {
    const now = timer.now();
    if (now < learning.from) {
      learnt = documented;
      busySince = undefined;
    } else if (busySince !== undefined && now >= busySince + windowMs) {
      learnt = Math.min(2 * documented, Math.round(learnt * 1.1));
      busySince = undefined;
    }
    return learnt;
  }

  /** Calls of the 60 seconds before a time that has not passed yet. */
  function used(at = timer.now()): number {
    while (answered[0] !== undefined && answered[0] <= timer.now() - windowMs) answered.shift();
    return underway + answered.filter((time) => time > at - windowMs).length;
  }

  const inBucket = (at: number) => Math.min(documented, bucket.calls + ((at - bucket.at) * documented) / windowMs);

  /** The time at which so many calls can be made; endless until one that is under way ends. */
  function readyAt(calls: number): number {
    const excess = used() + calls - perMinute();
    const oldest = excess > 0 ? (answered[excess - 1] ?? Number.POSITIVE_INFINITY) : Number.NEGATIVE_INFINITY;
    const lacking = underway + calls - bucket.calls;
    const filledAt = underway + calls > documented ? Number.POSITIVE_INFINITY : (lacking * windowMs) / documented;
    return Math.max(oldest + windowMs, bucket.at + filledAt);
  }

  return {
    /** Calls that can be made now, or within a time. */
    spare(withinMs = 0): number {
      const at = timer.now() + withinMs;
      return Math.min(perMinute() - used(at), Math.floor(inBucket(at)) - underway);
    },
    /** Milliseconds until a call can be made and so many more are left after it; endless until one that is under way ends. */
    delay(kept: number): number {
      const now = timer.now();
      if (now < heldUntil) return heldUntil - now;
      const wait = Math.ceil(readyAt(kept + 1) - now);
      // One at a time beyond the documented number, so that finding Slack's limit costs one refusal.
      if (wait <= 0) return used() >= documented && underway > 0 ? Number.POSITIVE_INFINITY : 0;
      return wait;
    },
    begin(): void {
      underway++;
    },
    end({ retryAfterMs = 0, isFree }: CallOutcome): void {
      underway--;
      const now = timer.now();
      if (!isFree) {
        answered.push(now);
        bucket = { calls: inBucket(now) - 1, at: now };
      }
      if (retryAfterMs > 0) {
        learning.from = now + dayMs;
        heldUntil = Math.max(heldUntil, now + retryAfterMs);
      } else if (used() >= busyShare * perMinute()) busySince ??= now;
    },
  };
}
