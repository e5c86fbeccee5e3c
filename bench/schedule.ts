/**
 * 10,000 digests or alerts that are due in the same minute: the rate of their posts, and the delay of people's
 * commands.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { type Workspace, startWorkspace } from "../local/workspace/server.ts";
import { percentile, residentMegabytes } from "./contenders.ts";
import { type Seed, kill, type seedDigests, startBot } from "./deliveries.ts";
import { startNews } from "./news.ts";

const channelCount = 500;
const queries = 500;
const mentions = 40;
const commandEveryMs = 250;
const latencyMs = 80;

/** The result of a run. */
export interface Drained {
  posts: number;
  /** The time from the first post to the last, in seconds. */
  seconds: number;
  refused: number;
  reads: number;
  megabytes: number;
  acksMs: number[];
}

interface Race {
  /** The number of digests or alerts that are due, with a post each, and the function that writes them into the store. */
  posts: number;
  seed: typeof seedDigests;
  /** The time after which the run is stopped, in milliseconds. */
  mostMs: number;
}

/** Lets the bot post everything that is due while somebody types a slash command four times a second. */
export async function drain({ posts, seed, mostMs }: Race): Promise<Drained> {
  const { workspace, news, folder, storeUrl } = await setUp();
  const wishes = wishesOf(workspace, posts);
  for (const { query } of wishes) news.trending.set(query, mentions);
  await seed(storeUrl, workspace.ids.team, wishes);
  const bot = startBot({ workspace, newsUrl: news.url, storeUrl });
  const watched = await watch(workspace, { bot, posts, mostMs });
  const reads = news.reads();
  await kill(bot);
  await Promise.all([workspace.stop(), news.close(), rm(folder, { recursive: true })]);
  return { ...watched, reads };
}

/** The baseline: one post after another with Slack's client. */
export async function drainPlainly({ posts, mostMs }: Omit<Race, "seed">): Promise<Drained> {
  const { workspace, news, folder } = await setUp();
  const bot = spawn(process.execPath, ["bench/posts.ts"], {
    env: {
      PATH: process.env["PATH"],
      SLACK_API_URL: workspace.apiUrl,
      SLACK_BOT_TOKEN: workspace.botToken,
      SLACK_APP_TOKEN: workspace.appToken,
      CHANNELS: JSON.stringify([...new Set(wishesOf(workspace, posts).map(({ channel }) => channel))]),
      ROUNDS: String(posts / channelCount),
    },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const watched = await watch(workspace, { bot, posts, mostMs });
  await kill(bot);
  await Promise.all([workspace.stop(), news.close(), rm(folder, { recursive: true })]);
  return { ...watched, reads: 0 };
}

async function setUp() {
  const channels = Array.from({ length: channelCount }, (_, index) => `desk-${String(index).padStart(3, "0")}`);
  const manifest = await readFile(new URL("../manifest.yml", import.meta.url), "utf8");
  const workspace = await startWorkspace({ manifest, limits: "window", latencyMs, channels });
  const folder = await mkdtemp(join(tmpdir(), "schedule-"));
  return { workspace, news: await startNews(), folder, storeUrl: `sqlite:${join(folder, "store.sqlite")}` };
}

/** The digests or alerts, one per post. Each channel gets each of its queries once, so its posts have no story in common. */
function wishesOf(workspace: Workspace, posts: number): Seed[] {
  const own = workspace.state().conversations.filter(({ name }) => name.startsWith("desk-"));
  return Array.from({ length: posts }, (_, index) => {
    const round = Math.floor(index / own.length);
    const query = (index + round) % queries;
    return { number: index + 1, query: String(query).padStart(5, "0"), channel: own[index % own.length]?.id ?? "" };
  });
}

/** The posts per minute that the simulated Slack accepts. */
const postsPerMinute = 300;

interface Watch {
  bot: ChildProcess;
  posts: number;
  mostMs: number;
}

async function watch(workspace: Workspace, { bot, posts, mostMs }: Watch) {
  await workspace.until(() => workspace.state().app.connected, 60_000);
  const started = performance.now();
  const times: number[] = [];
  let refused = 0;
  const tally = () => {
    for (const { method, outcome, at } of workspace.calls.splice(0)) {
      if (method !== "chat.postMessage") continue;
      if (outcome === "ok") times.push(at);
      if (outcome === "429") refused++;
    }
  };
  const acksMs: number[] = [];
  let megabytes = 0;
  const channel = workspace.state().conversations.find(({ name }) => name === "newsroom")?.id ?? "";
  while (times.length < posts && performance.now() - started < mostMs) {
    const since = performance.now();
    await workspace.say({ channel, text: "/bellwether help" });
    acksMs.push(performance.now() - since);
    megabytes = Math.max(megabytes, await residentMegabytes(bot));
    tally();
    await new Promise((resolve) => setTimeout(resolve, commandEveryMs));
  }
  const seconds = ((times.at(-1) ?? 0) - (times[0] ?? 0)) / 1_000;
  return { posts: times.length, seconds, refused, megabytes, acksMs };
}

/** The rows of the table. */
export function drainRows(rows: [name: string, drained: Drained][]): string[][] {
  return [
    ["", "posts", "seconds", "of the rate Slack allows", "429s", "upstream reads", "memory", "ack median", "ack p99"],
    ...rows.map(([name, { posts, seconds, refused, reads, megabytes, acksMs }]) => [
      name,
      String(posts),
      seconds.toFixed(1),
      `${((100 * posts * 60) / seconds / postsPerMinute).toFixed(1)} %`,
      String(refused),
      String(reads),
      `${megabytes} MB`,
      ...[0.5, 0.99].map((share) => `${percentile(acksMs, share).toFixed(0)} ms`),
    ]),
  ];
}
