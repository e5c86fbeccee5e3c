import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";

import { openStoreAlone } from "../../src/store/alone.ts";
import { type Store, StoreError, openStore } from "../../src/store/store.ts";

let folder: string;
let url: string;
const opened: Store[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "bellwether-alone-"));
  url = `sqlite:${join(folder, "store.sqlite")}`;
});
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
  await rm(folder, { recursive: true });
});

/** Opens it as a bot does, with what that logs; what it waits for passes at once. */
async function open(whileWaiting: (waits: number) => unknown = () => undefined) {
  const events: string[] = [];
  const log = { info: (event: string) => void events.push(event), warn: () => undefined, error: () => undefined };
  let waits = 0;
  const after = (_: number, call: () => void) => void Promise.resolve(whileWaiting(++waits)).then(call);
  const store = await openStoreAlone(url, { log, after });
  opened.push(store);
  return { store, events };
}

/** Another process that holds the same store until it is killed. */
async function startOther() {
  const script = `
    import { openStoreAlone } from ${JSON.stringify(new URL("../../src/store/alone.ts", import.meta.url).href)};
    const log = { info() {}, warn() {}, error() {} };
    await openStoreAlone(${JSON.stringify(url)}, { log, after: setTimeout });
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

  it("can be read by others meanwhile, for instance to be exported", async () => {
    const { store } = await open();
    await store.collection("notes", z.string()).set("a", "b");
    const reader = await openStore(url);
    opened.push(reader);
    expect(await reader.collection("notes", z.string()).get("a")).toBe("b");
  });
});

it("each bot has its own store in memory", async () => {
  url = "sqlite::memory:";
  await open();
  await expect(open()).resolves.toBeDefined();
});
