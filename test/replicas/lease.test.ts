import { createServer, connect, type Socket } from "node:net";
import { once } from "node:events";

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { type Lease, createLease } from "../../src/replicas/lease.ts";
import { openStoreExclusively } from "../../src/store/lock.ts";
import { createBridge, createSchema, postgresUrl, whyNoPostgres } from "../support/postgres.ts";

let schema: Awaited<ReturnType<typeof createSchema>>;
let bridge: Awaited<ReturnType<typeof createBridge>>;
const closers: (() => Promise<unknown>)[] = [];
const lines: string[] = [];
const note = (event: string) => void lines.push(event);
const log = { debug: note, info: note, warn: note, error: note };
const everyShard = Array.from({ length: 64 }, (_, shard) => shard);
const inOrder = (shards: number[]) => shards.toSorted((one, other) => one - other);

/** Calls soon, whatever the time. */
const soon = (_: number, call: () => void) => {
  const immediate = setImmediate(call);
  return () => clearImmediate(immediate);
};

/** The lease of a replica that has started. */
async function begin(url = schema.url): Promise<Lease> {
  const lease = createLease(url, { log, after: soon });
  let stopped: Promise<void> | undefined;
  const stop = () => (stopped ??= lease.stop());
  closers.push(stop);
  await lease.start();
  return { ...lease, stop };
}

/** The replica that holds these shards was silent for longer than a holder may be. */
async function silence(shards: readonly number[]): Promise<void> {
  await schema.client.query(
    "UPDATE job SET heartbeat_on = now() - interval '1 minute' WHERE name = 'shards' AND (data->>'shard')::int = ANY($1)",
    [shards],
  );
}

/** How many jobs are in a state. */
async function count(state: string): Promise<number> {
  const { rows } = await schema.client.query(
    "SELECT count(*)::int AS n FROM job WHERE name = 'shards' AND state = $1",
    [state],
  );
  return rows[0].n;
}

/** Silent shards, and the engine has noticed. */
async function lapse(shards: readonly number[]): Promise<void> {
  const waiting = await count("retry");
  await silence(shards);
  await expect.poll(() => count("retry")).toBe(waiting + shards.length);
}

describe.skipIf(!postgresUrl)(`a lease on shards in PostgreSQL${whyNoPostgres}`, () => {
  beforeEach(async () => {
    lines.length = 0;
    schema = await createSchema();
    bridge = await createBridge();
  });
  afterEach(async () => {
    vi.useRealTimers();
    for (const close of closers.splice(0).toReversed()) await close();
  });

  it("takes what nobody holds, and no more than it may have", async () => {
    const one = await begin();
    const { gained, lost } = await one.renew(10);
    expect([gained.length, lost, one.size()]).toEqual([10, [], 10]);
    expect(inOrder([...gained, ...(await one.renew(64)).gained])).toEqual(everyShard);
    expect(await one.renew(64)).toEqual({ gained: [], lost: [] });
  });

  it("never holds what another one holds, where several begin at once", async () => {
    const leases = await Promise.all([begin(), begin(), begin()]);
    const gained: number[] = [];
    for (let turn = 0; turn < 3; turn++) {
      for (const changes of await Promise.all(leases.map((lease) => lease.renew(30)))) gained.push(...changes.gained);
    }
    expect(inOrder(gained)).toEqual(everyShard);
    expect(leases.reduce((sum, lease) => sum + lease.size(), 0)).toBe(64);
  });

  it("gives shards back so that others have them at once", async () => {
    const [one, other] = [await begin(), await begin()];
    const { gained } = await one.renew(64);
    const given = gained.slice(0, 20);
    await one.giveBack(given);
    expect(one.size()).toBe(44);
    expect(inOrder((await other.renew(64)).gained)).toEqual(inOrder(given));
    expect(await one.renew(44)).toEqual({ gained: [], lost: [] });
    await one.stop();
    expect((await other.renew(64)).gained).toHaveLength(44);
  });

  it("passes on what a silent replica held, which is told so and may do nothing any more that it had begun", async () => {
    const [silent, other] = [await begin(), await begin()];
    await silent.renew(64);
    const begun = Promise.withResolvers<void>();
    const earlier = silent.within(async () => {
      await silent.confirm();
      await begun.promise;
      return silent.confirm();
    });
    await silence(everyShard);
    const gained: number[] = [];
    await expect.poll(async () => gained.push(...(await other.renew(64)).gained)).toBe(64);
    const changes = await silent.renew(64);
    expect([inOrder(changes.lost), changes.gained, silent.size()]).toEqual([everyShard, [], 0]);
    begun.resolve();
    await expect(earlier).rejects.toMatchObject({ name: "LeaseLost" });
    await expect(silent.within(() => silent.confirm())).resolves.toBeUndefined();
    expect((await other.renew(64)).lost).toEqual([]);
  });

  it("goes on as if nothing had been where it was silent and nobody else has had its shards", async () => {
    const lease = await begin();
    await lease.renew(64);
    await lease.within(async () => {
      await lapse(everyShard);
      expect(await lease.renew(64)).toEqual({ gained: [], lost: [] });
      await expect(lease.confirm()).resolves.toBeUndefined();
    });
    expect(await count("active")).toBe(64);
  });

  it("counts shards as lost that it has again after another one", async () => {
    const [one, other] = [await begin(), await begin()];
    await one.renew(64);
    await lapse(everyShard);
    await other.renew(64);
    await other.stop();
    const { lost, gained } = await one.renew(64);
    expect([inOrder(lost), inOrder(gained)]).toEqual([everyShard, everyShard]);
  });

  it("is for as long as it is renewed: no day is over at which shards change hands", async () => {
    const lease = await begin();
    await lease.renew(64);
    await schema.client.query("UPDATE job SET started_on = now() - interval '3 years' WHERE name = 'shards'");
    const looked = async () =>
      (await schema.client.query("SELECT monitor_on::text AS at FROM queue WHERE name = 'shards'")).rows[0].at;
    for (let turn = 0; turn < 2; turn++) {
      const before = await looked();
      await expect.poll(looked).not.toBe(before);
    }
    expect(await count("active")).toBe(64);
  });

  it("holds up what is to be done while its renewals are late, until they come again", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const lease = await begin();
    await lease.renew(64);
    await lease.confirm();
    vi.advanceTimersByTime(9_500);
    let isConfirmed = false;
    const confirmed = lease.confirm().then(() => (isConfirmed = true));
    await count("active");
    expect(isConfirmed).toBe(false);
    await lease.renew(64);
    expect(await confirmed).toBe(true);
  });

  it("begins anew with all its shards where it could not be renewed for so long that work was given up", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const lease = await begin();
    await lease.renew(64);
    const begun = Promise.withResolvers<void>();
    const earlier = lease.within(async () => {
      await begun.promise;
      return lease.confirm();
    });
    vi.advanceTimersByTime(9_500);
    const waiting = lease.confirm();
    vi.advanceTimersByTime(30_000);
    await expect(waiting).rejects.toMatchObject({ name: "LeaseLost" });
    const { lost, gained } = await lease.renew(64);
    expect([inOrder(lost), inOrder(gained), lease.size()]).toEqual([everyShard, everyShard, 64]);
    begun.resolve();
    await expect(earlier).rejects.toMatchObject({ name: "LeaseLost" });
    expect(await lease.renew(64)).toEqual({ gained: [], lost: [] });
  });

  it("begins anew with what it has left where it lost a part: what it had begun there is refused, too", async () => {
    const [one, other] = [await begin(), await begin()];
    const { gained: held } = await one.renew(64);
    const part = held.slice(0, 5);
    await lapse(part);
    expect(inOrder((await other.renew(5)).gained)).toEqual(inOrder(part));
    const { lost, gained } = await one.renew(64);
    expect(inOrder(lost)).toEqual(everyShard);
    expect(inOrder(gained)).toEqual(inOrder(held.slice(5)));
  });

  it("waits for a tool that has the store to itself", async () => {
    const tool = await openStoreExclusively(schema.url, { log, after: soon });
    const turns: (() => void)[] = [];
    const lease = createLease(schema.url, { log, after: (_, call) => (turns.push(call), () => undefined) });
    closers.push(() => lease.stop());
    const started = lease.start();
    await expect.poll(() => turns.length).toBe(1);
    expect(lines).toContain("store.held");
    await tool.close();
    turns[0]?.();
    await started;
    expect((await lease.renew(64)).gained).toHaveLength(64);
  });

  it("says so where the tool goes on for longer than a bot waits", async () => {
    const tool = await openStoreExclusively(schema.url, { log, after: soon });
    closers.push(() => tool.close());
    const lease = createLease(schema.url, { log, after: soon });
    closers.push(() => lease.stop());
    await expect(lease.start()).rejects.toMatchObject({ name: "StoreError" });
  });

  it("keeps tools out, and lets other replicas in", async () => {
    const [one, other] = [await begin(), await begin()];
    const open = () => openStoreExclusively(schema.url, { log, after: soon });
    await expect(open()).rejects.toMatchObject({ name: "StoreError" });
    await one.stop();
    await expect(open()).rejects.toMatchObject({ name: "StoreError" });
    await other.stop();
    await (await open()).close();
  });

  it("is mended where the database was restarted, and then keeps tools out as before", async () => {
    const lease = await begin(schema.through(bridge.host));
    await lease.renew(64);
    await bridge.close();
    await expect(lease.renew(64)).rejects.toThrow(/ECONNREFUSED|terminated|ended|reset/);
    await bridge.open();
    await expect.poll(() => lease.renew(64).catch(String)).toEqual({ gained: [], lost: [] });
    await expect(openStoreExclusively(schema.url, { log, after: soon })).rejects.toMatchObject({ name: "StoreError" });
  });

  it("is not renewed while a tool has the store to itself that came in between", async () => {
    const lease = await begin(schema.through(bridge.host));
    await lease.renew(64);
    await bridge.close();
    const tool = await openStoreExclusively(schema.url, { log, after: soon });
    await bridge.open();
    await expect.poll(() => lease.renew(64).catch(String)).toMatch(/Another Bellwether has the store/);
    await tool.close();
    expect(await lease.renew(64)).toEqual({ gained: [], lost: [] });
  });

  it("outlives a connection that is cut just as it asks for the lock", async () => {
    const lease = await begin(schema.through(bridge.host));
    await lease.renew(64);
    await bridge.close();
    const cutting = await cutAt("pg_try_advisory_lock_shared", Number(bridge.host.split(":")[1]));
    await expect.poll(() => lease.renew(64).catch(String)).toMatch(/terminated|reset|ended/);
    await cutting.close();
    await bridge.open();
    await expect.poll(() => lease.renew(64).catch(String)).toEqual({ gained: [], lost: [] });
  });

  it("leaves nothing behind when it is stopped while the database is away", async () => {
    const lease = await begin(schema.through(bridge.host));
    await lease.renew(64);
    await bridge.close();
    await lease.stop();
    const locks = async () =>
      (
        await schema.client.query(
          `SELECT 1 FROM pg_locks WHERE locktype = 'advisory'
            AND (classid::bigint << 32 | objid::bigint) = hashtextextended('bellwether ' || current_schema(), 0)`,
        )
      ).rows;
    await expect.poll(locks).toEqual([]);
  });
});

/** A way to the database at a port whose connections break as soon as a statement with these words is asked. */
async function cutAt(words: string, port: number) {
  const { hostname, port: far } = new URL(postgresUrl ?? "");
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const to = connect(Number(far || 5432), hostname);
    for (const socket of [near, to]) sockets.add(socket.on("error", () => undefined));
    near.on("close", () => to.destroy());
    to.on("close", () => near.destroy());
    near.on("data", (data) => (data.includes(words) ? near.resetAndDestroy() : to.write(data)));
    to.pipe(near);
  }).listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    async close() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, "close");
    },
  };
}
