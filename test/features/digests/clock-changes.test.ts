import { describe, expect, it } from "vitest";

import { nextRuns } from "../../../src/schedule/runs.ts";
import { wordsOf } from "../../support/answers.ts";
import { article, newsChannel } from "../../support/builders.ts";
import { type ExpectedSchedule, expectedRuns } from "../../support/year.ts";
import { day, digestDesk, hour, minute } from "./setting.ts";

/** Clocks go forward in London on 29 March, and back on Lord Howe Island on 5 April. */
const from = Date.UTC(2026, 2, 1);
const until = Date.UTC(2026, 4, 1);
/** What comes later than this says so. */
const lateAfter = 5 * minute;

const always = () => true;
const weekday = (date: Date) => date.getUTCDay() % 6 !== 0;
const zones = ["Europe/London", "Australia/Lord_Howe"];
const promises = zones.flatMap((zone): ExpectedSchedule[] => [
  { zone, pattern: "30 1 * * *", at: [1, 30], on: always },
  { zone, pattern: "15 2 * * *", at: [2, 15], on: always },
  { zone, pattern: "0 9 * * 1-5", at: [9, 0], on: weekday },
  { zone, pattern: "30 8 * * 1", at: [8, 30], on: (date) => date.getUTCDay() === 1 },
  { zone, pattern: "0 0 1 * *", at: [0, 0], on: (date) => date.getUTCDate() === 1 },
]);

interface Run {
  at: number;
  isLate: boolean;
}

/** A bot with these digests, each in a channel of its own, on a store that outlives it; there is always news. */
async function bot(when: readonly ExpectedSchedule[]) {
  const runs = when.map((): Run[] => []);
  let stories = 0;
  const desk = digestDesk({
    intelligence: {
      channel: async (id) => newsChannel({ id }),
      async articles() {
        const id = ++stories;
        const url = `https://news.example.com/${id}`;
        return [article({ id, title: `Story ${id}`, url, published: desk.state.now })];
      },
    },
    async post({ channel, onSend }, message) {
      await onSend?.();
      const at = desk.state.now;
      runs[Number(channel.slice(1))]?.push({ at, isLate: wordsOf(message).includes("_Late") });
      return { channel, ts: `${at}.0` };
    },
  });
  desk.state.now = from;
  for (const [index, { pattern, zone }] of when.entries()) {
    const schedule = { pattern, zone, words: pattern };
    const source = { kind: "channel", id: 500 + index, name: `Wire ${index}` } as const;
    await desk.add({ source, schedule, channel: `C${index}`, nextRun: nextRuns(schedule, from - 1, 1)[0] ?? 0 });
  }
  return {
    runs,
    restart: desk.restart,
    tick: (now: number) => {
      desk.state.now = now;
      return desk.tick();
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
    runs.push({ at, isLate: at - due > lateAfter });
    while ((moments[index] ?? Infinity) <= at) index++;
  }
  return runs;
}

const shown = (runs: readonly Run[]) =>
  runs.map(({ at, isLate }) => `${new Date(at).toISOString().slice(0, 16)}${isLate ? " late" : ""}`);

/** Minutes at which something happens, and some at which nothing does: those stand for all the others. */
function ticksOf(moments: readonly number[][]): number[] {
  const busy = new Set(moments.flat());
  const ticks: number[] = [];
  for (let now = from; now < until; now += minute) {
    if (busy.has(now) || now % (6 * hour) === 3 * minute) ticks.push(now);
  }
  return ticks;
}

/** Times that the machine stands still, from when on and until when: nights, minutes and days, at any hour. */
function restsOf(count: number): { from: number; until: number }[] {
  const lengths = [9 * hour, 3 * minute, 50 * hour, 9 * hour, 8 * minute];
  return Array.from({ length: count }, (_, index) => {
    const begins = from + (2 + 6 * index) * day + ((index * 997) % 1_440) * minute;
    return { from: begins, until: begins + (lengths[index % lengths.length] ?? 0) };
  });
}

describe("two months of schedules in two zones", () => {
  const moments = promises.map((when) => expectedRuns(when, from, until));

  it("keeps every promise once, at its minute, through both changes of clock and a restart every day", async () => {
    const { runs, tick, restart } = await bot(promises);
    for (const now of ticksOf(moments)) {
      if (now % day === 3 * minute) restart();
      await tick(now);
    }
    const wanted = moments.map((own) => shown(own.map((at) => ({ at, isLate: false }))));
    expect(runs.map(shown)).toEqual(wanted);
  });

  it("loses no promise while the machine stands still, and keeps none twice: what was missed comes once, late", async () => {
    const { runs, tick, restart } = await bot(promises);
    const rests = restsOf(9);
    const isResting = (now: number) => rests.some((rest) => now >= rest.from && now < rest.until);
    const awake = new Set([...ticksOf(moments), ...rests.map((rest) => rest.until)]);
    const ticks = [...awake].toSorted((one, other) => one - other).filter((now) => !isResting(now));
    for (const at of ticks) {
      if (rests.some((rest, index) => rest.until === at && index % 2 === 0)) restart();
      await tick(at);
    }
    expect(runs.map(shown)).toEqual(moments.map((own) => shown(expected(own, ticks))));
  });

  it.each([
    ["Europe/London", "2026-03-29T01:00Z"],
    ["Europe/London", "2026-10-25T01:00Z"],
    ["America/New_York", "2026-03-08T07:00Z"],
    ["America/New_York", "2026-11-01T06:00Z"],
    ["Australia/Lord_Howe", "2026-04-04T15:00Z"],
    ["Australia/Lord_Howe", "2026-10-03T15:30Z"],
  ])("neither pauses nor hurries in %s at %s where something comes every few minutes", (zone, change) => {
    const begins = Date.parse(change) - 6 * hour;
    for (const everyMinutes of [15, 30]) {
      const pattern = `*/${everyMinutes} * * * *`;
      const wanted = expectedRuns({ zone, everyMinutes, pattern }, begins, begins + 12 * hour);
      expect(nextRuns({ pattern, zone }, begins - 1, wanted.length)).toEqual(wanted);
    }
  });
});
