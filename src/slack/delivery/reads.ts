import { type Timer, pause, steady } from "../timer.ts";
import { rates } from "../text/limits.ts";
import { createRateLimiter, createReadLimiter } from "./rate-limiter.ts";
import { SlackRefused, refusalOf, waitMsOf } from "./refusal.ts";
import type { Call } from "./web-api.ts";

/** The number of attempts at a read that Slack wants later. */
const attemptsMost = 3;

export type Reads = ReturnType<typeof createReads>;

/** Reads one workspace's channels and threads: Slack counts them by method, whoever makes them, so each has one limiter. */
export function createReads(call: Call, timer: Timer, limiters = createLimiters(steady(timer))) {
  /**
   * Reads when there is room and more of it than people who wait need, and again if Slack wants it later. If somebody
   * waits, at once or not at all. Rejects with SlackRefused.
   */
  async function read(method: keyof typeof limiters, options: Record<string, unknown>, isAtOnce = false) {
    const limiter = limiters[method];
    const delayMs = () => Math.ceil(limiter.delayMs(isAtOnce ? 0 : rates.reads[method].keptForPeople));
    for (let attempt = isAtOnce ? attemptsMost : 1; ; attempt++) {
      if (isAtOnce && delayMs() > 0) throw new SlackRefused(method, "ratelimited", { retryAfterMs: delayMs() });
      while (delayMs() > 0) await pause(timer, delayMs());
      limiter.take();
      try {
        return await call(method, options);
      } catch (error) {
        const refused = refusalOf(method, error);
        if (refused.reaction === "wait") limiter.hold(waitMsOf(refused));
        if (refused.reaction !== "wait" || attempt >= attemptsMost) throw refused;
      }
    }
  }
  return { read, limiters };
}

const createLimiters = (timer: Timer) => ({
  "conversations.history": createReadLimiter(timer, rates.reads["conversations.history"]),
  "conversations.replies": createReadLimiter(timer, rates.reads["conversations.replies"]),
  "conversations.open": createRateLimiter(timer, rates.reads["conversations.open"]),
});
