import type { Article } from "../../../apis/article.ts";
import type { ArticleList } from "../../news/view.ts";
import type { Again, Told } from "../../subscriptions/told.ts";
import { type Traits, likenessOf, raritiesIn, traitsOf, wordsIn } from "../read/likeness.ts";
import { hasTurned } from "./turns.ts";

/**
 * How many words of a headline the place has read of its event where it says nothing new, unless it tells of a turn. Where
 * nobody knows which words are names, which all of them have, it takes more. A reversal that is not told is lost, while a
 * report that is told twice is a nuisance: so three of four headlines that other outlets might print of one report are
 * known again, and of what became of an event later one in twenty is taken for it.
 */
const knownShare = { named: 0.5, nameless: 0.6 };

interface Means {
  /** All that the source has, which tells what is common in it. */
  found: Article[];
  /** What the place was told of. */
  told: Told[];
  /** Names of entities, by ID. */
  names?: Record<string, string>;
}

/** What a read has brought, in the order in which it came. */
export interface Parted {
  news: Article[];
  retold: Again<Article>[];
}

/** Articles of a first read that are news: a taste, and no flood. */
const opened = 5;

/** Of the very first read, the newest are news, and of the rest nothing is told. */
export function opening({ news }: Parted): Parted {
  return { news: news.slice(0, opened), retold: [] };
}

/** The articles of a list that are news to its readers. */
export function newsIn({ articles, retold = [] }: Pick<ArticleList, "articles" | "retold">): Article[] {
  const again = new Set(retold.map(({ url }) => url));
  return again.size > 0 ? articles.filter(({ url }) => !again.has(url)) : articles;
}

/**
 * Parts what is news to a place from what only tells again what the place was told of: articles of one event, by the rule
 * that makes them one story within a digest, unless they came later and say something else or tell of a turn.
 */
export function parted(fresh: Article[], { found, told, names = {} }: Means): Parted {
  const parts: Parted = { news: [], retold: [] };
  const known = told.map((event) => ({ event, traits: traitsOf(event.first, names) }));
  const rarity = raritiesIn(found);
  for (const article of fresh) {
    const traits = traitsOf(article, names);
    const enough = article.entities.primary.some((id) => names[id]) ? knownShare.named : knownShare.nameless;
    const alike = known.flatMap(({ event, traits: first }) => {
      const likeness = likenessOf(first, traits, rarity);
      return likeness > 0 ? [{ event, likeness }] : [];
    });
    const events = alike.map(({ event }) => event);
    const again = hasTurnedSince(article, events) ? [] : alike.filter(({ event }) => !isNews(traits, event, enough));
    const [best] = again.toSorted((one, other) => other.likeness - one.likeness || other.event.at - one.event.at);
    if (best) parts.retold.push({ article, of: best.event.headline });
    else parts.news.push(article);
  }
  return parts;
}

/** Whether it tells of another turn than what the place was told last: what was stopped, resumed and is stopped anew. */
function hasTurnedSince(article: Article, events: Told[]): boolean {
  const at = Math.max(...events.map((event) => event.at));
  const last = events.filter((event) => event.at === at);
  return (
    last.length > 0 && last.every((event) => isLater(article, event)) && hasTurned(article.title, headlinesOf(last))
  );
}

/** A summary also says what may come of an event, so that a turn counts as told in a headline only. */
function headlinesOf(events: Told[]): string[] {
  return events.flatMap(({ headline, first }) => [headline, first.title]);
}

/** Without a date, it counts as later; what was dated ahead was there when it was told. */
function isLater({ published = Infinity }: Article, { newest = -Infinity, at }: Told): boolean {
  return published > Math.min(newest, at);
}

/** Whether it came later than what was told of its event, and its headline says something else. */
function isNews({ article, words }: Traits, told: Told, enough: number): boolean {
  if (!isLater(article, told)) return false;
  if (hasTurned(article.title, headlinesOf([told]))) return true;
  const { words: text } = told;
  const figures = figuresIn(text);
  if ([...figuresIn(article.title)].some((figure) => !figures.has(figure))) return true;
  const read = new Set(wordsIn(text));
  const known = [...words].filter((word) => read.has(word)).length;
  return known < words.size * enough;
}

/** Numbers, however their thousands are written: a toll that rises is told in the same words. */
function figuresIn(text: string): Set<string> {
  const found = text.match(/(?<![\p{L}\p{N}])\d(?:[\d.,]*\d)?/gu) ?? [];
  return new Set(found.map((figure) => figure.replaceAll(",", "")));
}
