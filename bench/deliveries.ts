/** Digests and alerts that are due, and a bot in a process of its own that posts them. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";

import { z } from "zod";

import { type Alert, emptyAlertState } from "../src/features/alerts/alert.ts";
import { type ArrivalCounts, arrivalCountsSchema } from "../src/features/alerts/detect/counts.ts";
import { type Incident, isOpen } from "../src/features/alerts/detect/incident.ts";
import { ruleOf } from "../src/features/alerts/detect/rule.ts";
import { alertSchema } from "../src/features/alerts/store.ts";
import type { SourceAlert } from "../src/features/alerts/watched.ts";
import type { Digest } from "../src/features/digests/digest.ts";
import { digestSchema } from "../src/features/digests/digest.ts";
import { hash } from "../src/features/subscriptions/arrivals.ts";
import { subscriptionKey } from "../src/features/subscriptions/model.ts";
import { readKey } from "../src/features/subscriptions/reads.ts";
import { numberSchema } from "../src/features/subscriptions/store.ts";
import { openStore } from "../src/store/store.ts";
import type { Workspace } from "../local/workspace/server.ts";

/** A digest or an alert: its query and its channel; an alert without a query reports everything. */
export interface Seed {
  number: number;
  query: string;
  channel: string;
  /** Whether the digest answers a question about its articles. */
  isQuestion?: boolean;
  /** Whether it is a briefing: of its search and another one, with its question, below the spikes of its channel. */
  isBriefing?: boolean;
  /** Whether the digest is due every minute from now on, not once. */
  isEveryMinute?: boolean;
  /** Its due time in epoch milliseconds; a moment ago if missing. */
  at?: number;
}

/** Writes digests that have just become due into a store that is not open; most are not due again for months. */
export async function seedDigests(storeUrl: string, team: string, seeds: Seed[]): Promise<void> {
  const store = await openStore(storeUrl);
  const digests = store.collection("digests", digestSchema);
  await digests.setMany(seeds.map((seed) => [`${team} ${seed.number}`, dueDigest(team, seed)] as const));
  await store.collection("digest-numbers", numberSchema).set(team, mostOf(seeds));
  await store.close();
}

/** Writes alerts in the same way; they have existed for a day, and report everything that is trending now. */
export async function seedAlerts(storeUrl: string, team: string, seeds: Seed[]): Promise<void> {
  const store = await openStore(storeUrl);
  const alerts = store.collection("alerts", alertSchema);
  await alerts.setMany(seeds.map((seed) => [`${team} ${seed.number}`, dueAlert(team, seed)] as const));
  await store.collection("alert-numbers", numberSchema).set(team, mostOf(seeds));
  await store.close();
}

/** Writes alerts on searches in the same way; each search has found few articles for days. */
export async function seedSourceAlerts(storeUrl: string, team: string, seeds: Seed[]): Promise<void> {
  const store = await openStore(storeUrl);
  const alerts = store.collection("alerts", alertSchema);
  const counts = store.collection("source-counts", arrivalCountsSchema);
  const due = seeds.map((seed): SourceAlert => {
    return {
      ...dueAlert(team, seed),
      options: { sensitivity: "eager" },
      source: { kind: "search", query: seed.query },
    };
  });
  await alerts.setMany(due.map((alert) => [subscriptionKey(alert), alert] as const));
  await counts.setMany(due.map((alert) => [hash(readKey(alert)), calmCounts(Date.now())] as const));
  await store.collection("alert-numbers", numberSchema).set(team, mostOf(seeds));
  await store.close();
}

/** The counts of a source with an article every six hours for three days, last read half an hour ago. */
function calmCounts(now: number): ArrivalCounts {
  const slotMs = 15 * 60_000;
  const days = 3;
  const since = now - days * 24 * 60 * 60_000;
  const [first, at] = [Math.floor(since / slotMs), now - 2 * slotMs];
  const counts = Array.from({ length: Math.floor(at / slotMs) - first + 1 }, (_, slot) => (slot % 24 === 0 ? 1 : 0));
  return { since, at, first, counts };
}

/** An alert's incidents, each of them open until the next check that does not find its spike. */
export function nearlyOver({ options, incidents }: Alert): Incident[] {
  const streak = ruleOf(options).recoverAfterChecks - 1;
  return incidents.map((incident) => (isOpen(incident) ? { ...incident, streak } : incident));
}

/** Removes the wait before another try of posts, in a store that is not open; returns the number of those posts. */
export async function hurry(storeUrl: string): Promise<number> {
  const store = await openStore(storeUrl);
  const alerts = store.collection("alerts", alertSchema);
  const digests = store.collection("digests", digestSchema);
  let waiting = 0;
  const atOnce = <P extends { retryAt?: number | undefined }>(pending: P): P => {
    waiting++;
    return { ...pending, retryAt: undefined };
  };
  const hurried: { alerts: [string, Alert][]; digests: [string, Digest][] } = { alerts: [], digests: [] };
  for await (const [key, alert] of alerts.entries()) {
    hurried.alerts.push([key, { ...alert, incidents: nearlyOver(alert), posts: alert.posts.map(atOnce) }]);
  }
  for await (const [key, digest] of digests.entries()) {
    if (digest.posts) hurried.digests.push([key, { ...digest, posts: digest.posts.map(atOnce) }]);
  }
  await alerts.setMany(hurried.alerts);
  await digests.setMany(hurried.digests);
  await store.close();
  return waiting;
}

function mostOf(seeds: Seed[]): number {
  return seeds.reduce((most, { number }) => Math.max(most, number), 0);
}

const everyMinute = { pattern: "* * * * *", zone: "UTC", words: "every minute" };

/** What a digest follows; the second search of a briefing has a story with the same number. */
function subjectOf({ query, isQuestion, isBriefing }: Seed): Digest["source"] {
  const source = { kind: "search" as const, query };
  const question = { kind: "ask" as const, question: "What matters?", within: source };
  if (isBriefing) return { kind: "several", of: [source, { ...source, query: `${query}b` }, question] };
  return isQuestion ? question : source;
}

function dueDigest(team: string, seed: Seed): Digest {
  const { number, channel, isEveryMinute, at } = seed;
  const now = Date.now();
  return {
    team,
    number,
    source: subjectOf(seed),
    schedule: isEveryMinute ? everyMinute : { pattern: "0 0 1 1 *", zone: "UTC", words: "once a year" },
    channel,
    owner: "U0MARALIN1",
    state: "active",
    nextRun: at ?? now - 1_000,
    last: { at: now - 86_400_000, fresh: 0 },
    changed: [],
  };
}

function dueAlert(team: string, { number, query, channel, at }: Seed): Alert {
  const now = Date.now();
  return {
    team,
    number,
    options: { sensitivity: "eager", ...(query && { include: [query] }) },
    schedule: everyMinute,
    channel,
    owner: "U0MARALIN1",
    state: "active",
    nextRun: at ?? now - 1_000,
    watchingSince: now - 86_400_000,
    changed: [],
    ...emptyAlertState,
  };
}

const spell = /story-(\d+)/;

/** The name under which a message in a thread is counted. */
export const inThread = (query: string): string => `${query} in its thread`;

/** Counts the messages of a workspace by the query of the story that they show, and those in threads by themselves. */
export function countStories({ state, messages }: Workspace): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { id } of state().conversations) {
    for (const message of messages(id)) {
      const query = spell.exec(JSON.stringify(message))?.[1];
      const { ts, thread_ts: thread = ts } = message;
      if (query === undefined) continue;
      const key = thread === ts ? query : inThread(query);
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  return counts;
}

interface BotOptions {
  workspace: Workspace;
  newsUrl: string;
  storeUrl: string;
  more?: Record<string, string>;
}

/** The arguments of Node that start the bot as an operator would. */
export const startArguments: string[] = z
  .object({ scripts: z.object({ start: z.string() }) })
  .parse(JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")))
  .scripts.start.split(" ")
  .slice(1);

/** Starts the bot as an operator would. */
export function startBot({ workspace, newsUrl, storeUrl, more = {} }: BotOptions): ChildProcess {
  return spawn(process.execPath, startArguments, {
    env: {
      PATH: process.env["PATH"],
      SLACK_API_URL: workspace.apiUrl,
      SLACK_BOT_TOKEN: workspace.botToken,
      SLACK_APP_TOKEN: workspace.appToken,
      GATEWAY_URL: newsUrl,
      GATEWAY_API_KEY: "svc_live_bench0001",
      STORE_URL: storeUrl,
      LOG_LEVEL: "error",
      ...more,
    },
    stdio: ["ignore", "ignore", "inherit"],
  });
}

/** Kills the bot with SIGKILL, and waits until it has ended. */
export async function kill(bot: ChildProcess): Promise<void> {
  if (bot.exitCode !== null || bot.signalCode !== null) return;
  const ended = once(bot, "exit");
  bot.kill("SIGKILL");
  await ended;
}
