import { LRUCache } from "lru-cache";
import PQueue from "p-queue";

import type { Article } from "../../apis/article.ts";
import type { Intelligence } from "../../apis/intelligence/client.ts";
import type { Jurisdictions } from "../../apis/jurisdictions/client.ts";
import type { JurisdictionLookup, NamedRecord } from "../../apis/jurisdictions/schema.ts";
import { type Log, describe } from "../../log.ts";
import { remote, nameDifference, foldName } from "../names.ts";

/** A jurisdiction in its region, with the numbers of its news channels. */
export interface Place extends NamedRecord {
  region: NamedRecord;
  agencyChannel?: number | undefined;
  jurisdictionChannel?: number | undefined;
}

/** An agency, a contributor or a source, and where it belongs. */
export interface RegulatoryRecord extends NamedRecord {
  kind: "agency" | "contributor" | "source";
  place: Place;
  /** The contributor of a source. */
  contributor?: NamedRecord;
}

/** What a name may mean, the likeliest first. */
interface RegulatorsFound {
  /** How they fit: all have the very name, have it in theirs, or are spelt nearly so. */
  fit: "exact" | "part" | "alike";
  found: RegulatoryRecord[];
}

/**
 * The names below jurisdictions, which the database gives only step by step, and the news behind them. Kept in memory
 * alone: after a restart they are read again, which is free.
 */
export interface Regulators {
  /** The agencies, contributors or sources that a name or initials may mean, of those that have been read. */
  search(words: string): RegulatorsFound;
  /**
   * Reads all names, each at most once a day. What cannot be read is left out and tried again some minutes later. Goes on
   * when whoever waits has gone.
   */
  learn(signal?: AbortSignal): Promise<void>;
  /** All jurisdictions. */
  places(): Promise<Place[]>;
  agenciesIn(place: Place): Promise<RegulatoryRecord[]>;
  contributorsIn(place: Place): Promise<RegulatoryRecord[]>;
  /** All agencies that have been read. */
  agencies(): RegulatoryRecord[];
  /** What a channel of the news service brings; whoever asks within the same moment shares one read. */
  newsOf(channel: number): Promise<Article[]>;
}

interface RegulatorsOptions {
  jurisdictions: Jurisdictions;
  intelligence: Pick<Intelligence, "channel" | "articles">;
  log: Pick<Log, "warn">;
  now: () => number;
}

/** Less than a day, so that a daily job finds it too old. */
const freshMs = 20 * 60 * 60_000;
/** One request for all of them, which a digest of a region needs. */
const placesMs = 60 * 60_000;
const retryMs = 10 * 60_000;
/** Lists that are asked for at once: this is nobody's hurry. */
const readAtOnce = 4;
/** Digests that are due together share what they read. */
const newsMs = 30_000;
const channelsKept = 100;

/** A record and what it goes by, in plain letters: its name, then what stands for it. */
interface KnownRecord {
  record: RegulatoryRecord;
  names: string[];
}

interface KeptList {
  at: number;
  /** Where a list is under way or has been read; a failure is forgotten. */
  read: Promise<KnownRecord[]>;
  records: KnownRecord[];
}

export function createRegulators({ jurisdictions: api, intelligence, log, now }: RegulatorsOptions): Regulators {
  /** Lists by what they hold and of what: `agencies ID`. */
  const lists = new Map<string, KeptList>();
  const news = new LRUCache<number, Promise<Article[]>>({
    max: channelsKept,
    ttl: newsMs,
    ttlResolution: 0,
    perf: { now },
  });
  let places: { at: number; read: Promise<Place[]> } | undefined;
  let learntAt = Number.NEGATIVE_INFINITY;
  let learning: Promise<void> | undefined;

  function readPlaces(): Promise<Place[]> {
    if (places && now() - places.at < placesMs) return places.read;
    const read = api.lookup().then(placesIn);
    const asked = { at: now(), read };
    places = asked;
    read.catch(() => {
      if (places === asked) places = undefined;
    });
    return read;
  }

  async function list(key: string, read: () => Promise<RegulatoryRecord[]>): Promise<RegulatoryRecord[]> {
    const kept = lists.get(key);
    if (kept && now() - kept.at < freshMs) return (await kept.read).map(({ record }) => record);
    const asked: KeptList = {
      at: now(),
      records: kept?.records ?? [],
      read: read().then((records) => (asked.records = records.map(knownAs))),
    };
    lists.set(key, asked);
    try {
      return (await asked.read).map(({ record }) => record);
    } catch (error) {
      // What was read of it before still holds.
      asked.at = Number.NEGATIVE_INFINITY;
      throw error;
    }
  }

  const agenciesIn = (place: Place) =>
    list(`agencies ${place.id}`, async () =>
      (await api.agencies(place.id)).map(({ id, name }) => ({ kind: "agency", id, name, place })),
    );
  const contributorsIn = (place: Place) =>
    list(`contributors ${place.id}`, async () =>
      (await api.contributors(place.id)).map(({ id, name }) => ({ kind: "contributor", id, name, place })),
    );
  const sourcesOf = ({ id: owner, name: ownerName, place }: RegulatoryRecord) =>
    list(`sources ${owner}`, async () =>
      (await api.sources(owner)).map(({ id, name }) => ({
        kind: "source",
        id,
        name,
        place,
        contributor: { id: owner, name: ownerName },
      })),
    );

  async function readAll(): Promise<void> {
    const queue = new PQueue({ concurrency: readAtOnce });
    const gate = <T>(work: () => Promise<T>) => queue.add(work);
    const all = await readPlaces();
    let isTold = false;
    const tolerate = (error: unknown) => {
      if (!isTold) log.warn("jurisdictions.names", { error: describe(error) });
      isTold = true;
      return [];
    };
    const contributors = await Promise.all(
      all.flatMap((place) => {
        const agencies = gate(() => agenciesIn(place)).catch(tolerate);
        const members = gate(() => contributorsIn(place)).catch(tolerate);
        return [agencies.then(() => members)];
      }),
    );
    await Promise.all(contributors.flat().map((one) => gate(() => sourcesOf(one)).catch(tolerate)));
  }

  const known = () => [...lists.values()].flatMap(({ records }) => records);

  return {
    search: (words) => searchRecords(known(), words),
    async learn(signal) {
      signal?.throwIfAborted();
      if (now() - learntAt < retryMs) return;
      learning ??= readAll()
        .then(() => void (learntAt = now()))
        .finally(() => (learning = undefined));
      await (signal ? Promise.race([learning, rejectedBy(signal)]) : learning);
    },
    places: readPlaces,
    agenciesIn,
    contributorsIn,
    agencies: () => known().flatMap(({ record }) => (record.kind === "agency" ? [record] : [])),
    newsOf(channel) {
      const shared = news.get(channel);
      if (shared) return shared;
      const read = intelligence.channel(channel).then(({ stages }) => intelligence.articles(stages));
      news.set(channel, read);
      // A failure is not shared with whoever asks later.
      read.catch(() => news.delete(channel));
      return read;
    },
  };
}

function rejectedBy(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));
}

/** The jurisdictions of a look-up. */
export function placesIn({ regions }: JurisdictionLookup): Place[] {
  return regions.flatMap((region) =>
    region.jurisdictions.map(({ id, name, agencyChannel, jurisdictionChannel }) => ({
      id,
      name,
      region: { id: region.id, name: region.name },
      agencyChannel,
      jurisdictionChannel,
    })),
  );
}

function knownAs(record: RegulatoryRecord): KnownRecord {
  const { phrases, acronyms } = formsOf(record.name);
  const forms = record.kind === "source" ? [] : [...phrases, ...acronyms.map(foldName)];
  return { record, names: [...new Set([foldName(record.name), ...forms])] };
}

const kinds = ["agency", "contributor", "source"] as const;

function searchRecords(known: KnownRecord[], words: string): RegulatorsFound {
  const wanted = foldName(words).replace(/^the /, "");
  if (wanted === "") return { fit: "alike", found: [] };
  const byId = known.filter(({ record }) => record.id === words.trim());
  const exact = byId.length > 0 ? byId : known.filter(({ names }) => names.includes(wanted));
  // An agency may be a contributor as well, and sources have names such as “Press releases”.
  const called = kinds
    .map((kind) => exact.filter(({ record }) => record.kind === kind))
    .find(({ length }) => length > 0);
  if (called) return { fit: "exact", found: recordsOf(called) };
  const holding = known.filter(({ names: [name = ""] }) => ` ${name}`.includes(` ${wanted}`));
  if (holding.length > 0) return { fit: "part", found: recordsOf(withoutTwins(inOrder(holding))) };
  const alike = known
    .map((one) => ({ ...one, away: Math.min(...one.names.map((name) => nameDifference(name, wanted))) }))
    .filter(({ away }) => away < remote)
    .toSorted((one, other) => one.away - other.away);
  return { fit: "alike", found: recordsOf(withoutTwins(alike)) };
}

function recordsOf(found: KnownRecord[]): RegulatoryRecord[] {
  return found.map(({ record }) => record);
}

/** Agencies before contributors before sources. */
function inOrder(found: KnownRecord[]): KnownRecord[] {
  return kinds.flatMap((kind) => found.filter(({ record }) => record.kind === kind));
}

/** A contributor that is an agency of the same place is offered as the agency alone. */
function withoutTwins(found: KnownRecord[]): KnownRecord[] {
  const keyOf = ({ record, names: [name] }: KnownRecord) => `${record.place.id} ${name}`;
  const agencies = new Set(found.filter(({ record }) => record.kind === "agency").map(keyOf));
  return found.filter((one) => one.record.kind !== "contributor" || !agencies.has(keyOf(one)));
}

/** What an agency goes by. */
export interface AgencyForms {
  /** Its name and parts that stand for it, in plain letters. */
  phrases: string[];
  /** Initials and nicknames, which count as they are written: “SEC” is an agency, “sec” a second. */
  acronyms: string[];
}

/** Words that initials leave out. */
const small = new Set(
  "a al and d da de dei del der des di do du e el et for für in l la las le les los of on per the und y".split(" "),
);

/** What stands before the part of a name that headlines use. */
const formal = /^(?:board of governors|office) of the /i;

/** Names that headlines use and that nobody could derive. */
const nicknames: Record<string, string[]> = {
  "federal reserve": ["Fed"],
  "deutsche bundesbank": ["Bundesbank"],
  "sveriges riksbank": ["Riksbank"],
  "commissione nazionale per le societa e la borsa": ["CONSOB"],
  "financial transactions and reports analysis centre": ["FINTRAC"],
};

/** The names that stand for an agency: in full, without what is only formal, in brackets, and by its initials. */
export function formsOf(name: string): AgencyForms {
  const bracketed = [...name.matchAll(/\(([^()]+)\)/g)].map(([, inside = ""]) => inside.trim());
  const full = name
    .replace(/\([^()]*\)/g, " ")
    .replace(/\s+/g, " ")
    .trim();
  const core = full.replace(formal, "").replace(/ system$/i, "");
  const isInitials = (text: string) => /^\p{Lu}{2,8}$/u.test(text);
  const phrases = [full, ...(core.includes(" ") ? [core] : []), ...bracketed.filter((text) => !isInitials(text))];
  const folded = [...new Set(phrases.map(foldName))].filter(Boolean);
  return {
    phrases: folded,
    acronyms: [
      ...initialsOf(full),
      ...bracketed.filter(isInitials),
      ...folded.flatMap((each) => nicknames[each] ?? []),
    ],
  };
}

/** None of names of one or two words: two letters stand for too much. */
function initialsOf(name: string): string[] {
  const words = name.split(/[\s’'-]+/).filter((word) => !small.has(word.toLowerCase()) && /^\p{L}/u.test(word));
  const initials = words.map((word) => foldName(word).slice(0, 1).toUpperCase()).join("");
  return initials.length >= 3 && initials.length <= 6 ? [initials] : [];
}
