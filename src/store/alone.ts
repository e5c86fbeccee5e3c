import { realpath, stat } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";

import type { Log } from "../log.ts";
import { type Store, StoreError, openStore, sqlitePath } from "./store.ts";
import { adviceForLock, reasonOf } from "./trouble.ts";

interface Means {
  log: Pick<Log, "info" | "warn" | "error">;
  /** Calls once after that many milliseconds. */
  after: (ms: number, call: () => void) => unknown;
}

/** A bot that is being replaced takes some seconds to end. */
const patienceMs = 30_000;
const lookMs = 250;

/**
 * Opens a store for this process alone, because two bots on one store would each post what is due. Waits for another one
 * that is just ending; rejects with a StoreError where that goes on.
 */
export async function openStoreAlone(url: string, { log, after }: Means): Promise<Store> {
  const path = sqlitePath(url);
  await refuseSecondName(path);
  const store = await openStore(url, log);
  try {
    const letGo = await hold(path, { log, after });
    return {
      ...store,
      async close() {
        await store.close();
        letGo();
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
async function refuseSecondName(path: string): Promise<void> {
  const { nlink } = await stat(path).catch(() => ({ nlink: 0 }));
  if (nlink <= 1) return;
  throw new StoreError(
    `The file of the store, ${path}, has ${nlink} names (hard links), and SQLite loses data where a file is opened ` +
      `under two. Delete the others, which \`find / -xdev -samefile ${path}\` lists, or copy the file.`,
  );
}

/** Gives what lets go of it. The system lets go of it by itself where the process ends, however it ends. */
async function hold(path: string, { log, after }: Means): Promise<() => void> {
  if (path === ":memory:") return () => undefined;
  // A file of its own: whoever reads or copies the store meanwhile is not to wait.
  const lockPath = `${await realpath(path)}.lock`;
  let lock: DatabaseSync | undefined;
  try {
    lock = new DatabaseSync(lockPath, { timeout: 0 });
    for (let waited = 0; !isTaken(lock); waited += lookMs) {
      if (waited === 0) log.info("store.held", { path });
      if (waited >= patienceMs) {
        throw new StoreError(
          `Another Bellwether has the store ${path} open. Stop that one first: two would post twice.`,
        );
      }
      await new Promise<void>((resolve) => void after(lookMs, resolve));
    }
    const taken = lock;
    return () => taken.close();
  } catch (error) {
    lock?.close();
    if (error instanceof StoreError) throw error;
    const advice = adviceForLock(error, lockPath);
    throw new StoreError(`Cannot open the store ${path}: ${reasonOf(error)}. ${advice}`, { cause: error });
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
