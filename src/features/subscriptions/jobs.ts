import { LRUCache } from "lru-cache";
import PQueue from "p-queue";

import { type Api, UsageError } from "../../apis/errors.ts";
import { nextRuns } from "../../schedule/runs.ts";
import type { Health } from "../account/health.ts";
import { type Subscription, earlyMs, subscriptionKey } from "./model.ts";
import type { Subscriptions } from "./store.ts";

/** Lets so many works pass at a time. */
export type ConcurrencyLimit = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * A gate that lets whatever else is waiting, for instance somebody's command, go first after each work: thousands of
 * messages that are due at once hold up nobody.
 */
export function createConcurrencyLimit(width: number): ConcurrencyLimit {
  const queue = new PQueue({ concurrency: width });
  return (work) =>
    queue.add(async () => {
      try {
        return await work();
      } finally {
        await new Promise((resolve) => void setImmediate(resolve));
      }
    });
}

/** The work of a key, which is done once. */
export function memoize<K, T>(known: Map<K, Promise<T>>, key: K, work: () => Promise<T>): Promise<T> {
  const underWay = known.get(key) ?? work();
  known.set(key, underWay);
  return underWay;
}

const minuteMs = 60_000;
const longestMs = 30 * minuteMs;
/** Reads take their time, and jobs run on the minute. */
const roundMs = minuteMs / 2;
const waitsMost = 20_000;

/**
 * Backoff for a subscription whose source can't be read, or whose result can't be written down: twice as
 * long after each failure, half an hour at most, and never beyond the next time that was promised.
 * In memory only: somebody who starts the bot anew has mended something.
 */
function createBackoff() {
  const waits = new LRUCache<string, { tries: number; until: number }>({ max: waitsMost });
  /** The key of one run: the next run and a changed subscription have another one, so that they're read at once. */
  const keyOf = (subscription: Subscription) =>
    `${subscriptionKey(subscription)} ${subscription.nextRun} ${subscription.changed[0]?.at ?? 0}`;

  /** True if it's too early to read again. */
  function isWaiting(subscription: Subscription, now: number): boolean {
    return now + earlyMs < (waits.get(keyOf(subscription))?.until ?? 0);
  }

  return {
    /** Takes note of a failure; what fails while it waits is the same failure. */
    failed(subscription: Subscription, now: number): void {
      if (isWaiting(subscription, now)) return;
      const { tries = 0 } = waits.get(keyOf(subscription)) ?? {};
      const [next = Number.POSITIVE_INFINITY] = nextRuns(subscription.schedule, now, 1);
      const until = now + Math.min(2 ** tries * minuteMs, longestMs) - roundMs;
      waits.set(keyOf(subscription), { tries: tries + 1, until: Math.min(until, next) });
    },
    isWaiting,
  };
}

export type JobState = ReturnType<typeof createJobState>;

/** State that one run of a job leaves to the next, in memory only. */
export function createJobState() {
  const underWay = new Set<string>();
  return {
    backoff: createBackoff(),
    /** Does the work, unless what an earlier run began under this key still goes on: then the next run sees to it. */
    async unlessRunning(key: string, work: () => Promise<void>): Promise<void> {
      if (underWay.has(key)) return;
      underWay.add(key);
      await work().finally(() => underWay.delete(key));
    },
  };
}

/**
 * True if results would be written down. If the store failed last time, a write is tried before anything is
 * read, paid for or posted.
 */
export async function isWritable<S extends Subscription>(
  due: readonly S[],
  subscriptions: Pick<Subscriptions<S>, "update">,
  { health }: { health: Pick<Health, "store"> },
): Promise<boolean> {
  const [first] = due;
  if (!first || !health.store()) return true;
  // The store says in the log why it can't be written to.
  const written = subscriptions.update(first, (current) => ({ ...current })).then(() => true);
  return written.catch(() => false);
}

/** Reads from a service, and tells its health how that went: that somebody has no credits left says nothing about it. */
export async function watchRead<T>(api: Api, health: Pick<Health, "saw">, read: () => Promise<T>): Promise<T> {
  try {
    const found = await read();
    await health.saw(api);
    return found;
  } catch (error) {
    if (!(error instanceof UsageError)) await health.saw(api, error);
    throw error;
  }
}
