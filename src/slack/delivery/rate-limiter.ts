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
    /** Milliseconds until the next call may be made; 0 where it may be made now. */
    delayMs: (): number => Math.max(0, fullAt - (burst - 1) * intervalMs - timer.now()),
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
