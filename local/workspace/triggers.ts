import type { Ids } from "./clock.ts";
import { SlackError } from "./slack-error.ts";

/** Issues trigger IDs, each good for one view within three seconds. */
export interface Triggers {
  issue: (user: string) => string;
  /** Uses a trigger up; returns the ID of its user. */
  spend: (trigger: string) => string;
}

const lifeMs = 3000;
const kept = 500;

/** Builds the triggers of one workspace. */
export function createTriggers(ids: Ids, now: () => number): Triggers {
  const issued = new Map<string, { user: string; at: number; isSpent: boolean }>();
  return {
    issue(user) {
      const [oldest] = issued.keys();
      if (issued.size >= kept && oldest !== undefined) issued.delete(oldest);
      const id = `${now()}.${ids.secret()}`;
      issued.set(id, { user, at: now(), isSpent: false });
      return id;
    },
    spend(trigger) {
      const known = issued.get(trigger);
      if (!known) throw new SlackError("invalid_trigger_id");
      if (known.isSpent) throw new SlackError("exchanged_trigger_id");
      if (now() - known.at > lifeMs) throw new SlackError("expired_trigger_id");
      known.isSpent = true;
      return known.user;
    },
  };
}
