import { describe, expect, it } from "vitest";

import type { Lease } from "../../src/replicas/lease.ts";
import { type ReplicaRecord, type Replicas, joinReplicas } from "../../src/replicas/replicas.ts";
import { shardOf } from "../../src/replicas/shards.ts";
import { memory } from "../support/builders.ts";
import { type FakeClock, createClock } from "../support/clock.ts";

type Changes = Awaited<ReturnType<Lease["renew"]>>;
type Fits = (team: string) => boolean;

/** A workspace in each shard. */
const teams = new Map<number, string>();
for (let at = 0; teams.size < 64; at++) if (!teams.has(shardOf(`T${at}`))) teams.set(shardOf(`T${at}`), `T${at}`);
const every = [...teams.values()];
const beatMs = 1_000;
const silentMs = 10_000;

/** What a replica finds as it renews its lease: the database away or slow, or shards that others have had. */
interface Found {
  trouble?: Error | undefined;
  slow?: Promise<void>;
  lost?: number[];
}

/** Shards that replicas take from each other, each held by one of them. */
function createShards() {
  const holders = new Map<number, object>();
  return (found: Found) => {
    const self = {};
    const held = () => [...holders].filter(([, holder]) => holder === self).map(([shard]) => shard);
    const begun: number[] = [];
    const lease: Lease & { held: () => number[]; asked: number[]; isStopped: () => boolean } = {
      start: async () => undefined,
      size: () => held().length,
      isFresh: () => found.trouble === undefined,
      async renew(most) {
        if (found.trouble) throw found.trouble;
        begun.push(most);
        await found.slow;
        const lost = found.lost ?? [];
        found.lost = [];
        for (const shard of lost) holders.set(shard, lease);
        const gained: number[] = [];
        for (const shard of teams.keys()) {
          if (held().length >= most) break;
          if (holders.has(shard)) continue;
          holders.set(shard, self);
          gained.push(shard);
        }
        return { lost, gained } satisfies Changes;
      },
      async giveBack(shards) {
        for (const shard of shards) if (holders.get(shard) === self) holders.delete(shard);
      },
      confirm: async () => undefined,
      within: (work) => work(),
      async stop() {
        await lease.giveBack(held());
        isStopped = true;
      },
      held,
      asked: begun,
      isStopped: () => isStopped,
    };
    let isStopped = false;
    return lease;
  };
}

interface Setting {
  url?: string;
  busy?: Set<string>;
  onGained?: (fits: Fits) => Promise<void>;
  onLost?: (fits: Fits) => void;
}

/** A company whose replicas share a store, shards and a clock. */
function setUp() {
  const clock = createClock();
  const records = memory<ReplicaRecord>();
  const createLease = createShards();
  const lines: string[] = [];
  const join = async (setting: Setting = {}) => {
    const found: Found = {};
    const lease = createLease(found);
    const { url, busy = new Set<string>(), onGained = async () => {}, onLost = () => {} } = setting;
    const replicas = joinReplicas({
      lease,
      records,
      url,
      now: () => clock.now(),
      after: (ms, call) => clock.after(ms, call),
      log: { info: (event) => void lines.push(event), warn: (event) => void lines.push(event) },
    });
    await clock.until(replicas.start({ isIdle: (fits) => ![...busy].some(fits), onGained, onLost }));
    return { replicas, lease, busy, found };
  };
  return { clock, records, lines, join };
}

/** A replica that renews nothing any more; what it held is free after a while. */
function die(clock: FakeClock, { found, lease }: { found: Found; lease: ReturnType<ReturnType<typeof createShards>> }) {
  found.slow = new Promise(() => undefined);
  clock.after(silentMs, () => void lease.giveBack(lease.held()));
}

const heldBy = (replicas: Replicas) => every.filter((team) => replicas.holds(team));

/** Moves on until nothing changes hands any more. */
const settle = (clock: FakeClock) => clock.advance(8 * beatMs);

describe("a replica", () => {
  it("works for all workspaces if it is alone, and says since when", async () => {
    const { clock, join } = setUp();
    const { replicas } = await join({ url: "http://one" });
    await settle(clock);
    expect(heldBy(replicas)).toHaveLength(64);
    expect(every.map((team) => replicas.holderOf(team))).toEqual(every.map(() => "here"));
    const facts = replicas.facts();
    expect(facts?.shards.map(({ shard }) => shard)).toEqual(Array.from({ length: 64 }, (_, shard) => shard));
    expect(facts?.shards[0]?.since).toBeLessThan(clock.now());
    expect(facts?.replicas).toMatchObject([{ replica: facts?.replica, url: "http://one", shards: 64 }]);
  });

  it("takes over what a dead one held, and a newcomer leaves no room for that one", async () => {
    const { clock, join } = setUp();
    const first = await join();
    const second = await join();
    await clock.advance(5_000);
    die(clock, second);
    await clock.advance(silentMs + 2_000);
    expect(first.lease.size()).toBe(64);
    const third = await join();
    await clock.advance(3_000);
    expect([first.lease.size(), third.lease.size()]).toEqual([32, 32]);
  });

  it("takes nothing new while it cannot say that it lives, and goes on afterwards", async () => {
    const { clock, join } = setUp();
    const { replicas, found } = await join();
    await settle(clock);
    const [team = ""] = every;
    found.trouble = new Error("the database is away");
    await clock.advance(beatMs);
    expect([replicas.holds(team), replicas.accepts(team), replicas.holderOf(team)]).toEqual([true, false, undefined]);
    found.trouble = undefined;
    await clock.advance(beatMs);
    expect([replicas.accepts(team), replicas.holderOf(team)]).toEqual([true, "here"]);
  });

  it("gives a newcomer its share, and each workspace has one replica at a time", async () => {
    const { clock, join } = setUp();
    const one = await join({ url: "http://one" });
    await settle(clock);
    const other = await join({ url: "http://other" });
    for (let turn = 0; turn < 40; turn++) {
      await clock.advance(200);
      expect(every.filter((team) => one.replicas.holds(team) && other.replicas.holds(team))).toEqual([]);
    }
    expect([heldBy(one.replicas).length, heldBy(other.replicas).length]).toEqual([32, 32]);
    const third = await join();
    await settle(clock);
    expect([one, other, third].map(({ replicas }) => heldBy(replicas).length)).toEqual([22, 22, 20]);
  });

  it("knows the place that answers a workspace: itself, another replica's address, or none yet", async () => {
    const { clock, join } = setUp();
    const one = await join({ url: "http://one" });
    await settle(clock);
    const other = await join({ url: "http://other" });
    await settle(clock);
    for (const team of every) {
      const isHere = one.replicas.holds(team);
      expect(one.replicas.holderOf(team)).toEqual(isHere ? "here" : { url: "http://other" });
      expect(other.replicas.holderOf(team)).toEqual(isHere ? { url: "http://one" } : "here");
    }
    const inSocketMode = await join();
    await settle(clock);
    const [its = ""] = heldBy(inSocketMode.replicas);
    expect(one.replicas.holderOf(its)).toBeUndefined();
  });

  it("reads once for all who ask at the same time which replica serves what", async () => {
    const { clock, records, join } = setUp();
    const { replicas } = await join();
    await settle(clock);
    await records.set("new", { url: "http://new", beat: 1, shards: [] });
    let reads = 0;
    const entries = records.entries.bind(records);
    records.entries = () => ((reads += 1), entries());
    await Promise.all(Array.from({ length: 100 }, () => replicas.refresh()));
    expect(reads).toBe(1);
    expect(replicas.facts()?.replicas.map(({ url }) => url)).toContain("http://new");
    await replicas.refresh();
    expect(reads).toBe(2);
  });

  it("hands over only what is idle, and takes nothing new for what is about to go", async () => {
    const { clock, join } = setUp();
    const one = await join();
    await settle(clock);
    for (const team of every.slice(0, 40)) one.busy.add(team);
    const other = await join();
    let leaving: string[] = [];
    for (let turn = 0; turn < 40 && leaving.length === 0; turn++) {
      await clock.advance(100);
      leaving = every.filter((team) => one.replicas.holds(team) && !one.replicas.accepts(team));
    }
    expect(leaving).toHaveLength(24);
    expect(leaving.filter((team) => one.busy.has(team))).toEqual([]);
    expect(leaving.map((team) => one.replicas.holderOf(team))).toEqual(leaving.map(() => undefined));
    // Something was just under way there.
    one.busy.add(leaving[0] ?? "");
    await settle(clock);
    expect(heldBy(one.replicas)).toHaveLength(41);
    expect(one.replicas.accepts(leaving[0] ?? "")).toBe(true);
    expect(heldBy(other.replicas)).toHaveLength(23);
    one.busy.clear();
    await settle(clock);
    expect([heldBy(one.replicas).length, heldBy(other.replicas).length]).toEqual([32, 32]);
  });

  it("does not count one whose record no longer changes", async () => {
    const { clock, records, join } = setUp();
    const one = await join();
    await records.set("dead", { url: "http://dead", beat: 7, shards: [{ shard: 3, since: 0 }] });
    await clock.advance(9_000);
    expect(one.replicas.facts()?.replicas).toHaveLength(2);
    expect(heldBy(one.replicas)).toHaveLength(32);
    await clock.advance(3_000);
    expect(one.replicas.facts()?.replicas).toHaveLength(1);
    expect(heldBy(one.replicas)).toHaveLength(64);
  });

  it("that stops gives back what is idle at once, takes nothing new, and gives back the rest at its end", async () => {
    const { clock, join } = setUp();
    const one = await join();
    const other = await join();
    await settle(clock);
    const [busy = "", ...idle] = heldBy(one.replicas);
    one.busy.add(busy);
    const left = one.replicas.leave();
    expect([busy, ...idle].map((team) => one.replicas.holderOf(team))).not.toContain("here");
    await clock.until(left);
    await clock.advance(2 * beatMs);
    expect(heldBy(one.replicas)).toEqual([busy]);
    expect(heldBy(other.replicas)).toHaveLength(63);
    one.busy.clear();
    await clock.advance(2 * beatMs);
    expect(heldBy(one.replicas)).toEqual([]);
    expect(heldBy(other.replicas)).toHaveLength(64);
  });

  it("asks for nothing any more once it has stopped, whatever was under way as it began to leave", async () => {
    const { clock, records, lines, join } = setUp();
    const one = await join();
    await settle(clock);
    const renewal = Promise.withResolvers<void>();
    const deletion = Promise.withResolvers<boolean>();
    one.found.slow = renewal.promise;
    records.delete = () => deletion.promise;
    await clock.advance(beatMs);
    const left = one.replicas.leave();
    await clock.advance(100);
    renewal.resolve();
    await clock.advance(100);
    deletion.resolve(true);
    await left;
    await clock.until(one.replicas.stop());
    const asked = one.lease.asked.length;
    await settle(clock);
    expect(one.lease.asked).toHaveLength(asked);
    expect(clock.pending()).toBe(0);
    expect(lines).not.toContain("replicas.failed");
  });

  it("takes over what another one gave back as it stopped, and knows it no longer", async () => {
    const { clock, records, join } = setUp();
    const one = await join();
    const other = await join();
    await settle(clock);
    await clock.until(one.replicas.leave());
    await clock.until(one.replicas.stop());
    expect(one.lease.isStopped()).toBe(true);
    expect(heldBy(one.replicas)).toEqual([]);
    await clock.advance(2 * beatMs);
    expect(heldBy(other.replicas)).toHaveLength(64);
    const standing: string[] = [];
    for await (const [key] of records.entries()) standing.push(key);
    expect(standing).toEqual([other.replicas.facts()?.replica]);
    await clock.until(other.replicas.stop());
    expect(clock.pending()).toBe(0);
  });

  it("knows one no longer that stopped as soon as it left, as one with nothing under way does", async () => {
    const { clock, records, join } = setUp();
    const one = await join();
    const other = await join();
    await settle(clock);
    const remove = records.delete.bind(records);
    records.delete = async (key) => {
      await clock.sleep(1);
      if (one.lease.isStopped()) throw new Error("it may not write any more");
      return remove(key);
    };
    void one.replicas.leave();
    await clock.until(one.replicas.stop());
    await clock.advance(2 * beatMs);
    expect(heldBy(other.replicas)).toHaveLength(64);
    await clock.until(other.replicas.stop());
  });
});

describe("the workspaces that a replica gains", () => {
  it("are served as soon as what is kept of them has been read", async () => {
    const { clock, join } = setUp();
    const read = Promise.withResolvers<void>();
    const gained: string[] = [];
    const onGained = (fits: Fits) => (gained.push(...every.filter(fits)), read.promise);
    const { replicas } = await join({ onGained });
    await clock.advance(3 * beatMs);
    expect([gained.length, heldBy(replicas).length]).toEqual([64, 0]);
    const [team = ""] = every;
    expect(replicas.holderOf(team)).toBeUndefined();
    // What a crash cut off is ended before new requests are taken.
    await expect(replicas.confirm(team)).resolves.toBeUndefined();
    read.resolve();
    await clock.advance(beatMs);
    expect(heldBy(replicas)).toHaveLength(64);
  });

  it("are given back if it cannot be read, and are tried again", async () => {
    const { clock, lines, join } = setUp();
    let tries = 0;
    const onGained = async () => {
      if (++tries === 1) throw new Error("no");
    };
    const { replicas, lease } = await join({ onGained });
    expect(lines).toContain("replicas.read.failed");
    expect([lease.size(), heldBy(replicas).length]).toEqual([0, 0]);
    await clock.advance(2 * beatMs);
    expect([tries, heldBy(replicas).length]).toEqual([2, 64]);
  });

  it("are never served if it lost them while they were read", async () => {
    const { clock, join } = setUp();
    const read = Promise.withResolvers<void>();
    const lost: string[] = [];
    const { replicas, found } = await join({
      onGained: () => read.promise,
      onLost: (fits) => void lost.push(...every.filter(fits)),
    });
    found.lost = [...teams.keys()].slice(0, 5);
    await clock.advance(2 * beatMs);
    read.resolve();
    await clock.advance(beatMs);
    expect(lost).toEqual(every.slice(0, 5));
    expect(heldBy(replicas)).toEqual(every.slice(5));
    await expect(replicas.confirm(every[0] ?? "")).rejects.toThrow("is not served by this replica");
  });
});

describe("the workspaces that a replica loses", () => {
  it("are ended and no longer worked for, from that moment", async () => {
    const { clock, lines, join } = setUp();
    const lost: string[] = [];
    const { replicas, found } = await join({ onLost: (fits) => void lost.push(...every.filter(fits)) });
    await settle(clock);
    const [gone = "", kept = ""] = every;
    found.lost = [shardOf(gone)];
    await clock.advance(beatMs);
    expect(lost).toEqual([gone]);
    expect(lines).toContain("replicas.lost");
    expect([replicas.holds(gone), replicas.accepts(gone), replicas.holderOf(gone)]).toEqual([false, false, undefined]);
    await expect(replicas.confirm(gone)).rejects.toThrow("is not served by this replica");
    await expect(replicas.confirm(kept)).resolves.toBeUndefined();
  });
});

describe("a database that is away", () => {
  it("is tried again each second with one line for each reason, and nothing is given up meanwhile", async () => {
    const { clock, lines, join } = setUp();
    const { replicas, lease, found } = await join();
    await settle(clock);
    const tries = lease.asked.length;
    found.trouble = new Error("ECONNREFUSED");
    await clock.advance(20 * beatMs);
    expect(lines.filter((line) => line === "replicas.failed")).toHaveLength(1);
    expect(heldBy(replicas)).toHaveLength(64);
    found.trouble = undefined;
    await clock.advance(2 * beatMs);
    expect(lease.asked.length).toBeGreaterThan(tries);
  });
});
