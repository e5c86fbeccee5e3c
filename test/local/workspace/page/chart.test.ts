import { html } from "htm/preact";
import type { VNode } from "preact";
import { describe, expect, it } from "vitest";
import { Chart, readPlot, shortNumber, ticksFor } from "../../../../local/workspace/page/chart.ts";
import * as fc from "../../../support/property.ts";
import { type Drawn, every, paint, visible } from "./paint.ts";

/** A value of a chart: zero, or of a size that occurs. */
const amount = fc.oneof(
  fc.constant(0),
  fc.tuple(fc.integer({ min: -9999, max: 9999 }), fc.integer({ min: -6, max: 9 })).map(([digits, power]) => {
    return digits * 10 ** power;
  }),
);

describe("the marks of an axis", () => {
  it.each([
    { values: [3, 9], ticks: [0, 2.5, 5, 7.5, 10] },
    { values: [-5, 5], ticks: [-5, -2.5, 0, 2.5, 5] },
    { values: [-3], ticks: [-3, -2, -1, 0] },
    { values: [0.1, 0.3], ticks: [0, 0.1, 0.2, 0.3] },
    { values: [], ticks: [0, 0.25] },
  ])("for $values are $ticks", ({ values, ticks }) => {
    expect(ticksFor(values)).toEqual(ticks);
  });

  it("hold zero and every value, are few and stand evenly", () => {
    fc.assert(
      fc.property(fc.array(amount, { maxLength: 12 }), (values) => {
        const ticks = ticksFor(values);
        const [first = Number.NaN, second = Number.NaN] = ticks;
        const last = ticks.at(-1) ?? Number.NaN;
        const step = second - first;
        const slack = step * 1e-6;
        expect(ticks.length).toBeGreaterThan(1);
        expect(ticks.length).toBeLessThan(8);
        expect(first).toBeLessThanOrEqual(Math.min(0, ...values) + slack);
        expect(last).toBeGreaterThanOrEqual(Math.max(0, ...values) - slack);
        expect(ticks).toContain(0);
        for (const [index, tick] of ticks.entries()) expect(Math.abs(first + index * step - tick)).toBeLessThan(slack);
      }),
    );
  });

  it("are written short", () => {
    expect([0, 950, 1200, -2_500_000, 0.25].map(shortNumber)).toEqual(["0", "950", "1.2K", "-2.5M", "0.25"]);
  });
});

describe("what a chart shows", () => {
  const point = (label: string, value: unknown) => ({ label, value });

  it("is one value for each category, none where a series has none", () => {
    const series = [
      { name: "oil", data: [point("Tue", 2), point("Mon", "1")] },
      { name: "gas", data: [point("Wed", "many"), point("Sun", 9)] },
    ];
    const categories = ["Mon", "Tue", "Wed"];
    const axis_config = { categories, x_label: "Day", y_label: "Articles" };
    expect(readPlot({ axis_config, series })).toEqual({
      categories,
      series: [
        { name: "oil", values: [1, 2, undefined] },
        { name: "gas", values: [undefined, undefined, undefined] },
      ],
      xLabel: "Day",
      yLabel: "Articles",
    });
  });

  it("is by the categories in the data where the axis names none, and nothing where there is none", () => {
    const series = [{ data: [point("a", 1), point("b", 1)] }, { data: [point("b", 1), point("c", 1)] }];
    expect(readPlot({ series }).categories).toEqual(["a", "b", "c"]);
    expect(readPlot({ series: "x" })).toEqual({ categories: [], series: [], xLabel: "", yLabel: "" });
  });
});

function bars(categories: string[], extra: Record<string, unknown> = {}): Drawn {
  const series = [{ name: "Mentions", data: categories.map((label, at) => ({ label, value: at + 1 })) }];
  const chart = { type: "bar", series, axis_config: { categories, ...extra } };
  const drawn: VNode = html`<${Chart} block=${{ type: "data_visualization", title: "Trending", chart }} />`;
  return paint(drawn);
}

/** The labels below the bars, without the numbers beside them. */
const labels = (drawn: Drawn) =>
  every(drawn, "text")
    .map(visible)
    .filter((text) => /[a-z]/.test(text));
const slanted = (drawn: Drawn) =>
  every(drawn, "text").filter((text) => text.attributes.get("transform")?.includes("rotate(-40)"));

describe("the categories of a chart", () => {
  it("stand upright where they have room, beside the titles of the axes", () => {
    const drawn = bars(["oil", "gas", "coal"], { x_label: "entity", y_label: "articles" });
    expect(labels(drawn)).toEqual(["oil", "gas", "coal", "entity", "articles"]);
    expect(slanted(drawn)).toEqual([]);
  });

  it("stand slanted, and all of them, where they have none", () => {
    const names = ["Semiconductors", "Crude oil", "Central banks", "AI liability act", "Port strike", "Carbon prices"];
    const drawn = bars([...names, "LNG spot prices", "Elections"]);
    expect([labels(drawn).length, slanted(drawn).length]).toEqual([8, 8]);
    expect(labels(drawn)[0]).toBe("Semiconduct…");
  });
});

it("says its numbers to a screen reader", () => {
  const [picture] = every(bars(["oil", "gas"]), "svg");
  expect(picture?.attributes.get("aria-label")).toBe("Trending, bar chart. Mentions: oil 1, gas 2");
});
