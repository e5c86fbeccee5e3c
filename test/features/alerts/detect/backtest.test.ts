import { describe, expect, it } from "vitest";

import { backtest, backtestWords } from "../../../../src/features/alerts/detect/backtest.ts";
import type { ArrivalCounts } from "../../../../src/features/alerts/detect/counts.ts";
import type { Sample } from "../../../../src/features/sources/samples.ts";
import { now } from "../../../support/builders.ts";
import { alert, hour, minute, sample, trend } from "../setting.ts";

const day = 24 * hour;
const quarterly = { pattern: "*/15 * * * *", zone: "UTC", words: "every 15 minutes" };

/** A week of samples in which BASF spikes for two hours on some of the days. */
function week(spikes: number[]): Sample[] {
  return Array.from({ length: 7 * 48 }, (_, index) => {
    const at = now - 7 * day + index * 30 * minute;
    const dayOf = Math.floor(index / 48);
    const isSpike = spikes.includes(dayOf) && index % 48 >= 10 && index % 48 < 14;
    return sample(at, [trend("BASF", isSpike ? { mentions: 40, score: 9 } : { mentions: 4, score: 0.2 })]);
  });
}

const test = (samples: Sample[], about: Parameters<typeof alert>[0] = {}, counts?: ArrivalCounts) =>
  backtest(alert({ schedule: quarterly, ...about }), now, {
    samples: { since: async (at) => samples.filter((each) => each.at >= at) },
    counts: { get: async () => counts },
  });

describe("a backtest", () => {
  it("finds the spikes that the alert would have reported, with their peaks", async () => {
    const tested = await test(week([1, 3, 5]));
    expect(tested?.fired.map(({ name, peak }) => [name, peak.mentions])).toEqual([
      ["BASF", 40],
      ["BASF", 40],
      ["BASF", 40],
    ]);
    const words = backtestWords(tested);
    expect(words).toMatch(
      /^In the last 7 days this would have fired 3 times:\n• <!date\^\d+\^[^>]*> · \*BASF\* · 40\sarticles, 10×/,
    );
    expect(words.split("\n")).toHaveLength(4);
  });

  it("goes by the alert's own rule and filters", async () => {
    const fired = async (options: Parameters<typeof alert>[0]) => (await test(week([1, 3, 5]), options))?.fired.length;
    expect(await fired({ options: { exclude: ["BASF"] } })).toBe(0);
    expect(await fired({ options: { mentions: 50 } })).toBe(0);
    expect(await fired({ options: { quietHours: { from: "00:00", to: "23:59" } } })).toBe(3);
    expect(await fired({ mutes: [{ entity: "company|basf", name: "BASF", by: "U1", at: 0 }] })).toBe(3);
  });

  it("checks as often as the alert would", async () => {
    const daily = { pattern: "0 3 * * *", zone: "UTC", words: "daily at 3:00" };
    expect((await test(week([1, 3, 5]), { schedule: daily }))?.fired).toEqual([]);
  });

  it("leaves out the time before the first sample", async () => {
    expect(backtestWords(await test([]))).toBe("No history yet to test it on.");
    expect(backtestWords(await test(week([]).slice(-8)))).toBe("In the last 4 hours this would not have fired.");
  });
});

describe("a backtest of a source", () => {
  const source = { kind: "channel" as const, id: 7, name: "Central banks" };
  const slots = (count: number): number[] => Array.from({ length: count }, (_, index) => (index % 4 === 0 ? 2 : 0));
  const first = Math.floor(now / (15 * minute)) - 8 * 96 + 1;

  it("counts as the alert does", async () => {
    const counts = slots(8 * 96);
    counts[5 * 96] = 30;
    const known = { since: now - 8 * day, at: now, first, counts, newest: now };
    const tested = await test([], { source }, known);
    expect(tested?.isEstimate).toBeUndefined();
    expect(tested?.fired).toMatchObject([{ name: "Central banks", peak: { spanMs: hour } }]);
    expect(backtestWords(tested)).toMatch(
      /^In the last 7 days this would have fired once:\n.*\*Central banks\* · 3\d\sart/,
    );
  });

  it("estimates from publication times the days before the first read", async () => {
    const counts = slots(8 * 96);
    const tested = await test([], { source }, { since: now - hour, at: now, first, counts, newest: now });
    expect(backtestWords(tested)).toBe(
      "In the last 7 days (estimated from publication times) this would not have fired.",
    );
    expect(await test([], { source })).toBeUndefined();
    expect(await test([], { source }, { since: now, at: now, first: first + 750, counts: [1] })).toBeUndefined();
  });

  it("finds silences", async () => {
    const counts = slots(8 * 96).map((count, index) => (index >= 6 * 96 && index < 6 * 96 + 48 ? 0 : count));
    const known = { since: now - 8 * day, at: now, first, counts, newest: now };
    const fired = (await test([], { source, options: { silence: 6 } }, known))?.fired;
    expect(fired?.filter(({ silentSince }) => silentSince !== undefined)).toHaveLength(1);
  });
});
