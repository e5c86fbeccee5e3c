import { statSync } from "node:fs";
import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { KeyvSqlite } from "@keyv/sqlite";
import { Keyv } from "keyv";
import type { z } from "zod";
import type { Log } from "../log.ts";
import { createBatches } from "./batch.ts";
import { type Collection, type Migration, type Table, createCollection, versionAfter } from "./collection.ts";
import { StoreGone, type StoreTrouble, adviceFor, reasonOf, troubleOf } from "./trouble.ts";
import { readVersions } from "./versions.ts";
import { createWatch } from "./watch.ts";

interface Options {
  ttlMs?: number;
  /** How values of older versions become those of the present one, the oldest first. */
  migrations?: readonly Migration[];
}

export interface Store {
  /**
   * The values of one namespace; `ttlMs` is how long they live where a `set` says nothing else. Throws a StoreError
   * where a later version of the bot has written them.
   */
  collection<T>(name: string, schema: z.ZodType<T>, options?: Options): Collection<T>;
  /** Calls when something cannot be kept, and with nothing when something is kept again. */
  watch(tell: (trouble: StoreTrouble | undefined) => void): void;
  /** Closes the files; whatever is read or written afterwards rejects. */
  close(): Promise<void>;
}

/** The store cannot be opened; the message tells an operator in one line why, and what to do. */
export class StoreError extends Error {
  override readonly name = "StoreError";
}

const BUSY_TIMEOUT = 5_000;
const SWEEP = 3_600_000;

/** Opens the store that STORE_URL names: `sqlite:PATH` or `sqlite::memory:`. */
export async function openStore(url: string, log?: Pick<Log, "info" | "warn" | "error">): Promise<Store> {
  const path = sqlitePath(url);
  const namespaces = new Map<string, Keyv>();
  const tables: ReturnType<typeof createTable>[] = [];
  const watch = createWatch(log);

  function open(name: string): Keyv {
    const opened = namespaces.get(name) ?? openNamespace(path, name, (error) => watch.failed(name, error));
    namespaces.set(name, opened);
    return opened;
  }

  await makeReady(path, log);
  const isThere = presenceOf(path);
  const versions = await readVersions(open("versions")).catch((error: unknown) => {
    throw cannotOpen(path, error);
  });

  /** Told before anything of its version is written. */
  function beginning(name: string, version: number): () => Promise<void> {
    const last = versions.of(name);
    if (last > version) throw new StoreError(tooNew(path, { name, last, version }));
    return () => versions.mark(name, version);
  }

  async function beginWhereItIs(name: string, begin: () => Promise<void>): Promise<void> {
    if (isThere()) return begin();
    const error = new StoreGone(path);
    watch.failed(name, error);
    throw error;
  }

  return {
    collection(name, schema, { ttlMs, migrations = [] } = {}) {
      const begin = beginning(name, versionAfter(migrations));
      const table = createTable(open(name), { begin: () => beginWhereItIs(name, begin), end: watch.kept });
      tables.push(table);
      return createCollection({
        name,
        schema,
        ttlMs,
        migrations,
        table,
        unreadable: (collection, key, reason) => log?.warn("store.unreadable", { collection, key, reason }),
      });
    },
    watch: watch.add,
    async close() {
      watch.end();
      await Promise.all(tables.map((table) => table.settled()));
      await Promise.all([...namespaces.values()].map((namespace) => namespace.disconnect()));
    },
  };
}

function tooNew(path: string, { name, last, version }: { name: string; last: number; version: number }): string {
  return (
    `The store ${path} was written by a newer Bellwether (${name} is of version ${last}, and this one knows ${version}). ` +
    "Start the newer one again, or put a copy from before in its place. Nothing was changed."
  );
}

/** Where a store's file is; `:memory:` where it has none. */
export function sqlitePath(url: string): string {
  const path = /^sqlite:(?:\/\/(?=\/|:memory:))?(.+)$/.exec(url)?.[1];
  if (path !== undefined) return path;
  const found = /^([a-z]+):/.exec(url)?.[1] ?? "no kind";
  throw new StoreError(`STORE_URL must be sqlite:PATH; this version keeps its state in SQLite only (found: ${found}).`);
}

async function makeReady(path: string, log?: Pick<Log, "info">): Promise<void> {
  try {
    const isNew = path !== ":memory:" && (await isMissing(path));
    if (isNew) await mkdir(dirname(path), { recursive: true });
    const probe = new KeyvSqlite(adapterOptions(path));
    await probe.ready;
    const [row] = await probe.query("PRAGMA quick_check(1)");
    await probe.disconnect();
    // It finds damage without failing: it answers with what it found, and with "ok" where that is nothing.
    const found = Object.values(row ?? {}).join();
    if (found !== "ok") throw new Error(`database disk image is malformed: ${found.replace(/\s+/g, " ")}`);
    // An operator who expected the state of yesterday sees that there is none.
    if (isNew) log?.info("store.new", { path });
  } catch (error) {
    throw cannotOpen(path, error);
  }
}

/** Whether the file at the path is still the one that was there when this was called. */
function presenceOf(path: string): () => boolean {
  const own = statSync(path, { throwIfNoEntry: false })?.ino;
  return () => path === ":memory:" || statSync(path, { throwIfNoEntry: false })?.ino === own;
}

async function isMissing(path: string): Promise<boolean> {
  try {
    return (await stat(path)).size === 0;
  } catch {
    return true;
  }
}

function cannotOpen(path: string, error: unknown): StoreError {
  const advice = adviceFor(troubleOf(error), path);
  return new StoreError(`Cannot open the store ${path}: ${reasonOf(error)}. ${advice}`, { cause: error });
}

function adapterOptions(path: string) {
  // The adapter complains about WAL for a store in memory.
  return { uri: `sqlite://${path}`, wal: path !== ":memory:", busyTimeout: BUSY_TIMEOUT, iterationLimit: 500 };
}

// One adapter object per namespace: sharing one lets the last namespace answer for all the others.
function openNamespace(path: string, namespace: string, failed: (error: unknown) => void): Keyv {
  const adapter = new KeyvSqlite({ ...adapterOptions(path), clearExpiredInterval: SWEEP });
  const keyv = new Keyv({ store: adapter, namespace });
  // Keyv reports failures by this event and answers as if nothing were there; throwing here makes every call reject.
  keyv.on("error", (error: unknown) => {
    failed(error);
    throw error;
  });
  return keyv;
}

interface Around {
  /** Awaited before anything is written. */
  begin: () => Promise<void>;
  /** Called when something has been written. */
  end: () => void;
}

function createTable(keyv: Keyv, { begin, end }: Around): Table & { settled: () => Promise<void> } {
  const batches = createBatches(async (entries) => {
    await begin();
    const stored = await keyv.setMany(entries);
    if (stored !== undefined && stored.some((done) => !done)) throw new Error("the store did not keep a value");
    end();
  });
  const get = (key: string) => keyv.get<unknown>(key).catch(absentWhereFull);
  return {
    get,
    async getMany(keys) {
      return (await keyv.getMany<unknown>(keys).catch(absentWhereFull)) ?? Promise.all(keys.map(get));
    },
    set: batches.set,
    async delete(key) {
      await batches.settled();
      return keyv.delete(key);
    },
    entries: () => keyv.iterator(),
    settled: () => batches.settled(),
  };
}

/** A read writes only to delete what has expired, which on a full disk stays where it is and is absent all the same. */
function absentWhereFull(error: unknown): undefined {
  if (troubleOf(error) !== "full") throw error;
}
