import { mkdir, stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { openStoreExclusively } from "../../src/store/lock.ts";
import { StoreError } from "../../src/store/errors.ts";
import type { Store } from "../../src/store/store.ts";
import { temporaryFolder } from "../support/stores.ts";

let folder: string;
let url: string;
const opened: Store[] = [];
beforeEach(async () => {
  folder = await temporaryFolder();
  url = `sqlite:${join(folder, "store.sqlite")}`;
});
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
});

/** Opens it as a bot does; what it waits for passes at once. */
async function open(at = url) {
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const store = await openStoreExclusively(at, { log, after: (_, call) => void setImmediate(call) });
  opened.push(store);
  return store;
}

describe("a store whose file has another name", () => {
  const other = () => join(folder, "elsewhere", "other.sqlite");
  const through = (name: string) => open(`sqlite:${name}`);
  beforeEach(() => mkdir(join(folder, "elsewhere")));

  it("is refused to a second bot that comes through a symbolic link, of the file or of its folder", async () => {
    await open();
    expect((await stat(join(folder, "store.sqlite.lock"))).mode & 0o777).toBe(0o600);
    await symlink(join(folder, "store.sqlite"), other());
    await symlink(folder, join(folder, "elsewhere", "folder"));
    await expect(through(other())).rejects.toThrow(/Another Bellwether has the store .*other\.sqlite open/);
    await expect(through(join(folder, "elsewhere", "folder", "store.sqlite"))).rejects.toThrow(/Another Bellwether/);
  });
});

describe("a store whose lock cannot be taken", () => {
  it("is not opened if the disk is full, and says to make room", async () => {
    // In the words that SQLite has for it.
    vi.spyOn(DatabaseSync.prototype, "exec").mockImplementation(() => {
      throw new Error("database or disk is full");
    });
    await expect(open()).rejects.toThrow(StoreError);
    await expect(open()).rejects.toThrow(
      /^Cannot open the store .*store\.sqlite\.lock: database or disk is full\. Make room on that disk, then start again/,
    );
  });

  it("is not opened if something else has the lock's name, and says which", async () => {
    await mkdir(join(folder, "store.sqlite.lock"));
    await expect(open()).rejects.toThrow(StoreError);
    await expect(open()).rejects.toThrow(/store\.sqlite\.lock: .*Check .*rights/);
  });
});

it("each bot has its own store in memory", async () => {
  url = "sqlite::memory:";
  await open();
  await expect(open()).resolves.toBeDefined();
});
