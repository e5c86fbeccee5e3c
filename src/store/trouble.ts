/** Why a store does not do what it is asked: no room left, its file is damaged or no longer there, or anything else. */
export type StoreTrouble = "full" | "damaged" | "gone" | "failing";

/** What an error of the store says of it. SQLite's own words are all that comes through every layer. */
export function troubleOf(error: unknown): StoreTrouble {
  const text = error instanceof Error ? error.message : String(error);
  if (/disk is full|no space left|ENOSPC/i.test(text)) return "full";
  if (/malformed|not a database|file is encrypted/i.test(text)) return "damaged";
  if (text.startsWith(goneText)) return "gone";
  return "failing";
}

const goneText = "the file of the store was moved or deleted";

/** A file that is deleted while it is open still takes whatever is written, and nobody ever finds it again. */
export class StoreGone extends Error {
  override readonly name = "StoreGone";

  constructor(path: string) {
    super(`${goneText}: ${path}`);
  }
}

const makeRoom = "Make room on that disk, then start again: nothing is lost.";

/** What an operator can do about a store that cannot be opened. */
export function adviceFor(trouble: StoreTrouble, path: string): string {
  if (trouble === "full") return makeRoom;
  if (trouble === "failing" || trouble === "gone")
    return "Check STORE_URL, the rights on that path, and that its disk has room.";
  return (
    `Move ${path} and the files beside it (-wal, -shm) away and put your latest copy in its place; ` +
    `\`sqlite3 ${path} .recover\` may save what is newer. It is left as it is: Bellwether does not begin anew by itself.`
  );
}

/** What an operator can do about a store whose lock file cannot be written; that file never holds anything. */
export function adviceForLock(error: unknown, lockPath: string): string {
  if (troubleOf(error) === "full") return makeRoom;
  return `Check the rights on its lock, ${lockPath}, and delete that where it is no empty file.`;
}

/** What an error says, for an operator. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : "unknown reason";
}
