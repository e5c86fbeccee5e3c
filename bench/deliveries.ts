/** Digests that are due, a news service that has a story for each, and a bot in a process of its own that brings them. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";

import { z } from "zod";

import type { Digest } from "../src/features/digests/compose.ts";
import { digestSchema } from "../src/features/digests/store.ts";
import { numberSchema } from "../src/features/subscriptions/store.ts";
import { openStore } from "../src/store/store.ts";
import type { Workspace } from "../src/workspace/server.ts";

/** What a digest follows, and where it goes. */
export interface Wish {
  number: number;
  query: string;
  channel: string;
}

/** Writes digests into a store that nobody has open; all are due since a moment ago, and not again for months. */
export async function seedDigests(storeUrl: string, team: string, wishes: Wish[]): Promise<void> {
  const store = await openStore(storeUrl);
  const digests = store.collection("digests", digestSchema);
  await digests.setMany(wishes.map((wish) => [`${team} ${wish.number}`, dueDigest(team, wish)] as const));
  const most = wishes.reduce((highest, { number }) => Math.max(highest, number), 0);
  await store.collection("digest-numbers", numberSchema).set(team, most);
  await store.close();
}

function dueDigest(team: string, { number, query, channel }: Wish): Digest {
  const now = Date.now();
  return {
    team,
    number,
    source: { kind: "search", query },
    schedule: { pattern: "0 0 1 1 *", zone: "UTC", words: "once a year" },
    channel,
    maker: "U0MARALIN1",
    state: "active",
    nextRun: now - 1_000,
    last: { at: now - 86_400_000, fresh: 0 },
    failures: 0,
    changed: [],
  };
}

/** The story of a query: what every reader of it finds in its message. */
const storyOf = (query: string): string => `story-${query}`;

const spell = /story-(\w+)/;

/** How often the story of each query stands in a workspace. */
export function countStories({ state, messages }: Workspace): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { id } of state().conversations) {
    for (const message of messages(id)) {
      const query = spell.exec(JSON.stringify(message))?.[1];
      if (query) counts.set(query, (counts.get(query) ?? 0) + 1);
    }
  }
  return counts;
}

/** A gateway that finds one story for each query, always the same. */
export async function startNews() {
  let reads = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const asked = /"query":"(\w+)"/.exec(Buffer.concat(chunks).toString())?.[1] ?? "";
      if (request.url?.endsWith("/search")) reads++;
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(found(asked)));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`,
    reads: () => reads,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function found(query: string) {
  const article = {
    id: 70_000 + Number(query),
    title: `What is new of ${storyOf(query)}`,
    summary: "The plant is to reach 40,000 tonnes a year, says the company; its neighbours wait for the permit.",
    url: `https://wire.example/${storyOf(query)}`,
    source: { name: "Harbour Wire" },
    published_at: new Date(Date.now() - 600_000).toISOString(),
    primary_entities: [],
    secondary_entities: [],
    tertiary_entities: [],
  };
  const meta = {
    request_id: "req_0f6e2f0a-8f57-4d0c-a1f3-1d6c2f4e0b11",
    credits_used: 1,
    credits_remaining: 99_999,
    rate_limit: { limit: 1_000_000, remaining: 999_999, reset: 4_102_444_800 },
  };
  return { data: { query, total: 1, articles: [article] }, meta };
}

/** The command of `npm start`: its options bound the memory. */
const started = z
  .object({ scripts: z.object({ start: z.string() }) })
  .parse(JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"))).scripts.start;

interface BotOptions {
  workspace: Workspace;
  newsUrl: string;
  storeUrl: string;
  more?: Record<string, string>;
}

/** Starts the bot, as an operator would. */
export function startBot({ workspace, newsUrl, storeUrl, more = {} }: BotOptions): ChildProcess {
  return spawn(process.execPath, started.split(" ").slice(1), {
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

/** Ends it without a word. */
export async function kill(bot: ChildProcess): Promise<void> {
  if (bot.exitCode !== null || bot.signalCode !== null) return;
  const ended = once(bot, "exit");
  bot.kill("SIGKILL");
  await ended;
}
