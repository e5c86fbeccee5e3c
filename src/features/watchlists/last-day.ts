import type { Article } from "../../apis/article.ts";
import type { Intelligence } from "../../apis/intelligence/client.ts";
import { type Log, describe } from "../../log.ts";
import { newestFirst } from "../articles/list.ts";
import { type WatchlistContent, stagesOfWatchlist } from "../sources/watchlist.ts";

const dayMs = 24 * 60 * 60_000;

export interface LastDay {
  /** Articles of the last 24 hours. */
  count: number;
  /** The newest of all, also if it is older. */
  newest?: Article | undefined;
}

export function lastDayOf(articles: Article[], now: number): LastDay {
  const count = articles.filter(({ published = 0 }) => published > now - dayMs).length;
  return { count, newest: newestFirst(articles)[0] };
}

interface LastDayDependencies {
  intelligence: Pick<Intelligence, "articles">;
  log: Pick<Log, "warn">;
  now: () => number;
}

/** Counts its articles by a free query; undefined if that fails, because the list itself is worth showing. */
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
