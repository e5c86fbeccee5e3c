import { mkdtemp, open, readFile, rename, rm, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";

import { StoreError, openStore } from "../../src/store/store.ts";
import { troubleOf } from "../../src/store/trouble.ts";

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "bellwether-damage-"));
  path = join(folder, "state.sqlite");
});

afterEach(async () => {
  vi.useRealTimers();
  await rm(folder, { recursive: true });
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
    const file = await open(path, "r+");
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

  it("is refused where its end is missing", async () => {
    await fill();
    await truncate(path, 4_096 * 50 + 100);
    expect(await refusalOf()).toMatch(/malformed.*does not begin anew by itself/);
  });

  it("is refused where it is something else", async () => {
    await writeFile(path, "{}".repeat(4_000));
    expect(await refusalOf()).toMatch(/not a database.*put your latest copy/);
  });
});

describe("a write that was torn", () => {
  it("is as if it had not been, and everything before it stands", async () => {
    const store = await openStore(`sqlite:${path}`);
    const notes = store.collection("notes", z.number());
    for (let at = 0; at < 20; at++) await notes.set(`n${at}`, at);
    // What the disk holds when the power goes: the log ends in the middle of its last page.
    const log = await readFile(`${path}-wal`);
    const file = await readFile(path);
    await store.close();
    await writeFile(path, file);
    await writeFile(`${path}-wal`, log.subarray(0, log.length - 1_000));
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
  it("says so in the log, where there was none, and where its file was empty", async () => {
    const news: unknown[] = [];
    const log = { info: (event: string) => void news.push(event), warn() {}, error() {} };
    await (await openStore(`sqlite:${path}`, log)).close();
    await (await openStore(`sqlite:${path}`, log)).close();
    expect(news).toEqual(["store.new"]);
    for (const suffix of ["", "-wal", "-shm"]) await rm(`${path}${suffix}`, { force: true });
    await writeFile(path, "");
    await (await openStore(`sqlite:${path}`, log)).close();
    expect(news).toEqual(["store.new", "store.new"]);
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

  it("rejects what is written where its file was taken away, and keeps it again when it is back", async () => {
    const store = await openStore(`sqlite:${path}`);
    const told: unknown[] = [];
    store.watch((trouble) => told.push(trouble));
    const notes = store.collection("notes", z.number());
    await notes.set("a", 1);
    await rename(path, `${path}.away`);
    await expect(notes.set("a", 2)).rejects.toThrow(/was moved or deleted/);
    await writeFile(path, "another");
    await expect(notes.set("a", 3)).rejects.toThrow(/was moved or deleted/);
    expect(told).toEqual(["gone"]);
    await rename(`${path}.away`, path);
    await notes.set("a", 4);
    expect(await notes.get("a")).toBe(4);
    expect(told).toEqual(["gone", undefined]);
    await store.close();
  });

  it("reads all that has not expired where nothing can be written", async () => {
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
