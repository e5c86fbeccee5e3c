import { createServer, connect, type Socket } from "node:net";
import { once } from "node:events";

import { TestClock } from "pg-boss";
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
async function begin(url = schema.url, engineClock?: TestClock): Promise<Lease> {
  const lease = createLease(url, { log, after: soon, ...(engineClock && { engineClock }) });
  let stopped: Promise<void> | undefined;
  const stop = () => (stopped ??= lease.stop());
  closers.push(stop);
  await lease.start();
  return { ...lease, stop };
}

/** The leases of two replicas, and a way to let time pass in which neither is renewed, until what they held is free. */
async function beginTwo() {
  const clock = new TestClock();
  const [one, other] = [await begin(schema.url, clock), await begin(schema.url, clock)];
  return { clock, one, other, lapse: () => clock.tick(15_000) };
}

const nothing = { gained: [], lost: [] };

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
    expect(await one.renew(64)).toEqual(nothing);
  });

  it("never holds a shard of another lease, even if several begin at once", async () => {
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
    expect(await one.renew(44)).toEqual(nothing);
    await one.stop();
    expect((await other.renew(64)).gained).toHaveLength(44);
  });

  it("passes on what a silent replica held, which may no longer do what it had begun", async () => {
    const { one: silent, other, lapse } = await beginTwo();
    await silent.renew(64);
    const begun = Promise.withResolvers<void>();
    const earlier = silent.within(async () => {
      await silent.confirm();
      await begun.promise;
      return silent.confirm();
    });
    await lapse();
    expect(inOrder((await other.renew(64)).gained)).toEqual(everyShard);
    const changes = await silent.renew(64);
    expect([inOrder(changes.lost), changes.gained, silent.size()]).toEqual([everyShard, [], 0]);
    begun.resolve();
    await expect(earlier).rejects.toMatchObject({ name: "LeaseLost" });
    await expect(silent.within(() => silent.confirm())).resolves.toBeUndefined();
    expect((await other.renew(64)).lost).toEqual([]);
  });

  it("goes on as if nothing had happened after a silence in which nobody else took its shards", async () => {
    const { one, other, lapse } = await beginTwo();
    await one.renew(64);
    await one.within(async () => {
      await lapse();
      expect(await one.renew(64)).toEqual(nothing);
      await expect(one.confirm()).resolves.toBeUndefined();
    });
    expect(await other.renew(64)).toEqual(nothing);
  });

  it("counts shards as lost that it has again after another replica had them", async () => {
    const { one, other, lapse } = await beginTwo();
    await one.renew(64);
    await lapse();
    await other.renew(64);
    await other.stop();
    const { lost, gained } = await one.renew(64);
    expect([inOrder(lost), inOrder(gained)]).toEqual([everyShard, everyShard]);
  });

  it("lasts for as long as it is renewed, longer than a job may take by default", async () => {
    const { clock, one, other } = await beginTwo();
    await one.renew(64);
    for (let passedMs = 0; passedMs < 16 * 60_000; passedMs += 9_000) {
      await clock.setTime(clock.now() + 9_000);
      await one.renew(64);
    }
    await clock.tick(5_000);
    expect(await other.renew(64)).toEqual(nothing);
  });

  it("holds up what is to be done while its renewals are late, until they come again", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const lease = await begin();
    await lease.renew(64);
    await lease.confirm();
    vi.advanceTimersByTime(9_500);
    let isConfirmed = false;
    const confirmed = lease.confirm().then(() => (isConfirmed = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(isConfirmed).toBe(false);
    await lease.renew(64);
    expect(await confirmed).toBe(true);
  });

  it("begins anew with all its shards if it could not be renewed for so long that work was given up", async () => {
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
    expect(await lease.renew(64)).toEqual(nothing);
  });

  it("begins anew with what it has left after losing a part, and refuses all that it had begun", async () => {
    const { one, other, lapse } = await beginTwo();
    await one.renew(64);
    await lapse();
    const { gained: part } = await other.renew(5);
    const { lost, gained } = await one.renew(64);
    expect(inOrder(lost)).toEqual(everyShard);
    expect(inOrder([...gained, ...part])).toEqual(everyShard);
    expect(part).toHaveLength(5);
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

  it("says so if a tool goes on for longer than a bot waits", async () => {
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

  it("recovers from a restart of the database, and then keeps tools out as before", async () => {
    const lease = await begin(schema.through(bridge.host));
    await lease.renew(64);
    await bridge.close();
    await expect(lease.renew(64)).rejects.toThrow(/ECONNREFUSED|terminated|ended|reset/);
    await bridge.open();
    await expect.poll(() => lease.renew(64).catch(String)).toEqual(nothing);
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
    expect(await lease.renew(64)).toEqual(nothing);
  });

  it("outlives a connection that is cut just as it asks for the lock", async () => {
    const lease = await begin(schema.through(bridge.host));
    await lease.renew(64);
    await bridge.close();
    const cutting = await cutAt("pg_try_advisory_lock_shared", Number(bridge.host.split(":")[1]));
    await expect.poll(() => lease.renew(64).catch(String)).toMatch(/terminated|reset|ended/);
    await cutting.close();
    await bridge.open();
    await expect.poll(() => lease.renew(64).catch(String)).toEqual(nothing);
  });

  it("leaves nothing behind when it is stopped while the database is away", async () => {
    const lease = await begin(schema.through(bridge.host));
    await lease.renew(64);
    await bridge.close();
    await lease.stop();
    const open = () => openStoreExclusively(schema.url, { log, after: soon });
    await expect.poll(() => open().then((store) => store.close(), String)).toBeUndefined();
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
