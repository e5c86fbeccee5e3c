import { type Timer, pause, steady } from "../timer.ts";
import { rates } from "../text/limits.ts";
import { createRateLimiter, createReadLimiter } from "./rate-limiter.ts";
import { SlackRefused, refusalOf, waitMsOf } from "./refusal.ts";
import type { Call } from "./web-api.ts";

type ReadMethod = keyof typeof rates.reads;
type Read = (method: ReadMethod, options: Record<string, unknown>) => ReturnType<Call>;

/** How often a read is made that Slack wants later. */
const attemptsMost = 3;

export type Reads = ReturnType<typeof createReads>;

/**
 * Reads of one workspace's channels and threads. Slack counts them by method, whoever makes them, so all of them go
 * through here: each method is kept to its rate, and not called for as long as Slack asks.
 */
export function createReads(call: Call, timer: Timer, limiters = createReadLimiters(timer)) {
  async function readNow(method: ReadMethod, options: Record<string, unknown>) {
    limiters[method].take();
    try {
      return await call(method, options);
    } catch (error) {
      const refused = refusalOf(method, error);
      if (refused.reaction === "wait") limiters[method].hold(waitMsOf(refused));
      throw refused;
    }
  }

  /** Reads at once, for somebody who waits; rejects with SlackRefused also where there is no room for it. */
  const now: Read = async (method, options) => {
    const retryAfterMs = limiters[method].delayMs();
    if (retryAfterMs > 0) throw new SlackRefused(method, "ratelimited", { retryAfterMs });
    return readNow(method, options);
  };

  /** Reads when there is room, and more of it than people who wait need; tried again where Slack wants it later. */
  const later: Read = async (method, options) => {
    const delayMs = () => Math.ceil(limiters[method].delayMs(rates.reads[method].keptForPeople));
    for (let attempt = 1; ; attempt++) {
      while (delayMs() > 0) await pause(timer, delayMs());
      try {
        return await readNow(method, options);
      } catch (error) {
        if (refusalOf(method, error).reaction !== "wait" || attempt === attemptsMost) throw error;
      }
    }
  };

  return { now, later, limiters };
}

function createReadLimiters(timer: Timer) {
  const paced = steady(timer);
  return {
    "conversations.history": createReadLimiter(paced, rates.reads["conversations.history"]),
    "conversations.replies": createReadLimiter(paced, rates.reads["conversations.replies"]),
    "conversations.open": createRateLimiter(paced, rates.reads["conversations.open"]),
  };
}
