import type { Article } from "../apis/article.ts";
import { describe } from "../log.ts";
import type { Services } from "./feature.ts";

/** How long articles wait for the names of what they are about; those that come later are there the next time. */
const patienceMs = 1_500;

/**
 * Names of the entities that articles are about, by ID, in one request at most. None where they cannot be had soon: the
 * articles are worth showing without.
 */
export async function namesIn(
  articles: Article[],
  signal: AbortSignal,
  { intelligence, configured, log }: Pick<Services, "intelligence" | "configured" | "log">,
): Promise<Record<string, string>> {
  const tiers = articles.flatMap(({ entities }) => [entities.primary, entities.secondary, entities.tertiary]);
  const ids = [...new Set(tiers.flat())];
  if (!configured.intelligence || ids.length === 0) return {};
  try {
    const found = await intelligence.entities(ids, AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]));
    return Object.fromEntries([...found].map(([id, { name }]) => [id, name]));
  } catch (error) {
    signal.throwIfAborted();
    log.warn("news.names", { error: describe(error) });
    return {};
  }
}
