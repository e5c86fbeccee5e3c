import { readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";

import { backUpStore, copyStore } from "../../src/store/copy.ts";
import { StoreError } from "../../src/store/errors.ts";
import { openStoreExclusively } from "../../src/store/lock.ts";
import type { Row } from "../../src/store/engine.ts";
import { openEngine, openStore } from "../../src/store/store.ts";
import { postgresUrl, whyNoPostgres } from "../support/postgres.ts";
import { newSchemaUrl, temporaryFolder } from "../support/stores.ts";

const alone = {
  after: (_: number, call: () => void) => setImmediate(call),
  log: { info: () => undefined, warn: () => undefined, error: () => undefined },
};

let folder = "";
beforeEach(async () => {
  folder = await temporaryFolder();
});

const fileUrl = async (name = "store") => `sqlite:${join(folder, `${name}.sqlite`)}`;

/** What many workspaces leave, and what no version of today knows. */
async function fill(url: string): Promise<void> {
  const store = await openStore(url);
  const add = (name: string, entries: [string, unknown][], ttlMs?: number) =>
    store.collection(name, z.unknown()).setMany(entries, ttlMs === undefined ? {} : { ttlMs });
  await add("installations", [["T1", { encrypted: "abc.def" }]]);
  await add("collection-owners", [["c-1", { owner: "T1" }]]);
  await add("spending", [["T1 2026-11-23", { total: { credits: 6, calls: 6 }, people: {} }]], 60_000);
  await add(
    "seen",
    Array.from({ length: 1_234 }, (_, at) => [`T1 C1 ${at} “ü” \u{1F6E2}️`, { at, text: ":\u0000\ud800'" }]),
  );
  await add("of-tomorrow", [["k", null]]);
  await add("gone", [["k", 1]], 1);
  await store.close();
}

/** Everything in a store, with how long it lasts to the minute. */
async function contents(url: string): Promise<unknown> {
  const store = await openStore(url);
  const found: Record<string, unknown> = {};
  for (const name of (await store.names()).toSorted()) {
    const entries = [];
    for await (const entry of store.collection(name, z.unknown()).entries()) entries.push(entry);
    if (entries.length > 0) found[name] = entries;
  }
  await store.close();
  return found;
}

const counts = { installations: 1, "collection-owners": 1, spending: 1, seen: 1_234, "of-tomorrow": 1 };

describe.each([
  { way: "a file to a file", from: fileUrl, to: () => fileUrl("other"), isThere: true },
  { way: `a file to PostgreSQL${whyNoPostgres}`, from: fileUrl, to: newSchemaUrl, isThere: postgresUrl !== undefined },
  { way: `PostgreSQL to a file${whyNoPostgres}`, from: newSchemaUrl, to: fileUrl, isThere: postgresUrl !== undefined },
])("a copy from $way", ({ from, to, isThere }) => {
  it.skipIf(!isThere)("holds everything that has not expired, as it stands, and is counted by kind", async () => {
    const [here, there] = [await from(), await to()];
    await fill(here);
    const before = await contents(here);
    const copied = await copyStore(here, there, alone);
    expect(Object.fromEntries(copied)).toEqual(counts);
    expect(await contents(there)).toEqual(before);
    expect(await contents(here)).toEqual(before);
  });

  it.skipIf(!isThere)("is refused if something is kept already, which stays as it is", async () => {
    const [here, there] = [await from(), await to()];
    await fill(here);
    const store = await openStore(there);
    await store.collection("notes", z.string()).set("k", "own");
    await store.close();
    await expect(copyStore(here, there, alone)).rejects.toThrow(/isn’t empty.*Nothing was copied/);
    expect(await contents(there)).toEqual({ notes: [["k", "own"]] });
  });

  it.skipIf(!isThere)("is refused while a bot has either of them open", async () => {
    const [here, there] = [await from(), await to()];
    await fill(here);
    for (const url of [here, there]) {
      const bot = await openStoreExclusively(url, alone);
      await expect(copyStore(here, there, alone)).rejects.toThrow(/^Another Bellwether has the store .* open/);
      await bot.close();
    }
  });

  it.skipIf(!isThere)("leaves nothing behind if it breaks off", async () => {
    const engine = await openEngine(await to(), {});
    async function* rows(): AsyncGenerator<Row> {
      for (let at = 0; at < 600; at++) yield { namespace: "notes", key: `k${at}`, value: "{}", expires: undefined };
      throw new Error("the other store is gone");
    }
    await expect(engine.fill(rows())).rejects.toThrow("the other store is gone");
    expect(await engine.ask((table) => `SELECT key FROM ${table}`)).toEqual([]);
    await engine.close();
  });
});

describe("a copy", () => {
  it("is refused if there is nothing to copy, or both are the same", async () => {
    const [here, there] = [await fileUrl(), await fileUrl("other")];
    await expect(copyStore(here, there, alone)).rejects.toThrow(/^There is no store at/);
    await expect(copyStore(here, here, alone)).rejects.toThrow(/^Both are the same store/);
    expect(await readdir(folder)).toEqual([]);
  });
});

describe("a backup", () => {
  it("is whole while a bot writes, and only its owner may read it", async () => {
    const url = await fileUrl();
    const file = join(folder, "copy.sqlite");
    const bot = await openStoreExclusively(url, alone);
    const notes = bot.collection("notes", z.number());
    await notes.setMany(Array.from({ length: 500 }, (_, at) => [`k${at}`, at] as const));
    const writing = Array.from({ length: 50 }, (_, at) => notes.set(`later${at}`, at));
    expect(await backUpStore(url, file)).toBe((await stat(file)).size);
    await Promise.all(writing);
    await bot.close();
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const restored = await openStoreExclusively(`sqlite:${file}`, alone);
    expect(await restored.collection("notes", z.number()).get("k499")).toBe(499);
    await restored.close();
    expect((await readdir(folder)).filter((name) => name.includes(".part"))).toEqual([]);
  });

  it("is never written over a file that there is, such as the store's own", async () => {
    const url = await fileUrl();
    await fill(url);
    const before = await contents(url);
    await expect(backUpStore(url, url.slice("sqlite:".length))).rejects.toThrow(/^There’s a file .* already/);
    await writeFile(join(folder, "x.sqlite-wal"), "");
    await expect(backUpStore(url, join(folder, "x.sqlite"))).rejects.toThrow(/x\.sqlite-wal already/);
    expect(await contents(url)).toEqual(before);
  });

  it("says in one line why there is none", async () => {
    const url = await fileUrl();
    await expect(backUpStore(url, join(folder, "copy.sqlite"))).rejects.toThrow(/^There is no store at/);
    await fill(url);
    const failed: unknown = await backUpStore(url, join(folder, "none", "copy.sqlite")).catch(
      (error: unknown) => error,
    );
    expect(failed).toBeInstanceOf(StoreError);
    expect(String(failed)).toMatch(/Cannot write the file .*copy\.sqlite: .*Name one in a folder/);
    await expect(backUpStore("postgres://db/x", join(folder, "copy.sqlite"))).rejects.toThrow(/pg_dump/);
  });
});
