import { createHash } from "node:crypto";

/**
 * Work is divided by workspace, because Slack's limits bind per workspace: each workspace is in one of so many shards, and
 * one replica at a time works on a shard. The number is for good: replicas that reckon otherwise would share workspaces.
 */
export const shardCount = 64;

/** The shard of a workspace (`T…`, or `E…` if only the organisation is known): the same in every replica and version. */
export function shardOf(team: string): number {
  return createHash("sha256").update(team).digest().readUInt32BE() % shardCount;
}

/** The most shards that one of so many live replicas takes. */
export function shareOf(replicas: number): number {
  return Math.ceil(shardCount / Math.max(1, replicas));
}
