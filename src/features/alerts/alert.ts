import { z } from "zod";

import { isPostDue, retriedNow } from "../../slack/delivery/outbox.ts";
import { shorten } from "../../slack/text/mrkdwn.ts";
import { sourceKey, sourceTitle } from "../sources/index.ts";
import type { ArticleSource } from "../sources/source.ts";
import { type Kind, type Subscription, isDue, type SubscriptionStores } from "../subscriptions/model.ts";
import type { Incident } from "./detect/incident.ts";
import type { AlertOptions } from "./options.ts";
import type { AlertPost } from "./posts.ts";
import type { Subscriptions } from "../subscriptions/store.ts";

/** Who is told when something is written about more than usual, how readily and where, and what has become of it so far. */
export interface Alert extends Subscription {
  /** The source whose articles it counts; missing where it watches what is trending. */
  source?: ArticleSource | undefined;
  options: AlertOptions;
  /** Until then what is normal for its source is estimated from when its articles were published. */
  estimatedUntil?: number | undefined;
  /** Its source brings more than a read holds, and nothing says how much. */
  isTooBroad?: true | undefined;
  /** When it was set or resumed; what was trending then is no news. Missing until somebody has looked. */
  watchingSince?: number | undefined;
  /** Its latest look, how many incidents were open then, and its latest message. */
  last?: { at: number; open: number; postedAt?: number | undefined } | undefined;
  incidents: Incident[];
  mutes: Mute[];
  /** Its messages in their order: those on their way, and those that stand and are kept up to date. */
  posts: AlertPost[];
  /** Its problem is that Slack did not take a message: that the source answers again does not solve it. */
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
  /** For good where it is missing. */
  until: z.number().optional(),
});
export type Mute = z.infer<typeof muteSchema>;

/** What an alert holds before its first look. */
export const emptyAlertState = { incidents: [], mutes: [], posts: [] };

/** Whether there may be something to do for it: a look, what is no news, a message, or the brief after quiet hours. */
export function isAlertDue(alert: Alert, now: number): boolean {
  if (alert.state !== "active") return false;
  if (alert.watchingSince === undefined && !alert.source) return true;
  return alert.posts.some((post) => isPostDue(post, now)) || isDue(alert, now);
}

/** The mute of an entity that holds at a moment. */
export function muteOf({ mutes }: Pick<Alert, "mutes">, entity: string, now: number): Mute | undefined {
  return mutes.find((mute) => mute.entity === entity && isMuteOn(mute, now));
}

export function isMuteOn({ until }: Mute, now: number): boolean {
  return until === undefined || until > now;
}

/** Whether two alerts watch the same for the same channel, however readily. */
export function isSameAlert(one: Watched, other: Watched): boolean {
  return one.team === other.team && one.channel === other.channel && watchedKey(one) === watchedKey(other);
}

type Watched = Pick<Alert, "team" | "channel" | "options" | "source">;

function watchedKey({ source, options: { type, include, exclude } }: Watched): string {
  return sourceKey(source ?? { kind: "trending", type, include, exclude });
}

/** After it was taken to another channel, where nothing was reported yet. */
export function moveAlert(alert: Alert, channel: string): Alert {
  const incidents = alert.incidents.map((incident) => ({ ...incident, post: undefined }));
  const posts = alert.posts.filter(({ posted, place }) => !posted && !place?.thread);
  return { ...alert, channel, incidents, posts };
}

/** What an alert watches, in a few words of plain text. */
export function watchedWords({ source, options: { type, include = [] } }: Pick<Alert, "options" | "source">): string {
  if (source) return shorten(sourceTitle(source), 80);
  const named = include.slice(0, 2).map((name) => shorten(name, 40));
  if (named.length > 0) return named.join(", ") + (include.length > 2 ? ` and ${include.length - 2} more` : "");
  return type === undefined ? "Everything trending" : `Trending: ${shorten(type, 40)}`;
}

/** What sets alerts apart from other subscriptions. */
export const alertKind: Kind<Alert> = {
  noun: "alert",
  subscriptions: ({ alerts }: SubscriptionStores & { alerts: Subscriptions<Alert> }) => alerts,
  title: watchedWords,
  isSame: isSameAlert,
  // What waited to be posted comes at once; what rose meanwhile is no news any more.
  resume: (current) => ({
    ...current,
    watchingSince: undefined,
    incidents: current.incidents.filter(({ state }) => state !== "pending"),
    posts: current.posts.map(retriedNow),
  }),
};
