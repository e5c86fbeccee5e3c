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

  async function take(): Promise<void> {
    for (;;) {
      const now = timer.now();
      refill(now);
      const wait = Math.max(heldUntil - now, (1 - tokens) * rates.postIntervalMs);
      if (wait <= 0) break;
      await new Promise<void>((resolve) => timer.after(Math.ceil(wait), resolve));
    }
    tokens--;
    waiting--;
  }

  return {
    /** Resolves when it is this caller's turn. */
    turn(): Promise<void> {
      waiting++;
      tail = tail.then(take);
      return tail;
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
