import { spawn } from "node:child_process";
import { once } from "node:events";
import { link, mkdir, stat, symlink, unlink } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";

import { openStoreExclusively } from "../../src/store/lock.ts";
import { StoreError } from "../../src/store/errors.ts";
import { type Store, openStore } from "../../src/store/store.ts";
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

/** Opens it as a bot does, with what that logs; what it waits for passes at once. */
async function open(whileWaiting: (waits: number) => unknown = () => undefined, at = url) {
  const events: string[] = [];
  const log = { info: (event: string) => void events.push(event), warn: () => undefined, error: () => undefined };
  let waits = 0;
  const after = (_: number, call: () => void) => void Promise.resolve(whileWaiting(++waits)).then(call);
  const store = await openStoreExclusively(at, { log, after });
  opened.push(store);
  return { store, events };
}

/** Another process that holds the same store until it is killed. */
async function startOther() {
  const script = `
    import { openStoreExclusively } from ${JSON.stringify(new URL("../../src/store/lock.ts", import.meta.url).href)};
    const log = { info() {}, warn() {}, error() {} };
    await openStoreExclusively(${JSON.stringify(url)}, { log, after: setTimeout });
    process.stdout.write("held");
    setInterval(() => {}, 1_000);
  `;
  const other = spawn(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", "--input-type=module", "-e", script],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  await once(other.stdout, "data");
  return other;
}

describe("a store that a bot has open", () => {
  it("is refused to a second one, which says what to do", async () => {
    await open();
    expect((await stat(join(folder, "store.sqlite.lock"))).mode & 0o777).toBe(0o600);
    const second = open();
    await expect(second).rejects.toThrow(StoreError);
    await expect(second).rejects.toThrow(/Another Bellwether has the store .*store\.sqlite open\. Stop that one first/);
  });

  it("is taken over by one that starts while the first one ends", async () => {
    const first = await open();
    opened.pop();
    const second = await open((waits) => waits === 3 && first.store.close());
    expect(second.events).toContain("store.held");
    await second.store.collection("notes", z.string()).set("a", "b");
  });

  it("is free again at once where its process was killed", async () => {
    const other = await startOther();
    await expect(open()).rejects.toThrow(/Another Bellwether/);
    other.kill("SIGKILL");
    await once(other, "exit");
    const { events } = await open();
    expect(events).not.toContain("store.held");
  });

  it("can be read by others meanwhile", async () => {
    const { store } = await open();
    await store.collection("notes", z.string()).set("a", "b");
    const reader = await openStore(url);
    opened.push(reader);
    expect(await reader.collection("notes", z.string()).get("a")).toBe("b");
  });
});

describe("a store whose file has another name", () => {
  const other = () => join(folder, "elsewhere", "other.sqlite");
  const through = (name: string) => open(undefined, `sqlite:${name}`);
  beforeEach(() => mkdir(join(folder, "elsewhere")));

  it("is refused to a second bot that comes through a symbolic link, of the file or of its folder", async () => {
    await open();
    await symlink(join(folder, "store.sqlite"), other());
    await symlink(folder, join(folder, "elsewhere", "folder"));
    await expect(through(other())).rejects.toThrow(/Another Bellwether has the store .*other\.sqlite open/);
    await expect(through(join(folder, "elsewhere", "folder", "store.sqlite"))).rejects.toThrow(/Another Bellwether/);
  });

  it("is refused under a second hard link, says what to do, and is opened once the other name is gone", async () => {
    await (await open()).store.close();
    opened.pop();
    await link(join(folder, "store.sqlite"), other());
    await expect(through(other())).rejects.toThrow(/other\.sqlite, has 2 names.*Delete the others.*-samefile/);
    await expect(open()).rejects.toThrow(StoreError);
    await unlink(other());
    await expect(open()).resolves.toBeDefined();
  });
});

describe("a store whose lock cannot be taken", () => {
  it("is not opened where the disk is full, and says to make room", async () => {
    // In the words that SQLite has for it.
    vi.spyOn(DatabaseSync.prototype, "exec").mockImplementation(() => {
      throw new Error("database or disk is full");
    });
    await expect(open()).rejects.toThrow(StoreError);
    await expect(open()).rejects.toThrow(
      /^Cannot open the store .*store\.sqlite: database or disk is full\. Make room on that disk, then start again/,
    );
  });

  it("is not opened where something else has the lock's name, and says which", async () => {
    await mkdir(join(folder, "store.sqlite.lock"));
    await expect(open()).rejects.toThrow(StoreError);
    await expect(open()).rejects.toThrow(/Check .*rights.*store\.sqlite\.lock/);
  });
});

it("each bot has its own store in memory", async () => {
  url = "sqlite::memory:";
  await open();
  await expect(open()).resolves.toBeDefined();
});
