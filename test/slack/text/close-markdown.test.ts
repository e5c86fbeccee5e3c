import { marked } from "marked";
import { describe, expect, it } from "vitest";

import { closeMarkdown, settledMarkdown } from "../../../src/slack/text/close-markdown.ts";
import { splitMarkdown } from "../../../src/slack/text/pages.ts";
import { plainTextOfMarkdown } from "../../../src/slack/text/mrkdwn.ts";
import * as fc from "../../support/property.ts";

const word = fc.stringMatching(/^[A-Za-zäöüß0-9]{1,9}$/);
const words = fc.array(fc.oneof(word, fc.constantFrom("😀", "日本語", "👩‍🚀", "5", "R&D")), {
  minLength: 1,
  maxLength: 6,
});
const plain = words.map((all) => all.join(" "));
const span = fc.oneof(
  plain,
  plain.map((text) => `**${text}**`),
  plain.map((text) => `*${text}*`),
  plain.map((text) => `***${text}***`),
  plain.map((text) => `~~${text}~~`),
  plain.map((text) => `\`${text}_*\``),
  plain.map((text) => `[${text}](https://a.example/x_y)`),
  plain.map((text) => `[**${text}**](https://a.example/(z))`),
  plain.map((text) => `![${text}](https://a.example/p.png)`),
  fc.constantFrom("2 * 3", "snake_case_name", "https://a.example/a_b", "\\*", "a | b", "(see below)", "**5 %** up"),
);
const inline = fc.array(span, { minLength: 1, maxLength: 5 }).map((spans) => `${spans.join(" ")}.`);
const row = fc.array(plain, { minLength: 2, maxLength: 2 }).map((cells) => `| ${cells.join(" | ")} |`);
const block = fc.oneof(
  inline,
  inline.map((text) => `## ${text}`),
  fc.array(inline, { minLength: 1, maxLength: 3 }).map((items) => items.map((item) => `- ${item}`).join("\n")),
  fc.array(inline, { minLength: 1, maxLength: 3 }).map((items) => items.map((item) => `> ${item}`).join("\n")),
  fc.array(row, { minLength: 1, maxLength: 4 }).map(([head, ...rows]) => [head, "|---|:--|", ...rows].join("\n")),
  fc.array(inline, { minLength: 1, maxLength: 3 }).map((lines) => `\`\`\`ts\n${lines.join("\n")}\n\`\`\``),
  plain.map((code) => `~~~~\n\`\`\`\n${code}\n~~~~`),
);
const document = fc.array(block, { minLength: 1, maxLength: 5 }).map((blocks) => blocks.join("\n\n"));

/** What a reader sees of Markdown outside code: marks that are left over show as they are. */
function seen(markdown: string): string {
  const html = marked.parse(markdown, { async: false, gfm: true });
  return html
    .replace(/<pre>[\s\S]*?<\/pre>|<code>[\s\S]*?<\/code>/g, "")
    .replace(/<a [^>]*>|<img [^>]*>/g, "")
    .replace(/<[^>]*>/g, "");
}

const cuts = fc.tuple(document, fc.double({ min: 0, max: 1, noNaN: true }));
const cutOff = ([text, share]: [string, number]) => text.slice(0, Math.floor(text.length * share));

describe("Markdown that is cut anywhere", () => {
  it("is left as it is if it is complete", () => {
    fc.assert(
      fc.property(document, (text) => {
        expect(closeMarkdown(text)).toBe(text);
      }),
      { numRuns: 500 },
    );
  });

  it("shows no mark, no half link, no half table and no open code", () => {
    fc.assert(
      fc.property(cuts, (cut) => {
        const closed = closeMarkdown(cutOff(cut));
        const text = seen(closed)
          .replaceAll("2 * 3", "")
          .replaceAll(/https?:\S*/g, "")
          .replaceAll("a | b", "");
        expect(text).not.toMatch(/\*\*|~~|`|\]\(|!\[|\|[ \t]*:?--|^\||\*\w/m);
        const fences = closed.match(/^(?:`{3}|~{4})/gm) ?? [];
        expect(fences.filter((fence) => fence === "~~~~").length % 2).toBe(0);
      }),
      { numRuns: 1_000 },
    );
  });

  it("loses no word that is certain, and adds none", () => {
    fc.assert(
      fc.property(cuts, (cut) => {
        const text = cutOff(cut);
        const closed = closeMarkdown(text);
        const kept = closed.replace(/[\s*_~`|]+$/, "");
        expect(text.startsWith(kept)).toBe(true);
        expect(closed.isWellFormed() || !cut[0].isWellFormed()).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it("closes nothing twice", () => {
    fc.assert(
      fc.property(cuts, (cut) => {
        const closed = closeMarkdown(cutOff(cut));
        expect(closeMarkdown(closed)).toBe(closed);
      }),
      { numRuns: 500 },
    );
  });

  it("does not choke on any text", () => {
    const noise = fc.string({ unit: fc.constantFrom(..."ab *_~`[]()!|\\\n>-#=<&;😀\ud83d".split("")), maxLength: 120 });
    fc.assert(
      fc.property(fc.oneof(noise, fc.string({ unit: "binary", maxLength: 200 })), (text) => {
        expect(typeof closeMarkdown(text)).toBe("string");
        expect(text.startsWith(settledMarkdown(text))).toBe(true);
      }),
      { numRuns: 1_500 },
    );
  });

  it.each([
    ["some **bo", "some **bo**"],
    ["some **bold*", "some **bold**"],
    ["some **", "some "],
    ["**bold and *both", "**bold and *both***"],
    ["see `npm ru", "see `npm ru`"],
    ["see `", "see "],
    ["see [the rep", "see "],
    ["see [the report](https://a.exam", "see "],
    ["see **[the rep", "see "],
    ["a ![chart](https://a.example/c.p", "a "],
    ["a ![chart]", "a "],
    ["a note [1]", "a note [1]"],
    ["```ts\nlet a", "```ts\nlet a\n```"],
    ["```ts\nlet a\n``", "```ts\nlet a\n```"],
    ["text\n\n```t", "text\n\n"],
    ["> ```\n> code", "> ```\n> code\n> ```"],
    ["1. Run:\n   ```sh\n   npm", "1. Run:\n   ```sh\n   npm\n   ```"],
    ["| a | b |", ""],
    ["| a | b |\n|--", ""],
    ["| a | b |\n|--|--|\n| x **y", "| a | b |\n|--|--|\n| x **y** |"],
    ["Oil rose\n-", "Oil rose\n"],
    ["Oil rose\n##", "Oil rose\n"],
    ["- one\n- **two", "- one\n- **two**"],
    ["- 2 *x\n- two", "- 2 *x\n- two"],
    ["half \ud83d", "half "],
    ["it&l", "it&l"],
    ["it&lt", "it"],
  ])("%j is shown as %j", (text, closed) => {
    expect(closeMarkdown(text)).toBe(closed);
  });

  // Each of these once took minutes for a text a few times as long, or more room than the stack has.
  it.each([
    "[",
    "![",
    "[a",
    "`a ",
    "**a ",
    "![a](",
    "[a](b(",
    "_a*",
    "| a ",
    "|a",
    "> ",
    "\\",
    "```\n",
    "*\\",
    "_*\\",
    "\\```",
    "[[",
    "\n",
    "\r",
    "> > >",
    "> \n",
    "- a\n - b\n - c\n",
    "a ``` `` ` ",
    "[ [x] ",
    "![x]",
    "<http://a_",
    "_a b* ",
    "\\[www.",
    "\\[http://a",
    "[*\\",
    "[*",
    "[a](b [",
    "![[a](b",
  ])(
    "gets through 40,000 characters of %j at once, closed, settled, spoken and split",
    { timeout: 15_000 },
    (piece) => {
      for (const end of ["", "a", " x"]) {
        const text = piece.repeat(40_000 / piece.length) + end;
        expect(text).toContain(closeMarkdown(text).slice(0, 100));
        expect(text.startsWith(settledMarkdown(text))).toBe(true);
        expect(typeof plainTextOfMarkdown(text)).toBe("string");
        expect(splitMarkdown(text, 9_000).length).toBeGreaterThan(1);
      }
    },
  );

  it.each(["\\[www.", "\\[http://a", "[\\["])("is read once, however many brackets of %j are open", (piece) => {
    const text = piece.repeat(1_000_000 / piece.length);
    expect(text).toContain(closeMarkdown(text).slice(0, 100));
  });

  it("is soon found to open no code if a line separator follows many backticks", () => {
    const text = `${"`".repeat(200_000)}\u2028a`;
    expect(text).toContain(closeMarkdown(text).slice(0, 100));
  });

  it.each(["[a](", "[a", "!["])("is soon found to close nothing if %j is followed by more that opens", (start) => {
    for (const piece of ["![", "[a", "(a", "(\\)", ' "a', ' "a" ', "\\a"]) {
      for (const end of [" b (", "\\", "]x", ")x"]) {
        const text = start + piece.repeat(300) + end;
        // Each way to read each piece would be two to the power of three hundred.
        expect(text).toContain(closeMarkdown(text).slice(0, 100));
      }
    }
  });
});

describe("what is settled", () => {
  it("is a beginning of whatever comes next, also if the text was closed for show", () => {
    fc.assert(
      fc.property(cuts, (cut) => {
        const text = cutOff(cut);
        expect(cut[0].startsWith(settledMarkdown(text))).toBe(true);
        expect(cut[0].startsWith(settledMarkdown(closeMarkdown(text)))).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  it("is one in long texts too, of which only the end is read", () => {
    fc.assert(
      fc.property(cuts, cuts, fc.constantFrom("", " ", "\n", "\n\n"), (before, cut, between) => {
        const lead = (before[0] + between).repeat(Math.ceil(3_000 / (before[0].length + 1)));
        const text = lead + cutOff(cut);
        expect((lead + cut[0]).startsWith(settledMarkdown(text))).toBe(true);
        expect((lead + cut[0]).startsWith(settledMarkdown(closeMarkdown(text)))).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it("leaves nothing open but code, which lasts to the end", () => {
    fc.assert(
      fc.property(cuts, (cut) => {
        const settled = settledMarkdown(cutOff(cut));
        expect([settled, `${settled} |`, `${settled}\n\`\`\``, `${settled}\n~~~~`]).toContain(
          closeMarkdown(settled).replace(/\n *$/, "") || settled,
        );
      }),
      { numRuns: 500 },
    );
  });

  it("keeps up with plain words", () => {
    expect(settledMarkdown("Oil rose **again** today")).toBe("Oil rose **again** today");
    expect(settledMarkdown("Oil rose **aga")).toBe("Oil rose");
    expect(settledMarkdown("Oil rose.\n\n~~~")).toBe("Oil rose.");
    expect(settledMarkdown("Oil rose.\n\n~~~~\n```")).toBe("Oil rose.");
  });
});

describe("closed Markdown that is split", () => {
  it("joins to the whole but for the fences at the cuts", () => {
    fc.assert(
      fc.property(cuts, fc.integer({ min: 120, max: 400 }), (cut, length) => {
        const closed = closeMarkdown(cutOff(cut));
        const bare = (text: string) => text.replaceAll(/(?:`{3}(?:ts)?|~{4})|\s/g, "");
        expect(bare(splitMarkdown(closed, length).join(""))).toBe(bare(closed));
      }),
      { numRuns: 500 },
    );
  });
});
