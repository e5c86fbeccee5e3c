import { createHash } from "node:crypto";
import { z } from "zod";

import type { Article } from "../../apis/article.ts";
import type { Collection } from "../../store/collection.ts";
import { createKeyQueue } from "../../store/key-queue.ts";
import { keysOf } from "./announced.ts";

/** The time when each article was first found in a source, by the hash of its keys. */
export type ArrivalTimes = Record<string, number>;

export const arrivalsSchema: z.ZodType<ArrivalTimes> = z.record(z.string(), z.number());
/** A source that nobody has read for so long begins anew. */
export const arrivalsLifeMs = 60 * 24 * 60 * 60_000;
/** Articles that left the source are kept for as long as they would count as news if they came back, and so many at most. */
const keptMs = 8 * 24 * 60 * 60_000;
const keptMost = 1_500;
/** Articles of one read that can be new; no source has more in a day. */
const readMost = 200;
/** An article that is older than the last digest by so much slid back into the source's window. */
const staleMs = 7 * 24 * 60 * 60_000;

export type Arrivals = ReturnType<typeof createArrivals>;

/**
 * Remembers when articles came to their sources. Services index articles hours late or give them no date, so "since the
 * last digest" goes by when an article first stood in the source; that is the same for all digests of the source.
 */
export function createArrivals(records: Collection<ArrivalTimes>) {
  const enqueue = createKeyQueue();
  return {
    /** The arrival of each article; one that is new to the source arrived now. Digests and alerts can read at once. */
    of(source: string, articles: Article[], now: number): Promise<ReadonlyMap<Article, number>> {
      const name = hash(source);
      return enqueue(name, async () => {
        const { times, after } = arrivalsAfter(await records.get(name), articles, now);
        if (after) await records.set(name, after);
        return times;
      });
    },
  };
}

/** The arrivals of a read, and the record to be written; no record if nothing has changed. */
export function arrivalsAfter(
  before: ArrivalTimes | undefined,
  articles: Article[],
  now: number,
): { times: Map<Article, number>; after?: ArrivalTimes } {
  const after: ArrivalTimes = {};
  let isChanged = before === undefined;
  const times = new Map<Article, number>();
  for (const article of articles) {
    const keys = keysOf(article).map(hash);
    const known = keys.flatMap((key) => before?.[key] ?? after[key] ?? []);
    // Of a source that is read for the first time, nobody knows better than the articles.
    const first = before ? now : Math.min(article.published ?? now, now);
    const time = known.length > 0 ? Math.min(...known) : first;
    times.set(article, time);
    for (const key of keys) {
      if (before?.[key] === undefined) isChanged = true;
      after[key] = time;
    }
  }
  if (!isChanged) return { times };
  const gone = Object.entries(before ?? {})
    .filter(([key, time]) => after[key] === undefined && time > now - keptMs)
    .toSorted(([, one], [, other]) => other - one);
  return { times, after: { ...Object.fromEntries(gone.slice(0, keptMost)), ...after } };
}

export function hash(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 12);
}

/** The articles of a read that can be new, the newest first. */
export function candidatesOf(found: Article[]): Article[] {
  return found.toSorted((one, other) => (other.published ?? 0) - (one.published ?? 0)).slice(0, readMost);
}

/** The articles of a source that arrived after a digest's last run, each once, the newest first; all of them for the first run. */
export function newArticles(
  found: Article[],
  { lastAt, arrivals }: { lastAt: number | undefined; arrivals: ReadonlyMap<Article, number> },
): Article[] {
  return onceEach(candidatesOf(found)).filter(
    (article) => !isStale(article, lastAt) && (lastAt === undefined || (arrivals.get(article) ?? 0) > lastAt),
  );
}

/** Each article once, by its address and IDs: the first of those that are the same. */
export function onceEach(articles: Article[]): Article[] {
  const seen = new Set<string>();
  return articles.filter((article) => {
    const keys = keysOf(article);
    const isTwice = keys.some((key) => seen.has(key));
    for (const key of keys) seen.add(key);
    return !isTwice;
  });
}

/** True if an article is too old to be news after a digest that ran at that time. */
export function isStale({ published }: Article, lastAt: number | undefined): boolean {
  return lastAt !== undefined && published !== undefined && published < lastAt - staleMs;
}
