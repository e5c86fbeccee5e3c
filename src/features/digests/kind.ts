import type { Kind } from "../subscriptions/model.ts";
import { type Digest, afterPause, isSame } from "./compose.ts";
import { digestCard, digestsView, nameOf } from "./view.ts";
import { createActs } from "../subscriptions/commands.ts";

/** What sets digests apart from what else one can subscribe to. */
export const digestKind: Kind<Digest> = {
  noun: "digest",
  subscriptions: ({ digests }) => digests,
  title: ({ source }) => nameOf(source),
  isSame,
  // What waited to be posted comes at once, the rest at its time.
  resumed: afterPause,
};

/** What digests do as every kind of subscription does. */
export const shared = createActs<Digest>({ ...digestKind, view: digestCard, listView: digestsView });
