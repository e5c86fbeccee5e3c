import type { Services } from "../feature.ts";
import type { Subscriptions } from "./store.ts";
import type { Destination, Subscription } from "./subscription.ts";

/** What sets one kind of subscription apart, wherever nobody has to look at it. */
export interface Kind<S extends Subscription> {
  /** `digest`: its command is the plural. */
  noun: string;
  subscriptions: (services: Services) => Subscriptions<S>;
  /** What it brings, in a few words of plain text. */
  title: (subscription: S) => string;
  /** Whether two bring the same to the same place. */
  isSame: (one: S, other: S) => boolean;
  /** As it is when it runs again. */
  resumed: (current: S) => S;
}

/** A subscription whose kind does not matter. */
export interface Item {
  noun: string;
  title: string;
  subscription: Subscription;
  /** Changes it as it stands now, as its kind has it. */
  change(make: <S extends Subscription>(current: S, kind: Kind<S>) => S): Promise<unknown>;
}

/** A kind, for what is done to all of them alike. */
export interface AnyKind {
  /** What goes to a place, without what is removed. */
  at(place: Destination, services: Services): Promise<Item[]>;
  /** What waits for its place, or for its maker to be told. */
  stranded(services: Services): Promise<Item[]>;
}

/** A kind as one of several. */
export function anyKind<S extends Subscription>(kind: Kind<S>): AnyKind {
  const { noun, title, subscriptions } = kind;
  const itemsOf = (all: S[], services: Services) =>
    all.map((subscription): Item => ({
      noun,
      title: title(subscription),
      subscription,
      change: (make) => subscriptions(services).update(subscription, (current) => make(current, kind)),
    }));
  return {
    at: async (place, services) => itemsOf(await subscriptions(services).at(place), services),
    stranded: async (services) => itemsOf(await subscriptions(services).stranded(), services),
  };
}

/** `Digest`, as a sentence begins. */
export function nameOf({ noun }: { noun: string }): string {
  return `${noun[0]?.toUpperCase() ?? ""}${noun.slice(1)}`;
}
