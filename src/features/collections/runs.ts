import { z } from "zod";

import type { Article } from "../../apis/article.ts";

/** The last run of a collection in a workspace. */
export const runSchema = z.object({
  /** Epoch milliseconds. */
  at: z.number(),
  /** Addresses of the articles that were shown, the newest first. */
  seen: z.array(z.string()),
});
export type Run = z.infer<typeof runSchema>;

/** A collection that has not been run for so long starts afresh. */
export const runLifeMs = 90 * 24 * 60 * 60_000;

const seenKept = 500;

interface Compared {
  /** The new ones first. */
  articles: Article[];
  /** The number of new ones; undefined for a first run. */
  fresh: number | undefined;
  run: Run;
}

/** Compares the articles of a run with the run before it. */
export function compared(found: Article[], last: Run | undefined, now: number): Compared {
  const known = new Set(last?.seen);
  const fresh = found.filter(({ url }) => !known.has(url));
  const seen = [...new Set([...found.map(({ url }) => url), ...known])].slice(0, seenKept);
  return {
    articles: last ? [...fresh, ...found.filter(({ url }) => known.has(url))] : found,
    fresh: last && fresh.length,
    run: { at: now, seen },
  };
}
