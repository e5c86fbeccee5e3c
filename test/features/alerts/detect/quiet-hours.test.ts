import { describe, expect, it } from "vitest";

import { Unavailable } from "../../../../src/apis/errors.ts";
import type { Alert } from "../../../../src/features/alerts/alert.ts";
import { isQuiet } from "../../../../src/features/alerts/detect/quiet-hours.ts";
import { desk } from "../desk.ts";
import { hour, minute, trend } from "../setting.ts";

const evening = Date.UTC(2026, 10, 20, 22);
const early = Date.UTC(2026, 10, 21, 7);
const night = { quietHours: { from: "22:00", to: "07:00" } };

const basf = trend("BASF");
const everyMinute = { pattern: "* * * * *", zone: "UTC", words: "every minute" };
const twiceADay = { pattern: "0 */12 * * *", zone: "UTC", words: "every 12 hours" };
const daily = { pattern: "0 6 * * *", zone: "UTC", words: "daily at 06:00" };

/** A desk in the evening, with an alert that has its first look at a time of that night. */
async function nightDesk(schedule: Alert["schedule"], nextRun: number) {
  const here = desk();
  here.state.now = evening;
  await here.add({ schedule, nextRun, options: { sensitivity: "eager", ...night } });
  /** Minute by minute until then; gives when the first message came. */
  const until = async (end: number) => {
    let first: number | undefined;
    while (here.state.now < end) {
      await here.later([basf]);
      if (here.posts.length > 0) first ??= here.state.now;
    }
    return first;
  };
  return { ...here, until };
}

describe("quiet hours", () => {
  it("hold back spikes, follow them, and end with one message about them", async () => {
    const { later, until, titles } = await nightDesk(everyMinute, evening);
    await later([trend("Shell")]);
    expect(await until(early + 15 * minute)).toBe(early);
    expect(titles()).toEqual(["2 spikes during quiet hours (22:00–07:00): BASF, Shell · 1 still above normal"]);
  });

  it("end with all that fired in them and just after them in one message", async () => {
    const { later, state, titles } = await nightDesk(everyMinute, evening);
    const many = Array.from({ length: 10 }, (_, index) => trend(`Name ${index}`));
    await later(many);
    state.now = early - minute;
    await later([...many, basf]);
    expect(titles()).toEqual([expect.stringMatching(/^11 spikes during quiet hours .* and 7 more · 11 still/)]);
  });

  it("are those of the schedule's zone", () => {
    const schedule = { ...everyMinute, zone: "America/New_York" };
    const at = [Date.UTC(2026, 10, 20, 23), Date.UTC(2026, 10, 21, 4)];
    expect(at.map((time) => isQuiet({ options: night, schedule }, time))).toEqual([false, true]);
  });

  it("end without a message on a name that was muted since", async () => {
    const { later, posts, read, services, state } = await nightDesk(everyMinute, evening);
    await later([basf]);
    const mutes = [{ entity: "company|basf", name: "BASF", by: "U1", at: evening }];
    await services.alerts.update(await read(), (current) => ({ ...current, mutes }));
    state.now = early;
    await later([basf]);
    expect([posts, (await read()).posts]).toEqual([[], []]);
  });
});

describe("a spike in quiet hours", () => {
  it.each([
    ["looks each minute", everyMinute, evening],
    ["looks at midnight and at noon", twiceADay, evening + 2 * hour],
    ["looks in its quiet hours alone", daily, evening + 8 * hour],
  ])("is reported when they end, once, by what %s", async (_, schedule, nextRun) => {
    const { until, titles } = await nightDesk(schedule, nextRun);
    expect(await until(early + 15 * minute)).toBe(early);
    expect(titles()).toEqual([expect.stringContaining("1 spike during quiet hours (22:00–07:00): BASF")]);
  });

  it("is reported when they end also if the source fails then", async () => {
    const { until, posts, fail } = await nightDesk(everyMinute, evening);
    await until(early - 5 * minute);
    fail.read = () => new Unavailable({ api: "intelligence", operation: "trending" });
    expect(await until(early + 30 * minute)).toBe(early);
    delete fail.read;
    await until(early + hour);
    expect(posts).toHaveLength(1);
  });
});
