import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";

import { StoreError, cannotReach, isCut } from "../../src/store/errors.ts";
import { openStoreExclusively } from "../../src/store/lock.ts";
import { type Store, openStore } from "../../src/store/store.ts";
import { createBridge, createSchema, postgresUrl, whyNoPostgres } from "../support/postgres.ts";

let schema: Awaited<ReturnType<typeof createSchema>>;
let bridge: Awaited<ReturnType<typeof createBridge>>;
const opened: Store[] = [];
const lines: [string, unknown?][] = [];
const log = {
  info: (event: string, fields?: unknown) => void lines.push([event, fields]),
  warn: (event: string, fields?: unknown) => void lines.push([event, fields]),
  error: (event: string, fields?: unknown) => void lines.push([event, fields]),
};
const events = () => lines.map(([event]) => event);
const soon = (_: number, call: () => void) => void setImmediate(call);

async function open(url = schema.through(bridge.host)): Promise<Store> {
  const store = await openStore(url, log);
  opened.push(store);
  return store;
}

async function openAlone(): Promise<Store> {
  const store = await openStoreExclusively(schema.through(bridge.host), { log, after: soon });
  opened.push(store);
  return store;
}

const lockName = async () =>
  `bellwether ${String((await schema.client.query("SHOW search_path")).rows[0].search_path)}`;

/** The connections that the bot's lock is held on. */
async function holders(): Promise<number[]> {
  const { rows } = await schema.client.query<{ pid: number }>(
    `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted
      AND (classid::bigint << 32 | objid::bigint) = hashtextextended($1, 0)`,
    [await lockName()],
  );
  return rows.map(({ pid }) => pid);
}

/** How many connections wait for a lock that another one in this schema may hold. */
async function waitingForLocks(): Promise<number> {
  const { rows } = await schema.client.query(
    `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
      AND (classid::bigint << 32 | objid::bigint) = hashtextextended($1, 0)`,
    [`${await lockName()} token E1`],
  );
  return rows.length;
}

describe.skipIf(!postgresUrl)(`PostgreSQL as the store${whyNoPostgres}`, () => {
  beforeEach(async () => {
    lines.length = 0;
    schema = await createSchema();
    bridge = await createBridge();
  });
  afterEach(async () => {
    vi.useRealTimers();
    for (const store of opened.splice(0)) await store.close();
  });

  it("reads a collection without looking at the others, of which replicas read one every second", async () => {
    const store = await open();
    await store
      .collection("seen", z.number())
      .setMany(Array.from({ length: 5_000 }, (_, at) => [`k${at}`, at] as const));
    await store.collection("replicas", z.number()).set("r1", 1);
    await schema.client.query("ANALYZE bellwether");
    const { rows } = await schema.client.query<{ "QUERY PLAN": string }>(
      "EXPLAIN SELECT * FROM bellwether WHERE namespace = 'replicas' AND (expires IS NULL OR expires > 1) ORDER BY key LIMIT 500",
    );
    expect(rows.map((row) => row["QUERY PLAN"]).join("\n")).toMatch(/Index Cond: .*namespace = 'replicas'/);
  });

  it("waits at the start until it answers, and says so in one line without its password", async () => {
    await bridge.close();
    const waiting = open();
    await expect.poll(events).toContain("store.waiting");
    await bridge.open();
    const notes = (await waiting).collection("notes", z.number());
    await notes.set("k", 1);
    expect(events()).toEqual(["store.waiting", "store.new"]);
    expect(lines[0]?.[1]).toEqual({
      place: expect.stringMatching(/^postgres:\/\/127\.0\.0\.1:\d+\/postgres$/),
      reason: expect.stringContaining("ECONNREFUSED"),
    });
  });

  it("says at once what waiting would not mend", async () => {
    const url = new URL(postgresUrl ?? "");
    url.pathname = "/nowhere_at_all";
    const refused = openStore(url.href, log);
    await expect(refused).rejects.toThrow(StoreError);
    await expect(refused).rejects.toThrow(
      /^Cannot open the store postgres:.*does not exist\. Start PostgreSQL, or check/,
    );
    await expect(openStore(`${postgresUrl}?options=-c%20search_path%3Dnowhere`)).rejects.toThrow(/search_path/);
    await expect(openStore(`${postgresUrl}?sslmode=require&sslrootcert=/nowhere`)).rejects.toThrow(StoreError);
  });

  it("mends connections that were lost, and nobody notices", async () => {
    const store = await open();
    const told: unknown[] = [];
    store.watch((trouble) => told.push(trouble));
    const notes = store.collection("notes", z.number());
    const writes = Array.from({ length: 40 }, async (_unused, at) => {
      await notes.set(`a${at}`, at);
      if (at % 10 === 0) bridge.cut();
      await notes.set(`b${at}`, at);
      await notes.get(`a${at}`);
    });
    await Promise.all(writes);
    const keys: string[] = [];
    for await (const [key] of notes.entries()) keys.push(key);
    expect(keys).toHaveLength(80);
    expect(told).toEqual([]);
  });

  it("asks again on another connection if one has fallen silent", async () => {
    const store = await open(`${schema.through(bridge.host)}&query_timeout=200`);
    const told: unknown[] = [];
    store.watch((trouble) => told.push(trouble));
    const notes = store.collection("notes", z.number());
    await notes.set("k", 1);
    bridge.silence();
    await notes.set("k", 2);
    expect(await notes.get("k")).toBe(2);
    expect(told).toEqual([]);
  });

  it("tells whoever watches when it is away for long, and when it is back", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const store = await open();
    const told: unknown[] = [];
    store.watch((trouble) => told.push(trouble));
    const notes = store.collection("notes", z.number());
    await notes.set("k", 1);
    await bridge.close();
    const write = notes.set("k", 2);
    const failed = write.catch(String);
    await expect.poll(() => (vi.advanceTimersByTime(2_000), told)).toEqual(["failing"]);
    expect(await failed).toMatch(/ECONNREFUSED|terminated|reset/);
    await expect(notes.get("k")).rejects.toThrow(/ECONNREFUSED/);
    await bridge.open();
    expect(await notes.get("k")).toBe(1);
    await notes.set("k", 3);
    expect(told).toEqual(["failing", undefined]);
  });

  it("gives up a statement that takes too long", async () => {
    await (await open()).collection("notes", z.number()).set("k", 1);
    const notes = (await open(`${schema.url}&statement_timeout=500`)).collection("notes", z.number());
    expect(await notes.get("k")).toBe(1);
    await schema.client.query("BEGIN; LOCK TABLE bellwether");
    await expect(notes.set("k", 2)).rejects.toThrow(/statement timeout/);
    await expect(notes.get("k")).rejects.toThrow(/statement timeout/);
    await schema.client.query("ROLLBACK");
    expect(await notes.get("k")).toBe(1);
  });

  it("does work of one name in one process at a time, also after work that failed", async () => {
    const [one, other] = [await open(), await open()];
    const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const done: string[] = [];
    const first = one.exclusively("token E1", async () => {
      begun.resolve();
      await gate.promise;
      done.push("first");
      throw new Error("refused");
    });
    await begun.promise;
    await one.exclusively("token E2", async () => void done.push("elsewhere"));
    const second = other.exclusively("token E1", async () => done.push("second"));
    while ((await waitingForLocks()) === 0);
    gate.resolve();
    await expect(first).rejects.toThrow("refused");
    await second;
    expect(done).toEqual(["elsewhere", "first", "second"]);
  });

  it("rejects what cannot be read or written, as if nothing were there it would be made anew", async () => {
    const notes = (await open()).collection("notes", z.number());
    await notes.set("k", 1);
    await schema.client.query("ALTER TABLE bellwether RENAME TO gone");
    await expect(notes.get("k")).rejects.toThrow(/does not exist/);
    await expect(notes.set("k", 2)).rejects.toThrow(/does not exist/);
    await expect(notes.delete("k")).rejects.toThrow(/does not exist/);
    await expect(notes.entries()[Symbol.asyncIterator]().next()).rejects.toThrow(/does not exist/);
    await schema.client.query("ALTER TABLE gone RENAME TO bellwether");
    expect(await notes.get("k")).toBe(1);
  });

  it("loses no value that is written while an old one under its key is found to have expired", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: 1_000_000 });
    const notes = (await open()).collection("notes", z.number(), { ttlMs: 1_000 });
    for (let round = 1; round <= 20; round++) {
      await notes.set("k", -round);
      vi.setSystemTime(1_000_000 + round * 2_000);
      await Promise.all([notes.get("k"), notes.getMany(["k"]), notes.set("k", round), notes.get("k")]);
      expect(await notes.get("k")).toBe(round);
    }
  });

  it("deletes what has expired, of every collection", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: 1_000_000 });
    const store = await open();
    const old = Array.from({ length: 7_000 }, (_unused, at) => [`n${at}`, at] as const);
    await store.collection("notes", z.number()).setMany(old, { ttlMs: 1_000 });
    await store.collection("others", z.number()).setMany(old.slice(0, 10), { ttlMs: 9_000 });
    vi.setSystemTime(1_002_000);
    opened.push(await openStore(schema.url, log, { confirm: async () => {} }));
    const count = async () =>
      (await schema.client.query("SELECT count(*)::int AS n FROM bellwether WHERE expires > 0")).rows[0].n;
    await expect.poll(count).toBe(10);
  });

  it("refuses everything that a tool still asks for once the connection that keeps bots out is lost", async () => {
    const store = await openAlone();
    const notes = store.collection("notes", z.number());
    await notes.set("k", 1);
    await schema.client.query("SELECT pg_terminate_backend($1)", await holders());
    await expect.poll(() => notes.get("k").catch(String)).toMatch(/the connection that keeps bots from .* was lost/);
    await expect(notes.set("k", 2)).rejects.toThrow(/was lost/);
    expect(await (await open()).collection("notes", z.number()).get("k")).toBe(1);
  });

  it("asks before each statement whether it may still run, as late as possible, and does not run it if not", async () => {
    let isOurs = true;
    const confirm = async () => {
      if (!isOurs) throw new Error("another replica has it");
    };
    const store = await openStore(schema.url, log, { confirm });
    opened.push(store);
    const notes = store.collection("notes", z.number());
    await notes.set("k", 1);
    isOurs = false;
    await expect(notes.set("k", 2)).rejects.toThrow("another replica has it");
    await expect(notes.get("k")).rejects.toThrow("another replica has it");
    await expect(notes.delete("k")).rejects.toThrow("another replica has it");
    expect(await (await open()).collection("notes", z.number()).get("k")).toBe(1);
  });
});

describe("a database that cannot be used", () => {
  const failure = (code: string, message = "no") => Object.assign(new Error(message), { code });

  it("is explained to an operator in one line", () => {
    expect(cannotReach("postgres://db/x", failure("ECONNREFUSED", "")).message).toMatch(
      /^Cannot open the store postgres:\/\/db\/x: ECONNREFUSED\. Start PostgreSQL, or check STORE_URL.*$/,
    );
  });

  it("is waited for if it may be back in a moment", () => {
    const codes = ["ECONNREFUSED", "ENOTFOUND", "57P01", "57P03", "08006"];
    expect(codes.filter((code) => isCut(failure(code)))).toEqual(codes);
    expect(isCut(new Error("Connection terminated unexpectedly"))).toBe(true);
    const others = ["28P01", "3D000", "42P01", "57014", "53100"];
    expect(others.filter((code) => isCut(failure(code)))).toEqual([]);
  });
});
