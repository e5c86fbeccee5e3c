import { describe, expect, it } from "vitest";

import { readableSoFar, plural } from "../../src/features/text.ts";

it("more than one of a thing are named as English does", () => {
  const counts = [plural(1, "agency"), plural(2, "agency"), plural(7, "day"), plural(1_200, "article")];
  expect(counts).toEqual(["1 agency", "2 agencies", "7 days", "1,200 articles"]);
});

describe("a text that is being written", () => {
  it.each([
    ["Oil rose **aga", "Oil rose **aga**"],
    ["Oil rose (", "Oil rose"],
    ["He said: “", "He said:"],
    ["Er sagte „ja“", "Er sagte „ja“"],
    ["```\nlet a = (", "```\nlet a = (\n```"],
    ["Ask <!channel> **now", "Ask &lt;!channel> **now**"],
  ])("is safe and fit to be read where it stops: %j", (text, shown) => {
    expect(readableSoFar(text)).toBe(shown);
  });
});
