import type { Article } from "../../apis/article.ts";
import type { Intelligence } from "../../apis/intelligence/client.ts";
import { type Log, describe } from "../../log.ts";
import { type WatchlistContent, stagesOfWatchlist } from "../sources/watchlist.ts";

const dayMs = 24 * 60 * 60_000;

/** The articles that a watchlist brought in the last day. */
export interface LastDay {
  count: number;
  newest?: Article | undefined;
}

/** The articles of the last 24 hours, and the newest one of all. */
export function lastDayOf(articles: Article[], now: number): LastDay {
  const count = articles.filter(({ published = 0 }) => published > now - dayMs).length;
  const [newest] = articles.toSorted((one, other) => (other.published ?? 0) - (one.published ?? 0));
  return { count, newest };
}

interface LastDayDependencies {
  intelligence: Pick<Intelligence, "articles">;
  log: Pick<Log, "warn">;
  now: () => number;
}

/** Reads what it brought, from a free query; nothing if that cannot be had, because the list itself is worth showing. */
export async function readLastDay(
  content: WatchlistContent,
  { intelligence, log, now }: LastDayDependencies,
  signal: AbortSignal,
): Promise<LastDay | undefined> {
  try {
    return lastDayOf(await intelligence.articles(stagesOfWatchlist(content), signal), now());
  } catch (error) {
    log.warn("watchlist.count.failed", { error: describe(error) });
    return undefined;
  }
}
