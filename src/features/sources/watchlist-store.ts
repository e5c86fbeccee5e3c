import { randomUUID } from "node:crypto";

import type { Collection } from "../../store/collection.ts";
import { createRecordCache } from "../../store/record-cache.ts";
import { createKeyQueue } from "../../store/key-queue.ts";
import { type Watchlist, type WatchlistContent, stagesOfWatchlist } from "./watchlist.ts";
import { findByName, foldName } from "../names.ts";

/** The time for which a removed list can be brought back. */
const removedLifeMs = 30 * 24 * 60 * 60_000;

/** A person who may see their own lists, and those that are shared in their workspace. */
export interface WatchlistReader {
  team: string;
  user: string;
}

export type Watchlists = ReturnType<typeof createWatchlists>;

interface Change {
  by: string;
  at: number;
}

/**
 * The watchlists of all workspaces, held in memory and written down before a change is told of. Nobody sees one that is
 * somebody else's and not shared; it is found by its ID alone by what its owner has set up on it.
 */
export function createWatchlists(records: Collection<Watchlist>, isServed?: (team: string) => boolean) {
  const enqueue = createKeyQueue();
  const { all, reload, evict } = createRecordCache(records, { keyOf: nameOf, isServed });

  async function write(list: Watchlist, before?: Watchlist): Promise<Watchlist> {
    await records.set(list.key, list, list.state === "removed" ? { ttlMs: removedLifeMs } : {});
    const known = await all();
    if (before) known.delete(nameOf(before));
    known.set(nameOf(list), list);
    return list;
  }

  async function ofTeam(team: string, state: Watchlist["state"] = "active"): Promise<Watchlist[]> {
    return [...(await all()).values()].filter((each) => each.team === team && each.state === state);
  }

  /** One's own first, then what others share, by their names; of removed ones with one name, the latest first. */
  async function visible({ team, user }: WatchlistReader, state?: Watchlist["state"]): Promise<Watchlist[]> {
    const seen = (await ofTeam(team, state)).filter(({ owner, isShared }) => owner === user || isShared);
    return seen.toSorted(
      (one, other) =>
        Number(other.owner === user) - Number(one.owner === user) ||
        one.name.localeCompare(other.name, "en") ||
        other.changed.at - one.changed.at,
    );
  }

  return {
    visible,
    shared: async (team: string) => (await ofTeam(team)).filter(({ isShared }) => isShared),
    /** The one that somebody means by its ID, its name or a part of that; one's own go before those of others. */
    async find(
      what: string,
      reader: WatchlistReader,
      state?: Watchlist["state"],
    ): Promise<{ match?: Watchlist | undefined; near: Watchlist[] }> {
      const seen = await visible(reader, state);
      const byId = seen.find(({ id }) => id === what);
      const byName = seen.find(({ name }) => foldName(name) === foldName(what));
      const match = byId ?? byName;
      return match ? { match, near: [] } : findByName(what, seen, ({ name }) => name);
    },
    /** The one with an ID, for what was set up on it; also a removed one. */
    get: async ({ team, id }: Pick<Watchlist, "team" | "id">) => (await all()).get(nameOf({ team, id })),
    /** Adds one. `check` throws if it may not be; nobody else adds or renames one in between. */
    add(
      draft: Pick<Watchlist, "team" | "owner" | "name" | "isShared"> & WatchlistContent,
      { by, at }: Change,
      check: () => Promise<void>,
    ): Promise<Watchlist> {
      return enqueue(draft.team, async () => {
        await check();
        const key = randomUUID();
        return write({ ...draft, key, id: key, version: 1, state: "active", changed: { by, at } });
      });
    },
    reload,
    evict,
    /** Changes one as it stands now; nothing if it is gone. */
    update(
      name: Pick<Watchlist, "team" | "id">,
      { by, at }: Change,
      change: (current: Watchlist) => Watchlist | Promise<Watchlist>,
    ): Promise<{ before: Watchlist; after: Watchlist } | undefined> {
      return enqueue(name.team, async () => {
        const before = (await all()).get(nameOf(name));
        if (!before) return undefined;
        const changed = await change(before);
        const version = isSameContent(before, changed) ? before.version : before.version + 1;
        // People who saw it while it was shared know its old ID.
        const id = before.isShared && !changed.isShared ? randomUUID() : before.id;
        return { before, after: await write({ ...changed, id, version, changed: { by, at } }, before) };
      });
    },
  };
}

function nameOf({ team, id }: Pick<Watchlist, "team" | "id">): string {
  return `${team} ${id}`;
}

export function isSameContent(one: WatchlistContent, other: WatchlistContent): boolean {
  return JSON.stringify(stagesOfWatchlist(one)) === JSON.stringify(stagesOfWatchlist(other));
}
