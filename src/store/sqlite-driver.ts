import { chmod, open } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";

import type { SqliteDriver } from "@keyv/sqlite";

/** How long another process that writes is waited for, and how often it is looked for. */
const busyMs = 5_000;
const retryMs = 25;

/**
 * node:sqlite for Keyv's adapter, which has a driver of its own: that one waits for a lock of another process inside
 * SQLite, and nobody is answered meanwhile. Here the wait is a timer. What is deleted or replaced is overwritten in the file.
 */
export const sqliteDriver: SqliteDriver = {
  name: "custom",
  async connect({ filename, wal }) {
    const database = new DatabaseSync(filename, { timeout: 0 });
    let writes: Promise<unknown> = Promise.resolve();

    const run = (sql: string, parameters: unknown[]) =>
      untilFree(() => database.prepare(sql).all(...parameters.map(asParameter)));
    if (wal) await run("PRAGMA journal_mode = WAL", []);
    await run("PRAGMA secure_delete = ON", []);
    return {
      async query(sql, ...parameters) {
        if (/^\s*(SELECT|PRAGMA)\b/i.test(sql)) return run(sql, parameters);
        // In their order, also where the first of them has to wait.
        const written = writes.then(() => run(sql, parameters));
        writes = written.catch(() => undefined);
        return written;
      },
      async close() {
        await writes;
        database.close();
      },
    };
  },
};

/** Does it as soon as no other process holds the lock; each statement is a transaction of its own, so it may be repeated. */
async function untilFree<T>(work: () => T): Promise<T> {
  for (let waitedMs = 0; ; waitedMs += retryMs) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || waitedMs >= busyMs) throw error;
    }
    await pause(retryMs);
  }
}

/** Whether another process holds the lock. */
export function isBusy(error: unknown): boolean {
  return error instanceof Error && /\b(locked|busy)\b/i.test(error.message);
}

function asParameter(value: unknown): string | number | bigint | null {
  if (typeof value === "string" || typeof value === "number" || typeof value === "bigint") return value;
  return value === null || value === undefined ? null : JSON.stringify(value);
}

/**
 * Lets nobody but their owner read the files of a store; makes its first file where there is none, and SQLite gives those
 * that it makes beside it the same rights. Where the files belong to somebody else, their rights are that one's matter.
 */
export async function restrictFiles(path: string): Promise<void> {
  await (await open(path, "a", 0o600)).close();
  for (const file of [path, `${path}-wal`, `${path}-shm`, `${path}.lock`]) {
    await chmod(file, 0o600).catch(() => undefined);
  }
}

/** The version of the file, in SQLite's own field for it: 1 where deleted values are overwritten. */
const overwritten = 1;

/**
 * Earlier versions left what was deleted in the file, tokens among it. Writes the file anew where one of them used it; to
 * be called while no other process has it open. Where the disk has no room for that, the next start tries again.
 */
export function rewriteOnce(path: string): void {
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    if (database.prepare("PRAGMA user_version").get()?.["user_version"] === overwritten) return;
    database.exec(`VACUUM; PRAGMA user_version = ${overwritten}; PRAGMA wal_checkpoint(TRUNCATE)`);
  } catch {
    // The store works as it is.
  } finally {
    database.close();
  }
}
