import { rates } from "./limits.ts";
import type { Timer } from "./pacer.ts";

/** The lanes of a workspace's channels; one that has rested is forgotten. */
export function createLanes(timer: Timer): (channel: string) => PostLane {
  const lanes = new Map<string, PostLane>();
  return (channel) => {
    const known = lanes.get(channel);
    if (known) return known;
    for (const [other, lane] of lanes) if (lane.isRested()) lanes.delete(other);
    const lane = createLane(timer);
    lanes.set(channel, lane);
    return lane;
  };
}

type PostLane = ReturnType<typeof createLane>;

/** Lets posts to one channel pass at Slack's pace: a short burst, then one a second. */
function createLane(timer: Timer) {
  let tokens: number = rates.postBurst;
  let countedAt = timer.now();
  let tail = Promise.resolve();
  let waiting = 0;
  let heldUntil = 0;

  function refill(now: number): void {
    tokens = Math.min(rates.postBurst, tokens + (now - countedAt) / rates.postIntervalMs);
    countedAt = now;
  }

  async function take(signal?: AbortSignal): Promise<void> {
    try {
      for (;;) {
        signal?.throwIfAborted();
        const now = timer.now();
        refill(now);
        const wait = Math.max(heldUntil - now, (1 - tokens) * rates.postIntervalMs);
        if (wait <= 0) break;
        await pause(Math.ceil(wait), signal);
      }
      tokens--;
    } finally {
      waiting--;
    }
  }

  async function pause(ms: number, signal?: AbortSignal): Promise<void> {
    const over = Promise.withResolvers<void>();
    const cancel = timer.after(ms, over.resolve);
    await abortable(over.promise, signal).finally(cancel);
  }

  return {
    /** Resolves when it is this caller's turn; rejects with the signal's reason, at once, where that comes first. */
    turn(signal?: AbortSignal): Promise<void> {
      waiting++;
      const taken = tail.then(() => take(signal));
      tail = taken.catch(() => undefined);
      return abortable(taken, signal);
    },
    /** Lets nothing pass for a while. */
    hold(ms: number): void {
      heldUntil = Math.max(heldUntil, timer.now() + ms);
    },
    /** Whether a new lane would be no different. */
    isRested(): boolean {
      const now = timer.now();
      refill(now);
      return waiting === 0 && heldUntil <= now && tokens >= rates.postBurst;
    },
  };
}

/** What the work comes to, or a rejection with the signal's reason where that is first. */
async function abortable<T>(work: Promise<T>, signal?: AbortSignal): Promise<T> {
  if (!signal) return work;
  const ended = Promise.withResolvers<never>();
  const onAbort = () => ended.reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([work, ended.promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
