import { mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";

import { type Alert, nothingYet } from "../src/features/alerts/alert.ts";
import type { Digest } from "../src/features/digests/digest.ts";
import { type Watchlist } from "../src/features/sources/watchlist.ts";
import { openRecords } from "../src/records.ts";
import { openStoreExclusively } from "../src/store/lock.ts";
import { openStore } from "../src/store/store.ts";
import { TransferError, exportFile, importFile, importState } from "../src/transfer.ts";
import { now } from "./support/builders.ts";
import { createSchema, postgresUrl, whyNoPostgres } from "./support/postgres.ts";

const common = {
  team: "T1",
  schedule: { pattern: "0 * * * *", zone: "UTC", words: "hourly" },
  channel: "C1",
  maker: "U1",
  state: "active" as const,
  nextRun: now,
  failures: 0,
  changed: [{ by: "U1", at: now, what: "added" }],
};

function digest(number: number, about: Partial<Digest> = {}): Digest {
  return { ...common, number, source: { kind: "search", query: "gold & <b>" }, ...about };
}

const alert: Alert = {
  ...common,
  number: 1,
  options: {},
  ...nothingYet,
};

const soon = (_: number, call: () => void) => void setImmediate(call);
const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "bellwether-move-"));
});
afterEach(() => rm(folder, { recursive: true }));

const urlOf = (name: string) => (name.includes(":") ? name : `sqlite:${join(folder, name)}.sqlite`);

/** Writes into a store as the bot does, and closes it. */
async function fill(name: string, write: (records: ReturnType<typeof openRecords>) => Promise<unknown>): Promise<void> {
  const store = await openStore(urlOf(name));
  await write(openRecords(store));
  await store.close();
}

async function contents(name: string): Promise<Record<string, [string, unknown][]>> {
  const store = await openStore(urlOf(name));
  const found: Record<string, [string, unknown][]> = {};
  for (const [kind, records] of Object.entries(openRecords(store))) {
    const entries: [string, unknown][] = [];
    for await (const entry of records.entries()) entries.push(entry);
    found[kind] = entries;
  }
  await store.close();
  return found;
}

const watchlist: Watchlist = {
  key: "w-1",
  team: "T1",
  owner: "U1",
  id: "w-1",
  name: "Chips",
  groups: [[{ id: 1, name: "Novalith" }]],
  excluded: [],
  isShared: false,
  version: 1,
  state: "active",
  changed: { by: "U1", at: now },
};

const full = (records: ReturnType<typeof openRecords>) =>
  Promise.all([
    records["digest-numbers"].set("T1", 2),
    records["alert-numbers"].set("T1", 1),
    records.digests.set(
      "T1 1",
      digest(1, { posts: [{ key: "k", since: now, content: { list: "l" }, tries: 1, sentAt: now }] }),
    ),
    records.digests.set("T1 2", digest(2, { state: "removed" })),
    records.alerts.set("T1 1", alert),
    records.seen.setMany(Array.from({ length: 1_200 }, (_, at) => [`T1 C1 ${at}`, { at: now }] as const)),
    records["announced-stories"].set("T1 C1", [
      { at: now, by: "k", title: "Oil", entities: { primary: [1], secondary: [], tertiary: [] } },
    ]),
    records.arrivals.set("gold", { a: now }),
    records.watchlists.set("w-1", watchlist),
    records.watchlists.set("w-2", { ...watchlist, key: "w-2", id: "w-2", state: "removed" }),
    records["source-counts"].set("gold", { since: now, at: now, first: 1_990_000, counts: [1], newest: now }),
    records.lists.set("l", { title: "Gold", articles: [], total: 0 }),
    records.samples.set("1", { at: now, entities: [] }),
  ]);

describe("a move to another machine", () => {
  it("brings along all that subscriptions rest on, also what is under way", async () => {
    await fill("here", full);
    const file = join(folder, "export.json");
    const told = await exportFile(urlOf("here"), file);
    expect(told).toEqual([
      "Exported 1 digest-numbers, 1 alert-numbers, 2 watchlists, 1 lists, 1200 seen, 1 announced-stories, 1 arrivals, 1 source-counts, 1 samples, 2 digests, 1 alerts.",
    ]);
    await importFile(urlOf("there"), file);
    expect(await contents("there")).toEqual(await contents("here"));
    expect((await stat(file)).mode & 0o077).toBe(0);
  });

  it("done twice adds nothing", async () => {
    await fill("here", full);
    const file = join(folder, "export.json");
    await exportFile(urlOf("here"), file);
    await importFile(urlOf("there"), file);
    expect(await importFile(urlOf("there"), file)).toContain("digests: 0 added, 2 there already.");
    expect(await contents("there")).toEqual(await contents("here"));
  });

  it("leaves what is another thing there as it is, and names it; of numbers the higher one stays", async () => {
    await fill("here", full);
    await fill("there", async (records) => {
      await records.digests.set("T1 1", digest(1, { channel: "C9" }));
      await records["digest-numbers"].set("T1", 1);
      await records["alert-numbers"].set("T1", 7);
    });
    const file = join(folder, "export.json");
    await exportFile(urlOf("here"), file);
    expect(await importFile(urlOf("there"), file)).toContain(
      "digests: 1 added, 0 there already, 1 left as they are here: T1 1.",
    );
    const found = await contents("there");
    expect(found["digests"]?.map(([, value]) => (value as Digest).channel)).toEqual(["C9", "C1"]);
    expect([found["digest-numbers"], found["alert-numbers"]]).toEqual([[["T1", 2]], [["T1", 7]]]);
  });

  it("takes the lines that npm prints before it", async () => {
    await fill("here", full);
    const file = join(folder, "export.json");
    await exportFile(urlOf("here"), file);
    await writeFile(file, `\n> bellwether@1.0.0 start\n> node src/main.ts export\n\n${await readFile(file, "utf8")}`);
    expect(await importFile(urlOf("there"), file)).toContain("alerts: 1 added, 0 there already.");
  });

  it.each([
    ["nonsense", /no export of Bellwether/],
    ['{"digests":{}}', /no export of Bellwether/],
    ['{"bellwether":4}', /version 4, and I read version 3/],
    ['{"bellwether":2}', /version 2, and I read version 3: nothing was taken in\. Export it again/],
    ['{"bellwether":3,"people":{}}', /people: this version knows no such entries/],
    [
      JSON.stringify({ bellwether: 3, "digest-numbers": { T1: 5 }, digests: { "T1 1": { team: "T1" } } }),
      /digests “T1 1”: number/,
    ],
  ])("of %s takes nothing and says why", async (text, expected) => {
    await expect(importState(urlOf("there"), text)).rejects.toThrow(TransferError);
    await expect(importState(urlOf("there"), text)).rejects.toThrow(expected);
    expect(Object.values(await contents("there")).flat()).toEqual([]);
  });

  it.each(["team", "channel", "maker", "changed.0.by", "schedule.pattern", "schedule.zone"])(
    "takes nothing where something hostile stands in a digest's %s, which people would read",
    async (path) => {
      const hostile: Record<string, unknown> = JSON.parse(JSON.stringify(digest(1)));
      const keys = path.split(".");
      const last = keys.pop() ?? "";
      const parent = keys.reduce<Record<string, unknown>>((at, key) => Object(at[key]), hostile);
      parent[last] = `${String(parent[last])} <!channel> <https://evil.example|bank.example>`;
      const text = JSON.stringify({ bellwether: 3, digests: { "T1 1": hostile } });
      await expect(importState(urlOf("there"), text)).rejects.toThrow(TransferError);
    },
  );

  it("takes nothing where a channel would have more than 50 of a kind, or a person more than 200", async () => {
    await fill("there", (records) => records.digests.set("T1 1", digest(1)));
    const file = (count: number, about: (at: number) => Partial<Digest>) => {
      const added = Array.from({ length: count }, (_, at) => digest(at + 2, about(at)));
      return JSON.stringify({
        bellwether: 3,
        digests: Object.fromEntries(added.map((one) => [`T1 ${one.number}`, one])),
      });
    };
    await expect(
      importState(
        urlOf("there"),
        file(50, (at) => ({ maker: `U${at}` })),
      ),
    ).rejects.toThrow(/digests: C1 of T1 would have 51, and 50 are the most/);
    await expect(
      importState(
        urlOf("there"),
        file(200, (at) => ({ channel: `C${at}` })),
      ),
    ).rejects.toThrow(/digests and alerts: U1 of T1 would have asked for 201, and 200 are the most/);
    expect((await contents("there"))["digests"]).toHaveLength(1);
    const fitting = file(51, (at) => ({ maker: `U${at}`, ...(at > 48 && { state: "removed" }) }));
    expect(await importState(urlOf("there"), fitting)).toContain("digests: 51 added, 0 there already.");
  });

  it("takes nothing where a watchlist's owner is nobody", async () => {
    const text = JSON.stringify({ bellwether: 3, watchlists: { "w-1": { ...watchlist, owner: "<!channel>" } } });
    await expect(importState(urlOf("there"), text)).rejects.toThrow(/watchlists “w-1”: owner is no ID of a person/);
  });

  it("takes nothing where an alert's mute is by nobody", async () => {
    const mutes = [{ entity: "company|ada", name: "Ada", by: "<!channel>", at: now }];
    const text = JSON.stringify({ bellwether: 3, alerts: { "T1 1": { ...alert, mutes } } });
    await expect(importState(urlOf("there"), text)).rejects.toThrow(/alerts “T1 1”: mutes\.0\.by is no ID of a person/);
  });

  it("that cannot be written down whole leaves the file of the last one as it was", async () => {
    await fill("here", full);
    const file = join(folder, "export.json");
    await exportFile(urlOf("here"), file);
    const before = await readFile(file, "utf8");
    await mkdir(`${file}.part`);
    await expect(exportFile(urlOf("here"), file)).rejects.toThrow(
      /^Cannot write the file .*export\.json: EISDIR.* Name one in a folder that you may write to/,
    );
    expect(await readFile(file, "utf8")).toBe(before);
    await expect(exportFile(urlOf("here"), join(folder, "none", "export.json"))).rejects.toThrow(TransferError);
  });

  it.skipIf(!postgresUrl)(`goes to PostgreSQL and back while the old one is in use${whyNoPostgres}`, async () => {
    const schema = await createSchema();
    onTestFinished(() => schema.drop());
    await fill("here", async ({ digests, alerts, watchlists, seen }) => {
      await digests.setMany(Array.from({ length: 40 }, (_, at) => [`T1 ${at + 1}`, digest(at + 1)] as const));
      await alerts.set("T1 1", alert);
      await watchlists.set("w-1", watchlist);
      await seen.set("C1 a", { at: now, by: "a" });
    });
    const inUse = await openStoreExclusively(urlOf("here"), { log: quiet, after: soon });
    const file = join(folder, "export.json");
    await exportFile(urlOf("here"), file);
    await expect(exportFile(schema.url, undefined)).rejects.toThrow(/^There is no store at postgres:/);
    expect(await importFile(schema.url, file)).toContain("digests: 40 added, 0 there already.");
    expect(await contents(schema.url)).toEqual(await contents("here"));
    const alsoInUse = await openStoreExclusively(schema.url, { log: quiet, after: soon });
    await exportFile(schema.url, file);
    await importFile(urlOf("there"), file);
    expect(await contents("there")).toEqual(await contents("here"));
    await Promise.all([inUse.close(), alsoInUse.close()]);
  });

  it("of a store that is not there says so, and makes none", async () => {
    await expect(exportFile(urlOf("nowhere"), undefined)).rejects.toThrow(/^There is no store at .*nowhere\.sqlite/);
    expect(await readdir(folder)).toEqual([]);
  });

  it("of a file that is not there says so", async () => {
    await expect(importFile(urlOf("there"), join(folder, "none.json"))).rejects.toThrow(/Cannot read the file: ENOENT/);
  });
});
