import { z } from "zod";

import type { Article } from "../../apis/article.ts";
import { UsageError } from "../../apis/errors.ts";
import { stageEntityIds } from "../../apis/intelligence/schema.ts";
import { escape, shorten } from "../../slack/text/mrkdwn.ts";
import { type Option, type OptionValues, choiceOption } from "../options.ts";
import { sourceKindOf, stagesOf } from "../sources/index.ts";
import type { Source, SourceDependencies, SourceKind } from "../sources/source.ts";
import { foldName } from "../names.ts";
import { newestFirst } from "./list.ts";

/** Which of a source's articles are wanted: the same options for lists, summaries and digests. */

const tier = choiceOption({
  name: "tier",
  choices: ["primary", "secondary", "all"],
  help: "Only articles mainly about the source’s names (`primary`), or at least partly (`secondary`)",
  example: "--tier primary",
  words: tierWords,
  field: {
    label: "How much about it",
    choices: [
      { label: "Any mention", value: "all" },
      { label: "Mainly or partly about it", value: "secondary" },
      { label: "Mainly about it", value: "primary" },
    ],
    initial: "all",
  },
});

function tierWords(value: string): string | undefined {
  if (value === "all") return undefined;
  return value === "primary" ? "mainly about it" : "mainly or partly about it";
}

const longestOutlet = 100;
const outletExample = '--source "Meridian Wire"';

const outlet: Option<string> = {
  name: "source",
  aliases: ["outlet"],
  value: "OUTLET|all",
  help: "Only articles of one outlet; a part of its name or of its web address is enough",
  example: outletExample,
  schema: z.string().max(longestOutlet),
  read(typed) {
    const name = typed.trim();
    if (/^(all|any)$/i.test(name)) return "all";
    if (foldName(name) === "") throw new UsageError(`Which outlet? Type for example \`${outletExample}\`.`);
    if (name.length > longestOutlet) throw new UsageError(`An outlet’s name has at most ${longestOutlet} characters.`);
    return name;
  },
  write: String,
  words: (name) => (name === "all" ? undefined : `from ${escape(shorten(name, 40))} only`),
  field: { label: "Only this outlet", placeholder: "Meridian Wire", emptied: "all" },
};

/** The options that choose among the articles of a source. */
export const articleOptions = { tier, outlet };

/** The chosen filters; one that is missing, or `all`, limits nothing. */
export type ArticleFilter = OptionValues<typeof articleOptions>;

export function isFiltering({ tier: least = "all", outlet: from = "all" }: ArticleFilter): boolean {
  return least !== "all" || from !== "all";
}

/** The filters alone, of values that hold other options as well. */
export function filterOf({ tier: least, outlet: from }: ArticleFilter): ArticleFilter {
  return { ...(least && { tier: least }), ...(from && { outlet: from }) };
}

interface Selection extends ArticleFilter {
  /** Of whom an article's tier is asked; needed for a tier alone. */
  entities?: readonly number[] | undefined;
  isWithin?: ((article: Article) => boolean) | undefined;
  /** The newest first, unless the order of the service is wanted. */
  sort?: "newest" | "relevance" | "any" | undefined;
  limit?: number | undefined;
}

/** The articles that pass a filter, in the wanted order. */
export function selectArticles(articles: Article[], selection: Selection): Article[] {
  const { tier: least = "all", outlet: from = "all", entities = [], isWithin, sort, limit } = selection;
  const wanted = new Set(entities);
  const isFrom = outletTest(from);
  const selected = articles.filter((article) => {
    if (isWithin && !isWithin(article)) return false;
    if (from !== "all" && !isFrom(article)) return false;
    if (least === "all") return true;
    const { primary, secondary } = article.entities;
    return (least === "primary" ? primary : [...primary, ...secondary]).some((id) => wanted.has(id));
  });
  const sorted = sort === "relevance" ? selected : newestFirst(selected);
  return limit ? sorted.slice(0, limit) : sorted;
}

/** Tells whether an article is from an outlet: by its name or, because many articles have none, by their address’s host. */
function outletTest(typed: string): (article: Article) => boolean {
  const words = foldName(typed);
  const word = words.replaceAll(" ", "");
  const host = (URL.parse(typed)?.hostname ?? typed.toLowerCase()).replace(/^www\./, "");
  const isHost = /^[^\s.]+(?:\.[^\s.]+)+$/.test(host);
  return ({ source = "", url }) => {
    if (foldName(source).includes(words)) return true;
    const { hostname = "" } = URL.parse(url) ?? {};
    if (isHost) return `.${hostname}`.endsWith(`.${host}`);
    const labels = hostname.replaceAll("-", "").split(".");
    // A few letters stand inside many a host: "AP" means apnews, and not japantimes.
    return labels.some((label) => (word.length < 4 ? label.startsWith(word) : label.includes(word)));
  };
}

const tierMeaning =
  "`--tier` asks how much an article is about a company, person, region or topic. Use it with `company NAME`, a watchlist or a news channel that names some.";

/** A kind whose sources are filters of the news service, which can name entities. */
export function hasTiers(kind: SourceKind): boolean {
  return kind.stages !== undefined && kind.read === undefined;
}

/** Throws a UsageError if the source cannot be filtered in this way. */
export function checkFilter({ tier: least = "all", outlet: from = "all" }: ArticleFilter, source: Source): void {
  if (source.kind === "trending" && from !== "all") throw new UsageError("A ranking has no articles of an outlet.");
  if (least !== "all" && !hasTiers(sourceKindOf(source))) throw new UsageError(tierMeaning);
}

/** The entities that a tier is about: those that the filters of the source include. Empty without a tier. */
export async function tierEntities(
  filter: ArticleFilter,
  source: Source,
  deps: SourceDependencies,
  signal: AbortSignal | undefined,
): Promise<number[]> {
  checkFilter(filter, source);
  if ((filter.tier ?? "all") === "all") return [];
  const stages = (await stagesOf(source, deps, signal)) ?? [];
  const ids = stageEntityIds(stages.filter(({ not }) => !not));
  if (ids.length > 0) return ids;
  throw new UsageError(tierMeaning);
}
