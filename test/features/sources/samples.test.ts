import { describe, expect, it } from "vitest";

import { Unavailable } from "../../../src/apis/errors.ts";
import type { Trend } from "../../../src/apis/article.ts";
import { type Sample, createSamples } from "../../../src/features/sources/samples.ts";
import type { Collection } from "../../../src/store/collection.ts";
import { memory, now as start, fakeGateway } from "../../support/builders.ts";
import { hour, minute, trend } from "../alerts/setting.ts";

const gateway = fakeGateway();

/** Samples over a service that says what it is told to. */
function sampling(records = memory<Sample>()) {
  const state = { now: start, trends: [trend("BASF")] as Trend[], reads: 0, log: [] as string[] };
  const fail: { read?: Error } = {};
  const open = () =>
    createSamples({
      records,
      async read() {
        state.reads++;
        if (fail.read) throw fail.read;
        return state.trends;
      },
      now: () => state.now,
      log: { warn: (event) => state.log.push(event) },
    });
  const running = { samples: open() };
  return {
    state,
    fail,
    records,
    take: () => running.samples.take(gateway),
    since: (at = 0) => running.samples.since(at),
    history: (entity: string, at = 0) => running.samples.history(entity, at),
    restart: () => (running.samples = open()),
    takeEvery: async (ms: number, until: number) => {
      for (; state.now <= until; state.now += ms) await running.samples.take(gateway);
    },
  };
}

async function keysOf(records: Collection<Sample>): Promise<number> {
  let count = 0;
  for await (const entry of records.entries()) count += entry.length / 2;
  return count;
}

describe("what is trending", () => {
  it("is asked for once, however many want to know", async () => {
    const { take, state } = sampling();
    const all = await Promise.all(Array.from({ length: 50 }, take));
    state.now += 20_000;
    expect(await take()).toBe(all[0]);
    expect(state.reads).toBe(1);
    state.now += 40_000;
    await take();
    expect(state.reads).toBe(2);
  });

  it("names each entity once, the best rank first, and no more than a hundred", async () => {
    const { take, state } = sampling();
    const many = Array.from({ length: 150 }, (_, index) => trend(`Name ${index}`));
    state.trends = [trend("BASF", { mentions: 9 }), trend("basf", { mentions: 1 }), ...many];
    const { entities } = await take();
    expect(entities).toHaveLength(100);
    expect(entities.filter(({ entity }) => entity === "company|basf")).toMatchObject([{ name: "BASF", mentions: 9 }]);
  });

  it("leaves no sample if the service does not answer", async () => {
    const { take, since, fail, state } = sampling();
    fail.read = new Unavailable({ api: "intelligence", operation: "trending" });
    await expect(take()).rejects.toBe(fail.read);
    expect(await since()).toEqual([]);
    delete fail.read;
    await take();
    expect(state.reads).toBe(2);
  });

  it("is kept in memory if it cannot be stored", async () => {
    const { take, since, records, state } = sampling();
    records.set = () => Promise.reject(new Error("the disk is full"));
    await take();
    expect(await since()).toHaveLength(1);
    expect(state.log).toEqual(["samples.save.failed"]);
  });
});

describe("kept samples", () => {
  it("outlive the process", async () => {
    const { take, since, restart, state } = sampling();
    await take();
    state.now += minute;
    await take();
    const before = await since();
    restart();
    expect(await since()).toEqual(before);
    expect(before).toHaveLength(2);
    expect(await since(start + 1)).toHaveLength(1);
  });

  it("are all of the last three hours, four an hour of two days, and two an hour of the week before", async () => {
    const { takeEvery, since, records, state } = sampling();
    await takeEvery(5 * minute, start + 8 * 24 * hour);
    const kept = await since();
    const recent = kept.filter(({ at }) => at > state.now - 3 * hour);
    expect(recent).toHaveLength(35);
    expect(kept[0]?.at).toBeGreaterThan(state.now - 7 * 24 * hour - 30 * minute);
    const later = kept.filter(({ at }) => at > state.now - 2 * 24 * hour && at <= state.now - 3 * hour);
    const before = kept.filter(({ at }) => at <= state.now - 2 * 24 * hour);
    expect(Math.abs(later.length - 45 * 4)).toBeLessThanOrEqual(2);
    expect(Math.abs(before.length - 5 * 24 * 2)).toBeLessThanOrEqual(2);
    expect(await keysOf(records)).toBe(kept.length);
  });

  it("give the history of one entity, for the samples that it is in", async () => {
    const { take, history, state } = sampling();
    await take();
    state.now += minute;
    state.trends = [];
    await take();
    state.now += minute;
    state.trends = [trend("Basf", { mentions: 30, average: undefined })];
    await take();
    const mentions = (await history("company|basf")).map((figures) => [figures.at, figures.mentions]);
    expect(mentions).toEqual([
      [start, 12],
      [start + 2 * minute, 30],
    ]);
    expect(await history("company|basf", start + 1)).toHaveLength(1);
    expect(await history("company|shell")).toEqual([]);
  });
});
