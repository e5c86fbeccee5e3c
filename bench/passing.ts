/** Four replicas without disruptions: the rate at which they post what is due, and the cost of passing a request on. */
import { readFile } from "node:fs/promises";
import { Agent } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

import { shardOf } from "../src/replicas/shards.ts";
import { rates } from "../src/slack/text/limits.ts";
import { percentile } from "./contenders.ts";
import type { Seed } from "./deliveries.ts";
import { type Fleet, type Replica, post } from "./fleet.ts";
import { type Team, idleEvent, inTurn, signed } from "./teams.ts";

/**
 * The number of channels per workspace with digests, and of digests in each. Enough for two minutes at Slack's rate, so
 * that the seconds in which four replicas on one machine read all queries at once count for little.
 */
const busyDesks = 1;
const digestsEach = 120;

/** Digests that are all due at once, equally many in each of a few channels of a workspace. */
export function dueAtOnce(team: Team, index: number, at: number): Seed[] {
  const count = busyDesks * digestsEach;
  return Array.from({ length: count }, (_, each) => {
    const number = index * count + each + 1;
    return { number, query: String(number).padStart(5, "0"), channel: team.desks[each % busyDesks] ?? "", at };
  });
}

export interface Throughput {
  posts: number;
  /** The time from the first post to the last, in seconds. */
  seconds: number;
  /** The time at Slack's documented rate of one post a second per channel, in seconds, without the bursts it tolerates. */
  leastSeconds: number;
  refused: number;
  /** The processor time of the replicas per post, in milliseconds. */
  processorMs: number;
}

/** Waits until all posts are there, or no more arrive. */
export async function drain(fleet: Fleet, teams: Team[]): Promise<Throughput> {
  const before = await processorMsOf(fleet);
  const wanted = teams.length * busyDesks * digestsEach;
  const times: number[] = [];
  let refused = 0;
  let changedAt = performance.now();
  while (times.length < wanted && performance.now() - changedAt < 120_000) {
    for (const { workspace } of teams) {
      for (const { method, outcome, at } of workspace.calls.splice(0)) {
        if (method !== "chat.postMessage") continue;
        if (outcome === "ok") times.push(at);
        else refused++;
        changedAt = performance.now();
      }
    }
    await sleep(200);
  }
  const seconds = (Math.max(...times) - Math.min(...times)) / 1_000;
  const { intervalMs } = rates.channelPosts;
  return {
    posts: times.length,
    seconds,
    leastSeconds: ((digestsEach - 1) * intervalMs) / 1_000,
    refused,
    processorMs: ((await processorMsOf(fleet)) - before) / times.length,
  };
}

/** The processor time that the replicas have used, in milliseconds. */
async function processorMsOf({ replicas }: Fleet): Promise<number> {
  let ticks = 0;
  for (const { process } of replicas) {
    const stat = (await readFile(`/proc/${process?.pid}/stat`, "utf8").catch(() => "")).split(" ");
    ticks += Number(stat[13] ?? 0) + Number(stat[14] ?? 0);
  }
  return ticks * 10;
}

export interface PassedOn {
  /** The time of each request, in milliseconds. */
  direct: number[];
  passedOn: number[];
}

const requestsEach = 1_000;

/** Sends the same requests in turn to the replica that works for the workspace and to another one. */
export async function compareForwarding(fleet: Fleet, teams: Team[]): Promise<PassedOn> {
  const holders = new Map<number, Replica>();
  for (const replica of fleet.replicas) {
    for (const { shard } of (await fleet.health(replica))?.shards ?? []) holders.set(shard, replica);
  }
  const agent = new Agent({ keepAlive: true });
  const times: PassedOn = { direct: [], passedOn: [] };
  // The first requests open connections.
  for (let index = -50; index < requestsEach; index++) {
    const team = inTurn(teams, index + 50);
    const holder = holders.get(shardOf(team.id));
    const others = fleet.replicas.filter((replica) => replica !== holder);
    const other = others[(index + 50) % others.length];
    if (!holder || !other) throw new Error(`no replica works for ${team.id}`);
    for (const [replica, kind] of [[holder, "direct"] as const, [other, "passedOn"] as const]) {
      const since = performance.now();
      const status = await post(replica, signed(idleEvent(team)), agent);
      if (status !== 200) throw new Error(`${replica.name} answered ${status} for ${team.id}`);
      if (index >= 0) times[kind].push(performance.now() - since);
    }
  }
  agent.destroy();
  return times;
}

export const p99 = (times: number[]): number => percentile(times, 0.99);
