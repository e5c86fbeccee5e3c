import { randomUUID } from "node:crypto";

import { z } from "zod";

import { type Log, describe } from "../log.ts";
import type { Collection } from "../store/collection.ts";
import { type CallLater, waitAtMost } from "./deadline.ts";
import type { Lease } from "./lease.ts";
import { shardCount, shardOf, shareOf } from "./shards.ts";

/** The facts that a replica writes down of itself every second. */
export const replicaSchema = z.object({
  /** The address at which the others reach it; a replica in Socket Mode is not reached. */
  url: z.string().optional(),
  /** Grows each time: if it does not, the replica is dead. Clocks of several machines are not compared. */
  beat: z.number(),
  /** The shards that it serves, and since when, in epoch milliseconds. */
  shards: z.array(z.object({ shard: z.int(), since: z.number() })),
});
export type ReplicaRecord = z.infer<typeof replicaSchema>;

/** Records of dead replicas go by themselves. */
export const replicaLifeMs = 60 * 60_000;

/** The facts that monitoring is told: this replica, and all that live with the number of shards of each. */
interface ReplicaFacts {
  replica: string;
  shards: ReplicaRecord["shards"];
  /** Shards that no replica serves. */
  unserved: number;
  /** A replica that has shards has had all of them `since` then, in epoch milliseconds. */
  replicas: { replica: string; url?: string | undefined; shards: number; since?: number | undefined }[];
}

/** The place where the requests of a workspace are answered: by this replica, at another one's address, or nowhere yet. */
type Holder = "here" | { url: string } | undefined;

/** The replicas that share the work, as one of them sees it. */
export type Replicas = ReturnType<typeof joinReplicas>;

/** The one replica that a store in a file has. */
export const onlyReplica: Replicas = {
  id: "only",
  holds: () => true,
  accepts: () => true,
  holderOf: () => "here",
  refresh: async () => {},
  facts: () => undefined,
  confirm: async () => {},
  within: (work) => work(),
  start: async () => {},
  leave: async () => {},
  stop: async () => {},
};

interface ReplicasOptions {
  lease: Lease;
  records: Collection<ReplicaRecord>;
  url?: string | undefined;
  now: () => number;
  after: CallLater;
  log: Pick<Log, "info" | "warn">;
}

/** Serves the workspaces of shards that come and go. */
interface ReplicaService {
  /** True if nothing is under way for any workspace that fits. */
  isIdle: (fits: (team: string) => boolean) => boolean;
  /** Reads what is kept of the workspaces that fit; they are served as soon as it resolves. */
  onGained: (fits: (team: string) => boolean) => Promise<void>;
  /** Ends what is under way for the workspaces that fit, without a word to Slack: another replica may have them. */
  onLost: (fits: (team: string) => boolean) => void;
}

const beatMs = 1_000;
const leavingMs = 300;
const showMs = 300;
/** As long as the lease of a silent replica lasts. */
const deadMs = 10_000;

/** Takes part in the work: holds its share of the shards, and knows who holds the others. */
export function joinReplicas(options: ReplicasOptions) {
  const { lease, records, url, now, after, log } = options;
  const id: string = randomUUID();
  /** Shards that are served here, and since when; those that are about to be given back take nothing new. */
  const served = new Map<number, number>();
  const leaving = new Set<number>();
  /** Shards that are held, and whose workspaces are being read. */
  const preparing = new Map<number, symbol>();
  const others = new Map<string, ReplicaRecord & { seenAt: number }>();
  let beat = 0;
  let cancel = () => {};
  let beating = Promise.resolve();
  let isBeating = false;
  let showing: Promise<void> | undefined;
  let refreshing: Promise<void> | undefined;
  let isLeaving = false;
  let isStopped = false;
  let complaint = "";
  // Nothing is held before it's started.
  let service: ReplicaService = { isIdle: () => true, onGained: async () => {}, onLost: () => {} };

  const isIn = (shards: Iterable<number>) => {
    const wanted = new Set(shards);
    return (team: string) => wanted.has(shardOf(team));
  };
  /** True if this replica works for the workspace. */
  const holds = (team: string): boolean => served.has(shardOf(team));
  /**
   * True if it takes new work for it, too: not if it is about to hand the workspace over. Nothing new while the database is
   * away: it could not be written down.
   */
  const accepts = (team: string): boolean =>
    holds(team) && !isLeaving && !leaving.has(shardOf(team)) && lease.isFresh();

  /** Reads anew which replica holds what, once for all who ask at the same time. */
  function refresh(): Promise<void> {
    refreshing ??= readOthers().finally(() => (refreshing = undefined));
    return refreshing;
  }

  async function readOthers(): Promise<void> {
    const at = now();
    const found = new Set<string>();
    for await (const [key, record] of records.entries()) {
      if (key === id) continue;
      found.add(key);
      const known = others.get(key);
      others.set(key, { ...record, seenAt: known?.beat === record.beat ? known.seenAt : at });
    }
    for (const key of others.keys()) if (!found.has(key)) others.delete(key);
    // A replica that joins next would take it for a living one, and leave its share to it. One that was only frozen is
    // back with its next beat.
    for (const [key, { seenAt }] of others) if (at - seenAt >= deadMs) await records.delete(key);
  }

  const living = () => [...others].filter(([, { seenAt }]) => now() - seenAt < deadMs);

  async function register(): Promise<void> {
    if (isLeaving) return;
    beat += 1;
    const shards = [...served].map(([shard, since]) => ({ shard, since }));
    await records.set(id, { url, beat, shards });
  }

  function lose(shards: number[]): void {
    for (const shard of shards) {
      served.delete(shard);
      leaving.delete(shard);
      preparing.delete(shard);
    }
    if (shards.length === 0) return;
    log.warn("replicas.lost", { shards: shards.join(" ") });
    service.onLost(isIn(shards));
  }

  /** Serves shards as soon as what is kept of their workspaces has been read. */
  function prepare(shards: number[]): Promise<void> {
    const turn = Symbol("turn");
    for (const shard of shards) preparing.set(shard, turn);
    return service.onGained(isIn(shards)).then(
      () => {
        const ready = shards.filter((shard) => preparing.get(shard) === turn);
        for (const shard of ready) {
          preparing.delete(shard);
          served.set(shard, now());
        }
        log.info("replicas.serves", { shards: served.size, gained: ready.length });
      },
      async (error: unknown) => {
        log.warn("replicas.read.failed", { error: describe(error) });
        // Somebody tries again: this replica or another one.
        await lease.giveBack(shards.filter((shard) => preparing.get(shard) === turn)).catch(() => undefined);
        for (const shard of shards) if (preparing.get(shard) === turn) preparing.delete(shard);
      },
    );
  }

  async function hand(shards: number[]): Promise<void> {
    if (shards.length === 0) return;
    for (const shard of shards) served.delete(shard);
    service.onLost(isIn(shards));
    await lease.giveBack(shards);
    for (const shard of shards) leaving.delete(shard);
    log.info("replicas.gave", { shards: shards.length });
  }

  /** Gives back what is over this replica's share and idle: first it takes nothing new, and a beat later it goes. */
  async function evenOut(share: number): Promise<void> {
    const given = [...leaving].filter((shard) => service.isIdle(isIn([shard])));
    for (const shard of leaving) if (!given.includes(shard)) leaving.delete(shard);
    await hand(given);
    const excess = served.size - share;
    if (excess <= 0) return;
    for (const shard of [...served.keys()].filter((each) => service.isIdle(isIn([each]))).slice(0, excess))
      leaving.add(shard);
  }

  /** Resolves with the work, or after a moment without it. */
  const soon = (work: Promise<void> | undefined) => waitAtMost(showMs, work, after);

  async function takePart(): Promise<void> {
    try {
      // A store that is slow must not hold up the next sign of life.
      await soon(show());
      const share = isLeaving ? 0 : shareOf(1 + living().length);
      const { lost, gained } = await lease.renew(share);
      lose(lost);
      if (gained.length > 0) void prepare(gained).then(show).catch(complain);
      if (isLeaving) await hand([...served.keys()].filter((shard) => service.isIdle(isIn([shard]))));
      else await evenOut(share);
      complaint = "";
    } catch (error) {
      complain(error);
    }
  }

  /** Shows the others what is served here, and reads what they serve. */
  function show(): Promise<void> {
    showing ??= register()
      .then(refresh)
      .catch(complain)
      .finally(() => (showing = undefined));
    return showing;
  }

  /** Once for each reason: a database that is away fails every second. */
  function complain(error: unknown): void {
    const reason = describe(error);
    if (reason !== complaint) log.warn("replicas.failed", { error: reason });
    complaint = reason;
  }

  function goOn(): void {
    isBeating = true;
    beating = takePart().then(() => {
      isBeating = false;
      if (!isStopped) cancel = after(isLeaving ? leavingMs : beatMs, goOn);
    });
  }

  async function takeLeave(): Promise<void> {
    isLeaving = true;
    cancel();
    await soon(showing);
    // First, so that the others work out their share without it.
    await records.delete(id).catch(complain);
    // Anything that came before may only just have been acknowledged.
    cancel();
    if (!isBeating && !isStopped) cancel = after(leavingMs, goOn);
  }
  let left: Promise<void> | undefined;
  const leave = () => (left ??= takeLeave());

  return {
    id,
    holds,
    accepts,
    holderOf(team: string): Holder {
      if (accepts(team)) return "here";
      const shard = shardOf(team);
      const found = living().find(([, record]) => record.shards.some((each) => each.shard === shard));
      return found?.[1].url === undefined ? undefined : { url: found[1].url };
    },
    refresh,
    facts(): ReplicaFacts | undefined {
      const shards = [...served]
        .map(([shard, since]) => ({ shard, since }))
        .toSorted((one, other) => one.shard - other.shard);
      const all = [[id, { url, shards }] as const, ...living()];
      const replicas = all.map(([replica, record]) => summaryOf(replica, record));
      const unserved = Math.max(0, shardCount - replicas.reduce((sum, each) => sum + each.shards, 0));
      return { replica: id, shards, unserved, replicas };
    },
    /** Resolves while this replica works for the workspace, and rejects as soon as it may not. */
    async confirm(team: string): Promise<void> {
      await lease.confirm();
      if (!served.has(shardOf(team)) && !preparing.has(shardOf(team))) throw new NotServed(team);
    },
    within: lease.within,
    /** Begins to take shards, and to serve their workspaces. */
    async start(given: ReplicaService): Promise<void> {
      service = given;
      await lease.start();
      goOn();
      await beating;
    },
    /** Takes nothing new, and gives back what is idle or gets idle, while what is under way ends. */
    leave,
    /** Gives back what is left, and disconnects. */
    async stop(): Promise<void> {
      isStopped = true;
      cancel();
      // Without its lease it could no longer take its record away, and the others would count it for ten seconds more.
      await leave();
      await beating;
      served.clear();
      preparing.clear();
      await lease.stop();
    },
  };
}

function summaryOf(replica: string, { url, shards }: Pick<ReplicaRecord, "url" | "shards">) {
  const since = shards.length > 0 ? Math.max(...shards.map((each) => each.since)) : undefined;
  return { replica, url, shards: shards.length, since };
}

/** Another replica works for this workspace, or none does yet. */
class NotServed extends Error {
  override readonly name = "NotServed";

  constructor(team: string) {
    super(`${team} is not served by this replica`);
  }
}
