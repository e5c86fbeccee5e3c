import type { Trend } from "../../apis/trend.ts";
import type { Posted } from "../../slack/text/message.ts";
import { type Subscription, isDue as isTimely, isRetried } from "../subscriptions/model.ts";
import { singular } from "../text.ts";
import { isBriefDue } from "./rule/quiet.ts";

/** How readily alerts come, in one word; `custom` where somebody gave numbers of their own. */
export type Sensitivity = "quiet" | "balanced" | "eager" | "custom";

/** What an entity must pass to be told of, and when that is over. */
export interface Rule {
  word: Sensitivity;
  /** Floors: the trend score, the mentions, and how many times as many as usual; all of them must be passed. */
  score: number;
  mentions: number;
  ratio: number;
  /** Samples in a row in which it must pass them; one is enough at twice the score. */
  ticks: number;
  /** The share of the score below which it begins to cool, and the samples in a row after which it has cooled. */
  leave: number;
  coolTicks: number;
  /** It is told of again when its score is so many times the one that it was last told of with. */
  escalate: number;
  /** Entities that one message names at most; those over are counted in one line of it. */
  most: number;
  /** How long it rests after it has cooled: what comes back sooner is the same rise, and not told of anew. Milliseconds. */
  restMs: number;
}

/** Which entities are watched. */
export interface Filter {
  /** A type's display name; all types where it is missing. */
  type?: string | undefined;
  /** Names, any spelling; where there are some, only these. */
  include: string[];
  exclude: string[];
}

/** The numbers of an entity in one sample. */
export interface Figures {
  at: number;
  mentions: number;
  average?: number | undefined;
  score?: number | undefined;
}

/** One rise of one entity, from the first sample in which it passed the floors until it has cooled and rested. */
export interface Episode {
  /** What the entity is known by: its type and name, however spelt. */
  entity: string;
  name: string;
  type: string;
  /** `pending` until it has held for long enough; while the source fails nothing changes. */
  state: "pending" | "new" | "continuing" | "escalated" | "cooling" | "cooled";
  /** When it first passed the floors. */
  since: number;
  /** Samples in a row that speak for the next state. */
  streak: number;
  /** When it reached its state. */
  changedAt: number;
  /** With which numbers it was last told of, or found when watching began or while it was muted; its highest; its newest. */
  told?: Figures | undefined;
  peak: Figures;
  last: Figures;
  /** The message that told of it, once it stands: its thread holds the history. */
  posted?: Posted | undefined;
  /** What that message shows; missing where it is not rewritten: a brief, or one that Slack does not let us change. */
  shown?: Shown | undefined;
  /** Nobody looked after this for so long that it was closed without knowing how it went on. */
  unwatchedSince?: number | undefined;
  /** The kept list of its leading articles. */
  list?: string | undefined;
}

export type State = Episode["state"];

/** What a message says of an entity, since when; a message about several counts those that it does not name. */
export interface Shown {
  state: State;
  at: number;
  figures: Figures;
  more: number;
  /** It says that the entity is muted, since then. */
  mutedAt?: number | undefined;
}

/** A message that stands, and whom it is about, as far as they are still followed. */
export interface Standing {
  posted: Posted;
  episodes: Episode[];
  /** Those that it counts besides. */
  more: number;
}

/** Everything that is trending at one moment, best ranked first; the same for all who watch. */
export interface Sample {
  at: number;
  entities: Sampled[];
}

/** An entity of a sample. */
export interface Sampled extends Trend {
  /** What it is known by. */
  entity: string;
}

/** An entity that is not told of, whatever becomes of it. */
export interface Mute {
  entity: string;
  name: string;
  by: string;
  at: number;
  /** For good where it is missing. */
  until?: number | undefined;
  /** It holds for its alert; else for all that come to its place, also for later ones. */
  isAlone?: true | undefined;
}

/** Hours of the day, in the zone of the schedule, in which nothing is posted: `22:00` to `07:00`. */
export interface QuietHours {
  from: string;
  to: string;
}

/** A message that is written down and does not stand in Slack yet, as far as we know. */
export interface PendingAlert {
  key: string;
  since: number;
  /** How often it was tried, and when it is tried again. */
  tries: number;
  retryAt?: number | undefined;
  /** Set just before it was sent: it may stand there. */
  sentAt?: number | undefined;
  /**
   * `baseline` says that watching has begun; several new ones at once are one message; `further` is about those that
   * escalate and have messages of their own; `brief` ends quiet hours; `line` is one of the history in a thread.
   */
  kind: "baseline" | "rise" | "several" | "further" | "brief" | "line";
  /** Whom it is about. */
  entities: string[];
  /** How many there were besides. */
  more: number;
  line?: Line | undefined;
  /** The line is shown in the channel as well. */
  isLoud?: true | undefined;
}

/** What the history in a thread tells. */
interface Line {
  what: "escalated" | "cooled" | "back";
  /** The thread that it belongs to. */
  posted: Posted;
}

/** Who is told of what is trending, how readily and where, with everything that became of it. */
export interface Alert extends Subscription {
  filter: Filter;
  rule: Rule;
  quietHours?: QuietHours | undefined;
  /** What it found when it began to watch, which is not told of; missing until its first run. */
  baseline?: { at: number; entities: string[] } | undefined;
  /** Its newest look at what is trending, how many were rising then, and its newest message. */
  last?: { at: number; rising: number; postedAt?: number | undefined } | undefined;
  episodes: Episode[];
  mutes: Mute[];
  /** Entities that rose or escalated in quiet hours and were not told of yet. */
  held: string[];
  pending: PendingAlert[];
  /** When its place got its latest messages, those of an hour. */
  lately?: number[] | undefined;
  /** Its problem is that Slack did not take a message, whatever its source does. */
  isUnposted?: true | undefined;
}

/** What an entity is known by, however its name and type are spelt. */
export function entityKey({ name, type }: { name: string; type: string }): string {
  return `${plain(type)}|${plain(name)}`;
}

/** A text however it is spelt. */
export function plain(text: string): string {
  return text.normalize("NFKC").toLowerCase().replace(/\s+/g, " ").trim();
}

/** Whether there is something to do for it. */
export function isDue(alert: Alert, now: number): boolean {
  if (alert.state !== "active") return false;
  if (alert.episodes.some((episode) => isMuteOver(episode, alert, now))) return true;
  return isReady(alert.pending[0], now) || isTimely(alert, now) || isBriefDue(alert, now);
}

/** Whether its message says that it is muted, and it is no more. */
function isMuteOver({ entity, shown }: Episode, alert: Alert, now: number): boolean {
  return shown?.mutedAt !== undefined && muteOf(alert, entity, now) === undefined;
}

/** The mute of an entity that holds at a moment. */
export function muteOf({ mutes }: Pick<Alert, "mutes">, entity: string, now: number): Mute | undefined {
  return mutes.find((mute) => mute.entity === entity && (mute.until === undefined || mute.until > now));
}

/** Whether a message tells of what rises, so that what follows goes on from it. */
export function isTelling(kind: PendingAlert["kind"]): boolean {
  return kind === "rise" || kind === "several" || kind === "brief";
}

/** Whether a message may be tried; those after it wait for it. */
export function isReady(pending: PendingAlert | undefined, now: number): boolean {
  return pending !== undefined && isRetried(pending.retryAt, now);
}

/** Whether two watch the same for the same place, however readily. */
export function isSame(one: Target, other: Target): boolean {
  return one.team === other.team && one.channel === other.channel && watched(one.filter) === watched(other.filter);
}

type Target = Pick<Alert, "team" | "channel" | "filter">;

function watched({ type, include, exclude }: Filter): string {
  const names = (list: string[]) => [...new Set(list.map(plain))].toSorted();
  return JSON.stringify([type === undefined ? "" : singular(type), names(include), names(exclude)]);
}

/** The messages of episodes that are rewritten as these go on. */
export function standingsOf(episodes: Episode[]): Standing[] {
  const own = episodes.filter(({ posted, shown }) => posted && shown);
  const messages = Map.groupBy(own, ({ posted }) => `${posted?.channel} ${posted?.ts}`);
  return [...messages.values()].flatMap((shared) => {
    const [{ posted, shown } = {}] = shared;
    return posted ? [{ posted, episodes: shared, more: shown?.more ?? 0 }] : [];
  });
}

/** As it is where it comes from now on: that place has been told nothing, so that it watches anew there. */
export function movedTo(alert: Alert, channel: string): Alert {
  const episodes = alert.episodes.map((episode) => ({ ...episode, posted: undefined, shown: undefined }));
  const pending = alert.pending.filter(({ kind }) => kind !== "line");
  // What was muted elsewhere was not muted there.
  const mutes = alert.mutes.map((mute) => ({ ...mute, isAlone: true as const }));
  return restarted({ ...alert, channel, episodes, mutes, pending, lately: undefined });
}

/**
 * As it is when it watches anew, for instance after a pause or with another filter: what is trending then is not told
 * of, and what was told of is followed on.
 */
export function restarted(alert: Alert): Alert {
  return { ...alert, baseline: undefined, episodes: alert.episodes.filter(({ state }) => state !== "pending") };
}
