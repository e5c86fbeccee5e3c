import { describe, expect, it } from "vitest";

import { Unavailable } from "../../src/apis/errors.ts";
import type { Alert } from "../../src/features/alerts/alert.ts";
import { desk, titlesOf, wordsNow } from "./alerts-desk.ts";
import { hour, minute, trend } from "./alerts-setting.ts";

const basf = trend("BASF");
const evening = Date.UTC(2026, 10, 20, 22);
const morning = Date.UTC(2026, 10, 21, 7);
const down = new Unavailable({ api: "intelligence", operation: "trending" });

/** A desk in the evening, with an alert that has its first look at a time of that night. */
async function nightDesk(schedule: Alert["schedule"], nextRun: number) {
  const here = desk();
  here.state.now = evening;
  await here.add({ schedule, nextRun, quietHours: { from: "22:00", to: "07:00" } });
  /** Minute by minute until then; gives when the first message came. */
  const until = async (end: number) => {
    let first: number | undefined;
    while (here.state.now < end) {
      await here.later([basf]);
      if (here.stands.length > 0) first ??= here.state.now;
    }
    return first;
  };
  return { ...here, until };
}

const everyMinute = { pattern: "* * * * *", zone: "UTC", words: "every minute" };
const twiceADay = { pattern: "0 */12 * * *", zone: "UTC", words: "every 12 hours" };
const daily = { pattern: "0 6 * * *", zone: "UTC", words: "daily at 06:00" };

describe("what rose in quiet hours", () => {
  it.each([
    ["looks each minute", everyMinute, evening],
    ["looks at midnight and at noon", twiceADay, evening + 2 * hour],
    ["looks in its quiet hours alone", daily, evening + 8 * hour],
  ])("is told when they end, once, by what %s", async (_, schedule, nextRun) => {
    const { until, stands } = await nightDesk(schedule, nextRun);
    expect(await until(morning + hour)).toBe(morning);
    expect(titlesOf(stands)).toEqual([expect.stringContaining("While it was quiet from 22:00 to 07:00: 1 rose")]);
  });

  it("is told as it was at the last look where there was none since", async () => {
    const { until, stands } = await nightDesk(twiceADay, evening + 2 * hour);
    await until(morning);
    const [brief] = stands;
    expect(brief && wordsNow(brief)).toMatch(
      /1 still rising at the last look\n[^]*Last look <!date[^>]*>, next <!date/,
    );
  });

  it("is told soon also where the source fails then, which is said", async () => {
    const { until, stands, fail } = await nightDesk(everyMinute, evening);
    await until(morning - 5 * minute);
    fail.read = () => down;
    expect(await until(morning + 3 * hour)).toBe(morning + 11 * minute);
    const [brief] = stands;
    expect(brief && wordsNow(brief)).toMatch(/at the last look\n[^]*Last look <!date[^>]*>\./);
    delete fail.read;
    await until(morning + 4 * hour);
    expect(stands).toHaveLength(1);
  });

  it("is told at once where the bot was down when they ended", async () => {
    const { until, stands, restart, state } = await nightDesk(twiceADay, evening + 2 * hour);
    await until(evening + 4 * hour);
    state.now = morning + 2 * hour;
    restart();
    expect(await until(state.now + minute)).toBe(morning + 2 * hour + minute);
    expect(stands).toHaveLength(1);
  });
});
