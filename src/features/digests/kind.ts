import type { Kind } from "../subscriptions/model.ts";
import { type Digest, afterPause, isSame } from "./compose.ts";
import { nameOf } from "./view.ts";

/** What sets digests apart from what else one can subscribe to. */
export const digestKind: Kind<Digest> = {
  noun: "digest",
  subscriptions: ({ digests }) => digests,
  title: ({ source }) => nameOf(source),
  isSame,
  // What waited to be posted comes at once, the rest at its time.
  resumed: afterPause,
};
