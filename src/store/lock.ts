import type { Engine, LockOptions } from "./engine.ts";
import { refuseHardLinks } from "./sqlite.ts";
import { type Store, type StoreOptions, openEngine, storeOn, sqlitePath } from "./store.ts";

interface ExclusiveOptions extends LockOptions, StoreOptions {
  /** False if nothing is to be made: a store that is not there is refused. */
  create?: boolean | undefined;
}

/**
 * Opens a store for this process alone, because two bots on one store would each post what is due. Waits for another
 * one that is just ending; rejects with a StoreError if that goes on.
 */
export async function openStoreExclusively(url: string, options: ExclusiveOptions): Promise<Store> {
  const { log, create } = options;
  const path = sqlitePath(url);
  if (path !== undefined) await refuseHardLinks(path);
  const engine = await openEngine(url, { log, create });
  await lockOrClose(engine, options);
  return storeOn(engine, log, options);
}

/** Keeps other bots out of an engine that was opened, and closes it if that fails. */
export async function lockOrClose(engine: Engine, options: LockOptions): Promise<void> {
  await engine.lock(options).catch(async (error: unknown) => {
    await engine.close();
    throw error;
  });
}
