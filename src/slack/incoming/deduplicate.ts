import { LRUCache } from "lru-cache";
import { z } from "zod";

import type { Records } from "../records.ts";
import type { Timer } from "../timer.ts";
import { type Log, describe } from "../../log.ts";

const maxKeys = 20_000;

/** Remembers keys for a while in this process: false the first time that it is asked of a key, then true. */
export function createDeduplicator(timer: Pick<Timer, "now">, memoryMs: number): (key: string) => boolean {
  const keys = new LRUCache<string, true>({
    max: maxKeys,
    ttl: memoryMs,
    ttlResolution: 0,
    perf: timer,
  });
  return (key) => {
    if (keys.has(key)) return true;
    keys.set(key, true);
    return false;
  };
}

/** Slack redelivers an event for up to an hour; its schedule ends after about six minutes. */
export const eventMemoryMs = 60 * 60_000;

/** The time at which an event was first received, in epoch milliseconds. */
export const eventSchema: z.ZodType<number> = z.number();

interface DeduplicatorOptions {
  /** The times at which events were first received, in the store. */
  records: Pick<Records<number>, "get" | "set">;
  timer: Pick<Timer, "now">;
  log: Pick<Log, "warn">;
}

/**
 * Says whether an event came already, also before a restart; never rejects. For a new one, `prepare` is done before it
 * is written down that it came: if a crash cuts that off, the event is new when Slack sends it again.
 */
export type IsDuplicate = (key: string, prepare?: () => Promise<void>) => Promise<boolean>;

/**
 * An event is written down before anything is done about it, so that what a crash cuts off in between is not done
 * again: to ask twice is worse. If the store fails, this process alone remembers.
 */
export function createEventDeduplicator({ records, timer, log }: DeduplicatorOptions): IsDuplicate {
  const isKnown = createDeduplicator(timer, eventMemoryMs);
  const warn = (error: unknown) => log.warn("event.record.failed", { error: describe(error) });

  return async (key, prepare) => {
    // Before the store is asked, so that of two that come at once only one is the first.
    if (isKnown(key)) return true;
    let at: number | undefined;
    try {
      at = await records.get(key);
    } catch (error) {
      warn(error);
    }
    if (at !== undefined && at > timer.now() - eventMemoryMs) return true;
    await prepare?.();
    await records.set(key, timer.now()).catch(warn);
    return false;
  };
}

/** Begins work on a thing, by its key; the result says whether none began on it later, which makes this out of date. */
export function createLatest() {
  const latest = new LRUCache<string, symbol>({ max: maxKeys });
  return (key: string): (() => boolean) => {
    const work = Symbol(key);
    latest.set(key, work);
    return () => latest.get(key) === work;
  };
}
