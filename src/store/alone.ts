import { DatabaseSync } from "node:sqlite";

import type { Log } from "../log.ts";
import { type Store, StoreError, openStore, sqlitePath } from "./store.ts";

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
  const store = await openStore(url, log);
  try {
    const letGo = await hold(sqlitePath(url), { log, after });
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

/** Gives what lets go of it. The system lets go of it by itself where the process ends, however it ends. */
async function hold(path: string, { log, after }: Means): Promise<() => void> {
  if (path === ":memory:") return () => undefined;
  // A file of its own: whoever reads or copies the store meanwhile is not to wait.
  const lock = new DatabaseSync(`${path}.lock`, { timeout: 0 });
  for (let waited = 0; !isTaken(lock); waited += lookMs) {
    if (waited === 0) log.info("store.held", { path });
    if (waited >= patienceMs) {
      lock.close();
      throw new StoreError(`Another Bellwether has the store ${path} open. Stop that one first: two would post twice.`);
    }
    await new Promise<void>((resolve) => void after(lookMs, resolve));
  }
  return () => lock.close();
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
