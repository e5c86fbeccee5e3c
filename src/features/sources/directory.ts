import { LRUCache } from "lru-cache";
import { z } from "zod";

import type { Intelligence } from "../../apis/intelligence/client.ts";
import { type Entity, stageEntityIds } from "../../apis/intelligence/schema.ts";
import type { Collection } from "../../store/collection.ts";
import { remote, nameDifference, foldName } from "../names.ts";
import type { Article } from "../../apis/article.ts";
import { type Log, describe } from "../../log.ts";
import { singular } from "../text.ts";
import { createSharedReads } from "./shared-reads.ts";

/** The time for which an entity's record is taken as it is before it is looked up again. */
export const entityLifeMs = 24 * 60 * 60_000;

/** A stored entity record. */
export const entitySchema: z.ZodType<Entity> = z.object({
  id: z.number(),
  name: z.string(),
  type: z.string(),
  typeName: z.string(),
  symbol: z.string().optional(),
  exchange: z.string().optional(),
  metadata: z.record(z.string(), z.string()).optional(),
});

export type Directory = Awaited<ReturnType<typeof openDirectory>>;

export interface EntityMatch {
  match?: Entity;
  /** The likeliest first; empty if nothing is near. */
  near: Entity[];
  /** All of `near` have exactly this name. */
  isAmbiguous?: boolean | undefined;
}

const capacity = 50_000;
const suggestions = 4;
/** An unknown name makes the bot read all saved channels again, at most once in this time. */
const learnEveryMs = 60 * 60_000;
/** Scores of `remoteness`: what is meant clearly lies below this, what may be meant below `remote`. */
const clear = 0.1;

/** Names and symbols of the entities that the bot has seen: the API finds entities by ID alone. */
export async function openDirectory(records: Collection<Entity>, now: () => number) {
  const known = new LRUCache<number, KnownEntity>({ max: capacity });
  const sharedLearning = createSharedReads<Map<number, Entity>>({ ms: learnEveryMs, now });
  for await (const [, entity] of records.entries()) known.set(entity.id, knownAs(entity));

  /** Looks up every entity that the saved channels and their articles name, at most once an hour. */
  const learn = async (intelligence: Intelligence) => void (await sharedLearning("all", () => lookUpAll(intelligence)));

  return {
    learn,
    async getMany(ids: number[]) {
      const found = await records.getMany(ids.map(String));
      return new Map([...found.values()].map((entity) => [entity.id, entity]));
    },
    async setMany(entities: Entity[]) {
      for (const entity of entities) known.set(entity.id, knownAs(entity));
      await records.setMany(entities.map((entity) => [String(entity.id), entity]));
    },
    /** The entity that a name, symbol or ID means, or the likeliest ones if none is meant clearly. */
    search: (text: string) => searchEntities(known, text),
    /** Looks up what articles are about, if it isn’t known; nobody waits for it. */
    learnFrom(articles: Article[], intelligence: Pick<Intelligence, "entities">): void {
      const ids = [...new Set(mentionedIn(articles))].filter((id) => !known.has(id));
      if (ids.length > 0) void intelligence.entities(ids).catch(() => undefined);
    },
    /** Entities with a word of their name, or a symbol, that begins so, by name; any if nothing is typed. */
    offer: (text: string) => offerEntities(known, text),
    /** The same as `search`, and looked up in the news service if nothing that was seen is meant clearly. */
    async find(text: string, intelligence: Intelligence, signal: AbortSignal): Promise<EntityMatch> {
      const seen = searchEntities(known, text);
      if (seen.match || seen.isAmbiguous) return seen;
      const id = /^\d{1,15}$/.test(text) ? Number(text) : undefined;
      const byId = id === undefined ? undefined : (await intelligence.entities([id], signal)).get(id);
      if (byId) return { match: byId, near: [] };
      await learn(intelligence);
      return searchEntities(known, text);
    },
  };
}

async function lookUpAll(intelligence: Intelligence): Promise<Map<number, Entity>> {
  const channels = await intelligence.channels();
  const named = channels.flatMap(({ stages }) => stageEntityIds(stages));
  const lists = await Promise.allSettled(channels.map(({ stages }) => intelligence.articles(stages)));
  const articles = lists.flatMap((list) => (list.status === "fulfilled" ? list.value : []));
  return intelligence.entities([...new Set([...named, ...mentionedIn(articles)])]);
}

/** The IDs of all that articles are about. */
export function mentionedIn(articles: Article[]): number[] {
  return articles.flatMap(({ entities }) => [...entities.primary, ...entities.secondary, ...entities.tertiary]);
}

/** An entity and what it goes by, in plain letters: the name, then the symbol and the FIGI. */
interface KnownEntity {
  entity: Entity;
  names: string[];
}

/** Its further metadata stays in the store: memory holds tens of thousands of these. */
function knownAs({ metadata, ...entity }: Entity): KnownEntity {
  const names = [entity.name, entity.symbol, figiOf({ metadata })].flatMap((name) => (name ? [foldName(name)] : []));
  return { entity, names };
}

/** The FIGI of an instrument, if the service names one. */
export function figiOf({ metadata = {} }: Pick<Entity, "metadata">): string | undefined {
  return Object.entries(metadata).find(([field]) => /^(composite_?)?figi$/i.test(field))?.[1];
}

function searchEntities(known: LRUCache<number, KnownEntity>, text: string): EntityMatch {
  const [, name, type = ""] = /^(.+?)\s*\(([^()]+)\)$/.exec(text) ?? [];
  // “Mercury (Topic)” says which of several is meant.
  const typed = name === undefined ? [] : searchEntities(known, name).near.filter(isOfType(type));
  const [only] = typed;
  return only && typed.length === 1 ? { match: only, near: [] } : searchNames(known, text);
}

function isOfType(type: string) {
  return ({ typeName }: Entity) => foldName(typeName) === foldName(type);
}

function searchNames(known: LRUCache<number, KnownEntity>, text: string): EntityMatch {
  const wanted = foldName(text);
  if (!wanted) return { near: [] };
  const byId = /^\d+$/.test(wanted) ? known.peek(Number(wanted)) : undefined;
  if (byId) return { match: byId.entity, near: [] };
  const all = [...known.rvalues()].filter((one) => one !== undefined);
  const called = all.filter(({ names }) => names[0] === wanted);
  const listed = called.length > 0 ? called : all.filter(({ names }) => names.includes(wanted));
  const exact =
    listed.length > 0 ? listed : all.filter(({ names: [name = ""] }) => singular(name) === singular(wanted));
  if (exact.length > 1) return { near: exact.slice(0, suggestions).map(({ entity }) => entity), isAmbiguous: true };
  if (exact[0]) return { match: exact[0].entity, near: [] };
  const ranked = all
    .map(({ entity, names }) => ({ entity, score: Math.min(...names.map((name) => remoteness(name, wanted))) }))
    .filter(({ score }) => score < remote)
    .toSorted((one, other) => one.score - other.score);
  const [first, second] = ranked;
  const isClear = first !== undefined && first.score < clear && (second === undefined || second.score >= clear);
  return { ...(isClear && { match: first.entity }), near: ranked.slice(0, suggestions).map(({ entity }) => entity) };
}

/** Entities that a list shows while somebody types. */
const offeredMost = 100;

/** Entities that are put in order for that: if more fit, the next letter leaves fewer. */
const sortedMost = 2_000;

function offerEntities(known: LRUCache<number, KnownEntity>, text: string): Entity[] {
  const wanted = foldName(text);
  const begun: Entity[] = [];
  for (const one of known.values()) {
    if (one?.names.some((name) => ` ${name}`.includes(` ${wanted}`))) begun.push(one.entity);
    if (begun.length === sortedMost) break;
  }
  return begun.toSorted((one, other) => one.name.localeCompare(other.name, "en")).slice(0, offeredMost);
}

/** 0 is the same, 1 has nothing in common; a whole word or a beginning of the name counts as near. */
function remoteness(name: string, wanted: string): number {
  if (name.split(" ").includes(wanted) || name.startsWith(`${wanted} `)) return 0.05;
  // “novalit” is Novalith, “gold” need not be Goldman Sachs.
  const [first = ""] = name.split(" ");
  if (wanted.length >= 3 && name.startsWith(wanted)) return wanted.length >= first.length * 0.6 ? 0.08 : 0.15;
  if (wanted.length >= 4 && name.includes(wanted)) return 0.2;
  return Math.min(...[name, ...name.split(" ")].map((word) => nameDifference(word, wanted))) + clear;
}

interface NameDependencies {
  intelligence: Pick<Intelligence, "entities">;
  configured: { intelligence: boolean };
  log: Pick<Log, "warn">;
}

/** The time that articles wait for the names of what they are about; those that come later are there the next time. */
const patienceMs = 1_500;

/**
 * Names of the entities that articles are about, by ID, in one request at most. None if they cannot be had soon: the
 * articles are worth showing without.
 */
export async function entityNames(
  articles: Article[],
  signal: AbortSignal | undefined,
  { intelligence, configured, log }: NameDependencies,
): Promise<Record<string, string>> {
  const ids = [...new Set(mentionedIn(articles))];
  if (!configured.intelligence || ids.length === 0) return {};
  try {
    const soon = AbortSignal.timeout(patienceMs);
    const found = await intelligence.entities(ids, signal ? AbortSignal.any([signal, soon]) : soon);
    return Object.fromEntries([...found].map(([id, { name }]) => [id, name]));
  } catch (error) {
    signal?.throwIfAborted();
    log.warn("news.names.failed", { error: describe(error) });
    return {};
  }
}
