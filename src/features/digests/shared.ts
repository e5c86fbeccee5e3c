import { createActs } from "../subscriptions/commands.ts";
import type { Digest } from "./compose.ts";
import { digestKind } from "./kind.ts";
import { digestCard, digestsView } from "./view.ts";

/** What digests do as every kind of subscription does. */
export const shared = createActs<Digest>({ ...digestKind, view: digestCard, listView: digestsView });
