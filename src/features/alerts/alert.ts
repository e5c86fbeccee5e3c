import { z } from "zod";

import { retriedNow } from "../../slack/delivery/outbox.ts";
import { shorten } from "../../slack/text/mrkdwn.ts";
import { sourceKey, sourceTitle } from "../sources/index.ts";
import type { ArticleSource } from "../sources/source.ts";
import { type Kind, type Subscription, isDue, type SubscriptionStores } from "../subscriptions/model.ts";
import type { Incident } from "./detect/incident.ts";
import type { AlertOptions } from "./options.ts";
import type { AlertPost } from "./posts.ts";
import type { Subscriptions } from "../subscriptions/store.ts";

/** An alert: what it watches, its rule, where it posts, and its incidents. */
export interface Alert extends Subscription {
  /** The source whose articles it counts; missing if it watches what is trending. */
  source?: ArticleSource | undefined;
  options: AlertOptions;
  /** Its source brings more than a read holds, and nothing says how much. */
  isTooBroad?: true | undefined;
  /** The time from which spikes are news; missing until the first check. */
  watchingSince?: number | undefined;
  /** Its latest check, with the number of open incidents, and its latest message. */
  last?: { at: number; open: number; postedAt?: number | undefined } | undefined;
  incidents: Incident[];
  mutes: Mute[];
  /** Its messages in order: those still to be posted, and those that stand and are kept up to date. */
  posts: AlertPost[];
  /** Its settings before its latest edit, and when that was: *Undo* restores them. */
  former?: (Pick<Alert, "options" | "schedule" | "channel"> & { at: number }) | undefined;
  /** Its problem is a message that Slack refused, which a source that answers again doesn't solve. */
  isUndelivered?: true | undefined;
}

/** An incident with its alert: a message can be about incidents of several alerts. */
export interface AlertIncident {
  alert: Alert;
  incident: Incident;
}

/** An entity that is not reported, whatever becomes of it. */
export const muteSchema = z.object({
  entity: z.string(),
  name: z.string(),
  by: z.string(),
  at: z.number(),
  /** Missing if it lasts forever. */
  until: z.number().optional(),
});
export type Mute = z.infer<typeof muteSchema>;

/** The state of an alert before its first check. */
export const emptyAlertState = { incidents: [], mutes: [], posts: [] };

/** True if an alert has to check; one that begins to watch does so at once, so that later spikes are news. */
export function isCheckDue(alert: Alert, now: number): boolean {
  const isBegun = alert.watchingSince !== undefined || alert.source !== undefined;
  return isBegun ? isDue(alert, now) : alert.state === "active";
}

export function muteOf({ mutes }: Pick<Alert, "mutes">, entity: string, now: number): Mute | undefined {
  return mutes.find((mute) => mute.entity === entity && isMuteOn(mute, now));
}

export function isMuteOn({ until }: Mute, now: number): boolean {
  return until === undefined || until > now;
}

/** True if two alerts watch the same for the same channel, whatever their sensitivity. */
export function isSameAlert(one: Watched, other: Watched): boolean {
  return one.team === other.team && one.channel === other.channel && watchedKey(one) === watchedKey(other);
}

type Watched = Pick<Alert, "team" | "channel" | "options" | "source">;

function watchedKey({ source, options: { type, include, exclude } }: Watched): string {
  return sourceKey(source ?? { kind: "trending", type, include, exclude });
}

/** An alert after it was moved to another channel, where nothing was reported yet. */
export function moveAlert(alert: Alert, channel: string): Alert {
  const incidents = alert.incidents.map((incident) => ({ ...incident, post: undefined }));
  const posts = alert.posts.filter(({ posted, place }) => !posted && !place?.thread);
  return { ...alert, channel, incidents, posts };
}

/** The name or names that an alert watches, as plain text. */
export function watchedWords({ source, options: { type, include = [] } }: Pick<Alert, "options" | "source">): string {
  if (source) return shorten(sourceTitle(source), 80);
  const named = include.slice(0, 2).map((name) => shorten(name, 40));
  if (named.length > 0) return named.join(", ") + (include.length > 2 ? ` and ${include.length - 2} more` : "");
  return type === undefined ? "Everything trending" : `Trending: ${shorten(type, 40)}`;
}

export const alertKind: Kind<Alert> = {
  noun: "alert",
  subscriptions: ({ alerts }: SubscriptionStores & { alerts: Subscriptions<Alert> }) => alerts,
  title: watchedWords,
  isSame: isSameAlert,
  // Waiting messages are posted at once; spikes that began meanwhile are no news any more.
  resume: (current) => ({
    ...current,
    watchingSince: undefined,
    incidents: current.incidents.filter(({ state }) => state !== "pending"),
    posts: current.posts.map(retriedNow),
  }),
};
