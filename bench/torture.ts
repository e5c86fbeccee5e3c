/**
 * `npm run torture [KILLS] [DELIVERIES] [SEED] [MODE]`: the bot is killed at random instants while digests are due, and
 * started again each time; in the end every digest must stand in Slack once. Exit code 1 where one does not.
 */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { type Workspace, startWorkspace } from "../src/workspace/server.ts";
import type { Fault } from "../src/workspace/faults.ts";
import { type Wish, countStories, kill, seedDigests, startBot, startNews } from "./deliveries.ts";

/** What goes wrong in Slack meanwhile. */
const modes: Record<string, Fault[]> = {
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
/** A life is as long as a start takes, and a little more: so most of them end in the middle of the work. */
const shortestMs = 300;
const longestMs = 3_500;
/** Where so much time brings nothing more, nothing more comes. */
const patienceMs = 240_000;
const settledMs = 5_000;

const [kills = 200, deliveries = 2_000, seed = 1] = process.argv.slice(2, 5).map(Number);
const [only] = process.argv.slice(5);
console.log(`Torture: ${kills} kills, ${deliveries} deliveries, seed ${seed}`);
let isWhole = true;
for (const [mode, faults] of Object.entries(modes)) {
  if (only === undefined || mode.startsWith(only)) isWhole = (await torture(mode, faults)) && isWhole;
}
process.exit(isWhole ? 0 : 1);

async function torture(mode: string, faults: Fault[]): Promise<boolean> {
  const since = performance.now();
  const draw = createDraw(seed);
  const folder = await mkdtemp(join(tmpdir(), "torture-"));
  const storeUrl = `sqlite:${join(folder, "store.sqlite")}`;
  const manifest = await readFile(new URL("../manifest.yml", import.meta.url), "utf8");
  const workspace = await startWorkspace({ manifest, limits: "off", latencyMs: 40, channels, draw: createDraw(seed) });
  const news = await startNews();
  for (const fault of faults) workspace.fail(fault);
  const begin = () => startBot({ workspace, newsUrl: news.url, storeUrl, more: { POSTS_PER_MINUTE: "6000" } });
  const wishes = wishesOf(workspace);
  for (let life = 0; life < kills; life++) {
    await seedDigests(storeUrl, workspace.ids.team, shareOf(wishes, life));
    const bot = begin();
    await sleep(shortestMs + draw() * (longestMs - shortestMs));
    await kill(bot);
  }
  const last = begin();
  await allStand(workspace);
  await sleep(settledMs);
  await kill(last);
  const isGood = report(mode, workspace, Math.round((performance.now() - since) / 1_000));
  await Promise.all([workspace.stop(), news.close(), rm(folder, { recursive: true })]);
  return isGood;
}

function wishesOf(workspace: Workspace): Wish[] {
  const own = workspace.state().conversations.filter(({ name }) => channels.includes(name));
  return Array.from({ length: deliveries }, (_, index) => ({
    number: index + 1,
    query: String(index + 1).padStart(5, "0"),
    channel: own[index % own.length]?.id ?? "",
  }));
}

/** What comes due with a life. */
function shareOf(wishes: Wish[], life: number): Wish[] {
  const at = (share: number) => Math.round((wishes.length * share) / kills);
  return wishes.slice(at(life), at(life + 1));
}

async function allStand(workspace: Workspace): Promise<void> {
  let standing = 0;
  let changedAt = performance.now();
  while (standing < deliveries && performance.now() - changedAt < patienceMs) {
    await sleep(1_000);
    const now = countStories(workspace).size;
    if (now !== standing) changedAt = performance.now();
    standing = now;
  }
}

/** Prints one line; whether every digest stands once. */
function report(mode: string, workspace: Workspace, seconds: number): boolean {
  const counts = countStories(workspace);
  const lost = deliveries - counts.size;
  const doubled = [...counts.values()].filter((count) => count > 1).length;
  const calls = (method: string) => workspace.calls.filter((call) => call.method === method).length;
  const sent = `${calls("chat.postMessage")} posts sent, ${calls("conversations.history")} reads of history`;
  console.log(`${mode.padEnd(26)} ${lost} lost, ${doubled} duplicated   (${sent}, ${seconds} s)`);
  if (lost > 0) console.log(`  lost: ${missing(counts).slice(0, 20).join(" ")}`);
  return lost === 0 && doubled === 0;
}

function missing(counts: Map<string, number>): string[] {
  const all = Array.from({ length: deliveries }, (_, index) => String(index + 1).padStart(5, "0"));
  return all.filter((query) => !counts.has(query));
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Numbers from 0 to 1 that follow from a seed (mulberry32). */
function createDraw(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
