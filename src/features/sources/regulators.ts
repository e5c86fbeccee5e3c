import PQueue from "p-queue";

import type { Article } from "../../apis/article.ts";
import type { Intelligence } from "../../apis/intelligence/client.ts";
import type { Jurisdictions } from "../../apis/jurisdictions/client.ts";
import type { JurisdictionLookup, NamedRecord } from "../../apis/jurisdictions/schema.ts";
import { type Log, describe } from "../../log.ts";
import { remote, nameDifference, foldName } from "../names.ts";
import { createSharedReads } from "./shared-reads.ts";

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

/** The meanings that a name may have, the likeliest first. */
interface RegulatorsFound {
  /** The way they fit: all have the very name, have it in theirs, or are spelt nearly so. */
  fit: "exact" | "part" | "alike";
  found: RegulatoryRecord[];
}

export type Regulators = ReturnType<typeof createRegulators>;

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
const listsKept = 50_000;
/** Digests that are due together share what they read. */
const newsMs = 30_000;
const channelsKept = 100;

/** A record and what it goes by, in plain letters: its name, then what stands for it. */
interface KnownRecord {
  record: RegulatoryRecord;
  names: string[];
}

/**
 * The names below jurisdictions, which the database gives only step by step, and the news behind them. Kept in memory
 * alone: after a restart they are read again, which is free.
 */
export function createRegulators({ jurisdictions: api, intelligence, log, now }: RegulatorsOptions) {
  const sharedLists = createSharedReads<RegulatoryRecord[]>({ ms: freshMs, now, most: listsKept });
  const sharedPlaces = createSharedReads<Place[]>({ ms: placesMs, now });
  const sharedNews = createSharedReads<Article[]>({ ms: newsMs, now, most: channelsKept });
  const sharedLearning = createSharedReads<Place[]>({ ms: retryMs, now });
  /** The lists as they were last read: one that can't be read again still holds. */
  const lists = new Map<string, KnownRecord[]>();

  /** All jurisdictions. */
  const places = () => sharedPlaces("all", async () => placesIn(await api.lookup()));

  function list(
    kind: RegulatoryRecord["kind"],
    parent: Place | RegulatoryRecord,
    read: (id: string) => Promise<NamedRecord[]>,
  ): Promise<RegulatoryRecord[]> {
    const key = `${kind} ${parent.id}`;
    const where = "place" in parent ? { place: parent.place, contributor: parent } : { place: parent };
    return sharedLists(key, async () => {
      const records = (await read(parent.id)).map(({ id, name }) => ({ kind, id, name, ...where }));
      lists.set(key, records.map(knownAs));
      return records;
    });
  }

  const agenciesIn = (place: Place) => list("agency", place, (id) => api.agencies(id));
  const contributorsIn = (place: Place) => list("contributor", place, (id) => api.contributors(id));
  const sourcesOf = (contributor: RegulatoryRecord) => list("source", contributor, (id) => api.sources(id));

  async function readAll(): Promise<Place[]> {
    const queue = new PQueue({ concurrency: readAtOnce });
    const failures: unknown[] = [];
    const read = (work: () => Promise<RegulatoryRecord[]>) =>
      queue.add(work).catch((error: unknown) => {
        failures.push(error);
        return [];
      });
    const all = await places();
    const agencies = all.map((place) => read(() => agenciesIn(place)));
    const contributors = await Promise.all(all.map((place) => read(() => contributorsIn(place))));
    await Promise.all([...agencies, ...contributors.flat().map((one) => read(() => sourcesOf(one)))]);
    if (failures.length > 0) {
      log.warn("jurisdictions.names.failed", { lists: failures.length, error: describe(failures[0]) });
    }
    return all;
  }

  const known = () => [...lists.values()].flat();

  return {
    /** The agencies, contributors or sources that a name or initials may mean, of those that have been read. */
    search: (words: string) => searchRecords(known(), words),
    get: (id: string) => known().find(({ record }) => record.id === id)?.record,
    /** Reads all names, each at most once a day. A list that can't be read is tried again some minutes later. */
    learn: async () => void (await sharedLearning("all", readAll)),
    places,
    contributorsIn,
    /** All agencies that have been read. */
    agencies: () => known().flatMap(({ record }) => (record.kind === "agency" ? [record] : [])),
    /** The articles of a channel of the news service; whoever asks within the same moment shares one read. */
    newsOf: (channel: number) =>
      sharedNews(String(channel), async () => intelligence.articles((await intelligence.channel(channel)).stages)),
  };
}

/** The jurisdictions of a look-up. */
function placesIn({ regions }: JurisdictionLookup): Place[] {
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
  const byKind = kinds.map((kind) => known.filter(({ record }) => record.kind === kind));
  // An agency may be a contributor as well, and sources have names such as “Press releases”.
  const exact = byKind.map((all) => all.filter(({ names }) => names.includes(wanted))).find(({ length }) => length > 0);
  if (exact) return { fit: "exact", found: recordsOf(exact) };
  const all = withoutTwins(byKind.flat());
  const holding = all.filter(({ names: [name = ""] }) => wanted !== "" && ` ${name}`.includes(` ${wanted}`));
  if (holding.length > 0) return { fit: "part", found: recordsOf(holding) };
  const alike = all
    .map((one) => ({ ...one, away: Math.min(...one.names.map((name) => nameDifference(name, wanted))) }))
    .filter(({ away }) => away < remote)
    .toSorted((one, other) => one.away - other.away);
  return { fit: "alike", found: recordsOf(alike) };
}

function recordsOf(found: KnownRecord[]): RegulatoryRecord[] {
  return found.map(({ record }) => record);
}

/** A contributor that is an agency of the same place is offered as the agency alone. */
function withoutTwins(found: KnownRecord[]): KnownRecord[] {
  const keyOf = ({ record, names: [name] }: KnownRecord) => `${record.place.id} ${name}`;
  const agencies = new Set(found.filter(({ record }) => record.kind === "agency").map(keyOf));
  return found.filter((one) => one.record.kind !== "contributor" || !agencies.has(keyOf(one)));
}

/** The names that an agency goes by. */
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

/** The words before the part of a name that headlines use. */
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

/** No initials for short names: two letters match too much. */
function initialsOf(name: string): string[] {
  const words = name.split(/[\s’'-]+/).filter((word) => !small.has(word.toLowerCase()) && /^\p{L}/u.test(word));
  const initials = words.map((word) => foldName(word).slice(0, 1).toUpperCase()).join("");
  return initials.length >= 3 && initials.length <= 6 ? [initials] : [];
}
