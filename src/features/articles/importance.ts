import type { Article } from "../../apis/article.ts";
import { type Story, articlesOf } from "./stories.ts";

const hourMs = 60 * 60_000;
/** Time that is looked back on if nobody says. */
const usualMs = 24 * hourMs;
/** A report counts half when it is twice as old as the time that is looked back on, but not before that, nor later than that. */
const halfLife = { times: 2, leastMs: 8 * hourMs, mostMs: 7 * 24 * hourMs };
/** The weight of a story, by the tier in which the watched names stand. */
const tierWeights = { primary: 1, secondary: 0.7, tertiary: 0.5, none: 0.5 };
/** The most that use of its names adds to a story: one that only mentions a followed name never overtakes one about it by that. */
const usedMost = 0.4;
/** Hidden stories on a name that halve the value of its next one. */
const hiddenHalves = 2;
/** The least that stays of a story about a followed name: more than of one that only mentions it. */
const followedLeast = 0.72;

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
  /** The weight of each entity whose stories the channel opened, asked about or shared. */
  interest?: ReadonlyMap<number, number> | undefined;
}

/** Stories, the most important first; what is equal stays in its order. */
export function byImportance(stories: Story[], context: ImportanceContext): Story[] {
  const reports = countByName(context.among ?? []);
  const values = new Map(stories.map((story) => [story, importanceOf(story, context, reports)]));
  return stories.toSorted((one, other) => (values.get(other) ?? 0) - (values.get(one) ?? 0));
}

function importanceOf(story: Story, context: ImportanceContext, reports: ReadonlyMap<number, number>): number {
  const { now, since = now - usualMs, watched = [] } = context;
  const articles = articlesOf(story);
  const names = mainNames(story);
  const coverage = coverageOf(articles, now, since);
  return coverage * unusualness(articles, names, reports) * tierOf(articles, watched) * feedbackOn(names, context);
}

/** The entities that a story is mainly about. */
function mainNames(story: Story): number[] {
  return [...new Set(articlesOf(story).flatMap(({ entities }) => entities.primary))];
}

/** The factor by which a channel's own feedback on names changes the value of their stories: 1 without any, 1.4 at most. */
function feedbackOn(names: number[], { watched = [], hidden = [], interest }: ImportanceContext): number {
  const sum = (value: (id: number) => number) => names.reduce((total, id) => total + value(id), 0);
  const used = sum((id) => interest?.get(id) ?? 0);
  const less = 1 / (1 + sum((id) => hidden.filter((own) => own.includes(id)).length) / hiddenHalves);
  const isFollowed = names.some((id) => watched.includes(id));
  const kept = isFollowed ? followedLeast + (1 - followedLeast) * less : less;
  return (1 + (usedMost * used) / (1 + used)) * kept;
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
export function countByName(articles: Article[]): Map<number, number> {
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
