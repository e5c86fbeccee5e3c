import { nextRuns } from "../../schedule/runs.ts";
import type { Schedule } from "./schedule.ts";
import type { Alert } from "../alerts/alert.ts";
import type { Digest } from "../digests/digest.ts";
import type { Subscriptions } from "./store.ts";

/** What digests and alerts have in common: when something comes, where it goes, and what became of it. */
export interface Subscription {
  team: string;
  /** Names it among those of its kind in its workspace, for good. */
  number: number;
  schedule: Schedule;
  /** A channel of Slack, or a person, who gets it as a direct message. */
  channel: string;
  /** Who asked for it. */
  maker: string;
  /** A removed one can still be brought back for a while. */
  state: "active" | "paused" | "removed";
  /** The bot paused it because it cannot reach its place, and resumes it when it can. */
  stranded?: Stranded | undefined;
  /** Its owner has yet to be told that the bot paused it; `sentAt` is when a message that says so was first sent. */
  untold?: true | { sentAt: number } | undefined;
  /** Epoch milliseconds, as are all times here. */
  nextRun: number;
  /** Nothing comes before that, because somebody wants to be spared it for a while. */
  silentUntil?: number | undefined;
  /** What is wrong with it, as mrkdwn. */
  problem?: string | undefined;
  /** Who made it, and the latest changes, the newest first. */
  changed: Change[];
}

/** Why a channel cannot be reached: it is archived, or the bot is not in it. */
export type Stranded = "archived" | "removed";

/** What a subscription goes by. */
export type Name = Pick<Subscription, "team" | "number">;

/** A channel of Slack, or a person's direct messages. */
export type Destination = Pick<Subscription, "team" | "channel">;

export interface Change {
  by: string;
  at: number;
  what: string;
}

/** How a change that the bot made by itself is signed. */
export const bot = "Bellwether";

/** What comes later than this says so. */
const lateMs = 5 * 60_000;
/** Tries of one message, each twice as long after the one before, up to an hour: a day in all. */
export const postsMost = 30;
const retryMostMs = 60 * 60_000;
/** Changes that are kept, and how many of those that pass by themselves: mutes, and what the bot does. */
export const changesKept = 40;
export const passingKept = 10;

/** A timer may ring a moment early. */
export const earlyMs = 1_000;

/** Whether its time has come. */
export function isDue({ state, nextRun }: Subscription, now: number): boolean {
  return state === "active" && nextRun <= now + earlyMs;
}

/** Whether it runs later than it should, for instance because the bot was not running. */
export function isLate({ nextRun }: Subscription, now: number): boolean {
  return now - nextRun > lateMs;
}

/** When a message is tried again that Slack did not take so often. */
export function retryAfter(tries: number, now: number): number {
  return now + Math.min(2 ** (tries - 1) * 60_000, retryMostMs);
}

/** Whether a message may be tried again. */
export function isRetried(retryAt: number | undefined, now: number): boolean {
  return retryAt === undefined || retryAt <= now + earlyMs;
}

/** Paused by the bot itself; what is pending comes when it is resumed. */
export function stopped<S extends Subscription>(subscription: S, problem: string, now: number): S {
  return noted({ ...subscription, state: "paused", problem }, { by: bot, at: now, what: "paused" });
}

const settledMs = 24 * 60 * 60_000;

/** Whether the bot has resumed it only lately: what is refused even so is not resumed by itself for ever. */
export function isJustBack({ changed: [latest] }: Subscription, now: number): boolean {
  return latest?.by === bot && latest.what === "resumed" && now - latest.at < settledMs;
}

const clickMs = 10_000;

/** Whether somebody has added it only now: their second click is to read what came of the first. */
export function isJustAdded({ changed: [latest] }: Subscription, user: string, now: number): boolean {
  return latest?.what === "added" && latest.by === user && now - latest.at < clickMs;
}

/** Running again, from its next time on. */
export function resumed<S extends Subscription>(subscription: S, now: number): S {
  const freed = { stranded: undefined, untold: undefined, silentUntil: undefined, problem: undefined };
  return advanced({ ...subscription, ...freed, state: "active" }, now);
}

/** With a change written down: many of one sort do not push out those of another, and who made it is kept for good. */
export function noted<S extends Subscription>(subscription: S, change: Change): S {
  const room = { passing: passingKept, lasting: changesKept, made: 1 };
  const changed = [change, ...subscription.changed].filter((each) => room[sortOf(each)]-- > 0);
  return { ...subscription, changed };
}

function sortOf({ by, what }: Change): "passing" | "lasting" | "made" {
  if (what === "added") return "made";
  return by === bot || /^(un)?muted\b/.test(what) ? "passing" : "lasting";
}

/** At its next time after a moment, and after its silence where it has one; one that has none is paused. */
export function advanced<S extends Subscription>(subscription: S, now: number): S {
  const [nextRun] = nextRuns(subscription.schedule, Math.max(now, subscription.silentUntil ?? 0), 1);
  if (nextRun !== undefined) return { ...subscription, nextRun };
  return stopped(subscription, "Its time does not come again.", now);
}

/** All that people have subscribed to. */
export interface SubscriptionStores {
  digests: Subscriptions<Digest>;
  alerts: Subscriptions<Alert>;
}

/** What sets one kind of subscription apart. */
export interface Kind<S extends Subscription> {
  /** `digest`: its command is the plural. */
  noun: string;
  subscriptions(stores: SubscriptionStores): Subscriptions<S>;
  /** What it brings, in a few words of plain text. */
  title(subscription: S): string;
  /** Whether two bring the same to the same place. */
  isSame(one: S, other: S): boolean;
  /** As it is when it runs again. */
  resumed(current: S): S;
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
