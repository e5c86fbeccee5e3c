import type { Kind } from "../subscriptions/kind.ts";
import { searchRelation } from "../subscriptions/overlap.ts";
import { digestBounds } from "./setup/bounds.ts";
import { type Digest, afterPause, isSame, sourceKey } from "./compose.ts";
import { digestSchema } from "./store.ts";
import { nameOf } from "./view.ts";

/** What sets digests apart from what else one can subscribe to. */
export const digestKind: Kind<Digest> = {
  noun: "digest",
  subscriptions: ({ digests }) => digests,
  title: ({ source }) => nameOf(source),
  isSame,
  relation(one, other) {
    if (one.source.kind === "search" && other.source.kind === "search") {
      return searchRelation(one.source.query, other.source.query);
    }
    if (sourceKey(one.source) === sourceKey(other.source)) return "same";
    if (!isOfAll(one) && isOfAll(other)) return one.source.kind === "trending" ? "whole" : undefined;
    return isOfAll(one) && other.source.kind === "trending" ? "part" : undefined;
  },
  // What waited to be posted comes at once, the rest at its time.
  resumed: afterPause,
  portable: {
    schema: digestSchema,
    bounds: digestBounds,
    chosen: ["source", "look", "isTravelling"],
    blank: {},
    others: { filter: "alert" },
  },
};

/** Whether it is the ranking of everything. */
function isOfAll({ source }: Digest): boolean {
  return source.kind === "trending" && !source.type && !source.include && !source.exclude;
}
