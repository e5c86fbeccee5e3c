/**
 * `npm run torture [KILLS] [DELIVERIES] [SEED] [MODE]`: kills the bot at random moments and starts it again each time,
 * while DELIVERIES digests are due and as many alerts fire, on trending names and on searches. In the end every post
 * must be in Slack exactly once; else the exit code is 1. With `STORE_URL=postgres://…`, the state is kept there, in
 * schemas of its own.
 */
import type { ChildProcess } from "node:child_process";
import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

import { type Workspace, startWorkspace } from "../local/workspace/server.ts";
import type { SlackFault } from "../local/workspace/faults.ts";
import {
  type Seed,
  countStories,
  hurry,
  inThread,
  kill,
  seedDigests,
  seedSourceAlerts,
  startBot,
} from "./deliveries.ts";
import { startNews, surgeQuery } from "./news.ts";
import { createPlace } from "./place.ts";
import { type Course, createRises } from "./rises.ts";

/** The faults of Slack during a run, by mode. */
const modes: Record<string, SlackFault[]> = {
  plain: [],
  "accepted, then cut": [{ method: "chat.postMessage", outcome: "accept_then_cut", share: 0.3 }],
  "429, 5xx, internal_error": ["chat.*", "conversations.*"].flatMap((method) => [
    { method, outcome: "ratelimited", retryAfter: 1, share: 0.2 },
    { method, outcome: "http_500", share: 0.1 },
    { method, outcome: "http_500", share: 0.1, isDone: true },
    { method, outcome: "internal_error", share: 0.1 },
    { method, outcome: "internal_error", share: 0.1, isDone: true },
  ]),
};

const channels = Array.from({ length: 100 }, (_, index) => `desk-${String(index).padStart(3, "0")}`);
/** One in this many digests answers a question. */
const questionEach = 5;
/** One in this many is a briefing. */
const briefingEach = 10;
/** The number of alerts that each watch a search of their own, beside those on trending names. */
const watchedMost = 200;
const watchedFrom = 1_000;
/** The bot is killed while it starts, or after a number of posts, or after a time: mostly in the middle of its work. */
const earlyShare = 0.2;
const startMs = 1_000;
const postsMost = 100;
const workMs = 6_000;
const jitterMs = 100;
/** The time without a new post after which only posts are left that are tried again later, in milliseconds. */
const patienceMs = 120_000;
const settledMs = 5_000;
const roundsMost = 10;

/** Other torture tests, by the word that asks for each. */
const others: Record<string, (words: string[]) => Promise<boolean>> = {
  hostile: async (words) => (await import("./hostile.ts")).runHostile(words),
  soak: async (words) => (await import("./soak.ts")).runSoak(words),
};
const [word = "", ...words] = process.argv.slice(2);
if (word === "replicas") await import("./replicas.ts");
const other = others[word];
if (other) process.exit((await other(words)) ? 0 : 1);

const [kills = 200, deliveries = 2_000, seed = 1] = process.argv.slice(2, 5).map(Number);
const [only] = process.argv.slice(5);
console.log(`Torture: ${kills} kills, ${deliveries} deliveries, seed ${seed}`);
let isWhole = true;
for (const [mode, faults] of Object.entries(modes)) {
  if (only === undefined || mode.startsWith(only)) isWhole = (await torture(mode, faults)) && isWhole;
}
process.exit(isWhole ? 0 : 1);

async function torture(mode: string, faults: SlackFault[]): Promise<boolean> {
  const since = performance.now();
  const draw = createDraw(seed);
  const { storeUrl, remove } = await createPlace();
  const manifest = await readFile(new URL("../manifest.yml", import.meta.url), "utf8");
  const workspace = await startWorkspace({ manifest, limits: "off", latencyMs: 40, channels, draw: createDraw(seed) });
  const news = await startNews();
  for (const fault of faults) workspace.fail(fault);
  const start = () => startBot({ workspace, newsUrl: news.url, storeUrl });
  const wishes = wishesOf(workspace);
  const rises = await createRises({ workspace, news, storeUrl, draw: createDraw(seed), deliveries });
  const watched = watchedIn(workspace);
  const count = () => ({
    digests: digestsIn(workspace),
    alerts: rises.count(),
    "alerts on sources": surgesIn(workspace),
  });
  for (let life = 0; life < kills; life++) {
    await seedDigests(storeUrl, workspace.ids.team, shareOf(wishes, life));
    await seedSourceAlerts(storeUrl, workspace.ids.team, shareOf(watched, life));
    await rises.begin((life + 1) / kills);
    const bot = start();
    await live(workspace, draw);
    await kill(bot);
  }
  const before = callsOf(workspace, "chat.postMessage");
  await finish({ start, storeUrl, courses: () => Object.values(count()) });
  const seconds = Math.round((performance.now() - since) / 1_000);
  const [posts, reads] = ["chat.postMessage", "conversations.history"].map((method) => callsOf(workspace, method));
  console.log(`${mode}: ${posts} posts sent, ${before} before the last start, ${reads} reads of history, ${seconds} s`);
  const isGood = Object.entries(count()).map(([name, course]) => report(name, course));
  await Promise.all([workspace.stop(), news.close(), remove()]);
  return isGood.every(Boolean);
}

async function live(workspace: Workspace, draw: () => number): Promise<void> {
  if (draw() < earlyShare) return sleep(draw() * startMs);
  await workspace.until(() => workspace.state().app.connected, 60_000);
  const [most, since] = [callsOf(workspace, "chat.postMessage") + draw() * postsMost, performance.now()];
  while (callsOf(workspace, "chat.postMessage") < most && performance.now() - since < workMs) await sleep(10);
  await sleep(draw() * jitterMs);
}

function callsOf({ calls }: Workspace, method: string): number {
  return calls.filter((call) => call.method === method).length;
}

function wishesOf(workspace: Workspace): Seed[] {
  const own = workspace.state().conversations.filter(({ name }) => channels.includes(name));
  return Array.from({ length: deliveries }, (_, index) => ({
    number: index + 1,
    query: queryOf(index + 1),
    channel: own[index % own.length]?.id ?? "",
    isQuestion: index % questionEach === 0,
    isBriefing: index % briefingEach === 1,
  }));
}

function watchedIn(workspace: Workspace): Seed[] {
  return wishesOf(workspace)
    .slice(0, watchedMost)
    .map(({ number, channel }) => ({ number: watchedFrom + number, query: surgeQuery(number), channel }));
}

/** Counts the messages on each watched search outside of threads. */
function surgesIn(workspace: Workspace): Course {
  const wanted = new Set(watchedIn(workspace).map(({ query }) => query));
  const counts = new Map<string, number>();
  const all = workspace.state().conversations.flatMap(({ id }) => workspace.messages(id));
  for (const { text, ts, thread_ts: thread = ts, metadata } of all) {
    const key = metadata?.event_payload["key"];
    const query = /surge\d+/.exec(text)?.[0];
    if (thread !== ts || typeof key !== "string" || !key.startsWith("alert ") || query === undefined) continue;
    counts.set(query, (counts.get(query) ?? 0) + 1);
  }
  return { wanted, counts };
}

function queryOf(number: number): string {
  return String(number).padStart(5, "0");
}

/** The part of the digests or alerts that become due in one life of the bot. */
function shareOf(wishes: Seed[], life: number): Seed[] {
  const at = (share: number) => Math.round((wishes.length * share) / kills);
  return wishes.slice(at(life), at(life + 1));
}

function digestsIn(workspace: Workspace): Course {
  const wishes = wishesOf(workspace);
  // The answer of a briefing stands in its thread.
  const answers = wishes.filter(({ isBriefing }) => isBriefing).map(({ query }) => inThread(query));
  return { wanted: new Set([...wishes.map(({ query }) => query), ...answers]), counts: countStories(workspace) };
}

interface Finish {
  start: () => ChildProcess;
  storeUrl: string;
  courses: () => Course[];
}

/** Lets the bot run until all posts are there, or none is on its way. */
async function finish({ start, storeUrl, courses }: Finish): Promise<void> {
  const missing = () => courses().reduce((sum, course) => sum + lostOf(course).length, 0);
  for (let round = 1; round <= roundsMost; round++) {
    const bot = start();
    await allStand(bot, missing);
    await sleep(settledMs);
    await kill(bot);
    if (missing() === 0) return;
    const waiting = await hurry(storeUrl);
    console.log(`  ${missing()} are missing after round ${round} of ${roundsMost}, ${waiting} of them on their way`);
    if (waiting === 0) return;
  }
}

async function allStand(bot: ChildProcess, missing: () => number): Promise<void> {
  let before = missing();
  let changedAt = performance.now();
  while (before > 0 && bot.exitCode === null && performance.now() - changedAt < patienceMs) {
    await sleep(1_000);
    const now = missing();
    if (now !== before) changedAt = performance.now();
    before = now;
  }
}

function lostOf({ wanted, counts }: Course): string[] {
  return [...wanted].filter((each) => !counts.has(each));
}

/** Prints one line; returns whether every post is there once. */
function report(name: string, course: Course): boolean {
  const lost = lostOf(course);
  const doubled = [...course.counts].flatMap(([each, times]) => (times > 1 || !course.wanted.has(each) ? [each] : []));
  console.log(`  ${name}: ${lost.length} lost, ${doubled.length} duplicated of ${course.wanted.size}`);
  for (const [what, some] of Object.entries({ lost, doubled })) {
    if (some.length > 0) console.log(`    ${what}: ${some.slice(0, 20).join("; ")}`);
  }
  return lost.length + doubled.length === 0;
}

/** Random numbers from 0 to 1 from a seed (mulberry32). */
function createDraw(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
