import type { Posted } from "../../../slack/text/message.ts";
import { postsMost, retryAfter } from "../../subscriptions/model.ts";
import {
  type Alert,
  type Episode,
  type Figures,
  type PendingAlert,
  type Shown,
  type Standing,
  isTelling,
  muteOf,
  standingsOf,
} from "../alert.ts";

const minuteMs = 60_000;
/** What is no news is shown in a message only so often. */
const restlessMs = 5 * minuteMs;
/** Numbers that have changed by less are as good as the same. */
const telling = 0.2;

/** Where a message came to stand, and the alert as it showed it. */
interface Delivered {
  posted: Posted;
  from: Alert;
  now: number;
}

/** After one of its messages was posted. */
export function delivered(alert: Alert, pending: PendingAlert, { posted, from, now }: Delivered): Alert {
  const { key, kind, entities, more } = pending;
  // It was on its way while the alert was moved to another channel, where nobody has seen it.
  if (alert.channel !== from.channel) return without(alert, key);
  const own = new Set(isTelling(kind) ? entities : []);
  const episodes = alert.episodes.map((episode) => {
    if (!own.has(episode.entity)) return episode;
    // A brief says what was; it is not rewritten, and those with messages of their own keep them.
    if (kind === "brief") return { ...episode, posted: episode.posted ?? posted };
    return { ...episode, posted, shown: shownOf(asRendered(episode, from), { from, now, more }) };
  });
  return {
    ...without(alert, key),
    episodes,
    held: kind === "brief" ? alert.held : alert.held.filter((entity) => !own.has(entity)),
    problem: undefined,
    isUnposted: undefined,
    last: alert.last && { ...alert.last, postedAt: now },
  };
}

/** What the message says, even where the episode has gone on since. */
function asRendered(episode: Episode, from: Alert): Episode {
  return from.episodes.find(({ entity }) => entity === episode.entity) ?? episode;
}

function shownOf(
  { entity, state, last }: Episode,
  { from, now, more }: { from: Alert; now: number; more: number },
): Shown {
  const mute = muteOf(from, entity, now);
  return {
    state,
    at: now,
    figures: last,
    more,
    ...(mute && { mutedAt: mute.at }),
  };
}

/** Without one of its messages. */
export function without(alert: Alert, key: string): Alert {
  return { ...alert, pending: alert.pending.filter((each) => each.key !== key) };
}

/** What is known at the moment in which one of its messages goes out. */
interface Sending {
  now: number;
  /** What its articles are kept under, where they were chosen anew. */
  drawn?: { list?: string } | undefined;
}

/** Just before one of its messages is sent: whatever happens then, it is known that it may stand there. */
export function beforeSend(alert: Alert, key: string, { now, drawn }: Sending): Alert {
  const pending = alert.pending.find((each) => each.key === key);
  if (!pending) return alert;
  const sent = { ...pending, tries: pending.tries + 1, sentAt: pending.sentAt ?? now };
  const withList = (episode: Episode) =>
    drawn && pending.entities.includes(episode.entity) ? { ...episode, list: drawn.list } : episode;
  return {
    ...alert,
    pending: alert.pending.map((each) => (each === pending ? sent : each)),
    episodes: alert.episodes.map(withList),
  };
}

/** After Slack refused one of its messages: it does not stand, so nobody has to look for it. */
export function unsent(alert: Alert, key: string): Alert {
  return { ...alert, pending: alert.pending.map((each) => (each.key === key ? { ...each, sentAt: undefined } : each)) };
}

interface Refusal {
  problem: string;
  now: number;
}

const givenUp = "The last message could not be posted, and is not tried again.";

/**
 * After Slack did not take one of its messages, which was not sent at all where it was only looked for: it is tried again,
 * each time later, for a day.
 */
export function afterRefusal(alert: Alert, { key, tries: before }: PendingAlert, { problem, now }: Refusal): Alert {
  const tried = (each: PendingAlert): PendingAlert => {
    const tries = Math.max(each.tries, before + 1);
    return { ...each, tries, retryAt: retryAfter(tries, now) };
  };
  const pending = alert.pending.map((each) => (each.key === key ? tried(each) : each));
  const noted: Alert = { ...alert, pending, isUnposted: true, problem };
  const isSpent = pending.some((each) => each.key === key && each.tries >= postsMost);
  return isSpent ? { ...without(noted, key), problem: `${problem} ${givenUp}` } : noted;
}

/**
 * After the thread that a line belongs to turned out to be gone: its message is let go of, and an escalation, which was
 * to be seen in the channel, becomes a message of its own.
 */
export function afterLostThread(alert: Alert, pending: PendingAlert): Alert {
  const { key, line, isLoud } = pending;
  const forgotten = line ? detached(alert, line.posted) : alert;
  if (!isLoud) return without(forgotten, key);
  const { since, entities, more } = pending;
  const anew: PendingAlert = { key: `${key} anew`, since, tries: 0, kind: "rise", entities, more };
  return { ...forgotten, pending: forgotten.pending.map((each) => (each.key === key ? anew : each)) };
}

/** Whose message is gone has none. */
function detached(alert: Alert, posted: Posted): Alert {
  const changed = ({ posted: own }: Episode) => own !== undefined && isSameMessage(own, posted);
  return {
    ...alert,
    episodes: alert.episodes.map((episode) =>
      changed(episode) ? { ...episode, posted: undefined, shown: undefined } : episode,
    ),
  };
}

/** The messages of an alert that no longer say what is so. */
export function outdated(alert: Alert, now: number): Standing[] {
  if (alert.state !== "active") return [];
  const isOutdated = (episode: Episode) =>
    episode.shown !== undefined &&
    (episode.shown.mutedAt !== muteOf(alert, episode.entity, now)?.at || hasChanged(episode, now));
  // Most have nothing to say, and there are thousands.
  if (!alert.episodes.some(isOutdated)) return [];
  return standingsOf(alert.episodes).filter(({ episodes }) => episodes.some(isOutdated));
}

/** What has changed: an escalation and an end at once, the rest when it has stood for a while. */
function hasChanged({ state, changedAt, last, shown }: Episode, now: number): boolean {
  if (!shown) return false;
  const isUrgent = state === "escalated" || state === "cooled";
  if (isUrgent && (state !== shown.state || changedAt > shown.at)) return true;
  return (state !== shown.state || differs(last, shown.figures)) && Math.abs(now - shown.at) >= restlessMs;
}

function differs(now: Figures, then: Figures): boolean {
  return isFar(now.mentions, then.mentions) || isFar(now.score, then.score);
}

function isFar(now: number | undefined, then: number | undefined): boolean {
  if (now === undefined || then === undefined) return now !== then;
  return Math.abs(now - then) >= telling * Math.max(Math.abs(then), 1);
}

/** After one of its messages was rewritten. */
export function rewritten(alert: Alert, standing: Standing, { from, now }: { from: Alert; now: number }): Alert {
  const { more } = standing;
  const shown = new Map(standing.episodes.map((episode) => [episode.entity, shownOf(episode, { from, now, more })]));
  return withShown(alert, standing, (episode) => shown.get(episode.entity) ?? episode.shown);
}

/** After one of its messages could not be rewritten for now: it is tried again after a while. */
export function postponed(alert: Alert, standing: Standing, now: number): Alert {
  return withShown(alert, standing, ({ shown }) => shown && { ...shown, at: now });
}

/** One of its messages cannot be rewritten any more: the thread goes on. */
export function settled(alert: Alert, standing: Standing): Alert {
  return withShown(alert, standing, () => undefined);
}

function withShown(alert: Alert, { posted }: Standing, shown: (episode: Episode) => Shown | undefined): Alert {
  const episodes = alert.episodes.map((episode) =>
    episode.posted && isSameMessage(episode.posted, posted) ? { ...episode, shown: shown(episode) } : episode,
  );
  return { ...alert, episodes };
}

function isSameMessage(one: Posted, other: Posted): boolean {
  return one.ts === other.ts && one.channel === other.channel;
}
