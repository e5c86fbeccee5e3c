import type { Article } from "../../../apis/article.ts";

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
export type Gist = Pick<Article, "title" | "published" | "entities">;

/** What of an article tells which event it is about. */
export interface Traits<A extends Gist = Article> {
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
export function traitsOf<A extends Gist>(article: A, names: Record<string, string>): Traits<A> {
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
export function raritiesIn(all: Gist[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const { entities } of all) {
    const ids = new Set([...entities.primary, ...entities.secondary, ...entities.tertiary]);
    for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return new Map([...counts].map(([id, count]) => [id, 1 - (count / (all.length + 6)) ** 2]));
}

/** Above 0 where two articles are about one event. */
export function likenessOf(one: Traits<Gist>, other: Traits<Gist>, rarity: Map<number, number>): number {
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

interface Shared {
  /** Of all that the two are about, what both are about, from 0 to 1. */
  share: number;
  /** Entities that both are mainly about. */
  central: number;
}

function sharedOf(one: Traits<Gist>, other: Traits<Gist>, rarity: Map<number, number>): Shared {
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
