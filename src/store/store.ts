import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { KeyvSqlite } from "@keyv/sqlite";
import { Keyv } from "keyv";
import type { z } from "zod";
import type { Log } from "../log.ts";
import { type Batches, createBatches } from "./batch.ts";
import { type Collection, type Migration, type Table, createCollection } from "./collection.ts";
import { StoreError, type StoreTrouble, cannotOpen, troubleOf } from "./errors.ts";
import { restrictFiles, sqliteDriver } from "./sqlite.ts";

interface CollectionSettings {
  ttlMs?: number;
  /** How values of older versions become those of the present one, the oldest first. */
  migrations?: readonly Migration[];
}

export interface Store {
  /** The values of one namespace; `ttlMs` is how long they live where a `set` says nothing else. */
  collection<T>(name: string, schema: z.ZodType<T>, settings?: CollectionSettings): Collection<T>;
  /** Calls when something cannot be kept, and with nothing when something is kept again. */
  watch(tell: (trouble: StoreTrouble | undefined) => void): void;
  /** Leaves nothing of what was deleted in the files: the newest one holds it until SQLite needs the room. */
  scrub(): Promise<void>;
  /** Closes the files; whatever is read or written afterwards rejects. */
  close(): Promise<void>;
}

/** Told how long each read and write took. */
export type OnQuery = (operation: "read" | "write", ms: number) => void;

type StoreLog = Pick<Log, "info" | "warn" | "error">;

const sweepMs = 3_600_000;
/** A disk that is full fails thousands of writes a minute, and the log may be on it too. */
const logEveryMs = 10_000;

/** Opens the store that STORE_URL names: `sqlite:PATH` or `sqlite::memory:`. */
export async function openStore(url: string, log?: StoreLog, onQuery?: OnQuery): Promise<Store> {
  const path = sqlitePath(url);
  await checkFile(path, log);
  const opened: { keyv: Keyv; batches: Batches }[] = [];
  const watchers: ((trouble: StoreTrouble | undefined) => void)[] = [];
  let trouble: StoreTrouble | undefined;
  let loggedAt = 0;
  let isClosing = false;

  function notice(found: StoreTrouble | undefined): void {
    if (found === trouble || isClosing) return;
    trouble = found;
    for (const tell of watchers) tell(found);
  }

  function failed(collection: string, error: unknown): void {
    const found = troubleOf(error);
    if (found !== trouble || Date.now() - loggedAt > logEveryMs) {
      log?.error("store.failed", { collection, reason: error instanceof Error ? error.message : "unknown reason" });
      loggedAt = Date.now();
    }
    notice(found);
  }

  return {
    collection(name, schema, { ttlMs, migrations } = {}) {
      const keyv = openNamespace(path, name, (error) => failed(name, error));
      const batches = createBatches(async (entries) => {
        const stored = await keyv.setMany(entries);
        if (stored?.some((isStored) => !isStored)) throw new Error("the store did not keep a value");
        notice(undefined);
      });
      opened.push({ keyv, batches });
      return createCollection({
        name,
        schema,
        ttlMs,
        migrations,
        table: observed(createTable(keyv, batches), onQuery),
        unreadable: (key, reason) => log?.warn("store.unreadable", { collection: name, key, reason }),
      });
    },
    watch: (tell) => void watchers.push(tell),
    async scrub() {
      await Promise.all(opened.map(({ batches }) => batches.settled()));
      if (path === ":memory:") return;
      const adapter = new KeyvSqlite(adapterOptions(path));
      await adapter.query("PRAGMA wal_checkpoint(TRUNCATE)").finally(() => adapter.disconnect());
    },
    async close() {
      isClosing = true;
      await Promise.all(opened.map(({ batches }) => batches.settled()));
      await Promise.all(opened.map(({ keyv }) => keyv.disconnect()));
    },
  };
}

/** Where a store's file is; `:memory:` where it has none. */
export function sqlitePath(url: string): string {
  const path = /^sqlite:(?:\/\/(?=\/|:memory:))?(.+)$/.exec(url)?.[1];
  if (path !== undefined) return path;
  const found = /^([a-z]+):/.exec(url)?.[1] ?? "no kind";
  throw new StoreError(`STORE_URL must be sqlite:PATH; this version keeps its state in SQLite only (found: ${found}).`);
}

/** Makes the file where there is none; rejects with a StoreError where it cannot be used. */
async function checkFile(path: string, log?: StoreLog): Promise<void> {
  try {
    const size =
      path === ":memory:"
        ? undefined
        : await stat(path).then(
            (found) => found.size,
            () => 0,
          );
    if (size === 0) await mkdir(dirname(path), { recursive: true });
    if (size !== undefined) await restrictFiles(path);
    const probe = new KeyvSqlite(adapterOptions(path));
    await probe.ready;
    const [row] = await probe.query("PRAGMA quick_check(1)");
    await probe.disconnect();
    // It finds damage without failing: it answers with what it found, and with "ok" where that is nothing.
    const found = Object.values(row ?? {}).join();
    if (found !== "ok") throw new Error(`database disk image is malformed: ${found.replace(/\s+/g, " ")}`);
    // An operator who expected the state of yesterday sees that there is none.
    if (size === 0) log?.info("store.new", { path });
  } catch (error) {
    throw cannotOpen(path, error);
  }
}

function adapterOptions(path: string) {
  // The adapter complains about WAL for a store in memory.
  return { uri: `sqlite://${path}`, wal: path !== ":memory:", driver: sqliteDriver, iterationLimit: 500 };
}

// One adapter object per namespace: sharing one lets the last namespace answer for all the others.
function openNamespace(path: string, namespace: string, failed: (error: unknown) => void): Keyv {
  const adapter = new KeyvSqlite({ ...adapterOptions(path), clearExpiredInterval: sweepMs });
  const keyv = new Keyv({ store: adapter, namespace });
  // Keyv reports failures by this event and answers as if nothing were there; throwing here makes every call reject.
  keyv.on("error", (error: unknown) => {
    failed(error);
    throw error;
  });
  return keyv;
}

function createTable(keyv: Keyv, batches: Batches): Table {
  const get = (key: string) => keyv.get<unknown>(key).catch(absentWhereFull);
  return {
    get,
    async getMany(keys) {
      return (await keyv.getMany<unknown>(keys).catch(absentWhereFull)) ?? Promise.all(keys.map(get));
    },
    set: (entries) => batches.set(entries),
    async delete(key) {
      await batches.settled();
      return keyv.delete(key);
    },
    entries: () => keyv.iterator(),
  };
}

function observed(table: Table, onQuery?: OnQuery): Table {
  if (!onQuery) return table;
  const timed = <T>(operation: "read" | "write", work: Promise<T>): Promise<T> => {
    const since = performance.now();
    return work.finally(() => onQuery(operation, performance.now() - since));
  };
  return {
    get: (key) => timed("read", table.get(key)),
    getMany: (keys) => timed("read", table.getMany(keys)),
    set: (entries) => timed("write", table.set(entries)),
    delete: (key) => timed("write", table.delete(key)),
    entries: () => table.entries(),
  };
}

/** A read writes only to delete what has expired, which on a full disk stays where it is and is absent all the same. */
function absentWhereFull(error: unknown): undefined {
  if (troubleOf(error) !== "full") throw error;
}
