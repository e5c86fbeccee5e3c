import type { Article } from "../../apis/article.ts";
import { type Story, articlesOf } from "./stories.ts";

const hourMs = 60 * 60_000;
/** Time that is looked back on if nobody says. */
const usualMs = 24 * hourMs;
/** A report counts half when it is twice as old as the time that is looked back on, but not before that, nor later than that. */
const halfLife = { times: 2, leastMs: 8 * hourMs, mostMs: 7 * 24 * hourMs };
/** The weight of a story, by the tier in which the watched names stand. */
const tierWeights = { primary: 1, secondary: 0.7, tertiary: 0.5, none: 0.5 };

interface ImportanceContext {
  now: number;
  /** The beginning of the time that is looked back on, such as the digest before; a day ago if nobody says. */
  since?: number | undefined;
  /** All that the source has: a name that is always in the news makes a story less unusual. */
  among?: Article[] | undefined;
  /** The entities that are followed; empty if that is something else, such as a search. */
  watched?: readonly number[] | undefined;
  /** The entities that each story which the channel hid is mainly about. */
  hidden?: readonly number[][] | undefined;
}

/** Stories, the most important first; what is equal stays in its order. */
export function byImportance(stories: Story[], context: ImportanceContext): Story[] {
  const reports = countByName(context.among ?? []);
  const values = new Map(stories.map((story) => [story, importanceOf(story, context, reports)]));
  return stories.toSorted((one, other) => (values.get(other) ?? 0) - (values.get(one) ?? 0));
}

function importanceOf(
  story: Story,
  { now, since = now - usualMs, watched = [], hidden = [] }: ImportanceContext,
  reports: ReadonlyMap<number, number>,
): number {
  const articles = articlesOf(story);
  const names = [...new Set(articles.flatMap(({ entities }) => entities.primary))];
  const alike = hidden.filter((own) => own.some((id) => names.includes(id))).length;
  const value = coverageOf(articles, now, since) * unusualness(articles, names, reports) * tierOf(articles, watched);
  return value / (1 + alike);
}

/** The outlets that report a story, each by its newest report, which counts less the older it is. */
function coverageOf(articles: Article[], now: number, since: number): number {
  const halfLifeMs = Math.min(Math.max(halfLife.times * (now - since), halfLife.leastMs), halfLife.mostMs);
  const byOutlet = new Map<string, number>();
  for (const article of articles) {
    const age = Math.max(0, now - (article.published ?? now - halfLifeMs));
    const outlet = outletOf(article);
    byOutlet.set(outlet, Math.max(byOutlet.get(outlet) ?? 0, 0.5 ** (age / halfLifeMs)));
  }
  return [...byOutlet.values()].reduce((sum, value) => sum + value, 0);
}

/** From 1, if nothing else is said of its names, down to a half. */
function unusualness(articles: Article[], names: number[], reports: ReadonlyMap<number, number>): number {
  const all = Math.max(articles.length, ...names.map((id) => reports.get(id) ?? 0));
  return (1 + articles.length / all) / 2;
}

function tierOf(articles: Article[], watched: readonly number[]): number {
  if (watched.length === 0) return 1;
  const isIn = (tier: keyof Article["entities"]) =>
    articles.some(({ entities }) => entities[tier].some((id) => watched.includes(id)));
  const tier = (["primary", "secondary", "tertiary"] as const).find(isIn) ?? "none";
  return tierWeights[tier];
}

/** The number of articles that are mainly about each entity. */
function countByName(articles: Article[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const { entities } of articles)
    for (const id of new Set(entities.primary)) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}

/** The outlet of an article; the host of its address if it names none. */
function outletOf({ source, url }: Pick<Article, "source" | "url">): string {
  return source ?? URL.parse(url)?.hostname.replace(/^www\./, "") ?? url;
}

/** The number of outlets that report a story. */
export function outletsOf(articles: Pick<Article, "source" | "url">[]): number {
  return new Set(articles.map(outletOf)).size;
}
