import { distance } from "fastest-levenshtein";

import type { Intelligence } from "../../apis/intelligence/client.ts";
import type { EntityCache } from "../../apis/intelligence/entities.ts";
import type { Entity } from "../../apis/intelligence/schema.ts";
import type { Collection } from "../../store/collection.ts";

/** Names and symbols of the entities that the bot has seen: the API finds entities by ID alone. */
export interface Directory extends EntityCache {
  /** The entity that a name, symbol or ID means, or the likeliest ones where none is meant clearly. */
  search(text: string): { match?: Entity; near: Entity[] };
  /** Looks up every entity that the saved channels and their articles name. */
  learn(intelligence: Intelligence, signal?: AbortSignal): Promise<void>;
}

const capacity = 50_000;
const suggestions = 4;

/** Opens the directory on what the store remembers. */
export async function openDirectory(records: Collection<Entity>): Promise<Directory> {
  const known = new Map<number, Entity>();
  for await (const [, entity] of records.entries()) known.set(entity.id, entity);

  return {
    async getMany(ids) {
      const found = await records.getMany(ids.map(String));
      return new Map([...found.values()].map((entity) => [entity.id, entity]));
    },
    async setMany(entities) {
      for (const entity of entities) known.set(entity.id, entity);
      for (const id of known.keys()) {
        if (known.size <= capacity) break;
        known.delete(id);
      }
      await records.setMany(entities.map((entity) => [String(entity.id), entity]));
    },
    search: (text) => searchEntities(known, text),
    async learn(intelligence, signal) {
      const channels = await intelligence.channels(signal);
      const named = channels.flatMap(({ stages }) =>
        stages.flatMap(({ entities = [] }) => entities.map(({ value }) => Number(value))),
      );
      const lists = await Promise.allSettled(channels.map(({ stages }) => intelligence.articles(stages, signal)));
      const mentioned = lists
        .flatMap((list) => (list.status === "fulfilled" ? list.value : []))
        .flatMap(({ entities }) => [...entities.primary, ...entities.secondary, ...entities.tertiary]);
      await intelligence.entities([...new Set([...named, ...mentioned])].filter(Number.isSafeInteger), signal);
    },
  };
}

function searchEntities(known: Map<number, Entity>, text: string): { match?: Entity; near: Entity[] } {
  const wanted = plain(text);
  if (!wanted) return { near: [] };
  const byId = /^\d+$/.test(wanted) ? known.get(Number(wanted)) : undefined;
  const all = [...known.values()];
  const exact = byId ?? all.find((entity) => namesOf(entity).includes(wanted));
  if (exact) return { match: exact, near: [] };
  const ranked = all
    .map((entity) => ({ entity, score: Math.min(...namesOf(entity).map((name) => remoteness(name, wanted))) }))
    .filter(({ score }) => score < 0.45)
    .toSorted((one, other) => one.score - other.score);
  const [first, second] = ranked;
  const isClear = first !== undefined && first.score < 0.1 && (second === undefined || second.score >= 0.1);
  return { ...(isClear && { match: first.entity }), near: ranked.slice(0, suggestions).map(({ entity }) => entity) };
}

/** 0 is the same, 1 has nothing in common; a whole word or a beginning of the name counts as near. */
function remoteness(name: string, wanted: string): number {
  if (name.split(" ").includes(wanted) || name.startsWith(`${wanted} `)) return 0.05;
  if (wanted.length >= 3 && name.startsWith(wanted)) return 0.08;
  if (wanted.length >= 4 && name.includes(wanted)) return 0.2;
  const words = [name, ...name.split(" ")];
  return Math.min(...words.map((word) => distance(word, wanted) / Math.max(word.length, wanted.length))) + 0.1;
}

function namesOf({ name, symbol }: Entity): string[] {
  return [plain(name), ...(symbol ? [plain(symbol)] : [])];
}

function plain(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}
