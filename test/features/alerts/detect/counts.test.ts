import { describe, expect, it } from "vitest";

import type { Article } from "../../../../src/apis/article.ts";
import {
  type ArrivalCounts,
  countArrivals,
  courseOfCounts,
  figuresOf,
  isTooQuiet,
  learnedAt,
  silenceOf,
} from "../../../../src/features/alerts/detect/counts.ts";
import { isAbove, levelOf, ruleOf } from "../../../../src/features/alerts/detect/rule.ts";
import { article, now as start } from "../../../support/builders.ts";
import { hour, minute } from "../setting.ts";

const day = 24 * hour;
const sum = ({ counts }: ArrivalCounts) => counts.reduce((total, count) => total + count, 0);

/** A read that finds these articles, each of which came at a time. */
function read(...found: { published?: number; came: number }[]) {
  const articles = found.map(({ published, came }, index) => {
    return article({ id: undefined, url: `https://n.example.com/${came}-${index}`, published });
  });
  return { articles, arrivals: new Map(articles.map((each, at): [Article, number] => [each, found[at]?.came ?? 0])) };
}

/** A source that is read every quarter of an hour, of which a function says how much comes in each. */
function counted(from: number, to: number, perSlot: (at: number) => number): ArrivalCounts {
  let counts: ArrivalCounts | undefined;
  for (let at = from; at <= to; at += 15 * minute) {
    const came = Array.from({ length: counts ? perSlot(at) : 0 }, () => ({ published: at - minute, came: at }));
    counts = countArrivals(counts, read(...came), at);
  }
  if (!counts) throw new Error("nothing was read");
  return counts;
}

describe("the counts of a source", () => {
  it("begin with what the first read holds, by its publication times", () => {
    const counts = countArrivals(undefined, read({ published: start - 2 * hour, came: start }, { came: start }), start);
    expect(counts).toMatchObject({ since: start, at: start, newest: start - 2 * hour });
    expect(sum(counts)).toBe(1);
    expect(counts.counts).toHaveLength(9);
  });

  it("count each article once, when it came", () => {
    const first = countArrivals(undefined, read(), start);
    const old = { published: start - hour, came: start + 15 * minute };
    const second = countArrivals(first, read(old, { ...old }), start + 15 * minute);
    const third = countArrivals(second, read(old, { ...old }), start + 30 * minute);
    expect([first, second, third].map(sum)).toEqual([0, 2, 2]);
  });

  it("count an article once that a read holds twice", () => {
    const first = countArrivals(undefined, read(), start);
    const at = start + 15 * minute;
    const { articles, arrivals } = read({ published: at - minute, came: at });
    const twice = articles.flatMap((each) => [each, { ...each }]);
    const times = new Map(twice.map((each): [Article, number] => [each, at]));
    expect(arrivals.size).toBe(1);
    expect(sum(countArrivals(first, { articles: twice, arrivals: times }, at))).toBe(1);
  });

  it("count what came while nobody looked when it was published", () => {
    const first = countArrivals(undefined, read(), start);
    const later = start + 10 * hour;
    const came = [1, 4, 9].map((hours) => ({ published: start + hours * hour, came: later }));
    const counts = countArrivals(first, read(...came), later);
    expect(figuresOf(counts, { at: later, spanMs: hour, knownFrom: start - 5 * day }).mentions).toBe(1);
    expect(sum(counts)).toBe(3);
  });

  it("spread what has no date over the time in which nobody looked", () => {
    const first = countArrivals(undefined, read(), start);
    const later = start + 10 * hour;
    const counts = countArrivals(first, read(...Array.from({ length: 20 }, () => ({ came: later }))), later);
    expect(figuresOf(counts, { at: later, spanMs: hour, knownFrom: start }).mentions).toBeLessThanOrEqual(3);
  });

  it("leave out what was published days before it came", () => {
    const first = countArrivals(undefined, read(), start);
    const at = start + 15 * minute;
    expect(sum(countArrivals(first, read({ published: at - 3 * day, came: at }), at))).toBe(0);
  });

  it.each([30, 1])(
    "after %i hours, compare with nothing of the days in which nobody looked, of which a read holds too little",
    (hours) => {
      const paused = counted(start - hours * hour, start, () => 3);
      const resumedAt = start + 3 * day;
      const newest = Array.from({ length: 25 }, (_, index) => ({
        published: resumedAt - index * 5 * minute,
        came: resumedAt,
      }));
      let counts = countArrivals(paused, read(...newest), resumedAt);
      for (let at = resumedAt + 15 * minute; at <= resumedAt + 2 * hour; at += 15 * minute) {
        const came = Array.from({ length: 3 }, () => ({ published: at - minute, came: at }));
        counts = countArrivals(counts, read(...came), at);
        const figures = figuresOf(counts, { at, spanMs: hour, knownFrom: counts.since });
        expect(isAbove(levelOf(figures, ruleOf({ sensitivity: "eager" })))).toBe(false);
      }
    },
  );

  it("are kept for eight days and no more", () => {
    const counts = counted(start, start + 20 * day, () => 1);
    expect(counts.counts).toHaveLength(8 * 24 * 4);
    expect(sum(counts)).toBe(8 * 24 * 4 - 1);
    expect(JSON.stringify(counts).length).toBeLessThan(2_000);
  });

  it("begin anew when the clock was set back", () => {
    const counts = counted(start, start + 2 * day, () => 1);
    expect(countArrivals(counts, read(), start).since).toBe(start);
  });
});

describe("the chart of a source", () => {
  it("shows the last day by two hours, against what is normal now", () => {
    const at = start + 30 * hour;
    const course = courseOfCounts(
      counted(start, at, () => 1),
      { at, knownFrom: start },
    );
    expect(course).toHaveLength(12);
    expect(course.at(-1)).toMatchObject({ at, spanMs: 2 * hour, average: expect.closeTo(8, 0) });
    expect(course.every(({ mentions, average }) => Math.abs(mentions - (average ?? 0)) <= 1)).toBe(true);
    expect(
      courseOfCounts(
        counted(start, start + 5 * hour, () => 1),
        { at: start + 5 * hour, knownFrom: start },
      ),
    ).toHaveLength(2);
  });
});

describe("how unusual a count is", () => {
  /** What an hour with so many articles is, after three days with so many an hour. */
  const figures = (normal: number, mentions: number) => {
    const at = start + 3 * day;
    const counts = counted(start, at, (time) => {
      const isLast = time > at - hour;
      const isWhole = Math.floor(time / (15 * minute)) % 4 === 0;
      return isLast ? (time === at ? mentions : 0) : isWhole ? normal : 0;
    });
    return figuresOf(counts, { at, spanMs: hour, knownFrom: counts.since });
  };
  const fires = (normal: number, mentions: number, sensitivity: "quiet" | "balanced" | "eager") =>
    isAbove(levelOf(figures(normal, mentions), ruleOf({ sensitivity })));

  it("is a number of standard deviations above the mean of as long times before", () => {
    expect(figures(8, 29)).toMatchObject({
      mentions: 29,
      average: expect.closeTo(8, 0),
      score: expect.closeTo(7.2, 0),
    });
  });

  it("is too much for a sensitivity the sooner the more eager it is", () => {
    const counts = [3, 4, 6, 12, 20];
    const of = (sensitivity: "quiet" | "balanced" | "eager") => counts.filter((count) => fires(2, count, sensitivity));
    expect(of("eager")).toEqual([6, 12, 20]);
    expect(of("balanced")).toEqual([6, 12, 20]);
    expect(of("quiet")).toEqual([12, 20]);
  });

  it("is no spike where one article becomes three", () => {
    expect(fires(1, 3, "eager")).toBe(false);
  });

  it("is not known of a source that the first read found empty before four lengths of time", () => {
    const at = start + 4 * hour;
    const counts = counted(start, at, () => 1);
    expect(figuresOf(counts, { at, spanMs: hour, knownFrom: start })).toEqual({ at, spanMs: hour, mentions: 4 });
  });

  it("is estimated from the first read on, by when its articles were published, until a day is counted", () => {
    const published = Array.from({ length: 24 }, (_, index) => ({ published: start - index * hour, came: start }));
    const first = countArrivals(undefined, read(...published), start);
    const at = start + 15 * minute;
    const burst = Array.from({ length: 12 }, () => ({ published: start + 5 * minute, came: at }));
    const burstFigures = figuresOf(countArrivals(first, read(...burst, ...published), at), {
      at,
      spanMs: hour,
      knownFrom: start - day,
    });
    expect(burstFigures).toMatchObject({ mentions: 13, average: expect.closeTo(1, 0), isEstimate: true });
    expect(isAbove(levelOf(burstFigures, ruleOf({ sensitivity: "quiet" })))).toBe(true);
    const later = counted(start, start + 25 * hour, () => 1);
    expect(figuresOf(later, { at: later.at, spanMs: hour, knownFrom: start }).isEstimate).toBeUndefined();
  });

  it("is not known to be normal until a day and four lengths of time are counted", () => {
    expect(learnedAt({ spanMs: hour, knownFrom: start })).toBe(start + day);
    expect(learnedAt({ spanMs: day, knownFrom: start })).toBe(start + 5 * day);
  });
});

describe("a source with a daily rhythm", () => {
  const midnight = Date.UTC(2026, 10, 9);
  const hourOf = (at: number) => new Date(at - minute).getUTCHours();
  /** Two articles in each quarter of an hour around noon, one in the morning and the afternoon, and one an hour at night. */
  const rhythm = (at: number) => {
    const time = hourOf(at);
    if (time >= 11 && time < 15) return 3;
    if (time >= 7 && time < 20) return 1;
    return at % hour === 0 ? 1 : 0;
  };
  const levelAfter = (at: number, extra = 0) => {
    const counts = counted(midnight, at, (time) => rhythm(time) + (time > at - hour ? extra : 0));
    return levelOf(figuresOf(counts, { at, spanMs: hour, knownFrom: midnight }), ruleOf({ sensitivity: "balanced" }));
  };

  it.each([8, 11.5, 12, 13, 15])("has no spike at %f h, as on every other day", (hours) => {
    expect(isAbove(levelAfter(midnight + 6 * day + hours * hour))).toBe(false);
  });

  it("spikes at night with what would be normal at noon, and at noon with three times that", () => {
    expect(isAbove(levelAfter(midnight + 6 * day + 3 * hour, 3))).toBe(true);
    expect(isAbove(levelAfter(midnight + 6 * day + 13 * hour, 6))).toBe(true);
  });
});

describe("a full read", () => {
  /** The newest articles of a source that brings so many an hour, as far as a read holds them. */
  const newest = (at: number, anHour: number, held = 25) =>
    Array.from({ length: held }, (_, index) => at - ((index + 0.5) * hour) / anHour);

  /** A source that is read every quarter of an hour, with the rate that it has then. */
  function readOften(from: number, to: number, rateAt: (at: number) => number, isDated = true): ArrivalCounts {
    let counts: ArrivalCounts | undefined;
    const came = new Map<number, number>();
    for (let at = from; at <= to; at += 15 * minute) {
      const held = newest(at, rateAt(at)).map((published) => {
        if (!came.has(published)) came.set(published, at);
        return { ...(isDated && { published }), came: came.get(published) ?? at };
      });
      counts = countArrivals(counts, read(...held), at);
    }
    if (!counts) throw new Error("nothing was read");
    return counts;
  }

  it("of which nothing was known before says by its span how much has come that it doesn't hold", () => {
    const end = start + 2 * day;
    const counts = readOften(start, end, (at) => (at > end - hour ? 200 : 60));
    const figures = figuresOf(counts, { at: end, spanMs: hour, knownFrom: start });
    expect(figures.mentions).toBeGreaterThan(180);
    expect(figures.mentions).toBeLessThan(220);
    expect(figures.average).toBeGreaterThan(50);
    expect(figures.average).toBeLessThan(70);
    expect(isAbove(levelOf(figures, ruleOf({ sensitivity: "quiet" })))).toBe(true);
    expect(counts.isCut).toBeUndefined();
  });

  it("whose articles have no dates says nothing, which is known of the source", () => {
    expect(readOften(start, start + hour, () => 200, false).isCut).toBe(true);
  });

  it("of a source that brought little before is taken as it is once it holds something known", () => {
    const first = countArrivals(undefined, read({ published: start - hour, came: start }), start);
    const at = start + 15 * minute;
    const burst = Array.from({ length: 30 }, () => ({ published: at - minute, came: at }));
    const counts = countArrivals(first, read(...burst, { published: start - hour, came: start }), at);
    expect(sum(counts)).toBe(31);
  });
});

describe("a silence", () => {
  const hours = (at: number) => new Date(at).getUTCHours();
  const isDay = (at: number) => hours(at) >= 8 && hours(at) < 20;
  const midnight = Date.UTC(2026, 10, 9);
  const silentAfter = (until: number, at: number) => {
    const counts = counted(midnight, at, (time) => (isDay(time) && time <= until ? 1 : 0));
    return silenceOf(counts, { at, spanMs: 6 * hour, knownFrom: counts.since });
  };

  it("is unusual where the same hours of other days brought something", () => {
    const noon = midnight + 5 * day + 9 * hour;
    expect(silentAfter(noon, noon + 6 * hour)).toMatchObject({ isUnusual: true, average: expect.closeTo(24, -1) });
    expect(silentAfter(noon, noon + 5 * hour)).toMatchObject({ isUnusual: false });
  });

  it("is nothing at night, when nothing ever comes", () => {
    const evening = midnight + 5 * day + 20 * hour;
    expect(silentAfter(evening, midnight + 6 * day + 3 * hour)).toMatchObject({ isUnusual: false });
  });

  it("is nothing on a day whose like a week ago was silent as well", () => {
    const isWeekend = (at: number) => [0, 6].includes(new Date(at).getUTCDay());
    const saturday = Date.UTC(2026, 10, 14, 15);
    const at = saturday + 7 * day;
    const counts = counted(at - 8 * day, at, (time) => (isDay(time) && !isWeekend(time) ? 2 : 0));
    expect(silenceOf(counts, { at, spanMs: 6 * hour, knownFrom: counts.since }).isUnusual).toBe(false);
    const friday = at - day;
    const weekdays = counted(friday - 8 * day, friday, (time) => {
      return isDay(time) && !isWeekend(time) && time < friday - 6 * hour ? 2 : 0;
    });
    expect(silenceOf(weekdays, { at: friday, spanMs: 6 * hour, knownFrom: weekdays.since }).isUnusual).toBe(true);
  });

  it("is not known before there are two days to compare with", () => {
    const at = start + 47 * hour;
    const counts = counted(start, at, () => 0);
    expect(silenceOf(counts, { at, spanMs: 6 * hour, knownFrom: start })).toEqual({ since: start, isUnusual: false });
  });

  it("of a source that brings two articles a day means nothing", () => {
    const counts = counted(start, start + 5 * day, (at) => (hours(at) % 12 === 0 && at % hour === 0 ? 1 : 0));
    const at = start + 5 * day;
    expect(isTooQuiet(counts, { at, spanMs: 6 * hour, knownFrom: start })).toBe(true);
    expect(isTooQuiet(counts, { at, spanMs: 48 * hour, knownFrom: start })).toBe(false);
    expect(isTooQuiet(counts, { at, spanMs: 6 * hour, knownFrom: at - hour })).toBeUndefined();
  });
});
