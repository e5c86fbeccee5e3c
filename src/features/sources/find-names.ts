import type { Gateway } from "../../apis/gateway/client.ts";
import type { Credits } from "../../apis/gateway/schema.ts";
import type { Intelligence } from "../../apis/intelligence/client.ts";
import type { Entity } from "../../apis/intelligence/schema.ts";
import { limits } from "../../slack/text/limits.ts";
import { shorten } from "../../slack/text/mrkdwn.ts";
import { onlyFor, postAction } from "../../slack/incoming/request.ts";
import { UnknownNames, WhichName, foldName, matchByName } from "../names.ts";
import { quote, tokenize } from "../options.ts";
import { plural } from "../text.ts";
import { type Directory, type EntityMatch, mentionedIn } from "./directory.ts";

/** Names that people type, as the news service knows them; a name that nobody here has met is found by a search of the news. */

interface KnownNames {
  directory: Pick<Directory, "search" | "find">;
  intelligence: Intelligence;
}

/** The full names that a typed one may stand for, if it stands for none clearly. */
export function namesMeant(typed: string, { near, isAmbiguous = false }: EntityMatch): string[] {
  if (isAmbiguous) return near.map(({ name, typeName }) => `${name} (${typeName})`);
  const wanted = ` ${foldName(typed)} `;
  return near.map(({ name }) => name).filter((name) => ` ${foldName(name)} `.includes(wanted));
}

interface MissedName {
  name: string;
  match: EntityMatch;
}

/** The entity of each name, and the names that mean none clearly, with those that they may mean. */
export async function findNames(names: string[], { directory, intelligence }: KnownNames, signal: AbortSignal) {
  const found = new Map<string, Entity>();
  const missed: MissedName[] = [];
  for (const name of names) {
    const match = await directory.find(name, intelligence, signal);
    if (match.match) found.set(name, match.match);
    else missed.push({ name, match });
  }
  return { found, missed };
}

/** The error for names that mean none clearly: the first that may mean several, else all that aren't known. */
export function missedNames(missed: MissedName[], settings: UnknownNames["settings"] = {}): WhichName | UnknownNames {
  for (const { name, match } of missed) {
    const meant = namesMeant(name, match);
    if (meant.length > 1) return new WhichName(name, meant);
  }
  return new UnknownNames(
    missed.map(({ name, match: { near } }) => ({ name, near: near.map((each) => each.name) })),
    settings,
  );
}

/** The items that a name means: by their own names, else by the full name of what it means, such as a ticker. */
export function matchKnown<One extends { name: string }>(
  typed: string,
  all: One[],
  directory: Pick<Directory, "search">,
): One[] {
  const found = matchByName(typed, all);
  if (found.length > 0) return found;
  const { match } = directory.search(typed);
  return match ? all.filter(({ name }) => foldName(name) === foldName(match.name)) : [];
}

/** Articles of one search: it costs a credit however many there are. */
const searched = 100;

interface FindDependencies {
  intelligence: Pick<Intelligence, "entities">;
  gateway: Pick<Gateway, "search">;
  directory: Pick<Directory, "search">;
}

/** Searches the news for a name; from then on, the directory has all names of what is found. */
async function searchForName(name: string, { gateway, intelligence }: FindDependencies, signal: AbortSignal) {
  const found = await gateway.search(name, { limit: searched, signal });
  await intelligence.entities(mentionedIn(found.articles), signal);
  return found;
}

/** Searches the news for each of these names that no search before it has brought; the cost of all. */
export async function searchForNames(
  names: string[],
  deps: FindDependencies,
  signal: AbortSignal,
): Promise<Credits | undefined> {
  let credits: Credits | undefined;
  for (const name of names) {
    const { match, isAmbiguous } = deps.directory.search(name);
    if (match || isAmbiguous) continue;
    const { credits: paid } = await searchForName(name, deps, signal);
    const used = paid.used === undefined ? credits?.used : (credits?.used ?? 0) + paid.used;
    credits = { ...paid, used };
  }
  return credits;
}

/** The verb of the line that searches for names, and then goes on with another line. */
export const findVerb = "find";

interface FindTerms {
  /** A key of the test kind costs nothing. */
  isTest?: boolean | undefined;
}

/** The button that searches for names, and then goes on with the line; its label says what that costs at most. */
export function findButton(names: string[], line: string, user: string, terms: FindTerms) {
  const value = findLine(names, line);
  const action = onlyFor(user, `${postAction}:find`);
  return value.length > limits.buttonValue ? [] : [{ action, label: findWords(names, terms), value }];
}

/** The line that searches for names first; the line itself if there are none. */
export function findLine(names: string[], line: string): string {
  return names.length > 0 ? `${findVerb} ${names.map(quote).join(" ")} ${line}` : line;
}

/** `Find “silver” (1 credit)`. */
export function findWords(names: string[], { isTest = false }: FindTerms): string {
  const [only = "", ...others] = names;
  const what = others.length === 0 ? `“${shorten(only, 40)}”` : plural(names.length, "name");
  const most = others.length === 0 ? "" : "up to ";
  return `Find ${what}${isTest ? "" : ` (${most}${plural(names.length, "credit")})`}`;
}

/** The names that such a line searches for, and the line that it goes on with. */
export function readFindLine(text: string): { names: string[]; line: string } {
  const tokens = tokenize(text);
  const at = tokens.findIndex(({ isQuoted }) => !isQuoted);
  const named = at < 0 ? tokens : tokens.slice(0, at);
  return { names: named.map((token) => token.text), line: at < 0 ? "" : text.slice(tokens[at]?.start).trim() };
}
