import { describe, expect, it } from "vitest";

import type { Lease } from "../../src/replicas/lease.ts";
import { type ReplicaRecord, joinReplicas } from "../../src/replicas/replicas.ts";
import { shardCount } from "../../src/replicas/shards.ts";
import { memory } from "../support/builders.ts";
import { createClock } from "../support/clock.ts";

/** As long as the engine waits for a silent holder. */
const silentMs = 10_000;

/** Replicas that share an engine and a store, on one clock. */
function setUp() {
  const clock = createClock();
  const records = memory<ReplicaRecord>();
  const free = new Set(Array.from({ length: shardCount }, (_, shard) => shard));

  function createLease() {
    const held = new Set<number>();
    let isCut = false;
    const giveBack = async (shards: readonly number[]) => {
      for (const shard of shards) if (held.delete(shard)) free.add(shard);
    };
    const lease: Lease = {
      start: async () => {},
      size: () => held.size,
      isFresh: () => !isCut,
      async renew(most) {
        if (isCut) return new Promise(() => undefined);
        const gained = [...free].slice(0, Math.max(0, most - held.size));
        for (const shard of gained) {
          free.delete(shard);
          held.add(shard);
        }
        return { lost: [], gained };
      },
      giveBack,
      confirm: async () => {},
      within: (work) => work(),
      stop: () => giveBack([...held]),
    };
    const die = () => {
      isCut = true;
      clock.after(silentMs, () => void giveBack([...held]));
    };
    return { lease, die };
  }

  /** A replica that has taken its first part. */
  async function join() {
    const { lease, die } = createLease();
    const replicas = joinReplicas({
      lease,
      records,
      url: "http://replica.example",
      now: () => clock.now(),
      after: (ms, call) => clock.after(ms, call),
      log: { info: () => undefined, warn: () => undefined },
      isIdle: () => true,
      onGained: async () => {},
      onLost: () => undefined,
    });
    await clock.until(replicas.start());
    return { replicas, die, size: () => lease.size() };
  }

  return { clock, join };
}

describe("replicas", () => {
  it("share the shards evenly soon after one has joined", async () => {
    const { clock, join } = setUp();
    const first = await join();
    const second = await join();
    await clock.advance(5_000);
    expect([first.size(), second.size()]).toEqual([32, 32]);
  });

  it("take over what a dead one held, all of it", async () => {
    const { clock, join } = setUp();
    const first = await join();
    const second = await join();
    await clock.advance(5_000);
    second.die();
    await clock.advance(silentMs + 2_000);
    expect(first.size()).toBe(64);
  });

  it("do not leave room for one that died before they began", async () => {
    const { clock, join } = setUp();
    const first = await join();
    const second = await join();
    await clock.advance(5_000);
    second.die();
    await clock.advance(silentMs + 2_000);
    const third = await join();
    await clock.advance(3_000);
    expect([first.size(), third.size()]).toEqual([32, 32]);
  });
});
