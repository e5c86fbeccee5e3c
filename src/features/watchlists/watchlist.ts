import { UsageError } from "../../apis/errors.ts";
import { inCode, shorten } from "../../slack/text/mrkdwn.ts";
import { tokenize } from "../options.ts";
import type { Watchlist, WatchlistContent, WatchlistEntry } from "../sources/watchlist.ts";
import type { WatchlistReader, Watchlists } from "../sources/watchlist-store.ts";
import { foldName } from "../names.ts";

/** The things that somebody wants to follow: companies, people, regions and topics in groups, and what to leave out. */

/** Lists of one person, names on one list, groups of a list, and characters of its name. */
const listsMost = 50;
export const entriesMost = 100;
export const groupsMost = 10;
export const nameMost = 60;

/** The names as they were typed. */
export interface TypedTerms {
  groups: string[][];
  excluded: string[];
}

/** An example of a watchlist as it is typed. */
export const grammarExample = "Chip rules: Novalith, Ardenne + Export controls, -Earnings";

const dash = /^[-–—−]\s*/;
/** A run of blanks is read from its beginning only: a line may be nothing else. */
const groupMark = /(?<!\s)\s+(?:;\s*|(?:\+|AND)\s+)|;\s*|\n+/;

/**
 * Reads `Novalith, Ardenne + Export controls, -Earnings`: a comma is “or”; `+`, `;` or `AND` begins a group of which an article
 * has to be about one as well; a dash excludes. A plain “and” is part of a name, as in “Oil and Gas”. Quotation marks hold
 * a name together that has one of these marks in it.
 */
export function readTerms(text: string): TypedTerms {
  const quotations: string[] = [];
  const hide = (_: string, words: string) => `\0${quotations.push(words) - 1}\0`;
  const restore = (words: string) => words.replace(/\0(\d+)\0/g, (_, at: string) => quotations[Number(at)] ?? "");
  const plain = text.replaceAll("\0", "").replace(/["“”„«»]([^"“”„«»]*)["“”„«»]/g, hide);
  const parts = plain.split(groupMark).map((part) =>
    part.split(",").flatMap((term) => {
      // "A, B, and C" is a list of three.
      const typed = term.trim().replace(/^and\s+/, "");
      const words = restore(typed.replace(dash, "")).replace(/\s+/g, " ").trim();
      return words === "" ? [] : [{ words, isExcluded: dash.test(typed) }];
    }),
  );
  return {
    groups: parts
      .map((part) => part.filter(({ isExcluded }) => !isExcluded).map(({ words }) => words))
      .filter((group) => group.length > 0),
    excluded: parts.flat().flatMap(({ words, isExcluded }) => (isExcluded ? [words] : [])),
  };
}

/** The name in a term: `+silver` adds one. */
export function nameOfTerm(words: string): string {
  return words.replace(/^\+\s*/, "");
}

/** An edit that adds names and takes them away, as in `+silver, -gold`, instead of replacing all. */
export function isSigned({ groups }: TypedTerms): boolean {
  const wanted = groups.flat();
  return wanted.length === 0 || wanted.some((words) => words.startsWith("+"));
}

/** The content with names added to its first group, and others taken away; what stands in no group is excluded instead. */
export function changedContent(
  { groups, excluded }: WatchlistContent,
  { groups: added, excluded: taken }: WatchlistContent = { groups: [], excluded: [] },
): WatchlistContent {
  const without = (all: WatchlistEntry[], others: WatchlistEntry[]) =>
    all.filter(({ id }) => !others.some((other) => other.id === id));
  const [first = [], ...more] = groups.map((group) => without(group, taken));
  return {
    groups: [[...first, ...without(added.flat(), more.flat())], ...more],
    excluded: [...without(excluded, added.flat()), ...without(taken, groups.flat())],
  };
}

/** Takes `NAME: what is on it` apart; without a colon, all of it is the name. */
export function splitName(text: string): { name: string; rest?: string } {
  const line = text.trim();
  const [first] = tokenize(line);
  const isQuoted = first?.isQuoted === true && first.start === 0;
  const colon = line.indexOf(":", isQuoted ? first.end : 0);
  const isNamed = colon >= 0 && (!isQuoted || line.slice(first.end, colon).trim() === "");
  const name =
    isQuoted && (isNamed || first.end === line.length) ? first.text : line.slice(0, isNamed ? colon : undefined);
  return { name: name.replace(/\s+/g, " ").trim(), ...(isNamed && { rest: line.slice(colon + 1).trim() }) };
}

/** A name that a list can have, or a UsageError. */
export function needName(name: string): string {
  if (name === "") throw new UsageError(`What should it be called? Type \`/watchlists new ${grammarExample}\`.`);
  if (name.length <= nameMost && !/["“”„«»\n]/.test(name)) return name;
  throw new UsageError(
    name.length > nameMost
      ? `“${inCode(shorten(name, 40))}” is too long for a name: ${nameMost} characters fit.`
      : "A name can’t hold quotation marks.",
  );
}

/** The content with each entry once; throws a UsageError if there is nothing to bring, or too much to look for. */
export function fittingContent({ groups, excluded }: WatchlistContent): WatchlistContent {
  const content = {
    groups: groups.map(withoutRepeats).filter((group) => group.length > 0),
    excluded: withoutRepeats(excluded),
  };
  const wanted = content.groups.flat();
  if (wanted.length === 0) {
    throw new UsageError(
      `Add at least one name: with only excluded names, it would match all other news. For example \`/watchlists new ${grammarExample}\`.`,
    );
  }
  const both = wanted.find(({ id }) => content.excluded.some((entry) => entry.id === id));
  if (both) throw new UsageError(`“${inCode(both.name)}” is both included and excluded. Remove one.`);
  if (wanted.length + content.excluded.length > entriesMost) {
    throw new UsageError(`A watchlist has at most ${entriesMost} names. Make two of it.`);
  }
  if (content.groups.length > groupsMost) {
    throw new UsageError(`A watchlist has at most ${groupsMost} groups. A comma between names means “or”.`);
  }
  return content;
}

function withoutRepeats(entries: WatchlistEntry[]): WatchlistEntry[] {
  return [...new Map(entries.map((entry) => [entry.id, entry])).values()];
}

/** Throws a UsageError if its owner has one of that name, or too many; of shared ones, each name is there once. */
export async function needFree(
  wanted: Pick<Watchlist, "name" | "isShared"> & { id?: string | undefined },
  owner: WatchlistReader,
  watchlists: Pick<Watchlists, "visible">,
): Promise<void> {
  const others = (await watchlists.visible(owner)).filter(({ id }) => id !== wanted.id);
  const own = others.filter((each) => each.owner === owner.user);
  const same = (each: Watchlist) => foldName(each.name) === foldName(wanted.name);
  const typed = inCode(wanted.name);
  if (own.some(same)) {
    throw new UsageError(
      `You already have a watchlist “${typed}”. Choose another name. To change that one, type \`/watchlists edit ${typed}\`.`,
    );
  }
  if (wanted.isShared && others.some(same)) {
    throw new UsageError(`Somebody already shares a watchlist “${typed}”. Choose another name for this one.`);
  }
  if (wanted.id === undefined && own.length >= listsMost) {
    throw new UsageError(
      `You have ${listsMost} watchlists, and no more fit. Remove one first. \`/watchlists list\` shows them.`,
    );
  }
}
