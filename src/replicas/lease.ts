import { AsyncLocalStorage } from "node:async_hooks";

import { Pool, type PoolClient } from "pg";
import { type Clock, type JobWithMetadata, PgBoss } from "pg-boss";
import { z } from "zod";

import { type Log, describe } from "../log.ts";
import { waitFor } from "../store/engine.ts";
import { LeaseLost, heldByAnother } from "../store/errors.ts";
import { lockName, placeOf, settingsOf } from "../store/postgres.ts";
import { type CallLater, waitAtMost } from "./deadline.ts";
import { shardCount } from "./shards.ts";

/** pg-boss's queue of shards: one job a shard that never ends and is held by the replica that works on it. */
const queue = "shards";
/** The silence of a holder, in seconds, after which pg-boss gives its shard to others; pg-boss accepts no shorter one. */
const heartbeatSeconds = 10;
/** The time between two looks for silent holders, in seconds. */
const lookSeconds = 2;
/** The silence after which a holder no longer acts, in milliseconds, a second before anybody else may. */
const freshMs = (heartbeatSeconds - 1) * 1_000;
const sendEachMs = 60_000;
/** Only a holder that is silent loses a shard: 68 years, the most that the column takes. */
const neverSeconds = 2 ** 31 - 1;
/** The time that something waits for a database that is started again. */
const longestWaitMs = 30_000;

interface Changes {
  /** Shards that this replica held, and what was begun for which is given up: another one has or had some meanwhile. */
  lost: number[];
  /** Shards that it holds anew, also of those that it lost. */
  gained: number[];
}

/** The shards that this replica holds. */
export type Lease = ReturnType<typeof createLease>;

interface LeaseOptions {
  log: Pick<Log, "info" | "debug">;
  after: CallLater;
  /** The engine's clock, which a test moves. */
  engineClock?: Clock;
}

/** The types of pg-boss leave out which jobs it found. */
const touchedSchema = z.object({ settled: z.array(z.string()) });
const shardSchema = z.object({ shard: z.int().min(0).lt(shardCount) });

/** A lease on shards in the PostgreSQL at the URL, in the schema that is the store's; pg-boss keeps its tables there. */
export function createLease(url: string, { log, after, engineClock }: LeaseOptions) {
  // A pool of its own: what the store has to do must not keep a heartbeat waiting.
  const pool = new Pool({
    ...settingsOf(url),
    max: 3,
    query_timeout: 5_000,
    statement_timeout: 5_000,
    onConnect: async (client) => void (setUpSession && (await client.query(setUpSession))),
  });
  pool.on("error", () => undefined);
  const jobs = new Map<number, JobWithMetadata<unknown>>();
  const begunIn = new AsyncLocalStorage<number>();
  /** Grows with each loss. */
  let generation = 0;
  let isStopped = false;
  let freshUntil = { steady: 0, wall: 0 };
  /** Something was given up because no renewal came for too long. */
  let hasGivenUp = false;
  let sendAt = 0;
  let renewal = Promise.withResolvers<void>();
  let setUpSession = "";
  let boss: PgBoss | undefined;
  let presence: PoolClient | undefined;

  /**
   * Tells whether this replica has lately shown that it lives: if it hasn't, others may have its shards by now. By both
   * clocks: one stands still while a virtual machine sleeps, and the other may be set back.
   */
  const isFresh = () => performance.now() <= freshUntil.steady && Date.now() <= freshUntil.wall;

  /** Keeps tools out that need the store to themselves, for as long as the connection holds. */
  async function bePresent(): Promise<boolean> {
    if (presence) return true;
    const client = await pool.connect();
    // It may break while it is asked; the query below then rejects as well.
    client.on("error", () => {
      if (presence !== client) return;
      presence = undefined;
      client.release(true);
    });
    try {
      const { rows } = await client.query<{ free: boolean }>(
        "SELECT pg_try_advisory_lock_shared(hashtextextended($1 || current_schema(), 0)) AS free",
        [lockName],
      );
      // Of a machine without power the database knows within a quarter of a minute.
      await client.query("SET tcp_keepalives_idle = 5; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 2");
      if (rows[0]?.free) presence = client;
    } finally {
      if (presence !== client) client.release(true);
    }
    return presence === client;
  }

  async function startBoss(): Promise<PgBoss> {
    const found = await presence?.query<{ schema: string }>("SELECT current_schema() AS schema");
    const started = new PgBoss({
      db: {
        executeSql: (text, values) => pool.query(text, values),
        // A clock that a test moves has to be known to each connection.
        setSessionStatements: async (statements) => void (setUpSession = statements.join(";")),
      },
      ...(engineClock && { clock: engineClock }),
      schema: found?.rows[0]?.schema ?? "public",
      createSchema: false,
      schedule: false,
      superviseIntervalSeconds: lookSeconds,
      monitorIntervalSeconds: lookSeconds,
      reindex: false,
      monitorVacuum: false,
    });
    // A call that fails while the database is away is tried again, and a renewal that fails is logged.
    started.on("error", (error) => log.debug("replicas.engine.failed", { error: describe(error) }));
    await started.start();
    await started.createQueue(queue, {
      policy: "exclusive",
      heartbeatSeconds,
      retryDelay: 0,
      retryLimit: 1_000_000,
    });
    return started;
  }

  /** Of each shard there is one job at a time, whoever sends it; one that is missing is there again after a minute. */
  async function sendAll(to: PgBoss): Promise<void> {
    if (performance.now() < sendAt) return;
    sendAt = performance.now() + sendEachMs;
    await to.insert(
      queue,
      Array.from({ length: shardCount }, (_, shard) => ({
        data: { shard },
        singletonKey: `shard-${shard}`,
        expireInSeconds: neverSeconds,
      })),
    );
  }

  /** Says that this replica lives; the IDs of the jobs that are still its own. */
  async function touch(at: PgBoss, held: JobWithMetadata<unknown>[]): Promise<string[]> {
    return held.length > 0 ? touchedSchema.parse(await at.touch(queue, held)).settled : [];
  }

  async function fetch(from: PgBoss, most: number): Promise<JobWithMetadata<unknown>[]> {
    return most > 0 ? from.fetch(queue, { batchSize: most, includeMetadata: true }) : [];
  }

  async function renew(most: number): Promise<Changes> {
    if (!boss) return { lost: [], gained: [] };
    const fresh = { steady: performance.now() + freshMs, wall: Date.now() + freshMs };
    const before = [...jobs];
    const alive = new Set(await touch(boss, [...jobs.values()]));
    const silent = new Map(before.filter(([, { id }]) => !alive.has(id)));
    const wanted = most - (before.length - silent.size);
    if (wanted > 0) await sendAll(boss);
    const fetched = await fetch(boss, wanted);
    const gained: number[] = [];
    for (const job of fetched) {
      const { shard } = shardSchema.parse(job.data);
      const previous = silent.get(shard);
      // Its heartbeat was late, and nobody has had it in between: it goes on as if nothing had been.
      if (previous && previous.id === job.id && job.retryCount === previous.retryCount + 1) silent.delete(shard);
      else gained.push(shard);
      jobs.set(shard, job);
    }
    for (const shard of silent.keys()) if (!gained.includes(shard)) jobs.delete(shard);
    const isAnew = silent.size > 0 || hasGivenUp;
    if (isAnew) generation += 1;
    hasGivenUp = false;
    freshUntil = fresh;
    renewal.resolve();
    renewal = Promise.withResolvers();
    // Work that was begun is refused whatever shard it was for, so all of them begin anew.
    return isAnew ? { lost: before.map(([shard]) => shard), gained: [...jobs.keys()] } : { lost: [], gained };
  }

  /** Resolves while nobody else can hold what is held here; waits for a database that is away, and rejects with LeaseLost. */
  async function confirm(): Promise<void> {
    if (isStopped) throw new LeaseLost("this replica has given its work to others");
    const late = performance.now() + longestWaitMs;
    while (jobs.size > 0 && !isFresh()) {
      const waitMs = late - performance.now();
      if (waitMs <= 0) {
        hasGivenUp = true;
        throw new LeaseLost("the database that keeps other replicas out has been away for too long");
      }
      await waitAtMost(waitMs, renewal.promise, after);
    }
    const begun = begunIn.getStore();
    if (begun !== undefined && begun !== generation) {
      throw new LeaseLost("another replica has taken over what this one had begun");
    }
  }

  return {
    /** Connects; rejects with a StoreError if a tool has the store to itself. */
    async start(): Promise<void> {
      const held = () => log.info("store.held", { path: placeOf(url) });
      if (!(await waitFor(bePresent, { after, held }))) throw heldByAnother(placeOf(url));
      boss = await startBoss();
    },
    /** The number that are held. */
    size: (): number => jobs.size,
    isFresh,
    /** Says that this replica lives, and takes shards that nobody holds until it has `most`; rejects if the database is away. */
    async renew(most: number): Promise<Changes> {
      if (!(await bePresent())) throw heldByAnother(placeOf(url));
      return renew(most);
    },
    /** Others can have these at once. */
    async giveBack(shards: readonly number[]): Promise<void> {
      const given = shards.flatMap((shard) => jobs.get(shard) ?? []);
      for (const shard of shards) jobs.delete(shard);
      if (given.length > 0) await boss?.fail(queue, given);
    },
    confirm,
    /** Work within which `confirm` rejects as soon as a shard is lost that was held when the work began. */
    within: <T>(work: () => T): T => begunIn.run(generation, work),
    /** Gives everything back and disconnects. */
    async stop(): Promise<void> {
      isStopped = true;
      const given = [...jobs.values()];
      jobs.clear();
      if (given.length > 0) await boss?.fail(queue, given).catch(() => undefined);
      await boss?.stop({ graceful: false }).catch(() => undefined);
      presence?.release(true);
      presence = undefined;
      await pool.end();
    },
  };
}
