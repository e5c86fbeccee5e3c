import type { LockOptions } from "./engine.ts";
import { refuseHardLinks } from "./sqlite.ts";
import { type Store, type StoreOptions, openEngine, storeOn, sqlitePath } from "./store.ts";

/**
 * Opens a store for this process alone, because two bots on one store would each post what is due. Waits for another one
 * that is just ending; rejects with a StoreError where that goes on.
 */
export async function openStoreExclusively(url: string, options: LockOptions & StoreOptions): Promise<Store> {
  const { log } = options;
  const path = sqlitePath(url);
  if (path !== undefined) await refuseHardLinks(path);
  const engine = await openEngine(url, { log });
  try {
    await engine.lock(options);
    return storeOn(engine, log, options);
  } catch (error) {
    await engine.close();
    throw error;
  }
}
