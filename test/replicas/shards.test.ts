import { describe, expect, it } from "vitest";

import { shardCount, shardOf, shareOf } from "../../src/replicas/shards.ts";

describe("the shard of a workspace", () => {
  it.each([
    ["T0ACME", 9],
    ["T0BIRCH", 0],
    ["T01ABCDEF23", 58],
    ["E0GRID", 12],
    ["", 2],
  ])("is the same in every version: %j is in %i", (team, shard) => {
    expect(shardOf(team)).toBe(shard);
  });

  it("is one of 64, and workspaces are spread over them evenly", () => {
    const counts = new Map<number, number>();
    for (let at = 0; at < 64_000; at++) {
      const shard = shardOf(`T${at.toString(36).toUpperCase()}`);
      counts.set(shard, (counts.get(shard) ?? 0) + 1);
    }
    expect([shardCount, counts.size]).toEqual([64, 64]);
    expect(Math.min(...counts.values())).toBeGreaterThan(850);
    expect(Math.max(...counts.values())).toBeLessThan(1_150);
  });
});

describe("the share of a replica", () => {
  it("is large enough that all shards are taken, and all of them for one replica alone", () => {
    expect([0, 1, 2, 3, 4, 64, 100].map(shareOf)).toEqual([64, 64, 32, 22, 16, 1, 1]);
  });
});
