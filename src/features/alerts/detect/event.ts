import type { Article } from "../../../apis/article.ts";
import { keysOf } from "../../subscriptions/announced.ts";

/** Groups spikes into events. Pure. */

/** A spike with what is written about it. */
export interface Burst {
  entity: string;
  /** The ID by which articles name it, if that is known. */
  id?: number | undefined;
  articles: Article[];
}

/** The share of the articles that has to be common to both, or to name the other. */
const leastShare = 0.5;

/** Whether two spikes are one event: of one name, with half of their articles in common, or named together in them. */
export function isOneEvent(one: Burst, other: Burst): boolean {
  if (one.entity === other.entity || (one.id !== undefined && one.id === other.id)) return true;
  return sharedOf(one.articles, other.articles) >= leastShare || names(one, other) || names(other, one);
}

/** The part of the shorter list that is in both. */
function sharedOf(one: Article[], other: Article[]): number {
  const [fewer, more] = one.length <= other.length ? [one, other] : [other, one];
  const known = new Set(more.flatMap(keysOf));
  return shareOf(fewer, (article) => keysOf(article).some((key) => known.has(key)));
}

function names({ articles }: Burst, { id }: Burst): boolean {
  if (id === undefined) return false;
  const isNamed = ({ entities }: Article) => Object.values(entities).some((tier) => tier.includes(id));
  return shareOf(articles, isNamed) >= leastShare;
}

function shareOf(articles: Article[], fits: (article: Article) => boolean): number {
  return articles.length === 0 ? 0 : articles.filter(fits).length / articles.length;
}

/** Spikes as events, each of which is known by its first spike: one that joined draws in no others. */
export function eventsIn<B extends Burst>(bursts: B[]): [B, ...B[]][] {
  const events: [B, ...B[]][] = [];
  for (const burst of bursts) {
    const event = events.find(([first]) => isOneEvent(first, burst));
    if (event) event.push(burst);
    else events.push([burst]);
  }
  return events;
}
