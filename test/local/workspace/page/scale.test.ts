import { describe, expect, it } from "vitest";

import {
  type Segment,
  plotOf,
  segmentsOf,
  shortNumber,
  slicePath,
  ticksOf,
} from "../../../../local/workspace/page/scale.ts";
import * as fc from "../../../support/property.ts";

/** A value of a chart: zero, or of a size that occurs. */
const amount = fc.oneof(
  fc.constant(0),
  fc.tuple(fc.integer({ min: -9999, max: 9999 }), fc.integer({ min: -6, max: 9 })).map(([digits, power]) => {
    return digits * 10 ** power;
  }),
);

const pie = (...values: unknown[]) => segmentsOf({ segments: values.map((value) => ({ label: "x", value })) });

const arc = (from: number, to: number): Segment => ({ label: "", value: 0, share: to - from, from, to });

const data = (...labels: string[]) => ({ data: labels.map((label) => ({ label, value: 1 })) });

describe("the marks of an axis", () => {
  it.each([
    [
      [3, 9],
      [0, 2.5, 5, 7.5, 10],
    ],
    [[100], [0, 25, 50, 75, 100]],
    [
      [-5, 5],
      [-5, -2.5, 0, 2.5, 5],
    ],
    [[-3], [-3, -2, -1, 0]],
    [
      [0.1, 0.3],
      [0, 0.1, 0.2, 0.3],
    ],
    [[0], [0, 0.25]],
    [[], [0, 0.25]],
  ])("for %j are %j", (values, ticks) => {
    expect(ticksOf(values)).toEqual(ticks);
  });

  it("hold zero and every value, are few and stand evenly", () => {
    fc.assert(
      fc.property(fc.array(amount, { maxLength: 12 }), (values) => {
        const ticks = ticksOf(values);
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
});

describe("numbers on an axis", () => {
  it.each([
    [0, "0"],
    [950, "950"],
    [1200, "1.2K"],
    [-2_500_000, "-2.5M"],
    [0.25, "0.25"],
  ])("%d is written %s", (value, text) => {
    expect(shortNumber(value)).toBe(text);
  });
});

describe("the plot of a chart", () => {
  it("has one value for each category, none where a series has none", () => {
    const chart = {
      axis_config: { categories: ["Mon", "Tue", "Wed"], x_label: "Day", y_label: "Articles" },
      series: [
        {
          name: "oil",
          data: [
            { label: "Tue", value: 2 },
            { label: "Mon", value: "1" },
          ],
        },
        {
          name: "gas",
          data: [
            { label: "Wed", value: "many" },
            { label: "Sun", value: 9 },
          ],
        },
      ],
    };
    expect(plotOf(chart)).toEqual({
      categories: ["Mon", "Tue", "Wed"],
      series: [
        { name: "oil", values: [1, 2, undefined] },
        { name: "gas", values: [undefined, undefined, undefined] },
      ],
      xLabel: "Day",
      yLabel: "Articles",
    });
  });

  it("takes its categories from the data where the axis names none", () => {
    expect(plotOf({ series: [data("a", "b"), data("b", "c")] }).categories).toEqual(["a", "b", "c"]);
  });

  it("is empty for a chart that is none", () => {
    expect(plotOf({ series: "x" })).toEqual({ categories: [], series: [], xLabel: "", yLabel: "" });
  });
});

describe("the slices of a pie", () => {
  it("follow each other from the top", () => {
    expect(pie(1, 3).map(({ share, from, to }) => [share, from, to])).toEqual([
      [0.25, 0, 0.25],
      [0.75, 0.25, 1],
    ]);
  });

  it("have no share below zero or without a number", () => {
    expect(pie(1, -5, "many").map(({ value, share }) => [value, share])).toEqual([
      [1, 1],
      [0, 0],
      [0, 0],
    ]);
  });

  it("are all empty where there is nothing to share", () => {
    expect(pie(0, 0).map(({ share }) => share)).toEqual([0, 0]);
  });

  it("fill the circle once", () => {
    const sizes = fc.array(fc.integer({ min: 0, max: 1_000_000 }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(
        sizes.filter((values) => values.some((value) => value > 0)),
        (values) => {
          const pieces = pie(...values);
          expect(pieces[0]?.from).toBe(0);
          expect(pieces.at(-1)?.to).toBeCloseTo(1, 9);
          for (const [index, slice] of pieces.slice(1).entries()) expect(slice.from).toBe(pieces[index]?.to);
        },
      ),
    );
  });
});

describe("the outline of a slice", () => {
  it("goes around a quarter", () => {
    expect(slicePath(arc(0, 0.25), 10, 5)).toBe("M0.00 -10.00A10 10 0 0 1 10.00 0.00L5.00 0.00A5 5 0 0 0 0.00 -5.00Z");
  });

  it("takes the long way around for more than half", () => {
    expect(slicePath(arc(0, 0.75), 10, 5)).toContain("A10 10 0 1 1 ");
  });

  it("ends elsewhere than it begins, also where it is the whole circle", () => {
    const [, start, end] = /^M(\S+ \S+)A\S+ \S+ 0 1 1 ([^L]+)L/.exec(slicePath(arc(0, 1), 60, 30)) ?? [];
    expect(start).toBe("0.00 -60.00");
    expect(end).toBe("-0.04 -60.00");
  });
});
