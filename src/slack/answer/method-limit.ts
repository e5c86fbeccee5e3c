import type { Timer } from "../timer.ts";

/** What a call came to. */
export interface CallOutcome {
  /** Slack asked us to wait that long: it holds every such call of the workspace. */
  retryAfterMs?: number | undefined;
  /** No call was sent, so none of the budget is used up. */
  isFree?: true;
}

/** Slack counts a call when it arrives, we when it is answered; this much more and no clock is too fast. */
const windowMs = 60_250;
const dayMs = 24 * 60 * 60_000;

/**
 * What Slack takes of one method in any 60 seconds, in one workspace: the documented number. Where `learning` is given,
 * that grows by a tenth after a minute in which all of it was used, up to twice the number. A refusal has every limit
 * with the same `learning` fall back to the documented number for a day.
 */
export function createMethodLimit(timer: Timer, documented: number, learning?: { from: number }) {
  /** When the calls of the last minute were answered, oldest first. */
  const answered: number[] = [];
  let underway = 0;
  let heldUntil = Number.NEGATIVE_INFINITY;
  let learnt = documented;
  /** Since when all of it has been used. */
  let fullSince: number | undefined;

  function perMinute(): number {
    const now = timer.now();
    if (!learning || now < learning.from) {
      learnt = documented;
      fullSince = undefined;
    } else if (fullSince !== undefined && now >= fullSince + windowMs) {
      learnt = Math.min(2 * documented, Math.round(learnt * 1.1));
      fullSince = undefined;
    }
    return learnt;
  }

  function used(): number {
    while (answered[0] !== undefined && answered[0] <= timer.now() - windowMs) answered.shift();
    return underway + answered.length;
  }

  const spare = () => perMinute() - used();

  return {
    perMinute,
    /** Calls that can be made now. */
    spare,
    /** Of the calls of the last minute, how many can be made again within a time. */
    returning: (ms: number) => answered.filter((at) => at <= timer.now() + ms - windowMs).length,
    /** Milliseconds until a call can be made and so many more are left after it; endless until one that is under way ends. */
    delay(kept: number): number {
      if (timer.now() < heldUntil) return heldUntil - timer.now();
      const lacking = kept + 1 - spare();
      // One at a time beyond the documented number, so that finding Slack's limit costs one refusal.
      if (lacking <= 0) return used() >= documented && underway > 0 ? Number.POSITIVE_INFINITY : 0;
      const at = answered[lacking - 1];
      return at === undefined ? Number.POSITIVE_INFINITY : Math.max(1, at + windowMs - timer.now());
    },
    begin(): void {
      underway++;
    },
    end({ retryAfterMs = 0, isFree }: CallOutcome): void {
      underway--;
      const now = timer.now();
      if (!isFree) answered.push(now);
      if (retryAfterMs > 0) {
        if (learning) learning.from = now + dayMs;
        heldUntil = Math.max(heldUntil, now + retryAfterMs);
      } else if (spare() <= 0) fullSince ??= now;
    },
  };
}
