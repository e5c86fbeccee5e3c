import type { Kind } from "../subscriptions/kind.ts";
import { singular } from "../words.ts";
import { type Alert, type Filter, isSame, plain, restarted } from "./alert.ts";
import { alertBounds } from "./setup/bounds.ts";
import { alertSchema } from "./store.ts";
import { watchedWords } from "./words.ts";

/** What sets alerts apart from what else one can subscribe to. */
export const alertKind: Kind<Alert> = {
  noun: "alert",
  subscriptions: ({ alerts }) => alerts,
  title: ({ filter }) => watchedWords(filter),
  isSame,
  relation({ filter: one }, { filter: other }) {
    if (covers(other, one)) return covers(one, other) ? "same" : "whole";
    return covers(one, other) ? "part" : undefined;
  },
  // What waited to be posted comes at once; what rose meanwhile is no news any more.
  resumed: (current) =>
    restarted({ ...current, pending: current.pending.map((each) => ({ ...each, tries: 0, retryAt: undefined })) }),
  portable: {
    schema: alertSchema,
    bounds: alertBounds,
    chosen: ["filter", "rule", "quietHours", "mutes"],
    blank: { mutes: [], episodes: [], held: [], pending: [] },
    others: { source: "digest" },
  },
};

/** Whether one watches everything that the other watches. */
function covers(one: Filter, other: Filter): boolean {
  const hasType = one.type === undefined || (other.type !== undefined && singular(one.type) === singular(other.type));
  const names = new Set(one.include.map(plain));
  const hasNames =
    names.size === 0 || (other.include.length > 0 && other.include.every((name) => names.has(plain(name))));
  const left = new Set([...other.exclude].map(plain));
  return hasType && hasNames && one.exclude.every((name) => left.has(plain(name)));
}
