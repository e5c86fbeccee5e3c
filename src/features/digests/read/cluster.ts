import type { Article } from "../../../apis/article.ts";
import { type Gist, type Traits, likenessOf, raritiesIn, traitsOf } from "./likeness.ts";

/** One event, as one or several articles tell it. */
export interface Story {
  /** The newest of its articles. */
  lead: Article;
  /** The rest, the newest first. */
  others: Article[];
}

/** Stories that are mainly about one entity; those that share theirs with no other story have no name. */
export interface Group {
  name?: string | undefined;
  stories: Story[];
}

/**
 * Articles as stories, the newest first, each article in one of them, however they are ordered: near-duplicates of an
 * event share what they are about and come at about the same time. Words alone join none but reprints: headlines of one
 * event share few of them. `names` of entities are no evidence beside the entities.
 */
export function storiesOf(articles: Article[], names: Record<string, string> = {}): Story[] {
  const all = articles.toSorted(oldestFirst).map((article) => traitsOf(article, names));
  const rarity = raritiesIn(articles);
  const clusters: Traits[][] = [];
  for (const traits of all) {
    const best = bestOf(clusters, traits, rarity);
    if (best) best.push(traits);
    else clusters.push([traits]);
  }
  return clusters.map(storyOf).toSorted((one, other) => oldestFirst(other.lead, one.lead));
}

function storyOf(cluster: Traits[]): Story {
  const [lead, ...others] = cluster.map(({ article }) => article).toReversed();
  if (!lead) throw new Error("a cluster without articles");
  return { lead, others };
}

/** The cluster that an article belongs to: each is known by its first article, so that none drifts from event to event. */
function bestOf(clusters: Traits[][], traits: Traits, rarity: Map<number, number>): Traits[] | undefined {
  let best: Traits[] | undefined;
  let most = 0;
  for (const cluster of clusters) {
    const [seed] = cluster;
    const likeness = seed ? likenessOf(seed, traits, rarity) : 0;
    if (likeness > most) [best, most] = [cluster, likeness];
  }
  return best;
}

/** The same order whatever order they came in; what is equal in all of this is the same article. */
function oldestFirst(one: Article, other: Article): number {
  return (
    (one.published ?? 0) - (other.published ?? 0) ||
    compare(one.url, other.url) ||
    (one.id ?? 0) - (other.id ?? 0) ||
    compare(JSON.stringify(one), JSON.stringify(other))
  );
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

/** What a channel has not read yet, and articles on stories that it has been shown. */
export interface Separated {
  news: Article[];
  repeats: Article[];
}

interface Shown {
  /** All that the source has, which tells what is common in it. */
  found: Article[];
  /** Stories that the channel was shown lately. */
  announced: Gist[];
  /** Names of entities, by ID. */
  names?: Record<string, string>;
}

/** Separates news from articles on stories that a channel was shown, by the rule that makes articles one story. */
export function separateRepeats(articles: Article[], { found, announced, names = {} }: Shown): Separated {
  if (announced.length === 0) return { news: articles, repeats: [] };
  const known = announced.map((story) => traitsOf(story, names));
  const rarity = raritiesIn(found);
  const isRepeat = (article: Article) => {
    const traits = traitsOf(article, names);
    return known.some((story) => likenessOf(story, traits, rarity) > 0);
  };
  const repeats = new Set(articles.filter(isRepeat));
  return { news: articles.filter((each) => !repeats.has(each)), repeats: [...repeats] };
}

/** Stories by the entity that leads them, those with the newest story first, and at last those that stand alone. */
export function groupsOf(stories: Story[], names: Record<string, string> = {}): Group[] {
  const named = stories.map((story) => namesOf(story, names));
  const counts = new Map<string, number>();
  for (const own of named) for (const name of own) counts.set(name, (counts.get(name) ?? 0) + 1);
  const byName = Map.groupBy(stories.keys(), (at) => leaderOf(named[at] ?? new Set(), counts, stories.length));
  const groups = [...byName].map(([name, all]) => ({ name, stories: all.flatMap((at) => stories[at] ?? []) }));
  const isShared = ({ name, stories: own }: Group) => name !== undefined && own.length > 1;
  const alone = new Set(groups.filter((group) => !isShared(group)).flatMap((group) => group.stories));
  const rest = stories.filter((story) => alone.has(story));
  return [...groups.filter(isShared), ...(rest.length > 0 ? [{ stories: rest }] : [])];
}

/** Names of what a story is mainly about, in the order of its newest article. */
function namesOf({ lead, others }: Story, names: Record<string, string>): Set<string> {
  const ids = [lead, ...others].flatMap(({ entities }) => entities.primary);
  return new Set(ids.flatMap((id) => names[id] ?? []));
}

/** The one that most other stories have too; not one that all have, which would be the heading of everything. */
function leaderOf(names: Set<string>, counts: Map<string, number>, stories: number): string | undefined {
  const countOf = (name: string) => counts.get(name) ?? 0;
  const telling = [...names].filter((name) => stories < 3 || countOf(name) < stories);
  return telling.toSorted((one, other) => countOf(other) - countOf(one) || compare(one, other))[0];
}
