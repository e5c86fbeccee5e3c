import { once } from "node:events";
import { open as openFile, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Worker } from "node:worker_threads";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { StoreError, troubleOf } from "../../src/store/errors.ts";
import { type Store, openStore } from "../../src/store/store.ts";
import { temporaryFolder } from "../support/stores.ts";

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
let path: string;
let opened: Store[];
const news: string[] = [];
const log = {
  info: (event: string) => void news.push(event),
  warn: () => undefined,
  error: () => undefined,
};

beforeEach(async () => {
  folder = await temporaryFolder();
  path = join(folder, "state.sqlite");
  opened = [];
  news.length = 0;
});
afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(opened.map((store) => store.close()));
});

async function open(url: string): Promise<Store> {
  const store = await openStore(url, log);
  opened.push(store);
  return store;
}

describe("a store on disk", () => {
  it("waits for another process that is writing", async () => {
    const notes = (await open(`sqlite:${path}`)).collection("notes", z.number());
    await notes.set("k", 1);
    const writer = new Worker(HOLD_THE_LOCK, { eval: true, workerData: path });
    const ended = once(writer, "exit");
    await once(writer, "message");
    await notes.set("k", 2);
    await ended;
    expect(await notes.get("k")).toBe(2);
  });

  it("answers others while another process is writing, and keeps the order of what it is told", async () => {
    const notes = (await open(`sqlite:${path}`)).collection("notes", z.number());
    await notes.set("k", 1);
    const other = new DatabaseSync(path);
    other.exec("BEGIN IMMEDIATE");
    const written = [notes.delete("k"), notes.set("k", 2)];
    expect(await notes.get("k")).toBe(1);
    other.exec("COMMIT");
    other.close();
    await Promise.all(written);
    expect(await notes.get("k")).toBe(2);
  });

  it("gives up what another process keeps it from writing, all together and not one after the other", async () => {
    const store = await open(`sqlite:${path}`);
    const notes = store.collection("notes", z.number());
    const others = store.collection("others", z.number());
    await notes.set("k", 1);
    const other = new DatabaseSync(path);
    other.exec("BEGIN IMMEDIATE");
    await expect(notes.set("k", 2)).rejects.toThrow(/locked/);
    // Slack waits three seconds, and much may have to be written before it is answered. Each on its own would take half a minute.
    for (let at = 0; at < 20; at++) {
      await expect(notes.set(`k${at}`, at)).rejects.toThrow(/locked/);
      await expect(others.set(`k${at}`, at)).rejects.toThrow(/locked/);
    }
    expect(await notes.get("k")).toBe(1);
    other.exec("COMMIT");
    other.close();
    await notes.set("k", 3);
    expect(await notes.get("k")).toBe(3);
  }, 15_000);

  it("is for its owner's eyes only, also one that an earlier version has made", async () => {
    await writeFile(path, "", { mode: 0o644 });
    const store = await open(`sqlite:${path}`);
    await store.collection("notes", z.string()).set("k", "v");
    const modes = await Promise.all(["", "-wal", "-shm"].map(async (end) => (await stat(path + end)).mode & 0o777));
    expect(modes).toEqual([0o600, 0o600, 0o600]);
  });

  it("holds nothing in its files of what was deleted or replaced, once it is scrubbed", async () => {
    const store = await open(`sqlite:${path}`);
    const notes = store.collection("notes", z.string());
    await notes.setMany([
      ["short", "a-deleted-text"],
      ["long", `${"x".repeat(20_000)} a-deleted-text`],
      ["changed", "a-deleted-text"],
    ]);
    await Promise.all([notes.delete("short"), notes.delete("long"), notes.set("changed", "another")]);
    await store.vacuum();
    const files = await Promise.all(["", "-wal"].map((end) => readFile(path + end, "latin1")));
    expect(files.map((text) => text.includes("a-deleted-text"))).toEqual([false, false]);
    expect(await notes.get("changed")).toBe("another");
  });

  it.each([
    ["redis://user:secret@db/bell", /must be sqlite:PATH or postgres:\/\/… \(found: redis\)/],
    ["postgres://user:secret@db:port/bell", /no address that can be read/],
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
    for (const place of [join(file, "state.sqlite"), file, folder]) {
      const error: unknown = await openStore(`sqlite:${place}`).catch((failed: unknown) => failed);
      expect(error).toBeInstanceOf(StoreError);
      expect(String(error)).toContain(`Cannot open the store ${place}: `);
      expect(String(error)).not.toContain("\n");
    }
  });
});

/** A store with a few hundred pages, closed. */
async function fill(): Promise<void> {
  const store = await openStore(`sqlite:${path}`);
  const notes = store.collection("notes", z.string());
  await notes.setMany(Array.from({ length: 2_000 }, (_, at) => [`n${at}`, "x".repeat(300)] as const));
  await store.close();
}

async function refusalOf(): Promise<string> {
  const error: unknown = await openStore(`sqlite:${path}`).catch((failed: unknown) => failed);
  expect(error).toBeInstanceOf(StoreError);
  return String(error);
}

describe("a file that is damaged", () => {
  it("is refused at the start, with what to do, and left as it is", async () => {
    await fill();
    const file = await openFile(path, "r+");
    await file.write(Buffer.alloc(4_096 * 20, 0x5a), 0, 4_096 * 20, 4_096 * 40);
    await file.close();
    const before = await readFile(path);
    const message = await refusalOf();
    expect(message).toMatch(
      /malformed: .*\. Move .*state\.sqlite and the files beside it \(-wal, -shm\) away and put your latest copy/,
    );
    expect(message).not.toContain("\n");
    expect(await readFile(path)).toEqual(before);
  });
});

describe("a write that was torn", () => {
  it("is as if it had not been, and everything before it stands", async () => {
    const store = await openStore(`sqlite:${path}`);
    const notes = store.collection("notes", z.number());
    for (let at = 0; at < 20; at++) await notes.set(`n${at}`, at);
    // What the disk holds when the power goes: the log ends in the middle of its last page.
    const wal = await readFile(`${path}-wal`);
    const file = await readFile(path);
    await store.close();
    await writeFile(path, file);
    await writeFile(`${path}-wal`, wal.subarray(0, wal.length - 1_000));
    await rm(`${path}-shm`, { force: true });
    const again = await openStore(`sqlite:${path}`);
    const kept = again.collection("notes", z.number());
    const found: number[] = [];
    for await (const [, value] of kept.entries()) found.push(value);
    expect(found.toSorted((one, other) => one - other)).toEqual(Array.from({ length: 19 }, (_, at) => at));
    await kept.set("n19", 19);
    expect(await kept.get("n19")).toBe(19);
    await again.close();
  });
});

describe("a store that begins with nothing", () => {
  it("says so in the log if its file was empty", async () => {
    await writeFile(path, "");
    await (await openStore(`sqlite:${path}`, log)).close();
    expect(news).toEqual(["store.new"]);
    expect((await stat(path)).size).toBeGreaterThan(0);
  });
});

describe("a store that stops keeping what is written", () => {
  it("rejects the write, tells whoever watches, once, and tells them when it goes on", async () => {
    const store = await openStore(`sqlite:${path}`);
    const told: unknown[] = [];
    store.watch((trouble) => told.push(trouble));
    const notes = store.collection("notes", z.number());
    await notes.set("a", 1);
    const other = new DatabaseSync(path);
    other.exec("ALTER TABLE keyv RENAME TO gone");
    await expect(notes.set("a", 2)).rejects.toThrow(/no such table/);
    await expect(notes.set("a", 3)).rejects.toThrow(/no such table/);
    await expect(notes.get("a")).rejects.toThrow(/no such table/);
    expect(told).toEqual(["failing"]);
    other.exec("ALTER TABLE gone RENAME TO keyv");
    other.close();
    expect(await notes.get("a")).toBe(1);
    await notes.set("a", 4);
    await notes.set("a", 5);
    expect(told).toEqual(["failing", undefined]);
    await store.close();
    await expect(notes.set("a", 6)).rejects.toThrow(/open|closed/);
    expect(told).toEqual(["failing", undefined]);
  });

  it.each([
    ["deleted", () => rm(path)],
    ["renamed", () => rename(path, `${path}.old`)],
    ["moved with its folder", () => rename(folder, `${folder}-old`)],
    ["replaced by another file", () => writeFile(`${path}.new`, "").then(() => rename(`${path}.new`, path))],
  ])("keeps nothing once its file was %s, and says so when it is next read", async (_, lose) => {
    const store = await openStore(`sqlite:${path}`, log);
    const told: unknown[] = [];
    store.watch((trouble) => told.push(trouble));
    const notes = store.collection("notes", z.number());
    await notes.set("a", 1);
    expect(told).toEqual([]);
    await lose();
    expect([await notes.get("a"), told]).toEqual([1, ["gone"]]);
    await expect(notes.set("a", 2)).rejects.toThrow(/state\.sqlite is not there any more/);
    await expect(notes.delete("a")).rejects.toThrow(/is not there any more/);
    expect(await notes.get("a")).toBe(1);
    expect(told).toEqual(["gone"]);
    await store.close();
    await rename(`${folder}-old`, folder).catch(() => undefined);
  });

  it("keeps what is written again, with all from before, once its file is back", async () => {
    const store = await openStore(`sqlite:${path}`);
    const told: unknown[] = [];
    store.watch((trouble) => told.push(trouble));
    const notes = store.collection("notes", z.number());
    await notes.set("a", 1);
    await rename(path, `${path}.old`);
    await expect(notes.set("a", 2)).rejects.toThrow(/is not there any more/);
    await rename(`${path}.old`, path);
    expect(await notes.get("a")).toBe(1);
    await notes.set("b", 2);
    expect(told).toEqual(["gone", undefined]);
    await store.close();
  });

  it("reads all that has not expired if nothing can be written", async () => {
    const store = await openStore(`sqlite:${path}`);
    const notes = store.collection("notes", z.number());
    vi.useFakeTimers({ toFake: ["Date"], now: 1_000_000 });
    await notes.set("old", 1, { ttlMs: 1_000 });
    await notes.setMany([
      ["a", 2],
      ["b", 3],
    ]);
    vi.setSystemTime(1_002_000);
    const disk = new DatabaseSync(path);
    disk.exec("CREATE TRIGGER full BEFORE DELETE ON keyv BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END");
    disk.close();
    expect(await notes.get("old")).toBeUndefined();
    expect(await notes.getMany(["a", "old", "b"])).toEqual(
      new Map([
        ["a", 2],
        ["b", 3],
      ]),
    );
    await expect(notes.delete("a")).rejects.toThrow(/disk is full/);
    await store.close();
  });

  it("says in SQLite's own words whether there is no room, or what is there is damaged", () => {
    const database = new DatabaseSync(path);
    database.exec("CREATE TABLE t (v); PRAGMA max_page_count = 3");
    const full: unknown[] = [];
    try {
      for (let at = 0; at < 100; at++) database.prepare("INSERT INTO t VALUES (?)").run("x".repeat(1_000));
    } catch (error) {
      full.push(error);
    }
    database.close();
    expect(full.map(troubleOf)).toEqual(["full"]);
    expect(troubleOf(new Error("Iterator failed at cursor n9: database disk image is malformed"))).toBe("damaged");
    expect(troubleOf(new Error("attempt to write a readonly database"))).toBe("failing");
  });
});
