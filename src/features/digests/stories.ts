import type { Article } from "../../apis/article.ts";

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
  const named = stories.map((story) => leadingNames(story, names));
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
function leadingNames({ lead, others }: Story, names: Record<string, string>): Set<string> {
  const ids = [lead, ...others].flatMap(({ entities }) => entities.primary);
  return new Set(ids.flatMap((id) => names[id] ?? []));
}

/** The one that most other stories have too; not one that all have, which would be the heading of everything. */
function leaderOf(names: Set<string>, counts: Map<string, number>, stories: number): string | undefined {
  const countOf = (name: string) => counts.get(name) ?? 0;
  const telling = [...names].filter((name) => stories < 3 || countOf(name) < stories);
  return telling.toSorted((one, other) => countOf(other) - countOf(one) || compare(one, other))[0];
}

/** How much an entity says about an event, by the tier that an article has it in. */
const weights = { primary: 4, secondary: 2, tertiary: 1 } as const;
const hourMs = 60 * 60_000;
/**
 * What two articles of one event have in common. Where they are mainly about the same two entities, that says it; where
 * it is one, it has several events a day, so that they must come soon after each other and the headlines speak for it.
 */
const bonds = {
  pair: { apartMs: 36 * hourMs, share: 0.5, words: 0 },
  single: { apartMs: 12 * hourMs, share: 0.55, words: 0.1 },
};
/** Without a date, an article counts as this far away from all others. */
const undatedMs = 6 * hourMs;
/** The same headline, word for word, is one story that several outlets print. */
const reprint = { words: 4, apartMs: 12 * hourMs };
/** Endings differ: of a word, its beginning counts. */
const stem = 5;
const idle = new Set(
  "the and for with from its into that this over after amid says said has have are was were will not but his her their new more than who how why what when".split(
    " ",
  ),
);

/** What of an article is compared. */
type Gist = Pick<Article, "title" | "published" | "entities">;

/** What of an article tells which event it is about. */
interface Traits<A extends Gist = Article> {
  article: A;
  /** Weights by entity, each entity where it matters most. */
  entities: Map<number, number>;
  /** It has one list of entities, which does not say what it is mainly about. */
  isFlat: boolean;
  words: Set<string>;
  /** All of its headline. */
  headline: string;
}

/** Names of entities are no evidence beside the entities. */
function traitsOf<A extends Gist>(article: A, names: Record<string, string>): Traits<A> {
  const { primary, secondary, tertiary } = article.entities;
  const entities = new Map<number, number>();
  for (const [tier, ids] of [
    ["primary", primary],
    ["secondary", secondary],
    ["tertiary", tertiary],
  ] as const) {
    for (const id of ids) if (!entities.has(id)) entities.set(id, weights[tier]);
  }
  const named = new Set([...entities.keys()].flatMap((id) => wordsIn(names[id] ?? "")));
  const words = wordsIn(article.title);
  return {
    article,
    entities,
    isFlat: secondary.length + tertiary.length === 0,
    words: new Set(words.filter((word) => !named.has(word))),
    headline: words.length >= reprint.words ? words.join(" ") : "",
  };
}

/** The beginnings of the words that say something. */
function wordsIn(text: string): string[] {
  const found = text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? [];
  return found.filter((word) => !idle.has(word)).map((word) => word.slice(0, stem));
}

/** What nearly all articles are about, for instance in a search for it, tells them apart no more. */
function raritiesIn(all: Gist[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const { entities } of all) {
    const ids = new Set([...entities.primary, ...entities.secondary, ...entities.tertiary]);
    for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return new Map([...counts].map(([id, count]) => [id, 1 - (count / (all.length + 6)) ** 2]));
}

/** Above 0 where two articles are about one event. */
function likenessOf(one: Traits<Gist>, other: Traits<Gist>, rarity: Map<number, number>): number {
  const gap = gapOf(one.article, other.article);
  if (gap > bonds.pair.apartMs) return 0;
  if (one.headline && one.headline === other.headline && gap <= reprint.apartMs) return 1;
  const { share, central } = sharedOf(one, other, rarity);
  if (central === 0) return 0;
  const bond = central > 1 && !(one.isFlat && other.isFlat) ? bonds.pair : bonds.single;
  const isOne = gap <= bond.apartMs && share >= bond.share && shareOf(one.words, other.words) >= bond.words;
  return isOne ? share : 0;
}

function gapOf({ published: one }: Gist, { published: other }: Gist): number {
  return one === undefined || other === undefined ? undatedMs : Math.abs(one - other);
}

interface SharedEntities {
  /** Of all that the two are about, what both are about, from 0 to 1. */
  share: number;
  /** Entities that both are mainly about. */
  central: number;
}

function sharedOf(one: Traits<Gist>, other: Traits<Gist>, rarity: Map<number, number>): SharedEntities {
  let both = 0;
  let all = 0;
  let central = 0;
  for (const [id, weight] of one.entities) {
    const second = other.entities.get(id) ?? 0;
    const rare = rarity.get(id) ?? 1;
    both += Math.min(weight, second) * rare;
    all += Math.max(weight, second) * rare;
    if (Math.min(weight, second) === weights.primary) central++;
  }
  for (const [id, weight] of other.entities) if (!one.entities.has(id)) all += weight * (rarity.get(id) ?? 1);
  return { share: all > 0 ? both / all : 0, central };
}

function shareOf(one: Set<string>, other: Set<string>): number {
  if (one.size === 0 || other.size === 0) return 0;
  let both = 0;
  for (const word of one) if (other.has(word)) both++;
  return both / (one.size + other.size - both);
}
