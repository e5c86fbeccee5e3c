import { describe, expect, it } from "vitest";

import { sectionsOf } from "../../../src/features/digests/sections.ts";
import { article } from "../../support/builders.ts";

describe("the stories of a digest with headings", () => {
  const stories = ["A", "B", "C", "D", "E", "F", "G", "H"].map((title) => ({
    lead: article({ title, url: `https://news.example.com/${title}` }),
    others: [],
  }));
  const [a = "", b = "", c = "", d = "", e = ""] = stories.map(({ lead }) => lead.url);
  const shown = (headings?: Record<string, string>) =>
    sectionsOf(stories, headings)?.map(({ name, stories: under }) => [name, under.map(({ lead }) => lead.title)]);

  it("stand under their headings in the order of the news, and those without one or alone under theirs come last", () => {
    expect(shown({ [b]: "SEC", [a]: "FCA", [c]: "SEC", [d]: "FCA", [e]: "BaFin" })).toEqual([
      ["FCA", ["A", "D"]],
      ["SEC", ["B", "C"]],
      ["Other", ["E", "F", "G", "H"]],
    ]);
  });

  it("have no sections if fewer than two headings have several stories, or there are fewer than eight", () => {
    expect(shown({ [b]: "SEC", [c]: "SEC", [a]: "FCA" })).toBeUndefined();
    expect(sectionsOf(stories.slice(0, 7), { [b]: "SEC", [a]: "FCA", [c]: "SEC", [d]: "FCA" })).toBeUndefined();
    expect(shown()).toBeUndefined();
  });
});
