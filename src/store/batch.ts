import type { Table } from "./collection.ts";

type Entries = Parameters<Table["set"]>[0];

export type Batches = ReturnType<typeof createBatches>;

interface Writer {
  entries: Entries;
  done: PromiseWithResolvers<void>;
}

/**
 * Writes together what comes within one turn of the event loop: every write waits for the disk, and meanwhile nobody is
 * heard. A promise resolves when its own entries are written down, and none fails for what another one wrote.
 */
export function createBatches(write: Table["set"]) {
  let waiting: Writer[] = [];
  let last: Promise<void> = Promise.resolve();

  async function flush(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    const writers = waiting;
    waiting = [];
    try {
      await write(newest(writers.flatMap(({ entries }) => entries)));
      for (const { done } of writers) done.resolve();
    } catch (error) {
      if (writers.length === 1) writers[0]?.done.reject(error);
      else for (const { entries, done } of writers) await write(entries).then(done.resolve, done.reject);
    }
  }

  return {
    set(entries: Entries): Promise<void> {
      const done = Promise.withResolvers<void>();
      if (waiting.length === 0) last = last.then(flush);
      waiting.push({ entries, done });
      return done.promise;
    },
    /** Resolves when everything that was to be written by now has been, or has failed. */
    settled: (): Promise<void> => last,
  };
}

/** Of several values under one key the one that came last. */
function newest(entries: Entries): Entries {
  return [...new Map(entries.map((entry) => [entry.key, entry])).values()];
}
