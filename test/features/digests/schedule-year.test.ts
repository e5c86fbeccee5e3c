import { describe, expect, it } from "vitest";

import { type Digest, isDigestDue, isSameDigest } from "../../../src/features/digests/digest.ts";
import { postDigests } from "../../../src/features/digests/job.ts";
import { createArrivals } from "../../../src/features/digests/arrivals.ts";
import { createAnnouncedStories } from "../../../src/features/subscriptions/announced.ts";
import { createSubscriptions } from "../../../src/features/subscriptions/store.ts";
import { createLists } from "../../../src/features/news/store.ts";
import { nextRuns } from "../../../src/schedule/runs.ts";
import type { Collection } from "../../../src/store/collection.ts";
import { type Services, article, newsChannel, services, wordsOf } from "../../support/builders.ts";
import { type ExpectedSchedule, minute, expectedRuns } from "../../support/year.ts";

const hour = 60 * minute;
const day = 24 * hour;
const from = Date.UTC(2026, 0, 1);
const until = Date.UTC(2027, 0, 1);
/** What comes later than this says so. */
const lateAfter = 5 * minute;

const always = () => true;
const weekday = (date: Date) => date.getUTCDay() % 6 !== 0;
const zones = ["Europe/London", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata"];
const promises = zones.flatMap((zone): ExpectedSchedule[] => [
  { zone, pattern: "30 1 * * *", at: [1, 30], on: always },
  { zone, pattern: "15 2 * * *", at: [2, 15], on: always },
  { zone, pattern: "0 9 * * 1-5", at: [9, 0], on: weekday },
  { zone, pattern: "30 8 * * 1", at: [8, 30], on: (date) => date.getUTCDay() === 1 },
  { zone, pattern: "0 0 1 * *", at: [0, 0], on: (date) => date.getUTCDate() === 1 },
]);

interface Run {
  /** By the machine's clock, and by a right one. */
  at: number;
  real: number;
  isLate: boolean;
}

/** A collection that is quick with tens of thousands of records. */
function quick<T>(): Collection<T> {
  const values = new Map<string, T>();
  return {
    get: async (key) => values.get(key),
    getMany: async (keys) => new Map(keys.flatMap((key) => (values.has(key) ? [[key, values.get(key) as T]] : []))),
    set: async (key, value) => void values.set(key, value),
    async setMany(entries) {
      for (const [key, value] of entries) values.set(key, value);
    },
    delete: async (key) => values.delete(key),
    async *entries() {
      yield* values;
    },
  };
}

/** A bot with these digests, each in a channel of its own, on a store that outlives it; there is always news. */
async function bot(when: readonly ExpectedSchedule[], since = from) {
  const state = { now: since, real: since, stories: 0 };
  const runs = when.map((): Run[] => []);
  const records = quick<Digest>();
  const numbers = quick<number>();
  const announced = createAnnouncedStories({ articles: quick(), stories: quick() });
  const arrivals = createArrivals(quick());
  const lists = createLists(quick());
  const build = (): Services =>
    services({
      digests: createSubscriptions<Digest>({ records, numbers, isSame: isSameDigest, isDue: isDigestDue }),
      announced,
      arrivals,
      lists,
      now: () => state.now,
      configured: { intelligence: false },
      intelligence: {
        channel: async (id) => newsChannel({ id }),
        async articles() {
          const id = ++state.stories;
          return [article({ id, title: `Story ${id}`, url: `https://news.example.com/${id}`, published: state.real })];
        },
      },
      async post({ channel, onSend }, message) {
        await onSend?.();
        runs[Number(channel.slice(1))]?.push({
          at: state.now,
          real: state.real,
          isLate: wordsOf(message).includes("_Late"),
        });
        return { channel, ts: `${state.now}.0` };
      },
    });
  const running = { services: build() };
  for (const [index, { pattern, zone }] of when.entries()) {
    const schedule = { pattern, zone, words: pattern };
    const source = { kind: "channel", id: 500 + index, name: `Wire ${index}` } as const;
    const nextRun = nextRuns(schedule, since - 1, 1)[0] ?? 0;
    await running.services.digests.add(
      { team: "T1", source, schedule, channel: `C${index}`, maker: "U1", nextRun },
      since,
    );
  }
  return {
    runs,
    restart: () => void (running.services = build()),
    tick: (now: number, real = now) => {
      Object.assign(state, { now, real });
      return postDigests.run(running.services);
    },
  };
}

/** What each promise comes to with ticks at these times: each moment once, at the first tick that can, late or not. */
function expected(moments: readonly number[], ticks: readonly number[]): Run[] {
  const runs: Run[] = [];
  let index = 0;
  for (const at of ticks) {
    const due = moments[index];
    if (due === undefined || due > at) continue;
    runs.push({ at, real: at, isLate: at - due > lateAfter });
    while ((moments[index] ?? Infinity) <= at) index++;
  }
  return runs;
}

const shown = (runs: readonly Omit<Run, "real">[]) =>
  runs.map(({ at, isLate }) => `${new Date(at).toISOString().slice(0, 16)}${isLate ? " late" : ""}`);

/** A generator of its own, so that the same year comes again. */
function dice(seed: number): (most: number) => number {
  let state = seed;
  return (most) => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return Math.floor((state / 2 ** 32) * most);
  };
}

/** Minutes at which something happens, and some at which nothing does: those stand for all the others. */
function ticksOf(
  moments: readonly number[][],
  [first, last]: readonly [number, number],
  quietMs = 30 * minute,
): number[] {
  const busy = new Set(moments.flat());
  const ticks: number[] = [];
  for (let now = first; now < last; now += minute) if (busy.has(now) || now % quietMs === 3 * minute) ticks.push(now);
  return ticks;
}

describe("a year of schedules in four zones", () => {
  it("keeps every promise once, at its minute, through both changes of clock and a restart every day", async () => {
    const { runs, tick, restart } = await bot(promises);
    const moments = promises.map((when) => expectedRuns(when, from, until));
    for (const now of ticksOf(moments, [from, until])) {
      if (now % day === 3 * minute) restart();
      await tick(now);
    }
    for (const [index, own] of runs.entries()) {
      const wanted = (moments[index] ?? []).map((at) => ({ at, isLate: false }));
      expect([promises[index], shown(own)]).toEqual([promises[index], shown(wanted)]);
    }
  }, 60_000);

  it.each([
    ["Europe/London", "2026-03-29T01:00Z"],
    ["Europe/London", "2026-10-25T01:00Z"],
    ["America/New_York", "2026-03-08T07:00Z"],
    ["America/New_York", "2026-11-01T06:00Z"],
    ["Australia/Lord_Howe", "2026-04-04T15:00Z"],
    ["Australia/Lord_Howe", "2026-10-03T15:30Z"],
  ])("neither pauses nor hurries in %s at %s where something comes every few minutes", async (zone, change) => {
    const often = [15, 30].map((everyMinutes) => ({ zone, everyMinutes, pattern: `*/${everyMinutes} * * * *` }));
    const around = [Date.parse(change) - 6 * hour, Date.parse(change) + 6 * hour] as const;
    const moments = often.map((when) => expectedRuns(when, ...around));
    const { runs, tick } = await bot(often, around[0]);
    for (const now of ticksOf(moments, around)) await tick(now);
    expect(runs.map(shown)).toEqual(moments.map((own) => shown(own.map((at) => ({ at, isLate: false })))));
    expect(runs.map(({ length }) => length)).toEqual([48, 24]);
  });
});

/** From when on, and for how long, the machine stands still. */
interface Trouble {
  at: number;
  ms: number;
}

/** A year of troubles, some days apart, at any hour. */
function troubles(seed: number): Trouble[] {
  const roll = dice(seed);
  const kinds: Omit<Trouble, "at">[] = [
    { ms: 9 * hour },
    { ms: 3 * minute },
    { ms: 50 * hour },
    { ms: 9 * hour },
    { ms: 8 * minute },
  ];
  const found: Trouble[] = [];
  // The last months are for what is left to settle.
  for (let at = from + 2 * day; at < until - 60 * day; at += (4 + roll(5)) * day + roll(24 * 60) * minute) {
    found.push({ at, ...(kinds[found.length % kinds.length] ?? { ms: 0 }) });
  }
  return found;
}

/** The minutes of a year as the bot meets them, without those of its troubles; the first one after a trouble is marked. */
function met(moments: readonly number[][], events: readonly Trouble[]): { at: number; isAfterRest: boolean }[] {
  const all = new Set([...ticksOf(moments, [from, until]), ...events.map(({ at, ms }) => at + ms)]);
  let isResting = false;
  return [...all]
    .toSorted((one, other) => one - other)
    .flatMap((now) => {
      const isAfterRest = isResting;
      isResting = events.some(({ at, ms }) => now >= at && now < at + ms);
      return isResting ? [] : [{ at: now, isAfterRest }];
    });
}

describe("a year of troubles", () => {
  it("loses no promise and keeps none twice: what was missed comes once, late, never as a burst", async () => {
    const { runs, tick, restart } = await bot(promises);
    const moments = promises.map((when) => expectedRuns(when, from, until));
    const ticks = met(moments, troubles(1));
    for (const [index, { at, isAfterRest }] of ticks.entries()) {
      if (isAfterRest && index % 2 === 0) restart();
      await tick(at);
    }
    const right = ticks.map(({ at }) => at);
    for (const [index, when] of promises.entries()) {
      const [own, mine] = [runs[index] ?? [], moments[index] ?? []];
      expect([when, shown(own)]).toEqual([when, shown(expected(mine, right))]);
    }
  }, 60_000);
});
