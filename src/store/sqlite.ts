import { statSync } from "node:fs";
import { mkdir, realpath, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { KeyvSqlite, type KeyvSqliteOptions } from "@keyv/sqlite";

import { type Engine, type LockOptions, type EngineOptions, waitFor } from "./engine.ts";
import { StoreError, StoreGone, cannotOpen, heldByAnother, nothingThere } from "./errors.ts";
import { createSqliteDriver, isBusy, restrictFiles } from "./sqlite-driver.ts";

const sweepMs = 3_600_000;
/** The adapter's own name for it. */
const tableName = "keyv";

/** Keeps the values in a file, or in memory if the path is `:memory:`. */
export async function openSqlite(path: string, { log, create = true }: EngineOptions): Promise<Engine> {
  const size = path === ":memory:" ? undefined : await sizeOf(path);
  if (size === "none" && !create) throw nothingThere(path);
  const settings = adapterOptions(path);
  await checkFile(path, size, settings);
  // An operator who expected the state of yesterday sees that there is none.
  if (size === 0 || size === "none") log?.info("store.new", { path });
  const opened = fileAt(path);
  let lock: DatabaseSync | undefined;

  /** On a connection of its own. */
  async function run(sql: string): Promise<Record<string, unknown>[]> {
    const adapter = new KeyvSqlite(settings);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- SQLite gives rows by the names of their columns
    return (await adapter.query(sql).finally(() => adapter.disconnect())) as Record<string, unknown>[];
  }

  return {
    place: path,
    adapter: () => new KeyvSqlite({ ...settings, clearExpiredInterval: sweepMs }),
    ask: (statement) => run(statement(tableName)),
    *rows() {
      const database = new DatabaseSync(path, { timeout: 0 });
      try {
        const select = `SELECT namespace, key, value, expires FROM ${tableName} WHERE expires IS NULL OR expires > ?`;
        for (const { namespace, key, value, expires } of database.prepare(select).iterate(Date.now())) {
          const lasts = typeof expires === "number" ? expires : undefined;
          yield { namespace: String(namespace), key: String(key), value: String(value), expires: lasts };
        }
      } finally {
        database.close();
      }
    },
    async fill(rows) {
      const database = new DatabaseSync(path);
      try {
        database.exec("BEGIN IMMEDIATE");
        const insert = database.prepare(
          `INSERT INTO ${tableName} (namespace, key, value, expires) VALUES (?, ?, ?, ?)`,
        );
        for await (const { namespace, key, value, expires } of rows) insert.run(namespace, key, value, expires ?? null);
        database.exec("COMMIT");
      } finally {
        // Without its end, a transaction leaves nothing.
        database.close();
      }
    },
    trouble: () => (fileAt(path) === opened ? undefined : new StoreGone(path)),
    async lock(options) {
      if (path !== ":memory:") lock = await takeLock(path, options);
    },
    // One process has it.
    exclusively: (_name, work) => work(),
    async vacuum() {
      // Deleted values are overwritten in the file; the newest file beside it holds them until SQLite needs the room.
      if (path !== ":memory:") await run("PRAGMA wal_checkpoint(TRUNCATE)");
    },
    async close() {
      lock?.close();
    },
  };
}

/** Tells the file at a path from every other one; nothing if there is none. */
function fileAt(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path);
    return `${dev} ${ino}`;
  } catch {
    return undefined;
  }
}

/** The size of a file in bytes. */
export async function sizeOf(path: string): Promise<number | "none"> {
  return stat(path).then(
    ({ size }) => size,
    () => "none",
  );
}

/** Makes the file if there is none; rejects with a StoreError if it cannot be used. */
async function checkFile(path: string, size: number | "none" | undefined, settings: KeyvSqliteOptions): Promise<void> {
  try {
    if (size === "none") await mkdir(dirname(path), { recursive: true });
    if (size !== undefined) await restrictFiles(path);
    const probe = new KeyvSqlite(settings);
    await probe.ready;
    const [row] = await probe.query("PRAGMA quick_check(1)");
    await probe.disconnect();
    // It finds damage without failing: it answers with what it found, and with "ok" if that is nothing.
    const found = Object.values(row ?? {}).join();
    if (found !== "ok") throw new Error(`database disk image is malformed: ${found.replace(/\s+/g, " ")}`);
  } catch (error) {
    throw cannotOpen(path, error);
  }
}

function adapterOptions(path: string): KeyvSqliteOptions {
  // The adapter complains about WAL for a store in memory.
  return { uri: `sqlite://${path}`, wal: path !== ":memory:", driver: createSqliteDriver(), iterationLimit: 500 };
}

/** Holds a lock until it is closed, or the process ends, however it ends. */
async function takeLock(path: string, { log, after }: LockOptions): Promise<DatabaseSync> {
  // A file of its own: whoever reads or copies the store meanwhile is not to wait. Symbolic links lead to the same one.
  const lockPath = `${await realpath(path)}.lock`;
  let lock: DatabaseSync | undefined;
  try {
    await restrictFiles(lockPath);
    const file = (lock = new DatabaseSync(lockPath, { timeout: 0 }));
    const held = () => log.info("store.held", { path });
    if (!(await waitFor(async () => isTaken(file), { after, held }))) throw heldByAnother(path);
    return file;
  } catch (error) {
    lock?.close();
    throw error instanceof StoreError ? error : cannotOpen(lockPath, error);
  }
}

function isTaken(lock: DatabaseSync): boolean {
  try {
    lock.exec("BEGIN EXCLUSIVE");
    return true;
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  }
}
