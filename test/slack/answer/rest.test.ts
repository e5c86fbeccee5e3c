import { describe, expect, it } from "vitest";

import { context, markdown, section } from "../../../src/slack/text/blocks.ts";
import { closeMarkdown } from "../../../src/slack/text/close-markdown.ts";
import { restOf } from "../../../src/slack/answer/growing-message.ts";
import { says } from "./showing.ts";
import * as fc from "../../support/property.ts";

const lacking = (text: string, said: string) => restOf(says(text), said)?.blocks;

describe("what a state has besides words that stand already", () => {
  it("is the words that follow, and what stands below them", () => {
    const state = { text: "one two", blocks: [section("head"), markdown("one two"), context("sources")] };
    expect(restOf(state, "one")).toEqual({ text: "two", blocks: [markdown(" two"), context("sources")] });
  });

  it("is what stands below the words where these are all there, or nothing", () => {
    expect(lacking("one", "one")).toBeUndefined();
    expect(restOf({ text: "one", blocks: [markdown("one"), context("sources")] }, "one")).toEqual({
      text: "The answer stands above.",
      blocks: [context("sources")],
    });
  });

  it("is all of it where no words stand, or where it has none", () => {
    expect(restOf(says("one"), "")).toEqual(says("one"));
    expect(restOf({ text: "Sorry.", blocks: [section("Sorry.")] }, "one")?.blocks).toEqual([section("Sorry.")]);
  });

  it("goes on before what was closed for show", () => {
    expect(lacking("Gold is **up again** today", "Gold is **up**")).toEqual([markdown(" **up again** today")]);
  });

  it("opens code again that goes on", () => {
    const said = closeMarkdown("```js\nlet a;\nlet b");
    expect(lacking("```js\nlet a;\nlet b = 1;\n```\nDone.", said)).toEqual([markdown("```js\n = 1;\n```\nDone.")]);
  });

  it("loses no word, whatever was closed and wherever it stopped", () => {
    const piece = fc.constantFrom(
      "word ",
      "**bold** ",
      "_it_ ",
      "\n\n",
      "\n- item ",
      "`code` ",
      "[link](https://a.example) ",
    );
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 12 }), fc.nat(), (pieces, at) => {
        const text = pieces.join("");
        const said = closeMarkdown(text.slice(0, at % (text.length + 1)));
        const rest = lacking(text, said)?.[0];
        const words = rest?.type === "markdown" ? rest.text : "";
        expect(text.trimEnd().endsWith(words.trimEnd())).toBe(true);
        expect(said.length + words.length).toBeGreaterThanOrEqual(text.trimEnd().length);
      }),
    );
  });
});
