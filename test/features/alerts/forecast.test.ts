import { describe, expect, it } from "vitest";

import { forecastLine, forecastOf, forecastWords } from "../../../src/features/alerts/forecast.ts";
import { now, wordsOf } from "../../support/builders.ts";
import { sample, trend } from "./setting.ts";
import { desk, say } from "./talk.ts";

const minute = 60_000;
const wanted = {
  team: "T1",
  channel: "C1",
  maker: "U1",
  options: {},
  schedule: { pattern: "*/15 * * * *", zone: "UTC", words: "every 15 minutes" },
};
const nobody = { options: { include: ["Nobody"] } };

/** Quarters of an hour up to now, in which the entities are in these of them, the oldest 0. */
function samples(count: number, rises: Record<string, { from: number; to: number; score: number }>) {
  return Array.from({ length: count }, (_, index) => {
    const present = Object.entries(rises).filter(([, { from, to }]) => index >= from && index <= to);
    return sample(
      now - (count - 1 - index) * 15 * minute,
      present.map(([name, { score }]) => trend(name, { score })),
    );
  });
}

const rises = {
  Early: { from: 0, to: 99, score: 9 },
  Strong: { from: 5, to: 20, score: 6 },
  Middling: { from: 8, to: 20, score: 4 },
  Weak: { from: 11, to: 20, score: 2 },
};

describe("what a word would have posted", () => {
  it("counts the messages that the same rules make of the kept samples, without the baseline", () => {
    const forecast = forecastOf(wanted, samples(97, rises));
    expect(forecast?.bySensitivity).toEqual({ quiet: 1, balanced: 2, eager: 3 });
    expect(forecastLine(forecast)).toBe(
      "Messages it would have posted in the last 24 hours: quiet 1, balanced 2, eager 3.",
    );
    expect(forecastWords(forecast)).toMatchObject({ quiet: "1 message in the last 24 hours" });
  });

  it("goes by what is watched", () => {
    expect(forecastOf({ ...wanted, ...nobody }, samples(97, rises))?.bySensitivity).toEqual({
      quiet: 0,
      balanced: 0,
      eager: 0,
    });
  });

  it("counts a burst as the one message that it is", () => {
    const burst = Object.fromEntries(["A", "B", "C"].map((name) => [name, { from: 5, to: 9, score: 9 }]));
    expect(forecastOf(wanted, samples(20, burst))?.bySensitivity).toEqual({ quiet: 1, balanced: 1, eager: 1 });
  });

  it("looks only as often as the alert would", () => {
    const hourly = { ...wanted, schedule: { pattern: "0 * * * *", zone: "UTC", words: "hourly" } };
    const brief = { Short: { from: 9, to: 10, score: 9 } };
    expect(forecastOf(wanted, samples(21, brief))?.bySensitivity.eager).toBe(1);
    expect(forecastOf(hourly, samples(21, brief))?.bySensitivity.eager).toBe(0);
  });

  it("looks back for three days and no further", () => {
    const forecast = forecastOf(wanted, samples(97 * 5, { Old: { from: 10, to: 40, score: 9 } }));
    expect(forecastLine(forecast)).toMatch(/in the last 3 days: quiet 0, balanced 0, eager 0\.$/);
  });

  it.each([[[]], [samples(3, rises)], [samples(8, rises)]])("is honest where too little was seen", (kept) => {
    expect(forecastOf(wanted, kept)).toBeUndefined();
    expect(forecastWords(undefined)).toEqual({});
    expect(forecastLine(undefined)).toMatch(/I cannot say yet/);
  });

  it("stands beside each word in the window, and in the confirmation", async () => {
    const to = desk(samples(97, rises));
    expect(JSON.stringify((await say("add", to)).blocks)).toContain("Eager: 3 messages in the last 24 hours");
    expect(wordsOf(await say("add all every 15 minutes", to))).toContain("quiet 1, balanced 2, eager 3.");
  });
});
