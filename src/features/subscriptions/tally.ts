import { describe } from "../../log.ts";
import type { Log } from "../../log.ts";
import type { Name } from "./subscription.ts";

/** Failures of one run: a full disk fails thousands at once, and the log may be on it too. */
export interface Tally {
  failed(name: Name, error: unknown): void;
  /** Says how many more failed for the same reason. */
  close(): void;
}

/** Logs the first failure of each reason at once, and counts the others. */
export function createTally(log: Pick<Log, "error">, event: string): Tally {
  const more = new Map<string, number>();
  return {
    failed({ team, number }, cause) {
      const error = describe(cause);
      const known = more.get(error);
      if (known === undefined) log.error(event, { team, number, error });
      more.set(error, (known ?? -1) + 1);
    },
    close() {
      for (const [error, count] of more) if (count > 0) log.error(event, { error, more: count });
      more.clear();
    },
  };
}
