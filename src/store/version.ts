import type { Migration } from "./collection.ts";
import type { Engine } from "./engine.ts";
import { StoreError } from "./errors.ts";

/**
 * The version of what is stored, which each record names and the store as a whole. Whoever changes the shape of a record so
 * that it can't be read both ways raises it, and adds a step to `migrations`, or raises `oldest` as well.
 */
export const storeVersion = 6;
/** Stores of earlier versions are refused. */
const oldest = 6;

/** The steps by which records of a version become those of the next, by collection and by that version. */
export const migrations: Readonly<Record<string, Readonly<Record<number, Migration>>>> = {};

/** The record that holds the version of the store. */
export const versionRow = { namespace: "versions", key: "digests" };

/** The version that wrote a store; nothing if none has. Rejects with a StoreError if it's one that this version can't read. */
export async function checkVersion({ ask, place }: Pick<Engine, "ask" | "place">): Promise<number | undefined> {
  const { namespace, key } = versionRow;
  // One statement: another replica may be filling an empty store.
  const [row] = await ask(
    (table) => `SELECT (SELECT value FROM ${table} WHERE namespace = '${namespace}' AND key = '${key}') AS version,
      CASE WHEN EXISTS (SELECT 1 FROM ${table}) THEN 1 ELSE 0 END AS kept`,
  );
  if (Number(row?.["kept"]) === 0) return undefined;
  const found = Number(/^\{"value":(\d+)\}$/.exec(String(row?.["version"]))?.[1] ?? 0);
  if (found > storeVersion) {
    throw new StoreError(
      `The store ${place} was written by a newer Bellwether. Start that one again, or put a copy from before the update in its place. Nothing was changed.`,
    );
  }
  if (found < oldest) {
    throw new StoreError(
      `The store ${place} was written by an earlier Bellwether, and this one can’t read it. Start the earlier one again, or name another store in STORE_URL to begin anew. Nothing was changed.`,
    );
  }
  return found;
}
