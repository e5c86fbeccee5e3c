import { html } from "htm/preact";
import type { VNode } from "preact";
import { describe, expect, it } from "vitest";

import { Chart } from "../../../../local/workspace/page/chart.ts";
import { type Drawn, every, paint, visible } from "./paint.ts";

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
  it("stand upright where they have room", () => {
    const drawn = bars(["oil", "gas", "coal"]);
    expect(labels(drawn)).toEqual(["oil", "gas", "coal"]);
    expect(slanted(drawn)).toEqual([]);
  });

  it("stand slanted, and all of them, where they have none", () => {
    const names = ["Semiconductors", "Crude oil", "Central banks", "AI liability act", "Port strike", "Carbon prices"];
    const drawn = bars([...names, "LNG spot prices", "Elections"]);
    expect(labels(drawn)).toHaveLength(8);
    expect(slanted(drawn)).toHaveLength(8);
    expect(labels(drawn)[0]).toBe("Semiconduct…");
  });

  it("leave room for the axis title, which keeps its own place", () => {
    const drawn = bars(["oil", "gas"], { x_label: "entity", y_label: "articles" });
    expect(labels(drawn)).toEqual(["oil", "gas", "entity", "articles"]);
  });

  it("may be none at all", () => {
    expect(labels(bars([]))).toEqual([]);
  });
});

describe("a chart to a screen reader", () => {
  it("says its numbers", () => {
    const [picture] = every(bars(["oil", "gas"]), "svg");
    expect(picture?.attributes.get("aria-label")).toBe("Trending, bar chart. Mentions: oil 1, gas 2");
  });
});
