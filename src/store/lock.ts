import type { Engine, EngineOptions, LockOptions } from "./engine.ts";
import { type Store, type StoreOptions, openEngine, storeOn } from "./store.ts";

type ExclusiveOptions = LockOptions & StoreOptions & Pick<EngineOptions, "create">;

/**
 * Opens a store for this process alone, because two bots on one store would each post what is due. Waits for another
 * one that is just ending; rejects with a StoreError if that goes on.
 */
export async function openStoreExclusively(url: string, options: ExclusiveOptions): Promise<Store> {
  const { log, create } = options;
  return storeOn(await openEngineExclusively(url, options, { log, create }), log, options);
}

/** The same for the engine alone. */
export async function openEngineExclusively(
  url: string,
  options: LockOptions,
  opening: EngineOptions,
): Promise<Engine> {
  const engine = await openEngine(url, opening);
  await engine.lock(options).catch(async (error: unknown) => {
    await engine.close();
    throw error;
  });
  return engine;
}
