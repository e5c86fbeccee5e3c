import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { openStore, StoreError } from "../../src/store/store.ts";
import type { Store } from "../../src/store/store.ts";

const Note = z.object({ text: z.string(), at: z.number().optional() });

// Holds the write lock for as long as it takes to prove that the store would have met it.
const HOLD_THE_LOCK = `
  const { parentPort, workerData } = require("node:worker_threads");
  const { DatabaseSync } = require("node:sqlite");
  const database = new DatabaseSync(workerData);
  database.exec("BEGIN IMMEDIATE");
  parentPort.postMessage("locked");
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
  database.exec("COMMIT");
  database.close();
`;

let folder: string;
let opened: Store[];
const lines: unknown[] = [];
const news: unknown[] = [];
const log = {
  info: (event: string, fields = {}) => void news.push([event, fields]),
  warn: (event: string, fields = {}) => void lines.push([event, fields]),
  error: (event: string, fields = {}) => void lines.push([event, fields]),
};

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "bellwether-store-"));
  opened = [];
  lines.length = 0;
  news.length = 0;
});
afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(opened.map((store) => store.close()));
  await rm(folder, { recursive: true });
});

async function open(url: string): Promise<Store> {
  const store = await openStore(url, log);
  opened.push(store);
  return store;
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

describe.each([
  ["in memory", () => "sqlite::memory:"],
  ["in a file below a folder that does not exist yet", () => `sqlite:${join(folder, "a/b/state.sqlite")}`],
])("a store %s", (_, url) => {
  it("keeps, lists and forgets values", async () => {
    const notes = (await open(url())).collection("notes", Note);
    await notes.set("b", { text: "two" });
    await notes.setMany([
      ["a", { text: "one", at: 1 }],
      ["c", { text: "::three \u0000 🛢️" }],
    ]);
    expect(await notes.get("a")).toEqual({ text: "one", at: 1 });
    expect(await notes.getMany(["c", "nobody", "b", "b"])).toEqual(
      new Map([
        ["c", { text: "::three \u0000 🛢️" }],
        ["b", { text: "two" }],
      ]),
    );
    expect(await all(notes.entries())).toHaveLength(3);
    expect([await notes.delete("b"), await notes.delete("b")]).toEqual([true, false]);
    expect(await notes.get("b")).toBeUndefined();
    expect((await all(notes.entries())).map(([key]) => key)).toEqual(["a", "c"]);
  });

  it("keeps collections apart that hold the same keys", async () => {
    const store = await open(url());
    const one = store.collection("one", z.string());
    const other = store.collection("one_more", z.string());
    await one.set("k", "of one");
    await other.set("k", "of the other");
    expect([await one.get("k"), await other.get("k")]).toEqual(["of one", "of the other"]);
    await one.delete("k");
    expect(await all(other.entries())).toEqual([["k", "of the other"]]);
  });

  it("lets values expire, after the collection's time or their own", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: 1_000_000 });
    const notes = (await open(url())).collection("notes", z.string(), { ttlMs: 1_000 });
    await notes.set("short", "x");
    await notes.setMany([["long", "y"]], { ttlMs: 5_000 });
    vi.setSystemTime(1_002_000);
    expect([await notes.get("short"), await notes.get("long")]).toEqual([undefined, "y"]);
    expect(await all(notes.entries())).toEqual([["long", "y"]]);
  });

  it("reads all of a long list, also while it is being deleted", async () => {
    const notes = (await open(url())).collection("notes", z.number());
    await notes.setMany(Array.from({ length: 612 }, (_unused, at) => [`n${at}`, at] as const));
    let seen = 0;
    for await (const [key] of notes.entries()) {
      seen += 1;
      await notes.delete(key);
    }
    expect([seen, await all(notes.entries())]).toEqual([612, []]);
  });
});

describe("a record that no longer fits", () => {
  it("counts as absent and is reported, and the others are read", async () => {
    const store = await open("sqlite::memory:");
    const before = store.collection("notes", z.unknown());
    await before.setMany([
      ["good", { text: "kept" }],
      ["old", { txt: "an older shape" }],
    ]);
    const notes = store.collection("notes", Note);
    expect(await notes.get("old")).toBeUndefined();
    expect(await notes.getMany(["old", "good"])).toEqual(new Map([["good", { text: "kept" }]]));
    expect(await all(notes.entries())).toEqual([["good", { text: "kept" }]]);
    expect(lines).toHaveLength(3);
    expect(lines[0]).toMatchObject(["store.unreadable", { collection: "notes", key: "old" }]);
    await notes.set("old", { text: "new shape" });
    expect(await notes.get("old")).toEqual({ text: "new shape" });
  });

  it("is also one of a version that is not known yet", async () => {
    const { KeyvSqlite } = await import("@keyv/sqlite");
    const { Keyv } = await import("keyv");
    const path = join(folder, "later.sqlite");
    const later = new Keyv({ store: new KeyvSqlite({ uri: `sqlite://${path}` }), namespace: "notes" });
    await later.set("k", { v: 2, value: { text: "of a later version" } });
    await later.disconnect();
    expect(await (await open(`sqlite:${path}`)).collection("notes", Note).get("k")).toBeUndefined();
    expect(lines).toHaveLength(1);
  });
});

describe("a store on disk", () => {
  it("has its values after it was closed and opened again", async () => {
    const url = `sqlite:${join(folder, "state.sqlite")}`;
    const first = await openStore(url);
    await first.collection("notes", Note).set("k", { text: "kept" });
    await first.close();
    expect(await (await open(url)).collection("notes", Note).get("k")).toEqual({ text: "kept" });
  });

  it("is shared by two that write at once", async () => {
    const url = `sqlite:${join(folder, "state.sqlite")}`;
    const [one, two] = [(await open(url)).collection("n", z.number()), (await open(url)).collection("n", z.number())];
    const writes = Array.from({ length: 50 }, (_, at) => [one.set(`a${at}`, at), two.set(`b${at}`, at)]).flat();
    await Promise.all(writes);
    expect(await all(one.entries())).toHaveLength(100);
  });

  it("waits for another process that is writing", async () => {
    const path = join(folder, "state.sqlite");
    const notes = (await open(`sqlite:${path}`)).collection("notes", z.number());
    await notes.set("k", 1);
    const writer = new Worker(HOLD_THE_LOCK, { eval: true, workerData: path });
    await once(writer, "message");
    await notes.set("k", 2);
    await once(writer, "exit");
    expect(await notes.get("k")).toBe(2);
  });

  it("rejects every operation once it is closed, rather than finding nothing", async () => {
    const store = await openStore("sqlite::memory:", log);
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
    expect(lines).toContainEqual(["store.failed", expect.objectContaining({ collection: "notes" })]);
  });

  it.each([
    ["postgres://user:secret@db/bell", /SQLite only \(found: postgres\)/],
    ["state.sqlite", /must be sqlite:PATH/],
    ["sqlite:", /must be sqlite:PATH/],
  ])("refuses the address %s in one line that shows no password", async (url, message) => {
    const error: unknown = await openStore(url).catch((failed: unknown) => failed);
    expect(error).toBeInstanceOf(StoreError);
    expect(String(error)).toMatch(message);
    expect(String(error)).not.toMatch(/secret|\n/);
  });

  it("says in one line why a path cannot be opened", async () => {
    const file = join(folder, "file");
    await writeFile(file, "this is no database, and long enough to be read as one: ".repeat(40));
    for (const path of [join(file, "state.sqlite"), file, folder]) {
      const error: unknown = await openStore(`sqlite:${path}`).catch((failed: unknown) => failed);
      expect(error).toBeInstanceOf(StoreError);
      expect(String(error)).toContain(`Cannot open the store ${path}: `);
      expect(String(error)).not.toContain("\n");
    }
  });
});
