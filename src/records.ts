import type { Alert } from "./features/alerts/alert.ts";
import { arrivalCountsSchema, countsLifeMs } from "./features/alerts/detect/counts.ts";
import { sampleLifeMs } from "./features/sources/samples.ts";
import { alertSchema, sampleSchema } from "./features/alerts/store.ts";
import { type Digest, digestSchema } from "./features/digests/digest.ts";
import { arrivalsLifeMs, arrivalsSchema } from "./features/subscriptions/arrivals.ts";
import { listLifeMs, listSchema } from "./features/articles/store.ts";
import {
  announcedArticleSchema,
  announcedLifeMs,
  announcedStoriesSchema,
  hiddenLifeMs,
} from "./features/subscriptions/announced.ts";
import { numberSchema } from "./features/subscriptions/store.ts";
import { watchlistSchema } from "./features/sources/watchlist.ts";
import type { Store } from "./store/store.ts";

/** All that people have set up, and what that rests on, by what it is called in the store. */
export function openRecords(store: Store) {
  return {
    "digest-numbers": store.collection<number>("digest-numbers", numberSchema),
    "alert-numbers": store.collection<number>("alert-numbers", numberSchema),
    watchlists: store.collection("watchlists", watchlistSchema),
    lists: store.collection("lists", listSchema, { ttlMs: listLifeMs }),
    seen: store.collection("seen", announcedArticleSchema, { ttlMs: announcedLifeMs }),
    "announced-stories": store.collection("announced-stories", announcedStoriesSchema, { ttlMs: hiddenLifeMs }),
    arrivals: store.collection("arrivals", arrivalsSchema, { ttlMs: arrivalsLifeMs }),
    "source-counts": store.collection("source-counts", arrivalCountsSchema, { ttlMs: countsLifeMs }),
    samples: store.collection("samples", sampleSchema, { ttlMs: sampleLifeMs }),
    digests: store.collection<Digest>("digests", digestSchema),
    alerts: store.collection<Alert>("alerts", alertSchema),
  };
}
