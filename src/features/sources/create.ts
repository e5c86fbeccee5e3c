import type { BaseContext } from "../base.ts";
import { createRegulators } from "./regulators.ts";
import { type SamplesOptions, createSamples, sampleLifeMs, sampleSchema } from "./samples.ts";
import { createWatchlists } from "./watchlist-store.ts";
import { watchlistSchema } from "./watchlist.ts";

/** Creates the parts that sources are read from beside the services themselves; `readTrends` asks what is trending. */
export function createSources(base: BaseContext, readTrends: SamplesOptions["read"]) {
  const { store, replicas, log, now } = base;
  return {
    regulators: createRegulators(base),
    samples: createSamples({
      records: store.collection("samples", sampleSchema, { ttlMs: sampleLifeMs }),
      read: readTrends,
      now,
      log,
    }),
    watchlists: createWatchlists(store.collection("watchlists", watchlistSchema), replicas.holds),
  };
}
