import { describe, expect, it } from "vitest";

import { sectionsOf } from "../../../src/features/digests/sections.ts";
import { article } from "../../support/builders.ts";

describe("the stories of a digest with headings", () => {
  const stories = ["A", "B", "C", "D"].map((title) => ({
    lead: article({ title, url: `https://news.example.com/${title}` }),
    others: [],
  }));
  const [a = "", b = "", c = ""] = stories.map(({ lead }) => lead.url);
  const shown = (headings?: Record<string, string>) =>
    sectionsOf(stories, headings)?.map(({ name, stories: under }) => [name, under.map(({ lead }) => lead.title)]);

  it("stand under their headings in the order of the news, and those without one come last", () => {
    expect(shown({ [b]: "SEC", [a]: "FCA", [c]: "SEC" })).toEqual([
      ["FCA", ["A"]],
      ["SEC", ["B", "C"]],
      ["Other", ["D"]],
    ]);
  });

  it("have no sections if there is one heading or none", () => {
    expect(shown({ [b]: "SEC", [c]: "SEC" })).toBeUndefined();
    expect(shown()).toBeUndefined();
  });
});
