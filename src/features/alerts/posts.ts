import { z } from "zod";

import {
  type Post,
  type PostFailure,
  type PostPlace,
  type Revision,
  isPostDue,
  isUnsent,
  postSchema,
} from "../../slack/delivery/outbox.ts";
import type { Posted } from "../../slack/text/message.ts";
import { placeProblem } from "../subscriptions/view.ts";
import { singular } from "../text.ts";
import { type Alert, type AlertIncident, isCheckDue, muteOf } from "./alert.ts";
import { escalationOf, mentionOf } from "./escalation.ts";
import { type Incident, isOpen } from "./detect/incident.ts";
import { isQuiet } from "./detect/quiet-hours.ts";

/** The messages of an alert: the place and revision of each, and the alert after it stands or fails. Pure. */

const contentSchema = z.object({
  /** About incidents that began, a reply in a thread, or for the target `to`. */
  kind: z.enum(["firing", "reply", "escalation"]),
  entities: z.array(z.string()),
  /** Entities that it counts without naming them. */
  more: z.number(),
  /** The event that a reply reports. */
  event: z.enum(["escalated", "resolved", "reopened"]).optional(),
  /** The target of an escalation, as the alert's option says it. */
  to: z.string().optional(),
  /** An escalation of what nobody had taken for so many minutes. */
  untakenFor: z.number().optional(),
  /** The kept lists of its leading articles, by entity; those of an event have one, under the first of its entities. */
  lists: z.record(z.string(), z.string()).optional(),
  /** The number of articles in an event's list that are new since its figures were shown before. */
  fresh: z.number().optional(),
  /** The time at which the message was posted, or a reply in its thread last said what is new. */
  newsAt: z.number().optional(),
  /** Its incidents are one event. */
  isEvent: z.boolean().optional(),
  /** The alert whose message this is: it stands here for its thread, and lists no entities. */
  owner: z.number().optional(),
  /** A sentence on the cause, and the list from which it was written; empty if that failed. */
  cause: z.object({ list: z.string(), text: z.string() }).optional(),
});

/** The data of a message, which is drawn with the incidents as they are then. */
export type AlertContent = z.infer<typeof contentSchema>;
export type AlertPost = Post<AlertContent>;

export const alertPostSchema: z.ZodType<AlertPost> = postSchema(contentSchema);

/** An alert with the incidents of others that joined its messages. */
export interface AlertRecord {
  team: string;
  alert: Alert;
  joined: AlertIncident[];
}

/** True if a message is about one event, of one name or several. */
export function isAboutEvent(alert: Alert, post: AlertPost): boolean {
  const { kind, entities, more, isEvent, owner } = post.content;
  const isOne = isEvent === true || entities.length === 1;
  return kind === "firing" && isOne && more === 0 && owner === undefined && !isAfterQuietHours(alert, post);
}

/** The incidents of an event, first the one that it is called after: open, a company before a person before a topic, strong. */
export function byRank(parts: AlertIncident[]): AlertIncident[] {
  return parts.toSorted(
    ({ incident: one }, { incident: other }) =>
      Number(isOpen(other)) - Number(isOpen(one)) ||
      kindRank(one) - kindRank(other) ||
      (other.last.score ?? 0) - (one.last.score ?? 0) ||
      other.last.mentions - one.last.mentions,
  );
}

function kindRank({ type }: Incident): number {
  const kind = singular(type);
  return kind.startsWith("company") ? 0 : kind.startsWith("person") ? 1 : 2;
}

type Posts = Pick<Alert, "posts">;

/** The post that reported an incident, if it stands. */
export function reportOf({ posts }: Posts, { post }: Pick<Incident, "post">): AlertPost | undefined {
  return post === undefined ? undefined : posts.find(({ key }) => key === post);
}

/** The kept list of a message about one event. */
export function eventListOf({ content: { entities, lists = {} } }: Pick<AlertPost, "content">): string | undefined {
  return lists[entities[0] ?? ""];
}

/** True if an alert has to check or to post. */
export function isAlertDue(alert: Alert, now: number): boolean {
  return (
    isCheckDue(alert, now) ||
    untakenIn(alert, now).length > 0 ||
    (alert.state === "active" && alert.posts.some((post) => isPostDue(post, now)))
  );
}

/** The spikes that nobody has taken in the time after which the alert escalates them; each is escalated once. */
export function untakenIn(alert: Alert, now: number): Incident[] {
  const { escalateAfter = "off" } = alert.options;
  if (escalateAfter === "off" || alert.state !== "active" || isQuiet(alert, now)) return [];
  // An alert that was moved to where it escalates to has nobody else to tell.
  if (escalationOf(alert) === undefined) return [];
  return alert.incidents.filter((incident) => {
    const { state, changedAt, acknowledgedBy, untakenAt, entity } = incident;
    // A spike that grew was escalated when it did.
    if (state !== "firing" || acknowledgedBy || untakenAt !== undefined || muteOf(alert, entity, now)) return false;
    const shown = shownAt(reportOf(alert, incident));
    return shown !== undefined && now - Math.max(changedAt, shown) >= escalateAfter * 60_000;
  });
}

/** The time from which a message could be read; undefined while it doesn't stand. */
export function shownAt(post: AlertPost | undefined): number | undefined {
  return post?.posted && Math.max(post.since, Number(post.posted.ts) * 1_000);
}

/** The place of the message that reported an incident. */
export function postedOf(alert: Posts, incident: Pick<Incident, "post">): Posted | undefined {
  return reportOf(alert, incident)?.posted;
}

/** The kept list of an incident's leading articles. */
export function listOf(alert: Posts, incident: Pick<Incident, "entity" | "post">): string | undefined {
  return reportOf(alert, incident)?.content.lists?.[incident.entity];
}

/** True if a message has waited for the end of quiet hours. */
export function isAfterQuietHours(alert: Alert, { content: { kind }, since }: AlertPost): boolean {
  return kind === "firing" && isQuiet(alert, since);
}

/** The place of a post; nothing while its alert is paused or in quiet hours. */
export function placeOf(alert: Alert, post: AlertPost, now: number): PostPlace | undefined {
  // A message that may stand already is looked for in quiet hours, too.
  if (alert.state !== "active" || (isUnsent(post) && isQuiet(alert, now))) return undefined;
  const { channel } = alert;
  const {
    place,
    content: { to, entities },
  } = post;
  if (to === undefined) {
    const { thread } = place ?? {};
    const isThere = thread && alert.posts.some(({ posted }) => posted?.ts === thread.ts);
    return isThere ? place : { channel };
  }
  if (!mentionOf(to)) return { channel: to };
  // A mention stands in the thread of the spike, and in the channel.
  const [thread] = incidentsNamed(alert, entities).flatMap((incident) => postedOf(alert, incident) ?? []);
  return thread ? { channel, thread, broadcast: true } : { channel };
}

/** True if a post's target is still the one that the alert escalates to. */
export function isStillFor({ content: { to } }: AlertPost, alert: Alert): boolean {
  return to === undefined || to === escalationOf(alert);
}

/** The incidents of a message, without those that are forgotten or were muted meanwhile. */
export function incidentsOf(alert: Alert, { key, content, posted }: AlertPost, now: number): Incident[] {
  const named = incidentsNamed(alert, content.entities);
  if (!posted) {
    // A spike that escalated in quiet hours may be over after them.
    const isNews = (incident: Incident) => content.kind !== "escalation" || isOpen(incident);
    return named.filter((incident) => !muteOf(alert, incident.entity, now) && isNews(incident));
  }
  return content.kind === "firing" ? named.filter(({ post }) => post === key) : named;
}

/**
 * The incidents of a message with those that joined it; first the one that an event is called after. An alert that is paused
 * or removed follows none of its own any more, and its message goes on with those of others.
 */
export function partsOf({ alert, joined }: AlertRecord, post: AlertPost, now: number): AlertIncident[] {
  const followed = alert.state === "active" ? incidentsOf(alert, post, now) : [];
  const own = followed.map((incident) => ({ alert, incident }));
  if (!isAboutEvent(alert, post)) return own;
  return byRank([...own, ...joined.filter(({ incident }) => incident.post === post.key)]);
}

function incidentsNamed({ incidents }: Pick<Alert, "incidents">, entities: string[]): Incident[] {
  return entities.flatMap((entity) => incidents.find((each) => each.entity === entity) ?? []);
}

/**
 * The revision of a message: the states of its incidents, who is on them and which are muted, and of what
 * began about how large its numbers are. Replies say what was, and are never edited.
 */
export function revisionOf({ alert, joined }: AlertRecord, post: AlertPost, now: number): Revision | undefined {
  const { kind, entities, cause } = post.content;
  if (kind === "reply" || (alert.state !== "active" && joined.length === 0)) return undefined;
  const isReport = kind === "firing";
  const named = alert.state === "active" ? incidentsNamed(alert, entities) : [];
  const own = isReport ? named.filter((each) => each.post === undefined || each.post === post.key) : named;
  const shown = [
    ...own.map((incident) => ({ alert, incident })),
    ...joined.filter(({ incident }) => incident.post === post.key),
  ];
  const states = shown.map(({ alert: of, incident: { entity, state, changedAt, acknowledgedBy } }) => {
    return [entity, state, changedAt, acknowledgedBy, muteOf(of, entity, now)?.at];
  });
  const figures = isReport ? shown.map(({ incident: { last } }) => [inSteps(last.mentions), inSteps(last.score)]) : [];
  return { state: JSON.stringify([...states, ...(cause?.text ? [cause.text] : [])]), figures: JSON.stringify(figures) };
}

/** Numbers that differ by less than about a fifth are as good as the same. */
function inSteps(value: number | undefined): number | undefined {
  return value === undefined ? undefined : Math.round(Math.log1p(Math.max(0, value)) / Math.log(1.2));
}

/** An alert after a post stands: from now on it's the message of its incidents. */
export function afterStanding(alert: Alert, post: AlertPost, now: number): Alert {
  const { key, content, place } = post;
  const { kind, entities } = content;
  const delivered = { ...alert, problem: undefined, isUndelivered: undefined };
  if (kind === "escalation") return delivered;
  const last = alert.last && { ...alert.last, postedAt: now };
  // A message for the former channel of an alert that was moved meanwhile reports nothing in the new one.
  const isReport = kind === "firing" && place?.channel === alert.channel;
  const posts = alert.posts.map((each) => {
    const isNews = each.key === key || (each.posted !== undefined && each.posted.ts === place?.thread?.ts);
    return isNews ? { ...each, content: { ...each.content, newsAt: now } } : each;
  });
  if (!isReport) return { ...delivered, last, posts: posts.filter((each) => each.key !== key) };
  const incidents = alert.incidents.map((each) => (entities.includes(each.entity) ? { ...each, post: key } : each));
  return forgetPosts({ ...delivered, last, posts, incidents });
}

/** An alert without messages that none of its incidents needs any more; unposted ones stay. */
export function forgetPosts(alert: Alert): Alert {
  const { posts, incidents } = alert;
  const isNeeded = ({ key, posted, content: { kind, entities } }: AlertPost) =>
    !posted ||
    incidents.some(({ post, entity }) => post === key || (kind === "escalation" && entities.includes(entity)));
  return posts.every(isNeeded) ? alert : { ...alert, posts: posts.filter(isNeeded) };
}

const ambiguous = "Slack didn’t confirm the last message, and it won’t be sent twice.";
const givenUp = "The last message couldn’t be posted and won’t be retried.";
const lostThread = ["thread_not_found", "message_not_found", "cannot_reply_to_message"];

/** True if a post was refused because its thread is gone: somebody deleted the message. */
export function isThreadLost(code: string): boolean {
  return lostThread.includes(code);
}

/** An alert after a post failed, with the problem that its list shows. */
export function afterFailure(alert: Alert, post: AlertPost, failure: PostFailure): Alert {
  if (failure.why === "nothing to say") return alert;
  const { why, error } = failure;
  if (isThreadLost(error.code)) return withoutReport(alert, post.place?.thread);
  const elsewhere = post.content.to === undefined ? "" : "An escalation wasn’t passed on. ";
  const problem = why === "unsure" ? ambiguous : placeProblem(error);
  const end = why === "given up" ? ` ${givenUp}` : "";
  return { ...alert, isUndelivered: true, problem: `${elsewhere}${problem}${end}` };
}

/** An alert without a message that somebody deleted: its incidents' next event is a message of its own. */
function withoutReport(alert: Alert, deleted: Posted | undefined): Alert {
  const report = alert.posts.find(({ posted }) => posted?.ts === deleted?.ts)?.key;
  const incidents = alert.incidents.map((each) => (each.post === report ? { ...each, post: undefined } : each));
  return forgetPosts({ ...alert, incidents });
}
