import { escape, inCode, shorten } from "../slack/mrkdwn.ts";
import { alike, plain } from "./alike.ts";
import { isSentence } from "./sentence.ts";
import { plural } from "./words.ts";

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
 * Found is what has the words in its name, or else what they may misspell.
 */
export function soughtIn<T>(text: string, all: readonly T[], nameOf: (one: T) => string): Sought<T> {
  const { words, page } = wantedIn(text);
  const wanted = plain(words);
  if (wanted === "") return { words: "", found: [...all], page, total: all.length };
  const holding = all.filter((one) => plain(nameOf(one)).includes(wanted));
  const found = holding.length > 0 ? holding : alike(words, all, nameOf);
  return { words, found, page, total: all.length };
}

function wantedIn(text: string): { words: string; page: number } {
  const [, quoted, page] = /^(?:["“]([^"“”]*)["”])?\s*(-?\d+(?:\.\d+)?)?$/.exec(text.trim()) ?? [];
  if (quoted === undefined && page === undefined) return { words: text.trim(), page: 1 };
  return { words: quoted?.trim() ?? "", page: Number(page ?? 1) };
}

/** `12 channels`; where some were sought, how many these are of them. */
export function countOf({ words, found, total }: Sought<unknown>, noun: string): string {
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
  return words === "" ? String(page) : `"${plain(words).slice(0, 60)}" ${page}`;
}

/** Whether words after a list's verb can be a name: more than two are said to somebody. */
export function canBeSought(text: string): boolean {
  return /^["“]/.test(text) || (text.split(/\s+/).length <= 2 && !/[?!]/.test(text) && !isSentence(text));
}
