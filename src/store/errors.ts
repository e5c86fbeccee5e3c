/** The store cannot be opened or read; the message tells an operator in one line why, and what to do. */
export class StoreError extends Error {
  override readonly name = "StoreError";
}

/** Work that was begun before this process lost its part of it is not done any more: another one may have begun it anew. */
export class LeaseLost extends Error {
  override readonly name = "LeaseLost";
}

/** The file of a store was deleted, moved away or replaced while it was open; what is written would be lost with it. */
export class StoreGone extends Error {
  override readonly name = "StoreGone";

  constructor(path: string) {
    super(`the file ${path} is not there any more: it was deleted, moved away or replaced`);
  }
}

/** Why a store does not do what it is asked: no room left, its file is damaged or gone, or anything else. */
export type StoreTrouble = "full" | "damaged" | "gone" | "failing";

/** The trouble of the store that an error of it tells of. The engine's own words are all that comes through every layer. */
export function troubleOf(error: unknown): StoreTrouble {
  if (error instanceof StoreGone) return "gone";
  const text = error instanceof Error ? error.message : String(error);
  if (/disk is full|no space left|ENOSPC/i.test(text)) return "full";
  if (/malformed|not a database|file is encrypted/i.test(text)) return "damaged";
  return "failing";
}

/** The store at the path, or its lock, cannot be opened, with what an operator can do about it. */
export function cannotOpen(path: string, error: unknown): StoreError {
  const advice: Record<StoreTrouble, string> = {
    full: "Make room on that disk, then start again: nothing is lost.",
    failing: checkPath,
    gone: checkPath,
    damaged:
      `Move ${path} and the files beside it (-wal, -shm) away and put your latest copy in its place; ` +
      `\`sqlite3 ${path} .recover\` may save what is newer. It is left as it is: Bellwether does not begin anew by itself.`,
  };
  return new StoreError(`Cannot open the store ${path}: ${reasonOf(error)}. ${advice[troubleOf(error)]}`, {
    cause: error,
  });
}

const checkPath = "Check STORE_URL, the rights on that path, and that its disk has room.";

/** Another bot keeps the store; the place is what an operator knows it by. */
export function heldByAnother(place: string): StoreError {
  return new StoreError(`Another Bellwether has the store ${place} open. Stop that one first: two would post twice.`);
}

/** There is no store, and none is to be made. */
export function nothingThere(place: string): StoreError {
  return new StoreError(`There is no store at ${place}. Check STORE_URL and the folder you are in.`);
}

/**
 * True if the database or a connection to it was lost, so that the same may well succeed in a moment: Node's names for it,
 * and PostgreSQL's (https://www.postgresql.org/docs/current/errcodes-appendix.html).
 */
export function isCut(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (
    /^Connection terminated|^connect ENOENT|^Query read timeout|timeout exceeded when trying to connect/.test(
      error.message,
    )
  ) {
    return true;
  }
  const code = "code" in error ? String(error.code) : "";
  return /^(?:ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|ENOTFOUND|EAI_AGAIN|08|57P0|53300|40P01|25006)/.test(code);
}

/** The database at a place cannot be used, with what an operator can do about it. */
export function cannotReach(place: string, error: unknown): StoreError {
  const advice =
    "Start PostgreSQL, or check STORE_URL: host, port, database, user, password and sslmode (docs/install.md).";
  return new StoreError(`Cannot open the store ${place}: ${reasonOf(error)}. ${advice}`, { cause: error });
}

/** One line of what an error says; Node says nothing of several addresses that all failed but their code. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const text = error.message || ("code" in error ? String(error.code) : error.name);
  return text.replace(/\s+/g, " ").replace(/\.$/, "");
}
