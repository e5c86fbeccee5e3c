import { describe, expect, it } from "vitest";

import { plainTextOfMarkdown } from "../../../src/slack/text/mrkdwn.ts";
import { nasty } from "../nasty.ts";
import * as fc from "../../support/property.ts";

describe("plainTextOfMarkdown", () => {
  it("reads headings, emphasis, links, quotes and code as their words", () => {
    const markdown =
      "## **Oil** rose\n\n> See ~~all~~ [the `story`](https://n.example/a)\n\n```ts\na | b\n# c\n```\n<https://a.example/b>";
    expect(plainTextOfMarkdown(markdown)).toBe("Oil rose\n\nSee all the story\n\na | b\n# c\nhttps://a.example/b");
  });

  it("reads the rows of a table as lists, and no rule", () => {
    const table = "| Price | Day |\r\n|:--|--:|\r\n| 80 | Mon |\r\n\r\n---\r\n- one\r\n* * *";
    expect(plainTextOfMarkdown(table)).toBe("Price, Day\n80, Mon\n\n- one");
  });

  it("reads an entity as what it stands for, once", () => {
    expect(plainTextOfMarkdown("AT&amp;T &lt;b> &quot;x&quot; &amp;lt;")).toBe('AT&amp;T &lt;b&gt; "x" &amp;lt;');
  });

  it.each([
    ["Prices *rose* and _fell_ (*a lot*).", "Prices rose and fell (a lot)."],
    ["*Oil:* up, ***gas*** down, *__both__*", "Oil: up, gas down, both"],
    ["_See [the *story*](https://a.example/)_", "See the story"],
    ["- *one*\n* *two*", "- one\n* two"],
    ["2 * 3 * 4, 2*3*4 and a*b", "2 * 3 * 4, 2*3*4 and a*b"],
    ["snake_case_name, a_b", "snake_case_name, a_b"],
    [String.raw`\*kept\* and \_kept\_`, "*kept* and _kept_"],
    ["`*p = _x_`, ``__init__``", "*p = _x_, __init__"],
  ])("reads what is emphasised without its marks, and leaves marks that are none: %s", (markdown, words) => {
    expect(plainTextOfMarkdown(markdown)).toBe(words);
  });

  it("never pings", () => {
    fc.assert(
      fc.property(nasty, (markdown) => {
        const words = plainTextOfMarkdown(markdown);
        expect(words).not.toMatch(/[<>]/);
        expect(words.isWellFormed()).toBe(true);
      }),
    );
  });
});
