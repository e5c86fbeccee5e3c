import type { Article, Trend } from "../../apis/article.ts";
import type { Intelligence } from "../../apis/intelligence/client.ts";
import { type Log, describe } from "../../log.ts";
import { withDeadline } from "../../slack/timer.ts";
import type { Configured } from "../feature.ts";
import { comparableName } from "../names.ts";
import type { Directory } from "../sources/directory.ts";
import { entityStage } from "../sources/entity.ts";
import type { After } from "../sources/samples.ts";
import { byImportance } from "./importance.ts";
import { storiesOf } from "./stories.ts";

export interface HeadlineDependencies {
  intelligence: Intelligence;
  directory: Pick<Directory, "find">;
  configured: Pick<Configured, "intelligence">;
  log: Pick<Log, "warn">;
  after: After;
  now: () => number;
}

/** A ranking waits no longer for its headlines. */
const patienceMs = 1_500;
/** An article published longer ago doesn't say why a name trends. */
const relatedMs = 24 * 60 * 60_000;

/** The headline of the most covered story of the last day, by name; only of names that the news service knows, which is free. */
export async function leadingHeadlines(
  trends: Pick<Trend, "name">[],
  deps: HeadlineDependencies,
  signal: AbortSignal = AbortSignal.timeout(patienceMs),
): Promise<ReadonlyMap<string, Article>> {
  const found = new Map<string, Article>();
  if (!deps.configured.intelligence) return found;
  const finding = trends.map(async ({ name }) => {
    const lead = await leadingArticle(name, deps, signal);
    if (lead) found.set(name, lead);
  });
  await withDeadline<unknown>(deps, patienceMs, Promise.all(finding), () => undefined);
  return new Map(found);
}

async function leadingArticle(
  name: string,
  { directory, intelligence, log, now }: HeadlineDependencies,
  signal: AbortSignal,
): Promise<Article | undefined> {
  try {
    const { match } = await directory.find(name, intelligence, signal);
    if (!match || comparableName(match.name) !== comparableName(name)) return undefined;
    const all = await intelligence.articles([entityStage([match.id])], signal);
    const recent = all.filter(({ published = 0 }) => published > now() - relatedMs);
    const [story] = byImportance(storiesOf(recent), { now: now(), watched: [match.id] });
    return story?.lead;
  } catch (error) {
    log.warn("trending.headline.failed", { error: describe(error) });
    return undefined;
  }
}
