import { realpath, stat } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";

import type { Log } from "../log.ts";
import { StoreError, cannotLock } from "./errors.ts";
import { restrictFiles, rewriteOnce } from "./sqlite.ts";
import { type OnQuery, type Store, openStore, sqlitePath } from "./store.ts";

interface LockOptions {
  log: Pick<Log, "info" | "warn" | "error">;
  /** Calls once after that many milliseconds. */
  after: (ms: number, call: () => void) => unknown;
  onQuery?: OnQuery | undefined;
}

/** A bot that is being replaced takes some seconds to end. */
const longestWaitMs = 30_000;
const retryMs = 250;

/**
 * Opens a store for this process alone, because two bots on one store would each post what is due. Waits for another one
 * that is just ending; rejects with a StoreError where that goes on.
 */
export async function openStoreExclusively(url: string, options: LockOptions): Promise<Store> {
  const path = sqlitePath(url);
  await refuseHardLinks(path);
  const store = await openStore(url, options.log, options.onQuery);
  try {
    const lock = path === ":memory:" ? undefined : await takeLock(path, options);
    if (lock) rewriteOnce(path);
    return {
      ...store,
      async close() {
        await store.close();
        lock?.close();
      },
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/**
 * SQLite keeps the newest changes in a file beside the store, under the same name, and so do we the lock. A symbolic link
 * is followed to the one name; under a second hard link there would be neither, and two bots would spoil the file.
 */
async function refuseHardLinks(path: string): Promise<void> {
  const { nlink } = await stat(path).catch(() => ({ nlink: 0 }));
  if (nlink <= 1) return;
  throw new StoreError(
    `The file of the store, ${path}, has ${nlink} names (hard links), and SQLite loses data if a file is opened under ` +
      `two. Delete the others, which \`find / -xdev -samefile ${path}\` lists, or copy the file.`,
  );
}

/** Holds a lock until it is closed, or the process ends, however it ends. */
async function takeLock(path: string, { log, after }: LockOptions): Promise<DatabaseSync> {
  // A file of its own: whoever reads or copies the store meanwhile is not to wait. Symbolic links lead to the same one.
  const lockPath = `${await realpath(path)}.lock`;
  let lock: DatabaseSync | undefined;
  try {
    await restrictFiles(lockPath);
    lock = new DatabaseSync(lockPath, { timeout: 0 });
    for (let waitedMs = 0; !isTaken(lock); waitedMs += retryMs) {
      if (waitedMs === 0) log.info("store.held", { path });
      if (waitedMs >= longestWaitMs) {
        throw new StoreError(
          `Another Bellwether has the store ${path} open. Stop that one first: two would post twice.`,
        );
      }
      await new Promise<void>((resolve) => void after(retryMs, resolve));
    }
    return lock;
  } catch (error) {
    lock?.close();
    throw error instanceof StoreError ? error : cannotLock(path, lockPath, error);
  }
}

function isTaken(lock: DatabaseSync): boolean {
  try {
    lock.exec("BEGIN EXCLUSIVE");
    return true;
  } catch (error) {
    if (error instanceof Error && /locked|busy/i.test(error.message)) return false;
    throw error;
  }
}
