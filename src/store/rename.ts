import type { Collection } from "./collection.ts";
import type { createTurns } from "./turns.ts";

/** Where the keys of records begin differently from now on. */
interface Renaming<T> {
  from: string;
  to: string;
  /** What becomes of a record where there is one under its new key already. */
  join: (before: T, meanwhile: T) => T;
  /** The turns of those who change the records otherwise. */
  inTurn: ReturnType<typeof createTurns>;
}

/** Keeps records whose keys have one beginning under keys with another; done twice, also at once, it does no harm. */
export async function rename<T>(records: Collection<T>, { from, to, join, inTurn }: Renaming<T>): Promise<void> {
  const keys: string[] = [];
  for await (const [key] of records.entries()) if (key.startsWith(from)) keys.push(key);
  for (const key of keys) {
    const renamed = to + key.slice(from.length);
    await inTurn(renamed, async () => {
      const found = await records.getMany([key, renamed]);
      const before = found.get(key);
      if (before === undefined) return;
      const meanwhile = found.get(renamed);
      await records.set(renamed, meanwhile === undefined ? before : join(before, meanwhile));
      await records.delete(key);
    });
  }
}
