import { distance } from "fastest-levenshtein";

import type { Article } from "../apis/article.ts";
import type { Intelligence } from "../apis/intelligence/client.ts";
import { type Log, describe } from "../log.ts";
import { turnAction } from "../slack/incoming/request.ts";
import { button, context, header, row, section } from "../slack/text/blocks.ts";
import type { Block, Message } from "../slack/text/message.ts";
import { escape, inCode, shorten, spoken } from "../slack/text/mrkdwn.ts";
import type { ArticleList } from "./articles/view.ts";
import { plural } from "./text.ts";

/** Lists that a reader looks something up in: finding by name, also misspelt, pages, and the names of entities. */

/** The part of the letters that may be wrong. */
export const remote = 0.45;

/** The items whose names are similar to misspelt words, the most similar first; case, accents and punctuation are ignored. */
export function alike<T>(words: string, all: readonly T[], nameOf: (one: T) => string): T[] {
  const wanted = foldName(words);
  if (wanted === "") return [];
  return all
    .map((one) => ({ one, away: nameDifference(foldName(nameOf(one)), wanted) }))
    .filter(({ away }) => away < remote)
    .toSorted((first, second) => first.away - second.away)
    .map(({ one }) => one);
}

/** What a name, or a part of one, means: the one item that it fits, or else those that it may mean. */
export function findByName<T>(
  words: string,
  all: readonly T[],
  nameOf: (one: T) => string,
): { match?: T | undefined; near: T[] } {
  const wanted = foldName(words);
  if (wanted === "") return { near: [] };
  // Names that differ in marks alone, such as "Gold, desk" and "Gold desk 🚀", are told apart by them.
  const same = all.filter((one) => unquoted(nameOf(one)) === unquoted(words));
  if (same.length === 1) return { match: same[0], near: [] };
  const named = all.map((one) => ({ one, name: foldName(nameOf(one)) }));
  const exact = named.filter(({ name }) => name === wanted);
  const holding = named.filter(({ name }) => name.includes(wanted));
  const only = [exact, holding].find(({ length }) => length === 1);
  if (only) return { match: only[0]?.one, near: [] };
  return { near: holding.length > 0 ? holding.map(({ one }) => one) : alike(words, all, nameOf) };
}

function unquoted(name: string): string {
  const plain = name.toLowerCase().replace(/["“”„«»]/g, "");
  return plain.replace(/\s+/g, " ").trim();
}

/** The items with these words in their names, or else those that they may misspell; all where there are no words. */
export function fitting<T>(words: string, all: readonly T[], nameOf: (one: T) => string): T[] {
  const wanted = foldName(words);
  if (wanted === "") return [...all];
  const holding = all.filter((one) => foldName(nameOf(one)).includes(wanted));
  return holding.length > 0 ? holding : alike(words, all, nameOf);
}

/** The part of the letters that would have to change; 1 where the lengths alone say that it is too many. */
export function nameDifference(name: string, wanted: string): number {
  const length = Math.max(name.length, wanted.length);
  return Math.abs(name.length - wanted.length) >= length * remote ? 1 : distance(name, wanted) / length;
}

/** Letters and numbers alone, in lower case; "S.A." is "sa", and "Moody's" is "moodys". */
export function foldName(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/['’.]/g, "")
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

/** The article of a link, by its address or, where the answer links to the service's own pages, by its headline. */
export function articleLinked(link: { url: string; label: string }, articles: Article[]): Article | undefined {
  const headline = foldName(link.label);
  return articles.find(({ url, title }) => url === link.url || (headline !== "" && foldName(title) === headline));
}

/** One screen of a list. */
interface ListPage<T> {
  shown: T[];
  /** The number of the first item that is shown, from one on. */
  first: number;
  /** Its number, from one on. */
  at: number;
  last: number;
}

/** The screen of a list that a number means: the nearest of those that there are. */
export function pageOf<T>(items: readonly T[], page: number, size: number): ListPage<T> {
  const last = Math.max(1, Math.ceil(items.length / size));
  const at = Math.min(Math.max(1, Math.trunc(page)), last);
  const before = (at - 1) * size;
  return { shown: items.slice(before, before + size), first: before + 1, at, last };
}

interface PageButtons {
  at: number;
  last: number;
  /** What shows another page, as if it were typed. */
  line: (page: number) => string;
  labels?: [previous: string, next: string];
}

/** Buttons to the screens beside the one that is shown, as far as there are any. */
export function pageButtons({ at, last, line, labels: [previous, next] = ["Previous", "Next"] }: PageButtons) {
  const to = (label: string, page: number) =>
    button({
      action: `${turnAction}:${label.toLowerCase()}`,
      label,
      value: line(page),
      spoken: `${label}, page ${page} of ${last}`,
    });
  return [...(at > 1 ? [to(previous, at - 1)] : []), ...(at < last ? [to(next, at + 1)] : [])];
}

/** A row of what can be pressed; nothing where there is nothing to press. */
export function rowOf(...elements: Parameters<typeof row>): Block[] {
  return elements.length > 0 ? [row(...elements)] : [];
}

interface NamesScreen extends Pick<ListPage<unknown>, "at" | "last"> {
  title: string;
  /** How many there are, as in `12 collections`. */
  count: string;
  /** One for each item, as mrkdwn. */
  lines: string[];
  /** What can be done, in rows. */
  rows: Block[];
}

/** One screen of a list of names, with what is worth knowing of each. */
export function namesScreen({ title, count, lines, at, last, rows }: NamesScreen): Message {
  const small = last > 1 ? `${count} · page ${at} of ${last}` : count;
  return {
    text: [title, small, ...lines.map(spoken)].join("\n"),
    blocks: [header(title), section(lines.join("\n")), context(small), ...rows],
    shareable: true,
  };
}

/** What of a list somebody wants to see. */
export interface Sought<T> {
  /** What they look for in the names; empty where they want all. */
  words: string;
  found: T[];
  /** From 1. */
  page: number;
  /** How many there are in all. */
  total: number;
}

/**
 * Reads what was typed after a list's verb: `PAGE`, `NAME`, or `"NAME" PAGE` where there are more than one screen takes.
 * Found is what fits the words.
 */
export function soughtIn<T>(text: string, all: readonly T[], nameOf: (one: T) => string): Sought<T> {
  const { words, page } = parseSought(text);
  const found = fitting(words, all, nameOf);
  return { words: foldName(words) === "" ? "" : words, found, page, total: all.length };
}

function parseSought(text: string): { words: string; page: number } {
  const [, quoted, page] = /^(?:["“]([^"“”]*)["”])?\s*(-?\d+(?:\.\d+)?)?$/.exec(text.trim()) ?? [];
  if (quoted === undefined && page === undefined) return { words: text.trim(), page: 1 };
  return { words: quoted?.trim() ?? "", page: Number(page ?? 1) };
}

/** `12 channels`; where some were sought, how many these are of them. */
export function soughtCount({ words, found, total }: Sought<unknown>, noun: string): string {
  return words === "" ? plural(total, noun) : `${found.length.toLocaleString("en")} of ${plural(total, noun)}`;
}

/** Says that nothing has the words in its name, and what shows all. */
export function missedWords({ words, total }: Sought<unknown>, lead: string, all: string): string {
  return `${lead} “${escape(shorten(words, 60))}”. \`${all}\` shows all ${total.toLocaleString("en")}.`;
}

/** The same of what the news can be searched for instead. */
export function missedTopic(sought: Sought<unknown>, lead: string, all: string): string {
  return `${missedWords(sought, lead, all)} \`/news ${inCode(shorten(sought.words, 60))}\` searches the news.`;
}

/** What shows a page of what was sought, typed after the list's verb. */
export function pageOfSought({ words }: Pick<Sought<unknown>, "words">, page: number): string {
  return words === "" ? String(page) : `"${foldName(words).slice(0, 60)}" ${page}`;
}

/** Whether words after a list's verb can be a name: more than two are said to somebody. */
export function canBeSought(text: string): boolean {
  return /^["“]/.test(text) || (text.split(/\s+/).length <= 2 && !/[?!]/.test(text) && !isSentence(text));
}

/** What a name or the words of a search do not begin with. In lower case: the IT sector, the US and the WHO are sought. */
const begins =
  /^(?:about|again|all|also|and|any|are|as|at|because|before|both|but|by|did|do|does|each|for|from|had|has|have|here|how|if|in|instead|into|is|less|like|more|of|on|only|or|please|shorter|since|so|some|than|then|there|to|too|versus|vs|was|were|what|when|where|whether|which|while|who|why|with|without)\b/;
/** Who talks, and what was talked about before. */
const points =
  /(?<!-)\b(?:above|anyone|earlier|each other|he|her|him|his|I|i|it|its|me|mine|my|our|ours|she|that|their|them|these|they|this|those|we|you|your)\b(?!-)/;
const ends = /(?:[?!]|(?:^|[\s,])(?:again|already|as well|by now|instead|please|pls|so far|then|though|too)[.…]*)\s*$/i;

/** Whether words after a verb are said to somebody, as “of both, please” is, and are no name or search. */
export function isSentence(text: string): boolean {
  const words = text.trim();
  if (/^["“]/.test(words)) return false;
  return begins.test(words) || points.test(words) || ends.test(words);
}

/** How long articles wait for the names of what they are about; those that come later are there the next time. */
const patienceMs = 1_500;

/**
 * Names of the entities that articles are about, by ID, in one request at most. None where they cannot be had soon: the
 * articles are worth showing without.
 */
export async function entityNames(
  articles: Article[],
  signal: AbortSignal,
  {
    intelligence,
    configured,
    log,
  }: { intelligence: Pick<Intelligence, "entities">; configured: { intelligence: boolean }; log: Pick<Log, "warn"> },
): Promise<Record<string, string>> {
  const tiers = articles.flatMap(({ entities }) => [entities.primary, entities.secondary, entities.tertiary]);
  const ids = [...new Set(tiers.flat())];
  if (!configured.intelligence || ids.length === 0) return {};
  try {
    const found = await intelligence.entities(ids, AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]));
    return Object.fromEntries([...found].map(([id, { name }]) => [id, name]));
  } catch (error) {
    signal.throwIfAborted();
    log.warn("news.names", { error: describe(error) });
    return {};
  }
}

/** Keeps the list of a reply for its workspace; it is shown also where the store fails: then without what needs the list. */
export async function keepListIfPossible<List>(
  list: List,
  { lists, log }: { lists: { keep(list: List, team: string): Promise<string> }; log: Pick<Log, "warn"> },
  { team }: { team: string },
): Promise<string | undefined> {
  try {
    return await lists.keep(list, team);
  } catch (error) {
    log.warn("list.not-kept", { error: describe(error) });
    return undefined;
  }
}

/** How a line names a kept list, or with a number behind it one of its articles: `KEY` or `KEY:3`. */
export const listReference = /^[\da-f]{8}-[\da-f-]{27}(?::\d{1,2})?(?=\s|$)/;

interface KeptLists {
  get(key: string, team: string): Promise<ArticleList | undefined>;
  keep(list: ArticleList, team: string): Promise<string>;
}

/** An article of a kept list, by a reference with its number; nothing where it or the list is gone, or another workspace's. */
export async function findListed(
  reference: string,
  lists: Pick<KeptLists, "get">,
  { team }: { team: string },
): Promise<{ list: ArticleList; article: Article } | undefined> {
  const [key = "", at] = reference.split(":");
  const list = await lists.get(key, team);
  const article = list?.articles[Number(at) - 1];
  return list && article && { list, article };
}

/** A kept list by its reference; one of its articles becomes a list of its own, which is kept as well. */
export async function findList(
  reference: string,
  lists: KeptLists,
  { team }: { team: string },
): Promise<{ key: string; list: ArticleList } | undefined> {
  if (!reference.includes(":")) {
    const list = await lists.get(reference, team);
    return list && { key: reference, list };
  }
  const found = await findListed(reference, lists, { team });
  if (!found) return undefined;
  const { article, list } = found;
  const ids = Object.values(article.entities).flat();
  const names = Object.fromEntries(ids.flatMap((id) => (list.names?.[id] ? [[id, list.names[id]]] : [])));
  const alone = { title: article.title, articles: [article], total: 1, names };
  return { key: await lists.keep(alone, team), list: alone };
}
