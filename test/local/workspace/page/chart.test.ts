import { html } from "htm/preact";
import { expect, test } from "vitest";
import { Blocks } from "../../../../local/workspace/page/blocks.ts";
import { every, paint, visible } from "./paint.ts";

function labelsOf(categories: string[], values = categories.map((_, index) => index)): string[] {
  const data = categories.map((label, index) => ({ label, value: values[index] }));
  const chart = { type: "bar", series: [{ name: "Now", data }], axis_config: { categories } };
  const block = { type: "data_visualization", title: "Mentions", chart };
  return every(paint(html`<${Blocks} blocks=${[block]} />`), "text").map(visible);
}

const long = ["Novalith Semiconductor", "Skagerrak Wind", "Climate and Weather", "Paylantic", "Beat Zurbuchen"];

test("names of any length are written whole beside their bars", () => {
  const written = labelsOf([...long, "An authority with a name that needs more than one line"]).join(" ");
  for (const name of [...long, "An authority with a name that needs more than one line"])
    expect(written).toContain(name);
});

test("short names, and names of numbers below zero, stand below their bars", () => {
  expect(labelsOf(["Mon", "Tue"])).toContain("Mon");
  expect(labelsOf(long, [-2, 1, 2, 3, 4])).toEqual(expect.arrayContaining(long));
});
