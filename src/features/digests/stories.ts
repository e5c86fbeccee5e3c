import type { Article } from "../../apis/article.ts";
import { wordStems } from "../text.ts";

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
  const rarity = raritiesIn(articles);
  // Each cluster is known by its first article, so that none drifts from event to event.
  const clusters: { traits: Traits; articles: Article[] }[] = [];
  for (const article of articles.toSorted(oldestFirst)) {
    const traits = traitsOf(article, names);
    let best: Article[] | undefined;
    let most = 0;
    for (const cluster of clusters) {
      const likeness = likenessOf(cluster.traits, traits, rarity);
      if (likeness > most) [best, most] = [cluster.articles, likeness];
    }
    if (best) best.unshift(article);
    else clusters.push({ traits, articles: [article] });
  }
  const stories = clusters.flatMap(({ articles: [lead, ...others] }) => (lead ? [{ lead, others }] : []));
  return stories.toSorted((one, other) => oldestFirst(other.lead, one.lead));
}

/** The same order whatever order they came in; what is equal in all of this is the same article. */
function oldestFirst(one: Article, other: Article): number {
  return (
    (one.published ?? 0) - (other.published ?? 0) ||
    one.url.localeCompare(other.url) ||
    (one.id ?? 0) - (other.id ?? 0) ||
    JSON.stringify(one).localeCompare(JSON.stringify(other))
  );
}

interface Shown<S> {
  /** All that the source has, which tells what is common in it. */
  found: Article[];
  /** Stories that the channel was shown lately, and those that somebody hid from it. */
  announced: S[];
  /** Names of entities, by ID. */
  names?: Record<string, string>;
}

/**
 * Separates news from articles on stories that a channel was shown, by the rule that makes articles one story; and from
 * those on stories that are hidden from it, and on what follows on them for as long as they are hidden.
 */
export function separateRepeats<S extends Gist & { hidden?: unknown }>(
  articles: Article[],
  { found, announced, names = {} }: Shown<S>,
) {
  const known = announced.map((story) => ({ story, traits: traitsOf(story, names) }));
  const rarity = raritiesIn(found);
  const repeats = new Set<Article>();
  const hidden = new Map<Article, S>();
  for (const article of articles) {
    const traits = traitsOf(article, names);
    const hides = known.find(({ story, traits: own }) => story.hidden && followsOn(own, traits, rarity));
    if (hides) hidden.set(article, hides.story);
    else if (known.some(({ traits: own }) => likenessOf(own, traits, rarity) > 0)) repeats.add(article);
  }
  const news = articles.filter((each) => !repeats.has(each) && !hidden.has(each));
  return { news, repeats: [...repeats], hidden };
}

/** Those that stand alone, which need no heading, then stories by the entity that leads them, the newest first. */
export function groupsOf(stories: Story[], names: Record<string, string> = {}): Group[] {
  const named = stories.map(({ lead, others }) => {
    const ids = [lead, ...others].flatMap(({ entities }) => entities.primary);
    return [...new Set(ids.flatMap((id) => names[id] ?? []))];
  });
  const counts = new Map<string, number>();
  for (const name of named.flat()) counts.set(name, (counts.get(name) ?? 0) + 1);
  const countOf = (name: string) => counts.get(name) ?? 0;
  // The name that most other stories have too; not one that all have, which would be the heading of everything.
  const leaders = named.map((own) => {
    const telling = own.filter((name) => stories.length < 3 || countOf(name) < stories.length);
    return telling.toSorted((one, other) => countOf(other) - countOf(one) || one.localeCompare(other))[0];
  });
  const shared = new Set(leaders.filter((name, at) => name !== undefined && leaders.indexOf(name) !== at));
  const groups = [...new Set(leaders)]
    .filter((name) => shared.has(name))
    .map((name) => ({ name, stories: stories.filter((_, at) => leaders[at] === name) }));
  const rest = stories.filter((_, at) => !shared.has(leaders[at]));
  return [...(rest.length > 0 ? [{ stories: rest }] : []), ...groups];
}

/** The last heading of stories that belong under no other. */
const otherSection = "Other";

/** Stories under the headings of their articles, by address, the newest first; nothing where they have fewer than two. */
export function sectionsOf(stories: Story[], headings: Record<string, string> = {}): Group[] | undefined {
  const named = stories.map(({ lead, others }) => {
    const [name = otherSection] = [lead, ...others].flatMap(({ url }) => headings[url] ?? []);
    return name;
  });
  const names = [...new Set(named)].filter((name) => name !== otherSection);
  if (names.length < 2) return undefined;
  return [...names, otherSection]
    .map((name) => ({ name, stories: stories.filter((_, at) => named[at] === name) }))
    .filter((group) => group.stories.length > 0);
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

/** What of an article is compared. */
type Gist = Pick<Article, "title" | "published" | "entities">;

/** What of an article tells which event it is about. */
interface Traits {
  published: number | undefined;
  /** Weights by entity, each entity where it matters most. */
  entities: Map<number, number>;
  /** It has one list of entities, which does not say what it is mainly about. */
  isFlat: boolean;
  words: Set<string>;
  /** All of its headline. */
  headline: string;
}

/** Names of entities are no evidence beside the entities. */
function traitsOf({ title, published, entities: tiers }: Gist, names: Record<string, string>): Traits {
  const entities = new Map<number, number>();
  for (const tier of ["primary", "secondary", "tertiary"] as const) {
    for (const id of tiers[tier]) if (!entities.has(id)) entities.set(id, weights[tier]);
  }
  const named = new Set([...entities.keys()].flatMap((id) => wordStems(names[id] ?? "")));
  const words = wordStems(title);
  return {
    published,
    entities,
    isFlat: tiers.secondary.length + tiers.tertiary.length === 0,
    words: new Set(words.filter((word) => !named.has(word))),
    headline: words.length >= reprint.words ? words.join(" ") : "",
  };
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
function likenessOf(one: Traits, other: Traits, rarity: Map<number, number>): number {
  const gap = gapOf(one, other);
  if (gap > bonds.pair.apartMs) return 0;
  if (one.headline && one.headline === other.headline && gap <= reprint.apartMs) return 1;
  const { share, central } = sharedEntities(one, other, rarity);
  if (central === 0) return 0;
  const bond = central > 1 && !(one.isFlat && other.isFlat) ? bonds.pair : bonds.single;
  const isOne = gap <= bond.apartMs && share >= bond.share && sharedWords(one.words, other.words) >= bond.words;
  return isOne ? share : 0;
}

/**
 * Whether an article is about one event with a story that somebody wants to hear no more of, or about what becomes of it.
 * That may be weeks later, so its date says less.
 */
function followsOn(story: Traits, article: Traits, rarity: Map<number, number>): boolean {
  if (story.headline && story.headline === article.headline) return true;
  const { share, central } = sharedEntities(story, article, rarity);
  if (central === 0) return false;
  const isFlat = story.isFlat && article.isFlat;
  if (central > 1 && !isFlat && share >= bonds.pair.share) return true;
  if (share >= 0.4 && sharedWords(story.words, article.words) >= bonds.single.words) return true;
  return !isFlat && share >= bonds.single.share && gapOf(story, article) <= 24 * hourMs;
}

/** How long lies between two articles; a while where nobody knows. */
function gapOf({ published: first }: Traits, { published: second }: Traits): number {
  return first === undefined || second === undefined ? undatedMs : Math.abs(first - second);
}

/** Of all that two are about, the share that both are about, from 0 to 1; and how many both are mainly about. */
function sharedEntities(one: Traits, other: Traits, rarity: Map<number, number>) {
  let both = 0;
  let all = 0;
  let central = 0;
  for (const id of new Set([...one.entities.keys(), ...other.entities.keys()])) {
    const [first, second] = [one.entities.get(id) ?? 0, other.entities.get(id) ?? 0];
    const rare = rarity.get(id) ?? 1;
    both += Math.min(first, second) * rare;
    all += Math.max(first, second) * rare;
    if (Math.min(first, second) === weights.primary) central++;
  }
  return { share: all > 0 ? both / all : 0, central };
}

function sharedWords(one: Set<string>, other: Set<string>): number {
  const both = [...one].filter((word) => other.has(word)).length;
  return both === 0 ? 0 : both / (one.size + other.size - both);
}
