import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { KeyvSqlite } from "@keyv/sqlite";
import { Keyv } from "keyv";
import type { z } from "zod";
import type { Log } from "../log.ts";
import { createCollection } from "./collection.ts";
import type { Collection, Table } from "./collection.ts";

export interface Store {
  /** The values of one namespace; `ttlMs` is how long they live where a `set` says nothing else. */
  collection<T>(name: string, schema: z.ZodType<T>, options?: { ttlMs?: number }): Collection<T>;
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
export async function openStore(url: string, log?: Pick<Log, "warn" | "error">): Promise<Store> {
  const path = sqlitePath(url);
  const namespaces = new Map<string, Keyv>();

  function open(name: string): Keyv {
    const opened = namespaces.get(name) ?? openNamespace(path, name, log);
    namespaces.set(name, opened);
    return opened;
  }

  await makeReady(path);
  return {
    collection: (name, schema, { ttlMs } = {}) =>
      createCollection({
        name,
        schema,
        ttlMs,
        table: createTable(open(name)),
        unreadable: (collection, key, reason) => log?.warn("store.unreadable", { collection, key, reason }),
      }),
    async close() {
      await Promise.all([...namespaces.values()].map((namespace) => namespace.disconnect()));
    },
  };
}

function sqlitePath(url: string): string {
  const path = /^sqlite:(?:\/\/(?=\/|:memory:))?(.+)$/.exec(url)?.[1];
  if (path !== undefined) return path;
  const found = /^([a-z]+):/.exec(url)?.[1] ?? "no kind";
  throw new StoreError(`STORE_URL must be sqlite:PATH; this version keeps its state in SQLite only (found: ${found}).`);
}

async function makeReady(path: string): Promise<void> {
  try {
    if (path !== ":memory:") await mkdir(dirname(path), { recursive: true });
    const probe = new KeyvSqlite(adapterOptions(path));
    await probe.ready;
    await probe.query("PRAGMA quick_check(1)");
    await probe.disconnect();
  } catch (error) {
    const reason = error instanceof Error ? error.message : "unknown reason";
    throw new StoreError(`Cannot open the store ${path}: ${reason}. Check STORE_URL and the rights on that path.`, {
      cause: error,
    });
  }
}

function adapterOptions(path: string) {
  // The adapter complains about WAL for a store in memory.
  return { uri: `sqlite://${path}`, wal: path !== ":memory:", busyTimeout: BUSY_TIMEOUT, iterationLimit: 500 };
}

// One adapter object per namespace: sharing one lets the last namespace answer for all the others.
function openNamespace(path: string, namespace: string, log: Pick<Log, "error"> | undefined): Keyv {
  const adapter = new KeyvSqlite({ ...adapterOptions(path), clearExpiredInterval: SWEEP });
  const keyv = new Keyv({ store: adapter, namespace });
  // Keyv reports failures by this event and answers as if nothing were there; throwing here makes every call reject.
  keyv.on("error", (error: unknown) => {
    log?.error("store.failed", { collection: namespace, reason: error instanceof Error ? error.message : "unknown" });
    throw error;
  });
  return keyv;
}

function createTable(keyv: Keyv): Table {
  return {
    get: (key) => keyv.get<unknown>(key),
    getMany: (keys) => keyv.getMany<unknown>(keys),
    async set(entries) {
      const stored = await keyv.setMany(entries);
      if (stored !== undefined && stored.some((done) => !done)) throw new Error("the store did not keep a value");
    },
    delete: (key) => keyv.delete(key),
    entries: () => keyv.iterator(),
  };
}
