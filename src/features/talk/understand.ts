import { shorten } from "../../slack/text/mrkdwn.ts";
import { WhichName, foldName } from "../names.ts";
import { quote } from "../options.ts";
import type { Directory } from "../sources/directory.ts";
import { nameKind } from "../sources/typed.ts";
import type { Entity } from "../../apis/intelligence/schema.ts";
import { namesMeant } from "../sources/find-names.ts";
import type { Watchlists } from "../sources/watchlist-store.ts";
import type { Intelligence } from "../../apis/intelligence/client.ts";
import type { Ask, Configured } from "../feature.ts";
import type { NamedSubject } from "./wish.ts";

/** Things that are known by name. */
export interface NameDependencies {
  directory: Pick<Directory, "search" | "find">;
  watchlists: Pick<Watchlists, "visible">;
  intelligence: Intelligence;
  configured: Configured;
}

/** The thing that somebody named, as the bot knows it. */
export interface Understood {
  /** As a command takes it: `entity "BASF SE"`, `watchlist "Metals"`, `search "chip export"`. */
  source: string;
  /** As a reader would say it. */
  name: string;
  /** Names that nobody knows: they are followed as words. */
  unknown: string[];
}

/** The card should be there at once; what a look-up finds later is known the next time. */
const lookUpMs = 1_200;

/**
 * The source that somebody means by what they called it: a watchlist of that name, else companies, people, topics and regions,
 * else the words themselves. Throws WhichName if a short name may be several.
 */
export async function understand(subject: NamedSubject, ask: Ask, deps: NameDependencies): Promise<Understood> {
  const { kind } = subject;
  const typed = subject.names.join(", ");
  if (kind === "trending") {
    const [type = "all"] = subject.names;
    return { source: `trending ${type}`, name: type === "all" ? "what’s trending" : `trending ${type}`, unknown: [] };
  }
  if (kind !== undefined && kind !== "entity") return { source: `${kind} ${quote(typed)}`, name: typed, unknown: [] };
  const list = kind ? undefined : await watchlistNamed(typed, ask, deps);
  if (list) return { source: `watchlist ${quote(list)}`, name: list, unknown: [] };
  // “Oil and Gas” is one name if it is known as one.
  const whole = await nameOf(subject.names.length > 1 ? subject.names.join(" and ") : typed, ask, deps);
  const found = whole ? [whole] : await Promise.all(subject.names.map((name) => nameOf(name, ask, deps)));
  const known = found.flatMap((entity) => entity ?? []);
  const unknown = whole ? [] : subject.names.filter((_, at) => found[at] === undefined);
  if (unknown.length === 0) {
    const names = known.map(({ name }) => name);
    return {
      source: `${nameKind(known[0]?.typeName)} ${names.map(quote).join(", ")}`,
      name: listWords(names),
      unknown,
    };
  }
  return {
    source: `search ${quote(shorten(subject.names.join(" "), 200))}`,
    name: `“${listWords(subject.names)}”`,
    unknown,
  };
}

/** The one that a typed name means; nothing if nobody of that name is known. */
async function nameOf(typed: string, ask: Ask, deps: NameDependencies): Promise<Entity | undefined> {
  const { directory, configured, intelligence } = deps;
  const seen = directory.search(typed);
  if (seen.match) return seen.match;
  const meant = namesMeant(typed, seen);
  if (meant.length > 1) throw new WhichName(typed, meant);
  if (!configured.intelligence) return undefined;
  const signal = AbortSignal.any([ask.signal, AbortSignal.timeout(lookUpMs)]);
  const found = await directory.find(typed, intelligence, signal).catch(() => undefined);
  return found?.match;
}

async function watchlistNamed(typed: string, { team, user }: Ask, { watchlists }: NameDependencies) {
  const wanted = foldName(typed);
  return (await watchlists.visible({ team, user })).find(({ name }) => foldName(name) === wanted)?.name;
}

function listWords(names: string[]): string {
  return new Intl.ListFormat("en-GB").format(names);
}
