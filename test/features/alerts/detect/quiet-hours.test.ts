import { describe, expect, it } from "vitest";

import { Unavailable } from "../../../../src/apis/errors.ts";
import type { Alert } from "../../../../src/features/alerts/alert.ts";
import { endQuietHours } from "../../../../src/features/alerts/detect/evaluate.ts";
import { wordsOf } from "../../../support/answers.ts";
import { desk } from "../desk.ts";
import { alert, course, hour, inShort, look, minute, trend } from "../setting.ts";

const late = Date.UTC(2026, 10, 20, 21, 58);
const evening = Date.UTC(2026, 10, 20, 22);
const early = Date.UTC(2026, 10, 21, 7);
const night = { quietHours: { from: "22:00", to: "07:00" } };
const quiet = alert({ options: night });
const short = alert({ options: { ...night, restHours: 1 / 60 } });
const strong = trend("BASF", { score: 8 });
const shell = trend("Shell", { score: 7 });
const ada = trend("Ada", { score: 9 });

describe("quiet hours", () => {
  it("hold back what rises, while it is followed, and end with one message about it", () => {
    const through = course(quiet, [[], [], [strong], [strong, shell], [strong], [], [], []], late);
    expect(through.posts.flat()).toEqual([]);
    expect(through.alert.awaitingBrief).toEqual(["company|basf", "company|shell"]);
    expect(through.alert.incidents.map(({ state }) => state)).toEqual(["resolved", "resolved"]);
    const morning = course(through.alert, [[ada], [ada]], early);
    expect(morning.posts).toEqual([["brief ada basf shell"], []]);
    expect(morning.alert.awaitingBrief).toEqual([]);
  });

  it("are those of the schedule's zone", () => {
    const zoned = { ...quiet, schedule: { ...quiet.schedule, zone: "America/New_York" } };
    expect(course(zoned, [[strong]], Date.UTC(2026, 10, 20, 23)).posts).toEqual([["firing basf"]]);
    expect(course(zoned, [[strong]], Date.UTC(2026, 10, 21, 4)).posts).toEqual([[]]);
  });

  it("take what could not be posted before them into the brief, also where it has rested since", () => {
    let before = look(short, [strong], late).alert;
    expect(before.posts).toMatchObject([{ content: { kind: "firing" } }]);
    for (let minutes = 2; minutes < 10; minutes++) before = look(before, [], late + minutes * minute).alert;
    expect(before).toMatchObject({ awaitingBrief: ["company|basf"], posts: [], incidents: [{ state: "resolved" }] });
    expect(inShort(look(before, [], early).posts)).toEqual(["brief basf"]);
  });

  it("end without a word on whom somebody has muted or left out since", () => {
    const held = { ...course(quiet, [[strong, shell]], late + 3 * minute).alert, nextRun: early + hour };
    const mutes = [{ entity: "company|basf", name: "BASF", by: "U1", at: late }];
    expect(inShort(endQuietHours({ ...held, mutes }, early).posts)).toEqual(["brief shell"]);
    const none = endQuietHours({ ...held, mutes, options: { ...night, exclude: ["Shell"] } }, early);
    expect([none.posts, none.awaitingBrief]).toEqual([[], []]);
  });
});

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

describe("what rose in quiet hours", () => {
  it.each([
    ["looks each minute", everyMinute, evening],
    ["looks at midnight and at noon", twiceADay, evening + 2 * hour],
    ["looks in its quiet hours alone", daily, evening + 8 * hour],
  ])("is reported when they end, once, by what %s", async (_, schedule, nextRun) => {
    const { until, titles } = await nightDesk(schedule, nextRun);
    expect(await until(early + 15 * minute)).toBe(early);
    expect(titles()).toEqual([expect.stringContaining("1 spike during quiet hours (22:00–07:00): BASF")]);
  });

  it("is reported when they end also if the source fails then, which the message says", async () => {
    const { until, posts, fail, shown } = await nightDesk(everyMinute, evening);
    await until(early - 5 * minute);
    fail.read = () => new Unavailable({ api: "intelligence", operation: "trending" });
    expect(await until(early + 30 * minute)).toBe(early);
    const [brief] = posts;
    expect(brief && wordsOf(shown(brief))).toMatch(/1 still above normal at the last check\n[^]*Last check <!date/);
    delete fail.read;
    await until(early + hour);
    expect(posts).toHaveLength(1);
  });
});
