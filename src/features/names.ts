import { distance } from "fastest-levenshtein";

import { UsageError } from "../apis/errors.ts";
import { escape, shorten } from "../slack/text/mrkdwn.ts";
import { singular } from "./text.ts";

/** Names as people type them: in another spelling, in part, misspelt; and words that are no name. */

/** Names that a reply offers if a short one may mean several. */
const offeredMost = 4;

/** A short name that may mean several: the reply offers each with a button. */
export class WhichName extends UsageError {
  readonly typed: string;
  readonly names: string[];

  constructor(typed: string, names: string[]) {
    super(`Which “${escape(shorten(typed, 60))}”?`);
    this.typed = typed;
    this.names = names.slice(0, offeredMost);
  }

  /** A line with each of the names in the place of the short one, by the names. */
  linesAfter(line: string): Record<string, string> {
    return Object.fromEntries(
      this.names.map((name) => [name, line.replace(typedName(this.typed), () => inQuotes(name))]),
    );
  }
}

/** A name that nothing known has. */
export interface UnknownName {
  name: string;
  /** Known names that are like it. */
  near: string[];
}

interface UnknownSettings {
  /** A search may take the place of what names it in a line. */
  canBeWords?: boolean;
  /** They stand in a list that others are left in without them. */
  canBeLeftOut?: boolean;
  /** They were just searched for, and not found. */
  isSearched?: boolean;
}

/** Names that nobody here has met: the reply offers to search the news for them, and then to go on with the line. */
export class UnknownNames extends UsageError {
  readonly unknown: UnknownName[];
  readonly settings: UnknownSettings;

  constructor(unknown: UnknownName[], settings: UnknownSettings = {}) {
    super(unknownWords(unknown, settings));
    this.unknown = unknown;
    this.settings = settings;
  }

  /** The same after a search for them. */
  afterSearch(): UnknownNames {
    return new UnknownNames(this.unknown, { ...this.settings, isSearched: true });
  }

  /** Lines that go on, by the labels of their buttons: with a known name, as a search for the words, or without them. */
  linesAfter(line: string): Record<string, string> {
    const [only, ...others] = this.unknown;
    const { canBeWords = false, canBeLeftOut = false } = this.settings;
    const without = only && others.length === 0 ? `“${shorten(only.name, 40)}”` : "them";
    const rest = this.unknown.reduce((left, { name }) => left.replace(typedName(name), ""), line);
    const leftOut = canBeLeftOut ? { [`Save without ${without}`]: rest } : {};
    if (!only || others.length > 0) return leftOut;
    const { name, near } = only;
    const corrected = near
      .slice(0, offeredMost)
      .map((known) => [known, line.replace(typedName(name), inQuotes(known))]);
    const words = line.replace(typedName(name, kindWords), () => `search ${inQuotes(name)}`);
    return {
      ...Object.fromEntries(corrected),
      ...(canBeWords && { [`Use the words “${shorten(name, 40)}”`]: words }),
      ...leftOut,
    };
  }
}

function unknownWords(unknown: UnknownName[], { isSearched = false }: UnknownSettings): string {
  const quoted = unknown.slice(0, unknownShown).map(({ name }) => `“${escape(shorten(name, 60))}”`);
  const more = unknown.length - quoted.length;
  const all = [...quoted, ...(more > 0 ? [`${more} more`] : [])];
  const lead = `I couldn’t find ${new Intl.ListFormat("en-GB", { type: "disjunction" }).format(all)}${isSearched ? " in the news either" : ""}.`;
  const [only, ...others] = unknown;
  if (only && others.length === 0) {
    if (only.near.length > 0) return `${lead} Did you mean ${only.near.length === 1 ? "this" : "one of these"}?`;
    return isSearched ? lead : `${lead} Try the full name or the ticker symbol.`;
  }
  const similar = unknown.filter(({ near }) => near.length > 0).slice(0, unknownShown);
  return [
    lead,
    ...similar.map(({ name, near }) => {
      const meant = near.slice(0, offeredMost).map((known) => escape(shorten(known, 60)));
      return `• “${escape(shorten(name, 60))}”: did you mean ${new Intl.ListFormat("en-GB", { type: "disjunction" }).format(meant)}?`;
    }),
  ].join("\n");
}

/** Unknown names that a reply lists. */
const unknownShown = 10;

const kindWords = "(?:entity|company|person|topic|region)\\s+";

/** Finds a name in a line, with its quotation marks; not in front of a colon, where the name of a list stands. */
function typedName(name: string, before = ""): RegExp {
  const short = name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`(?<=^|[\\s,;+-])(?:${before})?["“”]?${short}["“”]?(?=$|[\\s,;.?])`, "iu");
}

function inQuotes(name: string): string {
  return `"${name.replaceAll('"', "'")}"`;
}

/**
 * All items with a name, else the one item with a word that begins so. Throws WhichName if several names do.
 */
export function matchByName<One extends { name: string }>(typed: string, all: One[]): One[] {
  const wanted = foldName(typed);
  if (wanted === "") return [];
  const folded = all.map((one) => ({ one, name: foldName(one.name) }));
  const exact = folded.filter(({ name }) => name === wanted);
  const numbered = exact.length > 0 ? exact : folded.filter(({ name }) => singular(name) === singular(wanted));
  const found = numbered.length > 0 ? numbered : folded.filter(({ name }) => ` ${name}`.includes(` ${wanted}`));
  const names = new Map(found.map(({ one, name }) => [name, one.name]));
  if (names.size > 1) throw new WhichName(typed, [...names.values()]);
  return found.map(({ one }) => one);
}

/** A key that is the same however a name is spelt. */
export function comparableName(name: string): string {
  return name.normalize("NFKC").toLowerCase().replace(/\s+/g, " ").trim();
}

/** Names that differ in a larger part of their letters are not similar. */
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

/** The one item that a name or a part of one fits, or else those that it may mean. */
export function findByName<T>(
  words: string,
  all: readonly T[],
  nameOf: (one: T) => string,
): { match?: T | undefined; near: T[] } {
  const wanted = foldName(words);
  if (wanted === "") return { near: [] };
  // "Gold, desk" and "Gold desk" are told apart as they are spelt.
  const same = all.filter((one) => nameOf(one).toLowerCase() === words.toLowerCase());
  if (same.length === 1) return { match: same[0], near: [] };
  const named = all.map((one) => ({ one, name: foldName(nameOf(one)) }));
  const exact = named.filter(({ name }) => name === wanted);
  const holding = named.filter(({ name }) => name.includes(wanted));
  const only = [exact, holding].find(({ length }) => length === 1);
  if (only) return { match: only[0]?.one, near: [] };
  return { near: holding.length > 0 ? holding.map(({ one }) => one) : alike(words, all, nameOf) };
}

/** The items with these words in their names, or else those that they may misspell; all if there are no words. */
export function fitting<T>(words: string, all: readonly T[], nameOf: (one: T) => string): T[] {
  const wanted = foldName(words);
  if (wanted === "") return [...all];
  const holding = all.filter((one) => foldName(nameOf(one)).includes(wanted));
  return holding.length > 0 ? holding : alike(words, all, nameOf);
}

/** The part of the letters that would have to change; 1 if the lengths alone say that it is too many. */
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

/** Tells a name after a list's verb from a sentence: more than two words are one. */
export function looksLikeQuery(text: string): boolean {
  return /^["“]/.test(text) || (text.split(/\s+/).length <= 2 && !/[?!]/.test(text) && !isSentence(text));
}

/** First words of a sentence. In lower case, because people search for the IT sector, the US and the WHO. */
const begins =
  /^(?:about|again|all|also|and|any|are|as|at|because|before|both|but|by|did|do|does|each|for|from|had|has|have|here|how|if|in|instead|into|is|less|like|more|of|on|only|or|please|shorter|since|so|some|than|then|there|to|too|versus|vs|was|were|what|when|where|whether|which|while|who|why|with|without)\b/;
/** Words that point to people, and to something said before. */
const points =
  /(?<!-)\b(?:above|anyone|earlier|each other|he|her|him|his|I|i|it|its|me|mine|my|our|ours|she|that|their|them|these|they|this|those|we|you|your)\b(?!-)/;
const ends = /(?:[?!]|(?:^|[\s,])(?:again|already|as well|by now|instead|please|pls|so far|then|though|too)[.…]*)\s*$/i;

/** Tells a sentence after a verb, such as “of both, please”, from a name or a search. */
export function isSentence(text: string): boolean {
  const words = text.trim();
  if (/^["“]/.test(words)) return false;
  return begins.test(words) || points.test(words) || ends.test(words);
}
