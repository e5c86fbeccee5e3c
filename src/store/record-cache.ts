import { setImmediate as pause } from "node:timers/promises";

import type { Collection } from "./collection.ts";

/** Read without letting anybody else in: a few milliseconds. */
const readAtOnce = 100;

type FitsTeam = (team: string) => boolean;

interface HeldOptions<T> {
  keyOf: (record: T) => string;
  isServed?: FitsTeam | undefined;
}

/** Holds records in memory, by a key of theirs; one process at a time works for a workspace and changes its records. */
export function createRecordCache<T extends { team: string }>(
  records: Collection<T>,
  { keyOf, isServed = () => true }: HeldOptions<T>,
) {
  let loading: Promise<Map<string, T>> | undefined;

  async function read(fits: FitsTeam): Promise<Map<string, T>> {
    const found = new Map<string, T>();
    for await (const [, record] of records.entries()) {
      if (!fits(record.team)) continue;
      found.set(keyOf(record), record);
      // Thousands are a third of a second, in which nobody would be heard.
      if (found.size % readAtOnce === 0) await pause();
    }
    return found;
  }

  /** All of them, read when they are first needed. */
  function all(): Promise<Map<string, T>> {
    loading ??= read(isServed).catch((error: unknown) => {
      // The next one may have more luck.
      loading = undefined;
      throw error;
    });
    return loading;
  }

  return {
    all,
    /** Reads those of some workspaces anew, as another process has left them. */
    reload: async (fits: FitsTeam): Promise<void> => {
      const known = await all();
      const found = await read(fits);
      for (const [key, each] of known) if (fits(each.team)) known.delete(key);
      for (const [key, each] of found) known.set(key, each);
    },
    /** Forgets those of workspaces whose records were deleted, or are another process's now. */
    evict: async (fits: FitsTeam): Promise<void> => {
      const known = await all();
      for (const [key, each] of known) if (fits(each.team)) known.delete(key);
    },
  };
}
