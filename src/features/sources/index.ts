import { z } from "zod";

import { type Api, UsageError, notSetUp } from "../../apis/errors.ts";
import type { Stage } from "../../apis/intelligence/schema.ts";
import type { Configured } from "../feature.ts";
import { agencySource } from "./agency.ts";
import { channelSource } from "./channel.ts";
import { collectionSource } from "./collection.ts";
import { entitySource } from "./entity.ts";
import { insightSource } from "./insight.ts";
import { jurisdictionSource } from "./jurisdiction.ts";
import { searchSource } from "./search.ts";
import type {
  ArticleSource,
  Source,
  SourceArticles,
  SourceAsker,
  SourceDependencies,
  SourceKind,
  SourceQuery,
} from "./source.ts";
import { trendingSource } from "./trending.ts";
import { watchlistSource } from "./watchlist.ts";

/** All kinds of sources, in the order in which a form offers them. */
export const sourceKinds: SourceKind[] = [
  entitySource,
  searchSource,
  watchlistSource,
  trendingSource,
  channelSource,
  jurisdictionSource,
  agencySource,
  collectionSource,
  insightSource,
];

/** A stored source of any kind. */
export const sourceSchema: z.ZodType<Source> = z.union(sourceKinds.map(({ schema }) => schema));

/** A stored source that has articles. */
export const articleSourceSchema: z.ZodType<ArticleSource> = z
  .union(sourceKinds.map(({ schema }) => schema))
  .refine((source) => source.kind !== "trending");

/** A source as somebody names it. */
export const sourceQuerySchema = z.object({
  kind: z.enum(sourceKinds.map(({ kind }) => kind)),
  what: z.string(),
  include: z.array(z.string()).optional(),
  exclude: z.array(z.string()).optional(),
});

/** The kind that a word names. */
export function sourceKindNamed(word: string): SourceKind | undefined {
  return sourceKinds.find(({ kind }) => kind === word.toLowerCase());
}

/** The kind of a source. */
export function sourceKindOf({ kind }: Pick<Source, "kind">): SourceKind {
  const found = sourceKindNamed(kind);
  if (!found) throw new Error(`no kind of source ${kind}`);
  return found;
}

/** The name of a source, as plain text. */
export function sourceTitle(source: Source): string {
  if (source.kind === "search") return source.query;
  if (source.kind !== "trending") return source.name;
  return source.type === undefined ? "Trending now" : `Trending: ${source.type}`;
}

/** Equal if two sources bring the same articles: a jurisdiction's channel is a channel, whatever somebody calls it. */
export function sourceKey(source: Source): string {
  const kind = sourceKindOf(source);
  return `${kind.sameAs ?? kind.kind} ${kind.key(source)}`;
}

/** The source that somebody means; a UsageError if there is no such source, or its service is not set up. */
export async function findSource(wanted: SourceQuery, deps: SourceDependencies, asker: SourceAsker): Promise<Source> {
  needSource(wanted, deps.configured);
  return sourceKindOf(wanted).find(wanted, deps, asker);
}

/** The text for somebody who wants articles of a ranking. */
export const rankingWords =
  "What’s trending is a ranking of names and has no articles. `/trending` shows it; then take one of its names, such as `company Novalith`.";

/** The same if articles are wanted, which a ranking has none of. */
export async function findArticleSource(
  wanted: SourceQuery,
  deps: SourceDependencies,
  asker: SourceAsker,
): Promise<ArticleSource> {
  const source = await findSource(wanted, deps, asker);
  if (source.kind === "trending") throw new UsageError(rankingWords);
  return source;
}

/** The articles that a source has now; a UsageError if it has none, because it is a ranking. */
export async function readSource(
  source: Source,
  deps: SourceDependencies,
  signal: AbortSignal | undefined,
): Promise<SourceArticles> {
  const kind = sourceKindOf(source);
  if (kind.read) return kind.read(source, deps, signal);
  const stages = await stagesOf(source, deps, signal);
  if (!stages) throw new UsageError("It posts a ranking, without articles.");
  return { articles: await deps.intelligence.articles(stages, signal) };
}

/** The filters of the news service that a source consists of; nothing if no such filters bring it. */
export async function stagesOf(
  source: Source,
  deps: SourceDependencies,
  signal: AbortSignal | undefined,
): Promise<Stage[] | undefined> {
  return sourceKindOf(source).stages?.(source, deps, signal);
}

/** The kinds that can be read with the services that are set up, and those that cannot. */
export function readableKinds(configured: Configured): { readable: SourceKind[]; missing: SourceKind[] } {
  const isReadable = ({ needs }: SourceKind) => needs.every((apis) => apis.some((api) => configured[api]));
  return {
    readable: sourceKinds.filter(isReadable),
    missing: sourceKinds.filter((each) => !isReadable(each)),
  };
}

/** Throws what tells how an operator sets it up, if such a source can't be read. */
export function needSource({ kind }: Pick<SourceQuery, "kind">, configured: Configured): void {
  for (const apis of sourceKindOf({ kind }).needs) needOneOf(apis, configured);
}

/** Throws what tells how an operator sets up the first of these services, if none of them is set up. */
export function needOneOf(apis: readonly [Api, ...Api[]], configured: Configured): void {
  if (!apis.some((api) => configured[api])) throw notSetUp(apis[0]);
}
