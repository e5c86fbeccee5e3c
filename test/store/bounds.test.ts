import { describe, expect, it } from "vitest";
import type { z } from "zod";

import { parseConfig } from "../../src/config.ts";
import { createFeatures } from "../../src/features.ts";
import { replicaLifeMs } from "../../src/replicas/replicas.ts";
import { unfinishedLifeMs } from "../../src/slack/answer/unfinished.ts";
import { eventMemoryMs } from "../../src/slack/incoming/deduplicate.ts";
import { shareLifeMs } from "../../src/slack/answer/share.ts";
import { createServices } from "../../src/services.ts";
import type { Store } from "../../src/store/store.ts";
import { memory } from "../support/builders.ts";
import { baseOf } from "../support/features.ts";
import { read } from "../support/sources.ts";

const day = 24 * 60 * 60_000;

/** What holds the collections whose records do not expire. */
const bounds: Record<string, string> = {
  installations: "one for each workspace; deleted when the app is removed there",
  organisations: "one for each workspace of an organisation",
  digests: "one for each that somebody asked for; a removed one expires",
  alerts: "one for each that somebody asked for; a removed one expires",
  watchlists: "50 for each person at most; a removed one expires",
  "collection-owners": "one for each collection that somebody made",
  outages: "one for each service; deleted when it is back",
  "digest-numbers": "one for each workspace",
  "alert-numbers": "one for each workspace",
  "thread-settings": "one for each channel; deleted when it is set back to what is usual",
};

interface Opened {
  name: string;
  ttlMs?: number | undefined;
}

/** Every collection that the bot opens, and how long its records live. */
async function opened(): Promise<Opened[]> {
  const found: Opened[] = [];
  const store: Store = {
    collection<T>(name: string, _schema: z.ZodType<T>, options: { ttlMs?: number } = {}) {
      found.push({ name, ttlMs: options.ttlMs });
      return memory<T>();
    },
    names: async () => [],
    watch() {},
    exclusively: (_name, work) => work(),
    async vacuum() {},
    async close() {},
  };
  const config = parseConfig({});
  const base = { ...baseOf(), store };
  createFeatures({ ...base, ...(await createServices(config, base)) }, config);
  return [...found, ...ofTheApp()];
}

const lives: Record<string, number> = { replicaLifeMs, shareLifeMs, unfinishedLifeMs, eventMemoryMs };

/** What only an app that is connected to Slack opens, as its source says. */
function ofTheApp(): Opened[] {
  const source = [...read("src/app.ts"), ...read("src/operate/shared-store.ts")].map(({ text }) => text).join("\n");
  const calls = [...source.matchAll(/store\.collection\("([\w-]+)", \w+(?:, \{ ttlMs: (\w+) \})?\)/g)];
  expect(calls).toHaveLength(source.split("store.collection(").length - 1);
  return calls.map(([, name = "", life]) => ({ name, ttlMs: life === undefined ? undefined : lives[life] }));
}

describe("what is stored", () => {
  it("expires, or is bounded by what there is", async () => {
    const all = await opened();
    expect(all.length).toBeGreaterThan(15);
    const lasting = all.filter(({ ttlMs }) => ttlMs === undefined).map(({ name }) => name);
    expect(lasting.toSorted()).toEqual(Object.keys(bounds).toSorted());
    const odd = all.filter(({ ttlMs = day }) => ttlMs < 60_000 || ttlMs > 200 * day);
    expect(odd).toEqual([]);
  });

  it("has a name of its own each", async () => {
    const names = (await opened()).map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });
});
