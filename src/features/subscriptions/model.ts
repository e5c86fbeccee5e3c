import type { z } from "zod";

import { nextRuns } from "../../schedule/runs.ts";
import type { Subscriptions, subscriptionShape } from "./store.ts";

/** The part that digests and alerts have in common: schedule, channel, owner, state and history. */
export type Subscription = z.infer<z.ZodObject<typeof subscriptionShape>>;

/** Why a channel cannot be reached: it is archived, or the bot is not in it. */
export type UnreachableChannel = NonNullable<Subscription["unreachable"]>;

/** The workspace and number that identify a subscription. */
export type Name = Pick<Subscription, "team" | "number">;

/** The same as one text: the key of its record. */
export function subscriptionKey({ team, number }: Name): string {
  return `${team} ${number}`;
}

/** A channel of Slack, or a person's direct messages. */
export type Destination = Pick<Subscription, "team" | "channel">;

/** An entry of a subscription's history. */
export type Change = Subscription["changed"][number];

type Unsigned<C> = C extends Change ? Omit<C, "by" | "at"> : never;

/** The same without who did it and when. */
export type UnsignedChange = Unsigned<Change>;

/** Stands for a person whose data was deleted, in what others go on using. */
export const formerMember = "UFORMERMEMBER";

/** Signs changes that the bot made by itself. */
export const bot = "Bellwether";

/** A post that is later than this says so. */
const lateMs = 5 * 60_000;
/** Changes that are kept, beside who added it. */
export const changesKept = 40;

/** A timer may ring a moment early. */
export const earlyMs = 1_000;

export function isDue({ state, nextRun }: Subscription, now: number): boolean {
  return state === "active" && nextRun <= now + earlyMs;
}

/** True if it runs later than it should, for instance because the bot wasn't running. */
export function isLate({ nextRun }: Subscription, now: number): boolean {
  return now - nextRun > lateMs;
}

/** Paused by the bot itself; what is pending comes when it is resumed. */
export function pauseByBot<S extends Subscription>(subscription: S, problem: string, now: number): S {
  return withChange({ ...subscription, state: "paused", problem }, { by: bot, at: now, type: "paused" });
}

/** Running again, from its next time on. */
export function resumeSubscription<S extends Subscription>(subscription: S, now: number): S {
  const freed = { unreachable: undefined, ownerNotice: undefined, silentUntil: undefined, problem: undefined };
  return scheduleNext({ ...subscription, ...freed, state: "active" }, now);
}

/** With a change written down; who added it is kept for good. */
export function withChange<S extends Subscription>(subscription: S, change: Change): S {
  const { changed: before } = subscription;
  const added = before.filter(({ type }) => type === "added");
  const latest = [change, ...before.filter(({ type }) => type !== "added")].slice(0, changesKept);
  return { ...subscription, changed: [...latest, ...added] };
}

/** Scheduled for its next time after a moment, and after its mute; paused if it has no more runs. */
export function scheduleNext<S extends Subscription>(subscription: S, now: number): S {
  const [nextRun] = nextRuns(subscription.schedule, Math.max(now, subscription.silentUntil ?? 0), 1);
  if (nextRun !== undefined) return { ...subscription, nextRun };
  return pauseByBot(subscription, "Its schedule has no more runs.", now);
}

/** Everything that people have subscribed to, as far as all kinds are alike. */
export interface SubscriptionStores {
  digests: Subscriptions<Subscription>;
  alerts: Subscriptions<Subscription>;
}

/** A kind of subscription, digests or alerts. */
export interface Kind<S extends Subscription> {
  /** `digest`: its command is the plural. */
  noun: string;
  subscriptions(stores: SubscriptionStores): Subscriptions<S>;
  /** Its subject in a few words of plain text. */
  title(subscription: S): string;
  /** True if two post the same in the same place. */
  isSame(one: S, other: S): boolean;
  /** The subscription as it resumes. */
  resume(current: S): S;
}

/** A subscription of any kind. */
export interface AnySubscription {
  kind: Kind<Subscription>;
  subscription: Subscription;
}

/** `Digest`, as a sentence begins. */
export function nameOf({ noun }: { noun: string }): string {
  return `${noun[0]?.toUpperCase() ?? ""}${noun.slice(1)}`;
}
