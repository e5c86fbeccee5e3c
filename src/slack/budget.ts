import type { Timer } from "./timer.ts";
import type { Outcome } from "./pacer.ts";

/** How close to its limit a budget goes: never over it however Slack counts, or as far as a bucket that refills lets it. */
export type Pace = "strict" | "bold";

export type Budget = ReturnType<typeof createBudget>;

/** Slack counts a call when it arrives, we when it is answered; this much more and no clock is too fast. */
const windowMs = 60_250;
/** Kept in the bucket, because calls do not arrive as evenly as they are sent. */
const bucketMargin = 1;

interface BudgetOptions {
  perMinute: number;
  pace: Pace;
}

/**
 * Counts the calls of one method, and says how many more Slack surely takes: at most `perMinute` in any 60 seconds. A
 * bold one takes it that what is unused refills evenly, until Slack refuses a call; from then on it is strict.
 */
export function createBudget(timer: Timer, { perMinute, pace: first }: BudgetOptions) {
  /** When the calls of the last minute were answered, oldest first. */
  const spent: number[] = [];
  let underway = 0;
  let heldUntil = 0;
  let pace = first;
  let tokens = perMinute;
  let countedAt = timer.now();

  function count(now = timer.now()): void {
    while (spent[0] !== undefined && spent[0] <= now - windowMs) spent.shift();
    tokens = Math.min(perMinute, tokens + ((now - countedAt) * perMinute) / windowMs);
    countedAt = now;
  }

  function spare(): number {
    count();
    return pace === "bold" ? Math.floor(tokens - bucketMargin) : perMinute - underway - spent.length;
  }

  /** Milliseconds until so many calls that are spent by now can be made again. */
  function untilBack(calls: number): number {
    if (pace === "bold") return Math.max(1, ((calls - (tokens - bucketMargin)) * windowMs) / perMinute);
    const at = spent[calls - spare() - 1];
    return at === undefined ? Number.POSITIVE_INFINITY : Math.max(1, at + windowMs - timer.now());
  }

  return {
    /** Calls that can be made now. */
    spare,
    /** Milliseconds until calls that are not made are lost, because no more of them can be saved; endless in a window. */
    untilFull(): number {
      const fullAt = countedAt + ((perMinute - tokens) * windowMs) / perMinute;
      return pace === "bold" ? Math.ceil(fullAt - timer.now()) : Number.POSITIVE_INFINITY;
    },
    /** Of the calls that are spent, how many can be made again within a time. */
    returning(ms: number): number {
      if (pace === "bold") return (ms * perMinute) / windowMs;
      const until = timer.now() + ms - windowMs;
      return spent.filter((at) => at <= until).length;
    },
    /** Milliseconds until a call can be made and so many more are left after it; endless where nothing comes back. */
    delay(kept: number): number {
      if (timer.now() < heldUntil) return heldUntil - timer.now();
      return spare() > kept ? 0 : untilBack(kept + 1);
    },
    begin(): void {
      count();
      underway++;
      tokens--;
    },
    end({ retryAfterMs = 0, isFree }: Outcome): void {
      underway--;
      if (isFree) tokens++;
      else spent.push(timer.now());
      if (retryAfterMs > 0) pace = "strict";
      heldUntil = Math.max(heldUntil, timer.now() + retryAfterMs);
    },
  };
}
