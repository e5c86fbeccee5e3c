import type { Services } from "../feature.ts";
import type { Portable } from "./entry.ts";
import type { Relation } from "./overlap.ts";
import type { Subscriptions } from "./store.ts";
import type { Subscription } from "./subscription.ts";

/** What sets one kind of subscription apart, wherever nobody has to look at it. */
export interface Kind<S extends Subscription> {
  /** `digest`: its command is the plural. */
  noun: string;
  subscriptions: (services: Services) => Subscriptions<S>;
  /** What it brings, in a few words of plain text. */
  title: (subscription: S) => string;
  /** Whether two bring the same to the same place. */
  isSame: (one: S, other: S) => boolean;
  /** What the other one brings of what the first one does, wherever to; nothing where they have nothing in common. */
  relation: (one: S, other: S) => Relation | undefined;
  /** As it is when it runs again. */
  resumed: (current: S) => S;
  portable: Portable<S>;
}

/** `Digest`, as a sentence begins. */
export function nameOf({ noun }: { noun: string }): string {
  return `${noun[0]?.toUpperCase() ?? ""}${noun.slice(1)}`;
}
