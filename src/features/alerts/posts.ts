import type { Posted } from "../../slack/text/message.ts";
import { postsMost, retryAfter } from "../subscriptions/model.ts";
import { type Alert, type AlertPost, muteOf } from "./alert.ts";
import { escalationOf, mentionOf } from "./escalation.ts";
import type { Incident, RaisedMessage, ShownIncident, Taken } from "./incident.ts";

/** What becomes of an alert with its messages: when one is sent, posted, refused or rewritten. Pure. */

/** A post that mentions somebody is seen in the thread of what it is about, where that has a message, and in the channel. */
export function inThread(post: AlertPost, { incidents }: Alert): AlertPost {
  const { to, entities, sentAt, reply } = post;
  // What may be in Slack already is looked for where it was sent.
  if (!mentionOf(to) || sentAt !== undefined || reply) return post;
  const [thread] = entities.flatMap((entity) => incidents.find((each) => each.entity === entity)?.posted ?? []);
  return thread ? { ...post, reply: { event: "escalated", thread, isBroadcast: true } } : post;
}

/** Just before a message is sent: whatever happens then, it is known that it may be in Slack, and with which articles. */
export function beforeSend(
  alert: Alert,
  post: AlertPost,
  now: number,
  articles?: ReadonlyMap<string, { list?: string }>,
): Alert {
  return {
    ...withPost(alert, post, (current) => ({
      ...current,
      ...(post.reply && { reply: post.reply }),
      tries: post.tries + 1,
      sentAt: current.sentAt ?? now,
    })),
    incidents: alert.incidents.map((incident) => {
      const chosen = articles?.get(incident.entity);
      return chosen ? { ...incident, list: chosen.list } : incident;
    }),
  };
}

function withPost(alert: Alert, { key }: AlertPost, change: (current: AlertPost) => AlertPost): Alert {
  return { ...alert, pending: alert.pending.map((post) => (post.key === key ? change(post) : post)) };
}

export function withoutPost(alert: Alert, { key }: AlertPost): Alert {
  return { ...alert, pending: alert.pending.filter((post) => post.key !== key) };
}

/** Where a message was posted, and the alert as it showed it. */
interface Delivered {
  posted: Posted;
  from: Alert;
  now: number;
}

/** After a message was posted. */
export function afterPosted(alert: Alert, post: AlertPost, { posted, from, now }: Delivered): Alert {
  const { kind, entities, more } = post;
  if (kind === "escalation") return afterRaised(withoutPost(alert, post), post, { posted, from, now });
  // The alert was taken to another channel while it was on its way: nobody has seen it there.
  if (alert.channel !== from.channel) return withoutPost(alert, post);
  const isNew = alert.incidents.every((each) => !each.posted || !entities.includes(each.entity));
  const incidents = alert.incidents.map((incident) => {
    if (!entities.includes(incident.entity)) return incident;
    // What the message says, even where the incident has gone on since.
    const rendered = from.incidents.find(({ entity }) => entity === incident.entity) ?? incident;
    const shown = shownOf(rendered, { from, now, more });
    if (kind === "firing") return { ...incident, posted, shown };
    // In a brief, incidents that have a message of their own keep it.
    if (kind !== "brief" || incident.posted) return incident;
    return { ...incident, posted, ...(isNew && { shown: { ...shown, isBrief: true as const } }) };
  });
  return {
    ...withoutPost(alert, post),
    incidents,
    problem: undefined,
    isUndelivered: undefined,
    last: alert.last && { ...alert.last, postedAt: now },
  };
}

/** After an escalation was passed on. */
function afterRaised(alert: Alert, { entities, more, to = "" }: AlertPost, { posted, from }: Delivered): Alert {
  const incidents = alert.incidents.map((incident) => {
    if (!entities.includes(incident.entity)) return incident;
    const rendered = from.incidents.find(({ entity }) => entity === incident.entity) ?? incident;
    return { ...incident, raised: { posted, to, more, state: rendered.state, taken: takingOf(rendered.taken) } };
  });
  return { ...alert, incidents };
}

interface Showing {
  from: Alert;
  now: number;
  more: number;
}

function shownOf({ entity, state, last, taken }: Incident, { from, now, more }: Showing): ShownIncident {
  return { state, at: now, figures: last, more, mutedAt: muteOf(from, entity, now)?.at, taken: takingOf(taken) };
}

/** After Slack refused a message: it is not there, so nobody has to look for it. */
export function afterUnsent(alert: Alert, post: AlertPost): Alert {
  return withPost(alert, post, (current) => ({ ...current, sentAt: undefined }));
}

const givenUp = "The last message couldn’t be posted and won’t be retried.";

/** After a message could not be posted: it is tried again, each time later, and in the end given up. */
export function afterFailedPost(alert: Alert, post: AlertPost, problem: string, now: number): Alert {
  if (!alert.pending.some(({ key }) => key === post.key)) return alert;
  const tries = post.tries + 1;
  if (tries >= postsMost) {
    return { ...withoutPost(alert, post), isUndelivered: true, problem: `${problem} ${givenUp}` };
  }
  const retryAt = retryAfter(tries, now);
  return { ...withPost(alert, post, (current) => ({ ...current, tries, retryAt })), isUndelivered: true, problem };
}

/**
 * After the thread of a reply turned out to be gone: its message is forgotten, and an escalation, which was to be seen in
 * the channel, becomes a message of its own.
 */
export function afterLostThread(alert: Alert, post: AlertPost): Alert {
  const { key, since, entities, more, reply, to } = post;
  const incidents = alert.incidents.map((incident) =>
    incident.posted?.ts === reply?.thread.ts ? { ...incident, posted: undefined, shown: undefined } : incident,
  );
  if (!reply?.isBroadcast) return { ...withoutPost(alert, post), incidents };
  const kind = to === undefined ? "firing" : post.kind;
  const anew: AlertPost = { key: `${key} anew`, since, tries: 0, kind, entities, more, to };
  return { ...withPost(alert, post, () => anew), incidents };
}

/** A message in Slack that is rewritten as its incidents go on. */
export interface LiveMessage {
  posted: Posted;
  incidents: Incident[];
  /** Entities that it counts without naming them. */
  more: number;
  /** Whom it passed them on to, where it did. */
  to?: string | undefined;
}

/** What is no news is shown in a message only so often. */
const restlessMs = 5 * 60_000;
/** Numbers that have changed by less are as good as the same. */
const tellingShare = 0.2;

/** The messages of an alert that no longer say what is so. */
export function outdatedMessages(alert: Alert, now: number): LiveMessage[] {
  if (alert.state !== "active") return [];
  return [...outdatedReports(alert, now), ...outdatedEscalations(alert)];
}

function outdatedReports(alert: Alert, now: number): LiveMessage[] {
  const isOutdated = (incident: Incident) => incident.shown !== undefined && hasChanged(incident, alert, now);
  // Most alerts have none, and there are thousands.
  if (!alert.incidents.some(isOutdated)) return [];
  const live = alert.incidents.filter(({ posted, shown }) => posted && shown);
  const messages = Map.groupBy(live, ({ posted }) => `${posted?.channel} ${posted?.ts}`);
  return [...messages.values()].flatMap((incidents) => {
    const [{ posted, shown } = {}] = incidents;
    return posted && incidents.some(isOutdated) ? [{ posted, incidents, more: shown?.more ?? 0 }] : [];
  });
}

/** Those elsewhere follow what becomes of an incident and who is on it; its numbers are in the alert's own channel. */
function outdatedEscalations(alert: Alert): LiveMessage[] {
  const isOutdated = ({ raised, state, taken }: Incident) =>
    raised !== undefined && (raised.state !== state || raised.taken !== takingOf(taken));
  if (!alert.incidents.some(isOutdated)) return [];
  const to = escalationOf(alert);
  if (to === undefined) return [];
  const raised = alert.incidents.filter((each) => each.raised?.to === to);
  const messages = Map.groupBy(raised, (each) => `${each.raised?.posted.channel} ${each.raised?.posted.ts}`);
  return [...messages.values()].flatMap((incidents) => {
    const [{ raised: first } = {}] = incidents;
    return first && incidents.some(isOutdated) ? [{ posted: first.posted, incidents, more: first.more, to }] : [];
  });
}

/** Another state or mute, or who is on it, is shown at once, other numbers when the message has stood for a while. */
function hasChanged({ entity, state, changedAt, last, shown, taken }: Incident, alert: Alert, now: number): boolean {
  if (!shown) return false;
  const isHandedOver = takingOf(taken) !== shown.taken;
  if (shown.isBrief) return isHandedOver || (taken !== undefined && state !== shown.state);
  if (state !== shown.state || changedAt > shown.at || isHandedOver) return true;
  if (muteOf(alert, entity, now)?.at !== shown.mutedAt) return true;
  if (Math.abs(now - shown.at) < restlessMs) return false;
  return isFar(last.mentions, shown.figures.mentions) || isFar(last.score, shown.figures.score);
}

function isFar(now: number | undefined, then: number | undefined): boolean {
  if (now === undefined || then === undefined) return now !== then;
  return Math.abs(now - then) >= tellingShare * Math.max(Math.abs(then), 1);
}

/** After a message was rewritten. */
export function afterRewrite(alert: Alert, message: LiveMessage, { from, now }: { from: Alert; now: number }): Alert {
  const { incidents, more } = message;
  if (message.to !== undefined) {
    const known = new Map(incidents.map((each) => [each.entity, each]));
    return withRaised(alert, message, (raised, { entity }) => {
      const { state, taken } = known.get(entity) ?? {};
      return state === undefined ? raised : { ...raised, state, taken: takingOf(taken) };
    });
  }
  const shown = new Map(
    incidents.map((each) => [each.entity, { ...shownOf(each, { from, now, more }), isBrief: each.shown?.isBrief }]),
  );
  return withShown(alert, message, (incident) => shown.get(incident.entity) ?? incident.shown);
}

/** Slack refused the rewrite of a message: it is tried again later. */
export function postponeRewrite(alert: Alert, message: LiveMessage, now: number): Alert {
  return withShown(alert, message, ({ shown }) => shown && { ...shown, at: now });
}

/** A message cannot be rewritten any more: its thread goes on. */
export function stopRewriting(alert: Alert, message: LiveMessage): Alert {
  if (message.to !== undefined) return withRaised(alert, message, () => undefined);
  return withShown(alert, message, () => undefined);
}

function withRaised(
  alert: Alert,
  { posted }: LiveMessage,
  change: (raised: RaisedMessage, incident: Incident) => RaisedMessage | undefined,
): Alert {
  const incidents = alert.incidents.map((incident) =>
    incident.raised?.posted.ts === posted.ts && incident.raised.posted.channel === posted.channel
      ? { ...incident, raised: change(incident.raised, incident) }
      : incident,
  );
  return { ...alert, incidents };
}

function withShown(
  alert: Alert,
  { posted }: LiveMessage,
  shown: (incident: Incident) => ShownIncident | undefined,
): Alert {
  const incidents = alert.incidents.map((incident) =>
    incident.posted?.ts === posted.ts && incident.posted.channel === posted.channel
      ? { ...incident, shown: shown(incident) }
      : incident,
  );
  return { ...alert, incidents };
}

/** Which taking it is: somebody may take again what they have handed back. */
export function takingOf(taken: Taken | undefined): string | undefined {
  return taken && `${taken.by} ${taken.at}`;
}

/** The incidents of one message, which are taken as a whole; what has no message stands alone. */
export function sharingMessage({ incidents }: Pick<Alert, "incidents">, incident: Incident): Incident[] {
  const { posted } = incident;
  if (!posted) return [incident];
  return incidents.filter((each) => each.posted?.ts === posted.ts && each.posted.channel === posted.channel);
}

/** The incidents of one message in somebody's hands, or in nobody's. */
export function handOver(alert: Alert, incident: Incident, taken: Taken | undefined): Alert {
  const given = new Set(sharingMessage(alert, incident).map(({ entity }) => entity));
  const incidents = alert.incidents.map((each) => (given.has(each.entity) ? { ...each, taken } : each));
  return { ...alert, incidents };
}
