import { describe, expect, it } from "vitest";

import { unescapeText, splitVerb } from "../../src/slack/text/typed-text.ts";
import { section } from "../../src/slack/text/blocks.ts";
import { fitText } from "../../src/slack/text/message.ts";
import { splitMarkdown } from "../../src/slack/text/pages.ts";
import {
  bold,
  escape,
  link,
  safeMarkdown,
  shorten,
  accessibleText,
  plainTextOfMarkdown,
} from "../../src/slack/text/mrkdwn.ts";

const functions: Record<string, (text: string) => unknown> = {
  bold,
  escape,
  fitText,
  unescapeText,
  safeMarkdown,
  section,
  splitVerb,
  accessibleText,
  plainTextOfMarkdown,
  link: (text) => link(`https://a.example/${text}`, text),
  shorten: (text) => shorten(text, 3_000),
  splitMarkdown: (text) => splitMarkdown(text, 1_000),
};

const words =
  '< > & ` ``a ~ | \\ * " -- --a= — . ! <! <@ <# <!date^ <!date^| <https: <https:a| <a: <a:b| [ []( &a &amp; \uFFFD \uD83D \uDE00 😀 \u202e a `a` \\<! |- [a]( ![';
const withSpaces = [
  " ",
  "\n",
  "\t",
  '"a ',
  "```a\n",
  "> ",
  "- ",
  "1. ",
  "> - ",
  "``` ",
  "<a ",
  "a ",
  "` ",
  "| a ",
  "\r",
  "\r\n",
];
const seeds = [...words.split(" "), ...withSpaces, "<div>\n", "<!--\n", "<pre>\n\n"];

/** Work that grows with the square of it is not done before the runner gives up. */
const length = 60_000;

describe.each(Object.entries(functions))("%s", (_, call) => {
  it("gets through long hostile text", () => {
    for (const seed of seeds) {
      for (const tail of ["", "x", ">"]) {
        expect(call(seed.repeat(Math.ceil(length / seed.length)) + tail)).toBeDefined();
      }
    }
  });
});
