import { describe, expect, it } from "vitest";

import { readableSoFar } from "../../src/features/text.ts";

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
