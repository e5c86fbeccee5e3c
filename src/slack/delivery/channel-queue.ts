import { LRUCache } from "lru-cache";

import { rates } from "../text/limits.ts";
import type { Timer } from "../timer.ts";
import { type RateLimiter, createRateLimiter } from "./rate-limiter.ts";

/** The terms on which a post waits for its turn. */
export interface Waiting {
  /** Takes it back, as long as its turn has not come. */
  signal?: AbortSignal | undefined;
  /** True if it has nothing to say yet, so that others go first; asked whenever a turn is given. */
  canWait?: (() => boolean) | undefined;
  /** Nobody waits for it: it goes after all that people wait for, and at the workspace's pace. */
  isBackground?: true | undefined;
}

interface Waiter extends Pick<Waiting, "canWait"> {
  channel: string;
  pass: () => void;
}

/** Each post that is under way when the bot is killed has to be looked up at the next start. */
const backgroundAtOnce = 10;
/** Channels whose last post is further back than this many others have long had their second of rest. */
const channelsRemembered = 5_000;
/** Slack counts the posts of a workspace by the minute. */
const soonMs = 60_000;

/**
 * Decides when a post may be sent: in each channel a short burst, then one a second; of posts that nobody waits for also
 * no more than Slack takes in the workspace; none while Slack asks to wait.
 */
export function createChannelQueue(timer: Timer) {
  const channels = new LRUCache<string, RateLimiter>({ max: channelsRemembered });
  const workspace = createRateLimiter(timer, rates.backgroundPosts);
  const asked = new Set<Waiter>();
  const background = new Set<Waiter>();
  let backgroundUnderway = 0;
  let heldUntil = 0;
  let lastHeld = { channel: "", at: Number.NEGATIVE_INFINITY };
  let cancelWake: (() => void) | undefined;

  function limiterOf(channel: string): RateLimiter {
    const limiter = channels.get(channel) ?? createRateLimiter(timer, rates.channelPosts);
    channels.set(channel, limiter);
    return limiter;
  }

  function serve(): void {
    cancelWake?.();
    const heldMs = heldUntil - timer.now();
    const delayMs = heldMs > 0 ? heldMs : Math.min(serveAsked(), serveBackground());
    const isWaiting = asked.size + background.size > 0 && Number.isFinite(delayMs);
    cancelWake = isWaiting ? timer.after(Math.ceil(delayMs), serve) : undefined;
  }

  function serveAsked(): number {
    const { now = [], later = [] } = Object.groupBy(asked, ({ canWait }) => (canWait?.() ? "later" : "now"));
    let soonestMs = Number.POSITIVE_INFINITY;
    for (const waiter of [...now, ...later]) {
      const delayMs = limiterOf(waiter.channel).delayMs();
      if (delayMs > 0) soonestMs = Math.min(soonestMs, delayMs);
      else letPass(asked, waiter);
    }
    return soonestMs;
  }

  function serveBackground(): number {
    let soonestMs = Number.POSITIVE_INFINITY;
    for (const waiter of background) {
      if (backgroundUnderway >= backgroundAtOnce) return Number.POSITIVE_INFINITY;
      if (workspace.delayMs() > 0) return workspace.delayMs();
      const delayMs = limiterOf(waiter.channel).delayMs();
      if (delayMs > 0) {
        soonestMs = Math.min(soonestMs, delayMs);
        continue;
      }
      backgroundUnderway++;
      letPass(background, waiter);
    }
    return soonestMs;
  }

  function letPass(waiters: Set<Waiter>, waiter: Waiter): void {
    waiters.delete(waiter);
    workspace.take();
    limiterOf(waiter.channel).take();
    waiter.pass();
  }

  function turn(channel: string, { signal, canWait, isBackground }: Waiting): Promise<void> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiters = isBackground ? background : asked;
    const waiter = { channel, canWait, pass: resolve };
    const takeBack = () => {
      waiters.delete(waiter);
      reject(signal?.reason);
      serve();
    };
    waiters.add(waiter);
    signal?.addEventListener("abort", takeBack);
    serve();
    return promise.finally(() => signal?.removeEventListener("abort", takeBack));
  }

  return {
    /** Sends when it is this post's turn; rejects with the signal's reason if that comes before the turn. */
    async run<T>(channel: string, waiting: Waiting, send: () => Promise<T>): Promise<T> {
      await turn(channel, waiting);
      try {
        return await send();
      } finally {
        if (waiting.isBackground) backgroundUnderway--;
        serve();
      }
    },
    /** Lets nothing pass in a channel for a while, as Slack asks; in none, if it has just asked for another one, too. */
    hold(channel: string, ms: number): void {
      const now = timer.now();
      limiterOf(channel).hold(ms);
      const isSecond = lastHeld.channel !== channel && now - lastHeld.at < soonMs;
      if (isSecond) heldUntil = Math.max(heldUntil, now + ms);
      lastHeld = { channel, at: now };
    },
  };
}
