import { Keyv, KeyvJsonSerializer } from "keyv";
import type { z } from "zod";

import { type Batches, createBatches } from "./batch.ts";
import { type Collection, type Table, createCollection } from "./collection.ts";
import type { Confirm, Engine, EngineOptions, StoreLog } from "./engine.ts";
import { LeaseLost, StoreError, type StoreTrouble, troubleOf } from "./errors.ts";
import { openSqlite } from "./sqlite.ts";
import { checkVersion, migrations, storeVersion, versionRow } from "./version.ts";

export type Store = Awaited<ReturnType<typeof storeOn>>;

/** Told how long each read and write took. */
type OnQuery = (operation: "read" | "write", ms: number) => void;

export interface StoreOptions {
  confirm?: Confirm | undefined;
  onQuery?: OnQuery | undefined;
}

/** A disk that is full fails thousands of writes a minute, and the log may be on it too. */
const logEveryMs = 10_000;

/** Opens the store that STORE_URL names, beside whoever else has it open: `sqlite:PATH`, `sqlite::memory:` or `postgres://…`. */
export async function openStore(
  url: string,
  log?: StoreLog,
  { create, confirm, onQuery }: Omit<EngineOptions, "log"> & StoreOptions = {},
): Promise<Store> {
  const engine = await openEngine(url, { create, confirm, log });
  return storeOn(engine, log, { confirm, onQuery });
}

/** Makes what keeps the values, if there is nothing yet; rejects with a StoreError if that cannot be used. */
export async function openEngine(url: string, options: EngineOptions): Promise<Engine> {
  const path = sqlitePath(url);
  if (path !== undefined) return openSqlite(path, options);
  // A bot on SQLite loads none of it.
  if (/^postgres(?:ql)?:\/\//.test(url)) return (await import("./postgres.ts")).openPostgres(url, options);
  const found = /^([a-z]+):/.exec(url)?.[1] ?? "no kind";
  throw new StoreError(`STORE_URL must be sqlite:PATH or postgres://… (found: ${found}).`);
}

/** The path of a store's file; `:memory:` if it has none, and nothing if it is no SQLite. */
export function sqlitePath(url: string): string | undefined {
  return /^sqlite:(?:\/\/(?=\/|:memory:))?(.+)$/.exec(url)?.[1];
}

/** The collections that an engine keeps; closes it with them, and at once if another version wrote them (StoreError). */
export async function storeOn(engine: Engine, log?: StoreLog, { confirm, onQuery }: StoreOptions = {}) {
  const version = await checkVersion(engine).catch(async (error: unknown) => {
    await engine.close();
    throw error;
  });
  const opened = new Map<string, { keyv: Keyv; batches: Batches }>();
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
    // The store is well; this is not for this process to write any more.
    if (error instanceof LeaseLost) return;
    const found = troubleOf(error);
    if (found !== trouble || Date.now() - loggedAt > logEveryMs) {
      log?.error("store.failed", { collection, reason: error instanceof Error ? error.message : "unknown reason" });
      loggedAt = Date.now();
    }
    notice(found);
  }

  /** Takes note of an engine that keeps nothing at present, or does so again. */
  function look(name: string): Error | undefined {
    const error = engine.trouble();
    if (error) failed(name, error);
    else if (trouble === "gone") notice(undefined);
    return error;
  }

  /** One connection for a name, however often it is opened: what is written under it keeps its order. */
  function open(name: string): { keyv: Keyv; batches: Batches } {
    const known = opened.get(name);
    if (known) return known;
    const keyv = openNamespace(engine, name, (error) => failed(name, error));
    const batches = createBatches(async (entries) => {
      const error = look(name);
      if (error) throw error;
      const stored = await keyv.setMany(entries);
      if (stored?.some((isStored) => !isStored)) throw new Error("the store did not keep a value");
      notice(undefined);
    });
    const namespace = { keyv, batches };
    opened.set(name, namespace);
    return namespace;
  }

  if (version !== storeVersion) await open(versionRow.namespace).keyv.set(versionRow.key, storeVersion);
  return {
    /** The values of one namespace; `ttlMs` is how long they live if a `set` says nothing else. */
    collection<T>(name: string, schema: z.ZodType<T>, { ttlMs }: { ttlMs?: number } = {}): Collection<T> {
      const { keyv, batches } = open(name);
      return createCollection({
        schema,
        ttlMs,
        version: storeVersion,
        migrations: migrations[name],
        table: createTable(keyv, { batches, confirm, look: () => look(name), onQuery }),
        unreadable: ({ key, reason }, count) => log?.warn("store.unreadable", { collection: name, count, key, reason }),
      });
    },
    /** The names of all collections that hold something, or that were opened. */
    async names(): Promise<string[]> {
      const rows = await engine.ask((table) => `SELECT DISTINCT namespace FROM ${table}`);
      const kept = [...opened.keys(), ...rows.map(({ namespace }) => String(namespace))];
      return [...new Set(kept)].filter((name) => name !== versionRow.namespace);
    },
    /** Calls when something cannot be kept, and with nothing when something is kept again. */
    watch: (tell: (trouble: StoreTrouble | undefined) => void): void => void watchers.push(tell),
    /** Does work while no other process that has the store open does work of the same name. */
    exclusively: <T>(name: string, work: () => Promise<T>): Promise<T> => engine.exclusively(name, work),
    /** Leaves nothing of what was deleted in the files; a database cleans up by itself. */
    async vacuum(): Promise<void> {
      await Promise.all([...opened.values()].map(({ batches }) => batches.settled()));
      await engine.vacuum();
    },
    /** Closes the files or connections; whatever is read or written afterwards rejects. */
    async close(): Promise<void> {
      isClosing = true;
      await Promise.all([...opened.values()].map(({ batches }) => batches.settled()));
      await Promise.all([...opened.values()].map(({ keyv }) => keyv.disconnect()));
      await engine.close();
    },
  };
}

// One adapter object per namespace: sharing one lets the last namespace answer for all the others.
function openNamespace(engine: Engine, namespace: string, failed: (error: unknown) => void): Keyv {
  const keyv = new Keyv({ store: engine.adapter(), namespace, serialization: new ForgivingJson() });
  // Keyv reports failures by this event and answers as if nothing were there; throwing here makes every call reject.
  keyv.on("error", (error: unknown) => {
    failed(error);
    throw error;
  });
  return keyv;
}

/** Keyv stops reading a whole namespace at a value that is no JSON: this gives it one that no collection takes for a record. */
class ForgivingJson extends KeyvJsonSerializer {
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- as Keyv declares it
  override parse<T>(text: string): T {
    try {
      return super.parse<T>(text);
    } catch {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an envelope as Keyv writes them
      return { value: "no JSON" } as T;
    }
  }
}

interface TableOptions {
  batches: Batches;
  confirm?: Confirm | undefined;
  look: () => Error | undefined;
  onQuery?: OnQuery | undefined;
}

function createTable(keyv: Keyv, { batches, confirm = async () => {}, look, onQuery }: TableOptions): Table {
  async function timed<T>(operation: "read" | "write", work: () => Promise<T>): Promise<T> {
    const since = performance.now();
    return work().finally(() => onQuery?.(operation, performance.now() - since));
  }

  const get = async (key: string) => {
    // It can still be read; nobody would notice otherwise before something is written.
    look();
    return keyv.get<unknown>(key).catch(absentIfFull);
  };
  return {
    get: (key) => timed("read", () => get(key)),
    getMany: (keys) =>
      timed("read", async () => {
        return (await keyv.getMany<unknown>(keys).catch(absentIfFull)) ?? Promise.all(keys.map(get));
      }),
    set: (entries) =>
      timed("write", async () => {
        // Also before it waits for others: what is written together was begun at different times.
        await confirm();
        await batches.set(entries);
      }),
    delete: (key) =>
      timed("write", async () => {
        await batches.settled();
        const error = look();
        if (error) throw error;
        return keyv.delete(key);
      }),
    entries: () => keyv.iterator(),
  };
}

/** A read writes only to delete what has expired. On a full disk that stays, and is absent all the same. */
function absentIfFull(error: unknown): undefined {
  if (troubleOf(error) !== "full") throw error;
}
