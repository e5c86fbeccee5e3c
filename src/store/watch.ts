import type { Log } from "../log.ts";
import { type StoreTrouble, troubleOf } from "./trouble.ts";

/** Called with what is wrong, and with nothing when it is over. */
type Tell = (trouble: StoreTrouble | undefined) => void;

/** The same trouble stands in the log so often. */
const logEveryMs = 10_000;

/** Follows what fails and what works, and tells whoever watches when that changes. */
export function createWatch(log?: Pick<Log, "error">) {
  const watchers: Tell[] = [];
  let trouble: StoreTrouble | undefined;
  let loggedAt = 0;
  let isOver = false;

  function note(found: StoreTrouble | undefined): void {
    if (found === trouble || isOver) return;
    trouble = found;
    for (const tell of watchers) tell(found);
  }

  return {
    add: (tell: Tell): void => void watchers.push(tell),
    failed: (collection: string, error: unknown): void => {
      const found = troubleOf(error);
      // A disk that is full fails thousands of writes a minute, and the log may be on it too.
      if (found !== trouble || Date.now() - loggedAt > logEveryMs) {
        const reason = error instanceof Error ? error.message : "unknown reason";
        log?.error("store.failed", { collection, reason });
        loggedAt = Date.now();
      }
      note(found);
    },
    kept: (): void => note(undefined),
    /** What is left undone while the bot stops is no trouble. */
    end: (): void => void (isOver = true),
  };
}
