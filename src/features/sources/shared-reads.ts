import { LRUCache } from "lru-cache";

interface SharedReadsOptions {
  /** The time for which a read is shared. */
  ms: number;
  now: () => number;
  /** The number of keys that are remembered. */
  most?: number;
}

/** Reads once for all who ask for the same key within some time; a failure is not shared with whoever asks later. */
export function createSharedReads<Value extends object>({ ms, now, most = 1 }: SharedReadsOptions) {
  const reads = new LRUCache<string, Value, () => Promise<Value>>({
    max: most,
    ttl: ms,
    ttlResolution: 0,
    perf: { now },
    fetchMethod: (_key, _stale, { context: read }) => read(),
  });
  return (key: string, read: () => Promise<Value>): Promise<Value> => reads.forceFetch(key, { context: read });
}
