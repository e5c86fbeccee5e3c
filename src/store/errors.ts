/** The store cannot be opened or read; the message tells an operator in one line why, and what to do. */
export class StoreError extends Error {
  override readonly name = "StoreError";
}

/** Why a store does not do what it is asked: no room left, its file is damaged, or anything else. */
export type StoreTrouble = "full" | "damaged" | "failing";

/** What an error of the store says of it. SQLite's own words are all that comes through every layer. */
export function troubleOf(error: unknown): StoreTrouble {
  const text = error instanceof Error ? error.message : String(error);
  if (/disk is full|no space left|ENOSPC/i.test(text)) return "full";
  if (/malformed|not a database|file is encrypted/i.test(text)) return "damaged";
  return "failing";
}

/** The store at the path cannot be opened, with what an operator can do about it. */
export function cannotOpen(path: string, error: unknown): StoreError {
  return storeError(path, error, {
    full: makeRoom,
    failing: "Check STORE_URL, the rights on that path, and that its disk has room.",
    damaged:
      `Move ${path} and the files beside it (-wal, -shm) away and put your latest copy in its place; ` +
      `\`sqlite3 ${path} .recover\` may save what is newer. It is left as it is: Bellwether does not begin anew by itself.`,
  });
}

/** The same where its lock cannot be written, a file that never holds anything. */
export function cannotLock(path: string, lockPath: string, error: unknown): StoreError {
  const advice = `Check the rights on its lock, ${lockPath}, and delete that where it is no empty file.`;
  return storeError(path, error, { full: makeRoom, failing: advice, damaged: advice });
}

const makeRoom = "Make room on that disk, then start again: nothing is lost.";

function storeError(path: string, error: unknown, advice: Record<StoreTrouble, string>): StoreError {
  const reason = error instanceof Error ? error.message : "unknown reason";
  return new StoreError(`Cannot open the store ${path}: ${reason}. ${advice[troubleOf(error)]}`, { cause: error });
}
