import { spawn } from "node:child_process";
import { once } from "node:events";

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";

import { openStoreExclusively } from "../../src/store/lock.ts";
import { type Store, openEngine, openStore } from "../../src/store/store.ts";
import { postgresUrl, whyNoPostgres } from "../support/postgres.ts";
import { newFileUrl, newSchemaUrl } from "../support/stores.ts";

const Note = z.object({ text: z.string(), at: z.number().optional() });

let url: string;
let opened: Store[];
const lines: unknown[] = [];
const log = {
  info: (event: string) => void lines.push(event),
  warn: (event: string) => void lines.push(event),
  error: (event: string) => void lines.push(event),
};

async function open(): Promise<Store> {
  const store = await openStore(url, log);
  opened.push(store);
  return store;
}

/** Puts values into the notes that nobody has written so. */
async function putRaw(values: [string, string][]): Promise<void> {
  const engine = await openEngine(url, {});
  const adapter = Object.assign(engine.adapter(), { namespace: "notes" });
  for (const [key, value] of values) await adapter.set(key, value);
  await adapter.disconnect?.();
  await engine.close();
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

function prepare(makeUrl: () => Promise<string>): void {
  beforeEach(async () => {
    lines.length = 0;
    opened = [];
    url = await makeUrl();
  });
  afterEach(async () => {
    vi.useRealTimers();
    await Promise.all(opened.map((store) => store.close()));
  });
}

function keepsValues(): void {
  it("keeps, lists and forgets values", async () => {
    const notes = (await open()).collection("notes", Note);
    await notes.set("b", { text: "two" });
    await notes.setMany([
      ["a", { text: "one", at: 1 }],
      ["c", { text: "::three \u0000 🛢️ \ud800" }],
    ]);
    expect(await notes.get("a")).toEqual({ text: "one", at: 1 });
    expect(await notes.getMany(["c", "nobody", "b", "b"])).toEqual(
      new Map([
        ["c", { text: "::three \u0000 🛢️ \ud800" }],
        ["b", { text: "two" }],
      ]),
    );
    expect(await all(notes.entries())).toHaveLength(3);
    expect([await notes.delete("b"), await notes.delete("b")]).toEqual([true, false]);
    expect(await notes.get("b")).toBeUndefined();
    expect((await all(notes.entries())).map(([key]) => key)).toEqual(["a", "c"]);
  });

  it("takes keys and values that are long, and keys with whatever people type", async () => {
    const notes = (await open()).collection("notes", z.string());
    const keys = ["notes", "other:a", ":", "'; DROP TABLE keyv; --", "%_\\", "Ä ß 中 🛢️", "k".repeat(1_000)];
    const value = "0123456789".repeat(100_000);
    await notes.setMany(keys.map((key) => [key, `of ${key}`] as const));
    await notes.set("long", value);
    for (const key of keys) expect(await notes.get(key)).toBe(`of ${key}`);
    expect(await notes.get("long")).toBe(value);
    expect((await all(notes.entries())).map(([key]) => key).toSorted()).toEqual([...keys, "long"].toSorted());
  });

  it("lists in the order of the keys, capitals first", async () => {
    const notes = (await open()).collection("notes", z.number());
    await notes.setMany(["b", "a-", "B", "a", "é", "a b", "A"].map((key, at) => [key, at] as const));
    expect((await all(notes.entries())).map(([key]) => key)).toEqual(["A", "B", "a", "a b", "a-", "b", "é"]);
  });

  it("keeps collections apart that hold the same keys", async () => {
    const store = await open();
    const one = store.collection("one", z.string());
    const other = store.collection("one_more", z.string());
    await one.set("k", "of one");
    await other.set("k", "of the other");
    expect([await one.get("k"), await other.get("k")]).toEqual(["of one", "of the other"]);
    await one.delete("k");
    expect(await all(other.entries())).toEqual([["k", "of the other"]]);
  });

  it("has the last of many values that are written at once", async () => {
    const notes = (await open()).collection("notes", z.number());
    await Promise.all(Array.from({ length: 500 }, (_unused, at) => notes.set(`n${at % 7}`, at)));
    expect((await all(notes.entries())).map(([, value]) => value)).toEqual([497, 498, 499, 493, 494, 495, 496]);
  });

  it("lets values expire, after the collection's time or their own", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: 1_000_000 });
    const notes = (await open()).collection("notes", z.string(), { ttlMs: 1_000 });
    await notes.set("short", "x");
    await notes.set("again", "x");
    await notes.setMany([["long", "y"]], { ttlMs: 5_000 });
    vi.setSystemTime(1_000_900);
    await notes.set("again", "z");
    vi.setSystemTime(1_001_500);
    expect([await notes.get("short"), await notes.get("long"), await notes.get("again")]).toEqual([
      undefined,
      "y",
      "z",
    ]);
    expect(await notes.getMany(["short", "long"])).toEqual(new Map([["long", "y"]]));
    expect(await all(notes.entries())).toEqual([
      ["again", "z"],
      ["long", "y"],
    ]);
  });

  it("reads all of a long list, also while it is being deleted", async () => {
    const notes = (await open()).collection("notes", z.number());
    await notes.setMany(Array.from({ length: 612 }, (_unused, at) => [`n${at}`, at] as const));
    let seen = 0;
    for await (const [key] of notes.entries()) {
      seen += 1;
      await notes.delete(key);
    }
    expect([seen, await all(notes.entries())]).toEqual([612, []]);
  });

  it("names all collections that hold something, even those that this version does not know", async () => {
    const store = await open();
    await store.collection("notes", z.number()).set("k", 1);
    const another = await open();
    await another.collection("unknown", z.number()).set("k", 1);
    store.collection("empty", z.number());
    expect((await store.names()).toSorted()).toEqual(
      url.endsWith(":memory:") ? ["empty", "notes"] : ["empty", "notes", "unknown"],
    );
  });

  it("tells how long each read and write took, and goes on after it was cleaned", async () => {
    const told: string[] = [];
    const onQuery = (operation: string, ms: number) => void (ms >= 0 && told.push(operation));
    const store = await openStoreExclusively(url, { log, after: (_, call) => void setImmediate(call), onQuery });
    opened.push(store);
    const notes = store.collection("notes", z.number());
    await notes.setMany([
      ["a", 1],
      ["b", 2],
    ]);
    await notes.delete("a");
    await store.vacuum();
    expect([await notes.get("a"), await notes.getMany(["a", "b"])]).toEqual([undefined, new Map([["b", 2]])]);
    expect(told).toEqual(["write", "write", "read", "read"]);
  });

  it("rejects every operation once it is closed, rather than finding nothing", async () => {
    const store = await openStore(url, log);
    const notes = store.collection("notes", Note);
    await notes.set("k", { text: "x" });
    await store.close();
    const results = await Promise.allSettled([
      notes.get("k"),
      notes.getMany(["k"]),
      notes.set("k", { text: "y" }),
      notes.delete("k"),
      all(notes.entries()),
    ]);
    expect(results.map(({ status }) => status)).toEqual(Array.from({ length: 5 }, () => "rejected"));
    expect(lines).toContain("store.failed");
  });
}

function staysThere(): void {
  it("has its values after it was closed and opened again, and says in the log when it began with none", async () => {
    const first = await openStore(url, log);
    await first.collection("notes", Note).set("k", { text: "kept" });
    await first.close();
    expect(await (await open()).collection("notes", Note).get("k")).toEqual({ text: "kept" });
    expect(lines).toEqual(["store.new"]);
  });

  it("passes over a value that is no JSON, says so in one line, and reads all others", async () => {
    const notes = (await open()).collection("notes", z.number());
    await notes.setMany([
      ["a", 1],
      ["z", 2],
    ]);
    await putRaw([
      ["m", "garbage{{{"],
      ["n", "no"],
      ["o", '{"value":{"v":1,"value":":bigint:x"}}'],
    ]);
    expect(await all(notes.entries())).toEqual([
      ["a", 1],
      ["z", 2],
    ]);
    expect([await notes.get("m"), await notes.getMany(["a", "n"])]).toEqual([undefined, new Map([["a", 1]])]);
    expect(lines.filter((line) => line === "store.unreadable")).toHaveLength(1);
    await notes.set("m", 3);
    expect(await notes.get("m")).toBe(3);
  });

  it("is not made by somebody who only expects it", async () => {
    await expect(openStore(url, log, { create: false })).rejects.toThrow(/^There is no store at .*STORE_URL/);
    await expect(openStore(url, log, { create: false })).rejects.toThrow(/^There is no store/);
  });

  it("is free at once after its process was killed, and has all that it was told is kept", async () => {
    const script = `
      import { z } from "zod";
      import { openStoreExclusively } from ${JSON.stringify(new URL("../../src/store/lock.ts", import.meta.url).href)};
      const log = { info() {}, warn() {}, error() {} };
      const store = await openStoreExclusively(${JSON.stringify(url)}, { log, after: (ms, call) => setTimeout(call, ms) });
      const notes = store.collection("notes", z.number());
      for (let at = 0; ; at++) {
        await notes.set("n" + at, at);
        process.stdout.write(at + "\\n");
      }
    `;
    const options = ["--disable-warning=ExperimentalWarning", "--input-type=module", "-e", script];
    const other = spawn(process.execPath, options, { stdio: ["ignore", "pipe", "inherit"] });
    let told = "";
    other.stdout.on("data", (text: Buffer) => void (told += text.toString()));
    await expect.poll(() => told.length).toBeGreaterThan(500);
    other.kill("SIGKILL");
    await once(other, "close");
    const store = await openStoreExclusively(url, { log, after: (ms, call) => void setTimeout(call, ms) });
    opened.push(store);
    const acknowledged = told.split("\n").slice(0, -1);
    const kept = await store.collection("notes", z.number()).getMany(acknowledged.map((at) => `n${at}`));
    expect(kept.size).toBe(acknowledged.length);
  });

  it("is made once if two make it at the same time", async () => {
    const [one, other] = await Promise.all([open(), open()]);
    await one.collection("notes", Note).set("k", { text: "kept" });
    expect(await other.collection("notes", Note).get("k")).toEqual({ text: "kept" });
  });

  it("belongs to one bot at a time, which a second one waits for, and others can read it meanwhile", async () => {
    let waits = 0;
    let whileWaiting = async (): Promise<unknown> => undefined;
    const after = (_: number, call: () => void) => void (waits++, whileWaiting().then(call));
    const first = await openStoreExclusively(url, { log, after });
    await first.collection("notes", z.number()).set("k", 1);
    const second = openStoreExclusively(url, { log, after });
    await expect(second).rejects.toThrow(/^Another Bellwether has the store .* open\. Stop that one first/);
    expect(lines.filter((line) => line === "store.held")).toHaveLength(1);
    expect(await (await open()).collection("notes", z.number()).get("k")).toBe(1);
    waits = 0;
    whileWaiting = async () => waits === 2 && first.close();
    const third = await openStoreExclusively(url, { log, after });
    opened.push(third);
    await third.collection("notes", z.number()).set("k", 3);
    expect(await third.collection("notes", z.number()).get("k")).toBe(3);
  });
}

describe("a store in memory", () => {
  prepare(async () => "sqlite::memory:");
  keepsValues();
});

describe("a store in a file below a folder that does not exist yet", () => {
  prepare(newFileUrl);
  keepsValues();
  staysThere();
});

describe.skipIf(!postgresUrl)(`a store in PostgreSQL${whyNoPostgres}`, () => {
  prepare(newSchemaUrl);
  keepsValues();
  staysThere();
});
