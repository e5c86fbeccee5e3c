import { unlessAborted } from "./session.ts";
import type { Entity } from "./schema.ts";

/** Remembers entities between calls; how long is its own affair. */
export interface EntityCache {
  getMany(ids: number[]): Promise<Map<number, Entity>>;
  setMany(entities: Entity[]): Promise<void>;
}

export interface EntityOptions {
  cache: EntityCache;
  fetch: (ids: number[]) => Promise<Entity[]>;
  /** Told when the cache fails; the look-up goes on without it. */
  cacheFailed: (error: unknown) => void;
  /** Epoch milliseconds. */
  now: () => number;
}

export type LookUp = (ids: number[], signal?: AbortSignal) => Promise<Map<number, Entity>>;

const MAX_IDS_TEXT = 3_800;
// An ID that the service does not know today may be one that it learns tomorrow.
const UNKNOWN_TIME = 10 * 60_000;
const UNKNOWN_KEPT = 20_000;

/** Looks entities up: from the cache, else in one request, which concurrent look-ups of the same IDs share. */
export function createLookUp({ cache, fetch, cacheFailed, now }: EntityOptions): LookUp {
  const underway = new Map<number, Promise<Map<number, Entity>>>();
  const unknown = new Map<number, number>();

  function isUnknown(id: number): boolean {
    return (unknown.get(id) ?? 0) > now();
  }

  async function cached(ids: number[]): Promise<Map<number, Entity>> {
    try {
      return await cache.getMany(ids);
    } catch (error) {
      cacheFailed(error);
      return new Map();
    }
  }

  async function fetchPart(ids: number[]): Promise<Map<number, Entity>> {
    const wanted = new Set(ids);
    const entities = (await fetch(ids)).filter(({ id }) => wanted.has(id));
    await cache.setMany(entities).catch(cacheFailed);
    entities.forEach(({ id }) => wanted.delete(id));
    if (unknown.size + wanted.size > UNKNOWN_KEPT) unknown.clear();
    wanted.forEach((id) => unknown.set(id, now() + UNKNOWN_TIME));
    return new Map(entities.map((entity) => [entity.id, entity]));
  }

  function start(ids: number[]): void {
    const request = fetchPart(ids).finally(() => ids.forEach((id) => underway.delete(id)));
    // Each look-up awaits it below; one that gave up must not leave the failure unhandled.
    request.catch(() => undefined);
    ids.forEach((id) => underway.set(id, request));
  }

  async function find(ids: number[]): Promise<Map<number, Entity>> {
    const known = await cached(ids);
    const missing = ids.filter((id) => !known.has(id) && !isUnknown(id));
    parts(missing.filter((id) => !underway.has(id))).forEach(start);
    const requests = new Set(missing.flatMap((id) => underway.get(id) ?? []));
    const found = (await Promise.all(requests)).flatMap((entities) => [...entities]);
    const all = new Map([...known, ...found]);
    // A shared request may have brought more than this caller asked for.
    return new Map(ids.flatMap((id) => entry(all, id)));
  }

  return (ids, signal) => unlessAborted(find([...new Set(ids)]), signal);
}

function entry(all: ReadonlyMap<number, Entity>, id: number): [number, Entity][] {
  const entity = all.get(id);
  return entity === undefined ? [] : [[id, entity]];
}

/** Splits IDs so that their comma-separated text stays within an address of 4,000 characters. */
function parts(ids: readonly number[]): number[][] {
  const split: number[][] = [];
  let length = Number.POSITIVE_INFINITY;
  for (const id of ids) {
    const added = String(id).length + 1;
    if (length + added > MAX_IDS_TEXT) {
      split.push([]);
      length = 0;
    }
    split.at(-1)?.push(id);
    length += added;
  }
  return split;
}
