import { describe, expect, it } from "vitest";
import type { Incident } from "../../../../src/features/alerts/detect/incident.ts";
import { chartOf } from "../../../../src/features/alerts/messages/chart.ts";
import type { Figures } from "../../../../src/features/sources/samples.ts";
import type { Chart } from "../../../../src/slack/text/blocks.ts";
import { now } from "../../../support/builders.ts";
import { hour, incident, minute } from "../setting.ts";

const counted = (agoMs: number, mentions: number, about: Partial<Figures> = {}): Figures => ({
  ...incident().last,
  at: now - agoMs,
  mentions,
  ...about,
});
/** A count every five minutes, up to now. */
const counts = (values: number[]) => values.map((count, at) => counted((values.length - 1 - at) * 5 * minute, count));

/** What is drawn of an incident that began so long ago. */
function drawn(history: Figures[], sinceMs = 10 * minute, about: Partial<Incident> = {}, zone = "UTC") {
  const spike = incident({ since: now - sinceMs, ...about });
  const { picture, words } = chartOf({ incident: spike, history, zone, now });
  const [block] = picture as unknown as Chart[];
  const series = block?.chart.series.map(({ name, data }) => ({ name, values: data.map(({ value }) => value) })) ?? [];
  return { title: block?.title, type: block?.chart.type, labels: block?.chart.axis_config.categories, series, words };
}

const day = Array.from({ length: 24 * 12 }, (_, at) => counted((24 * 12 - 1 - at) * 5 * minute, at));

describe("the chart of a spike", () => {
  it("shows equal steps of time that end now, and says in its title about whom and from when to when", () => {
    const { title, labels } = drawn(day);
    const times = "08:05 08:10 08:15 08:20 08:25 08:30 08:35 08:40 08:45 08:50 08:55 09:00";
    expect(labels?.join(" ")).toBe(times);
    expect(title).toBe("Articles about Northwind Energy, 08:05–09:00");
    expect(drawn(day, 10 * minute, {}, "Asia/Tokyo").labels?.at(-1)).toBe("18:00");
  });

  it.each([
    ["40 min", 40 * minute, "08:55"],
    ["2 h", 2 * hour, "08:45"],
    ["8 h", 8 * hour, "08:00"],
    ["2 days", 48 * hour, "07:00"],
  ])("has the beginning of a spike of %s in its last two thirds, as far as a day has room for it", (_, ms, last) => {
    expect(drawn(day, ms).labels?.at(-2)).toBe(last);
  });

  it("carries the last count through steps without one, and shows nothing before the first", () => {
    const sparse = [45, 35, 20, 15, 10, 5].map((ago, at) => counted(ago * minute, at + 1));
    const { labels, series } = drawn(sparse);
    expect(labels?.[0]).toBe("08:15");
    expect(series.find(({ name }) => name === "Articles")?.values).toEqual([1, 1, 2, 2, 2, 3, 4, 5, 6, 6]);
  });

  it("takes longer steps if counts are further apart", () => {
    const hourly = Array.from({ length: 12 }, (_, at) => counted((11 - at) * hour, at));
    expect(drawn(hourly).labels).toEqual(expect.arrayContaining(["04:00", "06:00", "08:00", "09:00"]));
  });

  it("shows normal as an area behind the articles, both in whole numbers; no normal if none is known", () => {
    const between = counts([1, 2, 3, 4, 5, 6]).map((each) => ({ ...each, average: 0.78 }));
    const { type, series } = drawn(between);
    expect(type).toBe("area");
    expect(series).toEqual([
      { name: "Normal", values: [1, 1, 1, 1, 1, 1] },
      { name: "Articles", values: [1, 2, 3, 4, 5, 6] },
    ]);
    const bare = between.map((each) => ({ ...each, average: undefined }));
    expect(drawn(bare).series.map(({ name }) => name)).toEqual(["Articles"]);
  });

  it("is left out before six steps have a count", () => {
    expect(drawn([]).title).toBeUndefined();
    expect(drawn(counts([1, 2, 3, 4, 5])).title).toBeUndefined();
    expect(drawn(counts([1, 2, 3, 4, 5, 6])).title).toBeDefined();
  });

  it("shortens a long name, so that its times have room", () => {
    const { title = "" } = drawn(day, 0, { name: "The Organisation for Economic Co-operation and Development" });
    expect(title).toMatch(/^Articles about The Organisation.*…, 08:05–09:00$/);
    expect(title.length).toBeLessThanOrEqual(50);
  });
});

describe("a chart read aloud", () => {
  const course = (values: number[], about: Partial<Incident> = {}) => drawn(counts(values), 0, about).words[0];

  it("says how the count went and what is normal", () => {
    expect(course([4, 5, 6, 9, 12, 14])).toMatch(/^Rose from 4 at .*08:35.* to 14 at .*09:00.*; normal is 7$/);
    expect(course([4, 5, 20, 9, 8, 8])).toMatch(/^Rose from 4 at .* to 20 at .*, then fell to 8 at /);
    expect(course([9, 8, 7, 6, 5, 4])).toMatch(/^Fell from 9 at .* to 4 at /);
    expect(course([4, 4, 4, 4, 4, 4])).toMatch(/^4 from .* on; normal is 7$/);
    expect(course([4, 5, 6, 9, 12, 14], { last: counted(0, 14, { average: undefined }) })).not.toContain("normal");
  });

  it("ends, when the spike is over, at the time and with the number that its message gives", () => {
    const over = { state: "resolved" as const, changedAt: now - 10 * minute };
    const { labels, words } = drawn(counts([3, 4, 20, 30, 40, 30, 20, 10, 9]), 30 * minute, over);
    expect(labels?.at(-1)).toBe("08:50");
    expect(words[0]).toMatch(/then fell to 20 at /);
    const left = counts([3, 4, 20, 30, 40, 30, 20, 20]).map(({ at, ...each }) => ({ ...each, at: at - 20 * minute }));
    expect(drawn(left, 30 * minute, over).words[0]).toMatch(/then fell to 7 at /);
  });
});
