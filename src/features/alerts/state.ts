import { LRUCache } from "lru-cache";

import type { Article } from "../../apis/article.ts";
import type { Collection } from "../../store/collection.ts";
import type { ArticleSource } from "../sources/source.ts";
import { hash } from "../subscriptions/arrivals.ts";
import { createConcurrencyLimit, createJobState } from "../subscriptions/jobs.ts";
import { type SourceRead, readKey } from "../subscriptions/reads.ts";
import { type ArrivalCounts, countArrivals } from "./detect/counts.ts";

/** The state of alerts beside their records: the counts of sources in the store, and what runs of the job share in memory. */

export type SourceCounts = ReturnType<typeof createSourceCounts>;

interface CountedSource {
  source: ArticleSource;
  team: string;
}

/** The counts of all sources, each kept for as long as it is read. */
export function createSourceCounts(records: Collection<ArrivalCounts>) {
  const keyOf = (counted: CountedSource) => hash(readKey(counted));
  return {
    get: (counted: CountedSource) => records.get(keyOf(counted)),
    /** Counts what is new in a read; gives the counts after it. */
    async add(counted: CountedSource, read: SourceRead): Promise<ArrivalCounts> {
      const key = keyOf(counted);
      const counts = countArrivals(await records.get(key), read, read.at);
      await records.set(key, counts);
      return counts;
    },
  };
}

const sentencesAtOnce = 2;

/** Messages that one channel gets from alerts in an hour, however many alerts it has. */
const postsAnHour = 30;
const hourMs = 60 * 60_000;

/** Counts the messages of channels, so that a flood becomes few messages: a waiting one takes in later spikes. */
function createFloodLimit(now: () => number) {
  const posts = new LRUCache<string, number[]>({ max: 5_000 });
  const recent = (place: string) => (posts.get(place) ?? []).filter((at) => now() - at < hourMs);
  return {
    isReached: (place: string) => recent(place).length >= postsAnHour,
    count: (place: string) => void posts.set(place, [...recent(place), now()]),
  };
}

export type AlertState = ReturnType<typeof createAlertState>;

/** State that one run of the job leaves to the next, in memory only. */
export function createAlertState(now: () => number) {
  return {
    ...createJobState(),
    /** Articles that were found about an entity within minutes, shared by alerts that report the same entity. */
    articles: new LRUCache<string, Promise<Article[]>>({
      max: 500,
      ttl: 10 * 60_000,
      ttlResolution: 0,
      perf: { now },
    }),
    flood: createFloodLimit(now),
    /** Lets few sentences be written at a time. */
    writing: createConcurrencyLimit(sentencesAtOnce),
  };
}
