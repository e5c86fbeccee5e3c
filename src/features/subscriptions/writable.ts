import type { Services } from "../feature.ts";
import type { Subscriptions } from "./store.ts";
import type { Subscription } from "./subscription.ts";

/** Records that are tried before the store is given up for now: one alone may be what is wrong. */
const triedMost = 3;

/**
 * Whether what comes of some work would be written down: where the store failed last, that is tried before anything is
 * read, paid for or posted.
 */
export async function isWritable<S extends Subscription>(
  due: readonly S[],
  subscriptions: Pick<Subscriptions<S>, "update">,
  { health }: Pick<Services, "health">,
): Promise<boolean> {
  if (!health.store()) return true;
  for (const each of due.slice(0, triedMost)) {
    try {
      await subscriptions.update(each, (current) => ({ ...current }));
      return true;
    } catch {
      // The store has said so in the log.
    }
  }
  return false;
}
