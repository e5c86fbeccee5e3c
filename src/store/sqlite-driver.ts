import { chmod, open } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";

import type { SqliteDriver } from "@keyv/sqlite";

/**
 * The time that all writes together wait for another process that writes, and how often they look for it. Slack waits
 * three seconds for an acknowledgement, before which several writes may come.
 */
const busyMs = 500;
const retryMs = 25;

/**
 * node:sqlite for Keyv's adapters of one file, which have a driver of their own: that one waits for a lock of another process
 * inside SQLite, and nobody is answered meanwhile. Here the wait is a timer. What is deleted or replaced is overwritten in
 * the file.
 */
export function createSqliteDriver(): SqliteDriver {
  /** The time at which a write first found the lock taken, since the last one that didn't. */
  let busySince: number | undefined;

  /** Does it as soon as no other process holds the lock; each statement is a transaction of its own, so it may be repeated. */
  async function untilFree<T>(work: () => T, isWrite: boolean): Promise<T> {
    for (;;) {
      try {
        const result = work();
        if (isWrite) busySince = undefined;
        return result;
      } catch (error) {
        if (!isBusy(error)) throw error;
        busySince ??= performance.now();
        if (performance.now() - busySince >= busyMs) throw error;
      }
      await pause(retryMs);
    }
  }

  return {
    name: "custom",
    async connect({ filename, wal }) {
      const database = new DatabaseSync(filename, { timeout: 0 });
      let writes: Promise<unknown> = Promise.resolve();

      const run = (sql: string, parameters: unknown[], isWrite = true) =>
        untilFree(() => database.prepare(sql).all(...parameters.map(asParameter)), isWrite);
      if (wal) await run("PRAGMA journal_mode = WAL", [], false);
      await run("PRAGMA secure_delete = ON", [], false);
      return {
        async query(sql, ...parameters) {
          if (/^\s*(SELECT|PRAGMA)\b/i.test(sql)) return run(sql, parameters, false);
          // In their order, also if the first of them has to wait.
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
}

/** True if another process holds the lock. */
export function isBusy(error: unknown): boolean {
  return error instanceof Error && /\b(locked|busy)\b/i.test(error.message);
}

function asParameter(value: unknown): string | number | bigint | null {
  if (typeof value === "string" || typeof value === "number" || typeof value === "bigint") return value;
  return value === null || value === undefined ? null : JSON.stringify(value);
}

/**
 * Lets nobody but their owner read the files of a store; makes its first file if there is none, and SQLite gives those
 * that it makes beside it the same rights. If the files belong to somebody else, their rights are that one's matter.
 */
export async function restrictFiles(path: string): Promise<void> {
  await (await open(path, "a", 0o600)).close();
  for (const file of [path, `${path}-wal`, `${path}-shm`, `${path}.lock`]) {
    await chmod(file, 0o600).catch(() => undefined);
  }
}
