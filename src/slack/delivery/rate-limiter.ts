import type { Timer } from "../timer.ts";

interface RateLimiterOptions {
  burst: number;
  intervalMs: number;
}

export type RateLimiter = ReturnType<typeof createRateLimiter>;

/**
 * Lets a short burst of calls pass, then one per interval: a token bucket. The time at which the bucket is full again is
 * all of its state. In any stretch of time pass at most the burst and one call per interval.
 */
export function createRateLimiter(timer: Timer, { burst, intervalMs }: RateLimiterOptions) {
  let fullAt = 0;
  return {
    /** Milliseconds until the next call may be made and so many more could be; 0 if it may be made now. */
    delayMs: (kept = 0): number => Math.max(0, fullAt - (burst - 1 - kept) * intervalMs - timer.now()),
    /** Counts a call. */
    take(): void {
      fullAt = Math.max(fullAt, timer.now()) + intervalMs;
    },
    /** Lets nothing pass for a while; then one call per interval at first. */
    hold(ms: number): void {
      fullAt = Math.max(fullAt, timer.now() + ms + (burst - 1) * intervalMs);
    },
  };
}

const minuteMs = 60_000;
/** Slack refuses so few reads in a minute only if it takes one. */
const fewReads = 5;
/** So long a read a minute is enough; then it is tried again whether Slack takes more. */
const slowMs = 10 * minuteMs;

/**
 * The same for reads of histories and threads: of an app that is sold outside of its Marketplace, Slack takes one a
 * minute. If it refuses one of the first few in a minute, one a minute pass for a while.
 */
export function createReadLimiter(timer: Timer, options: RateLimiterOptions): RateLimiter {
  const limiter = createRateLimiter(timer, options);
  /** The times of the latest few calls, the oldest first. */
  const latest: number[] = [];
  let slowUntil = Number.NEGATIVE_INFINITY;
  return {
    // If there is one read a minute, nothing can be kept.
    delayMs: (kept) => limiter.delayMs(timer.now() < slowUntil ? 0 : kept),
    take() {
      const now = timer.now();
      latest.push(now);
      if (latest.length > fewReads) latest.shift();
      if (now < slowUntil) limiter.hold(minuteMs);
      else limiter.take();
    },
    hold(ms) {
      limiter.hold(ms);
      const [oldest = 0] = latest;
      if (latest.length < fewReads || oldest < timer.now() - minuteMs) slowUntil = timer.now() + slowMs;
    },
  };
}
