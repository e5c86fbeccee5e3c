import type { Ids } from "./ids.ts";
import { Refusal } from "./refusal.ts";

/** Hands out trigger ids, each good for one view within three seconds. */
export interface Triggers {
  issue: (user: string) => string;
  /** Uses a trigger up; answers whose it was. */
  spend: (trigger: string) => string;
}

const LIFE_MS = 3000;
const KEPT = 500;

/** Builds the triggers of one workspace. */
export function createTriggers(options: { ids: Ids; now: () => number }): Triggers {
  const issued = new Map<string, { user: string; at: number; spent: boolean }>();
  return {
    issue(user) {
      const [oldest] = issued.size < KEPT ? [] : issued.keys();
      if (oldest !== undefined) issued.delete(oldest);
      const id = `${options.now()}.${options.ids.secret()}`;
      issued.set(id, { user, at: options.now(), spent: false });
      return id;
    },
    spend(trigger) {
      const known = issued.get(trigger);
      if (!known) throw new Refusal("invalid_trigger_id");
      if (known.spent) throw new Refusal("exchanged_trigger_id");
      if (options.now() - known.at > LIFE_MS) throw new Refusal("expired_trigger_id");
      known.spent = true;
      return known.user;
    },
  };
}
