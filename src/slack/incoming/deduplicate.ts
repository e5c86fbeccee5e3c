import { z } from "zod";

import type { Timer } from "../timer.ts";
import { type Log, describe } from "../../log.ts";

const capacity = 20_000;

/** Remembers keys for `memoryMs` from the first time: false then, true until they are forgotten. */
export function createSeen(timer: Timer, memoryMs: number): (key: string) => boolean {
  const since = new Map<string, number>();
  return (key) => {
    const now = timer.now();
    for (const [oldest, at] of since) {
      if (at > now - memoryMs && since.size <= capacity) break;
      since.delete(oldest);
    }
    if (since.has(key)) return true;
    since.set(key, now);
    return false;
  };
}

/** When something was first seen, in epoch milliseconds. */
export const seenSchema: z.ZodType<number> = z.number();

interface Kept {
  records: {
    get(key: string): Promise<number | undefined>;
    set(key: string, at: number): Promise<void>;
  };
  log: Pick<Log, "warn">;
}

/** Says whether a key came already. */
export type Seen = (key: string) => Promise<boolean>;

/**
 * The same across restarts, never rejecting: it is written down before anybody acts on the answer. So what a crash
 * cuts off in between is not done again; asked twice is worse. With the store out of order, this process remembers.
 */
export function createLastingSeen(timer: Timer, memoryMs: number, { records, log }: Kept): Seen {
  const seen = createSeen(timer, memoryMs);
  return async (key) => {
    // Before the store is asked, so that of two that come at once only one is the first.
    if (seen(key)) return true;
    try {
      const at = await records.get(key);
      if (at !== undefined && at > timer.now() - memoryMs) return true;
      await records.set(key, timer.now());
    } catch (error) {
      log.warn("seen.unnoted", { error: describe(error) });
    }
    return false;
  };
}
