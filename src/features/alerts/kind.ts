import type { Kind } from "../subscriptions/model.ts";
import { type Alert, isSame, restarted } from "./alert.ts";
import { watchedWords } from "./words.ts";

/** What sets alerts apart from what else one can subscribe to. */
export const alertKind: Kind<Alert> = {
  noun: "alert",
  subscriptions: ({ alerts }) => alerts,
  title: ({ filter }) => watchedWords(filter),
  isSame,
  // What waited to be posted comes at once; what rose meanwhile is no news any more.
  resumed: (current) =>
    restarted({ ...current, pending: current.pending.map((each) => ({ ...each, tries: 0, retryAt: undefined })) }),
};
