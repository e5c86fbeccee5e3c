import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { spokenMarkdown } from "../../src/slack/mrkdwn.ts";
import { nasty } from "./nasty.ts";

describe("spokenMarkdown", () => {
  it("reads headings, emphasis, links, quotes and code as their words", () => {
    const markdown =
      "## **Oil** rose\n\n> See ~~all~~ [the `story`](https://n.example/a)\n\n```ts\na | b\n# c\n```\n<https://a.example/b>";
    expect(spokenMarkdown(markdown)).toBe("Oil rose\n\nSee all the story\n\na | b\n# c\nhttps://a.example/b");
  });

  it("reads the rows of a table as lists, and no rule", () => {
    const table = "| Price | Day |\r\n|:--|--:|\r\n| 80 | Mon |\r\n\r\n---\r\n- one\r\n* * *";
    expect(spokenMarkdown(table)).toBe("Price, Day\n80, Mon\n\n- one");
  });

  it("reads an entity as what it stands for, once", () => {
    expect(spokenMarkdown("AT&amp;T &lt;b> &quot;x&quot; &amp;lt;")).toBe('AT&amp;T &lt;b&gt; "x" &amp;lt;');
  });

  it("never pings", () => {
    fc.assert(
      fc.property(nasty, (markdown) => {
        const words = spokenMarkdown(markdown);
        expect(words).not.toMatch(/[<>]/);
        expect(words.isWellFormed()).toBe(true);
      }),
    );
  });
});
