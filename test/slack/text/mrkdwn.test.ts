import { type Token, marked } from "marked";
import { describe, expect, it } from "vitest";

import {
  bold,
  escape,
  legible,
  link,
  safeMarkdown,
  shorten,
  accessibleText,
  plainTextOfMarkdown,
  webAddress,
  when,
} from "../../../src/slack/text/mrkdwn.ts";
import * as fc from "../../support/property.ts";
import { nasty } from "../nasty.ts";

const controlForm = /<(?:[!@#]|[a-z][a-z0-9+.-]*:[^\s>]*\|)/i;

function decoded(text: string): string {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}

/** What a Markdown reader shows as text, without what it shows as code. */
function proseOf(tokens: Token[]): string[] {
  return tokens.flatMap((token) => {
    if (token.type === "code" || token.type === "codespan") return [];
    if (token.type === "table") {
      const cells: { tokens: Token[] }[] = [...token["header"], ...token["rows"].flat()];
      return cells.flatMap((cell) => proseOf(cell.tokens));
    }
    if (token.type === "list") {
      const items: { tokens: Token[] }[] = token["items"];
      return items.flatMap((item) => proseOf(item.tokens));
    }
    if ("tokens" in token && token.tokens) return proseOf(token.tokens);
    return [token.raw];
  });
}

describe("escape", () => {
  it("leaves no form by which Slack pings or links, and reads as the text did", () => {
    fc.assert(
      fc.property(fc.oneof(nasty, fc.string({ unit: "grapheme" })), (text) => {
        const escaped = escape(text);
        expect(escaped).not.toMatch(/[<>]/);
        expect(escaped).not.toMatch(/&(?!amp;|lt;|gt;)/);
        expect(decoded(escaped)).toBe(legible(text));
      }),
    );
  });

  it("removes what turns the writing direction and what cannot be seen", () => {
    expect(escape("a\u202Eb\u2066c\u0000d\u0007e\r\nf\tg")).toBe("abcde\nf\tg");
  });
});

describe("shorten", () => {
  it("gives one line of at most so many characters, a beginning of the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 60 }), fc.integer({ min: 1, max: 40 }), (text, length) => {
        const line = legible(text).replace(/\s+/g, " ").trim();
        const short = shorten(text, length);
        expect(Array.from(short).length).toBeLessThanOrEqual(length);
        expect(short === line || (short.endsWith("…") && line.startsWith(short.slice(0, -1)))).toBe(true);
        expect(short.isWellFormed()).toBe(text.isWellFormed());
      }),
    );
  });

  it("cuts at a word and leaves no punctuation before the ellipsis", () => {
    expect(shorten("Oil prices, which rose on Monday, fell", 26)).toBe("Oil prices, which rose on…");
    expect(shorten("Oil prices rose, and then", 18)).toBe("Oil prices rose…");
    expect(shorten("Donaudampfschifffahrtsgesellschaft", 10)).toBe("Donaudamp…");
  });
});

describe("link", () => {
  it("links to web addresses only", () => {
    expect(link("https://news.example/a?b=1&c=2", "A & B")).toBe("<https://news.example/a?b=1&amp;c=2|A &amp; B>");
    expect(link("javascript:alert(1)", "A")).toBe("A");
    expect(link("not an address", "A")).toBe("A");
    expect(link(`https://news.example/?q=${"z".repeat(2_500)}`, "A")).toBe("A");
  });

  it.each([
    ["bank.example", "bank.example"],
    ["https://bank.example/a|b", "https://bank.example/a¦b"],
    ["Log in at https://bank.example", "Log in at https://bank.example"],
  ])("shows a label that is another address as text beside the real host: %s", (title, shown) => {
    expect(link("https://news.example/1", title)).toBe(`${shown} (<https://news.example/1|news.example>)`);
  });

  it.each(["News.example", "https://www.news.example/x", "Booking.com cuts jobs", "U.S. GDP rose 3.5%"])(
    "has any other label for its words: %s",
    (title) => {
      expect(link("https://news.example/1", title)).toBe(`<https://news.example/1|${title}>`);
    },
  );

  it("is one link whatever the address and the label hold", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("https://a.example/", "http://b.example/?c=", "#"),
        nasty,
        nasty,
        (url, tail, label) => {
          const made = link(url + tail, label);
          const isLink = webAddress(url + tail) !== undefined;
          const one = /^<https?:[^<>|\s]+\|[^<>|\n]*>$|^[^<>|\n]* \(<https?:[^<>|\s]+\|[a-z.]+>\)$/;
          expect(made).toMatch(isLink ? one : /^[^<>]*$/);
        },
      ),
    );
  });
});

describe("bold", () => {
  it("ends where it should, on one line", () => {
    expect(bold("a*b\nc <d>")).toBe("*a∗b c &lt;d&gt;*");
  });
});

describe("when", () => {
  it("is a date in the reader's zone, with a readable stand-in", () => {
    expect(when(Date.UTC(2026, 1, 3, 4, 5, 6))).toBe("<!date^1770091506^{date_short}, {time}|3 Feb, 04:05 UTC>");
  });
});

describe("accessibleText", () => {
  it("says links, dates and bold as plain words", () => {
    const line = `${bold("Oil")} rose: ${link("https://n.example/a", "the story")}, ${when(Date.UTC(2026, 1, 3))}`;
    expect(accessibleText(line)).toBe("Oil rose: the story, 3 Feb, 00:00 UTC");
    expect(accessibleText("*Gold* `cron 0 7 * * 1-5`, ~not~ `")).toBe("Gold cron 0 7 * * 1-5, not ");
  });
});

describe("safeMarkdown", () => {
  it("defuses what could ping or pass for a Slack link", () => {
    expect(safeMarkdown("hi <!channel>, <@U1>, <#C1|x>")).toBe("hi &lt;!channel>, &lt;@U1>, &lt;#C1|x>");
    expect(safeMarkdown("see <https://evil.example|bank.example>")).toBe("see &lt;https://evil.example|bank.example>");
    expect(safeMarkdown("<HTTPS://evil.example/a b|c>")).toBe("&lt;HTTPS://evil.example/a b|c>");
  });

  it("leaves plain Markdown as it is", () => {
    const markdown = "# A\n1 < 2 & 3 > 2, [a](https://b.example), <https://c.example/?d=1&e=2>, **f**";
    expect(safeMarkdown(markdown)).toBe(markdown);
  });

  it("leaves code as it was written", () => {
    for (const code of ["use `<!here>` now", "```html\n<!doctype html>\n```", "~~~\n<@U1>\n~~~", "``a ` <@U1>``"]) {
      expect(safeMarkdown(code)).toBe(code);
    }
  });

  it("keeps code as it is while its fence is not closed yet", () => {
    expect(safeMarkdown("```\n<!doctype html>\n<a")).toBe("```\n<!doctype html>\n<a");
  });

  it("leaves code as it was written whatever ends its lines", () => {
    for (const ending of ["\n", "\r\n", "\r"]) {
      const code = ["text", "", "```html", "<!doctype html>", "<@U1>", "```", "a `<!here>` b", ""].join(ending);
      expect(safeMarkdown(code)).toBe(code);
      const after = ["```", "a", "```", "<!channel>"].join(ending);
      expect(safeMarkdown(after)).toBe(after.replace("<!", "&lt;!"));
    }
  });

  it("drops the backslash by which a model has escaped what is escaped here", () => {
    expect(safeMarkdown("\\<!channel>")).toBe("&lt;!channel>");
    expect(safeMarkdown("\\\\<!channel>")).toBe("\\\\&lt;!channel>");
    expect(safeMarkdown("\\\\\\<@U1>")).toBe("\\\\&lt;@U1>");
    expect(safeMarkdown("\\*a\\* \\<b")).toBe("\\*a\\* \\<b");
    expect(safeMarkdown("`\\<!channel>`")).toBe("`\\<!channel>`");
  });

  it("never gives half a character", () => {
    expect(safeMarkdown("Up \ud83d")).toBe("Up \ufffd");
    expect(escape("\ude00 up")).toBe("\ufffd up");
    expect(legible("a\ud83d\ude00b\ud83d")).toBe("a😀b\ufffd");
    expect(plainTextOfMarkdown("Up \ud83d").isWellFormed()).toBe(true);
    expect(shorten("Up \ud83d", 10).isWellFormed()).toBe(true);
    expect(link("https://a.example/\ud83d", "\ud83d").isWellFormed()).toBe(true);
  });

  it("takes nothing for code inside a block of HTML", () => {
    const code = "`<!channel>`";
    const blocks = [
      `<script> ${code}`,
      `<div>\n${code}\n</div>`,
      `</div>\n${code}`,
      `<pre>\n\n${code}`,
      `<pre>\n\n\n${code}\n</pre>`,
      `<textarea>\r\n\r\n${code}`,
      `<style>\n\n${code}`,
      `<!--\n\n${code}\n-->`,
      `<?php\n\n${code}`,
      `<![CDATA[\n\n${code}`,
      `> <div>\n> ${code}`,
      `- <div>\n  ${code}`,
      "<div>\n```\n<!channel>\n```",
    ];
    expect(blocks.filter((block) => !safeMarkdown(block).includes("&lt;!channel>"))).toEqual([]);
  });

  it("knows code again if a block of HTML has ended", () => {
    const code = "`<@U1>`";
    const blocks = ["<div>\na\n\n", "<pre>\n\na</pre>\n", "<https://a.example> ", "a <b> "];
    for (const block of blocks) expect(safeMarkdown(block + code)).toBe(block + code);
  });

  it("takes nothing for code that a reader of Markdown does not", () => {
    const ping = "<!channel>";
    const tricks = [
      `\\\`${ping} \``,
      `text \`\`\` ${ping}`,
      `\`\`\`a\`b ${ping}`,
      `\`a\n\n${ping} \``,
      `- \`a\n- ${ping} \``,
      `- \`\`\`\n  a\n  \`\`\`\n${ping}`,
      `| a | b |\n|---|---|\n| \`a | ${ping} \` |`,
      `<https://x.example/\`> ${ping} \``,
      `\`\`\`\`\n\`\`\`\n\`\`\`\`\n${ping}`,
      `~~~\n\`\`\`\n~~~\n${ping}`,
      `\`a\nb\` ${ping} \`c\``,
    ];
    expect(tricks.filter((trick) => !safeMarkdown(trick).includes("&lt;!channel>"))).toEqual([]);
  });

  it("leaves no control form in what readers of Markdown show as text", () => {
    fc.assert(
      fc.property(nasty, (markdown) => {
        const prose = proseOf(marked.lexer(safeMarkdown(markdown)));
        expect(prose.join("\n")).not.toMatch(controlForm);
      }),
      { numRuns: 1_000 },
    );
  });

  it("reads as it was written", () => {
    fc.assert(
      fc.property(fc.oneof(nasty, fc.string({ unit: "grapheme" })), (markdown) => {
        // A backslash before what is escaped has done its work.
        const read = (text: string) =>
          decoded(text)
            .toWellFormed()
            .replace(/\\+(?=<)/g, "");
        expect(read(safeMarkdown(markdown))).toBe(read(markdown));
      }),
    );
  });
});

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
