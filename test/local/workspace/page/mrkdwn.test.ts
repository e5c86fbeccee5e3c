import { describe, expect, it } from "vitest";

import { type Inline, type Piece, parseMrkdwn } from "../../../../local/workspace/page/mrkdwn.ts";
import * as fc from "../../../support/property.ts";

const words = (text: string): Inline => ({ kind: "text", text });

/** The only line of a text that has one. */
function line(text: string): Inline[] {
  const [piece, ...more] = parseMrkdwn(text);
  if (piece?.kind !== "lines" || piece.lines.length !== 1 || more.length > 0)
    throw new Error(`${text} is not one line`);
  return piece.lines[0] ?? [];
}

function inlineTexts(node: Inline): string[] {
  if (node.kind === "text") return [node.text];
  return "children" in node ? node.children.flatMap(inlineTexts) : [];
}

/** Every run of plain text, code left out. */
function texts(piece: Piece): string[] {
  if (piece.kind === "lines") return piece.lines.flat().flatMap(inlineTexts);
  if (piece.kind === "quote") return piece.pieces.flatMap(texts);
  return piece.kind === "bullet" ? piece.children.flatMap(inlineTexts) : [];
}

function inlineAll(node: Inline): string {
  if (node.kind === "text" || node.kind === "code") return node.text;
  if ("children" in node) return node.children.map(inlineAll).join("");
  return node.kind === "emoji" ? node.name : "";
}

/** Everything that can be read, code included. */
function reading(piece: Piece): string {
  if (piece.kind === "pre") return piece.text;
  if (piece.kind === "lines") return piece.lines.flat().map(inlineAll).join("");
  if (piece.kind === "quote") return piece.pieces.map(reading).join("");
  return piece.marker + piece.children.map(inlineAll).join("");
}

const controls = [
  "<!channel>",
  "<!here|here>",
  "<@U1>",
  "<@U1|ana>",
  "<#C1|newsroom>",
  "<!subteam^S1|@desk>",
  "<!date^1700000000^{date}|then>",
  "<https://a.example|a *b* c>",
  "<mailto:a@b.example>",
];
const marks = [
  "*",
  "_",
  "~",
  "`",
  "```",
  "\n",
  "\r\n",
  "&gt; ",
  ">",
  ">>>",
  "• ",
  "1. ",
  "- ",
  ":",
  ":tada:",
  "^",
  "|",
];
const plain = ["a", "word ", " ", "&amp;", "&", "é", "😀", "<", "https://b.example/x_y", "(", ")."];

const parts = (...kinds: string[][]) =>
  fc.array(fc.constantFrom(...kinds.flat()), { maxLength: 24 }).map((found) => found.join(""));

const letters = (text: string) => text.replaceAll(/[^\p{L}\p{N}]/gu, "");

describe("styles", () => {
  it.each([
    ["*bold*", "bold"],
    ["_italic_", "italic"],
    ["~strike~", "strike"],
  ])("reads %s", (text, kind) => {
    expect(line(text)).toEqual([{ kind, children: [words(text.slice(1, -1))] }]);
  });

  it("nests styles", () => {
    expect(line("*a _b_*")).toEqual([
      { kind: "bold", children: [words("a "), { kind: "italic", children: [words("b")] }] },
    ]);
  });

  it.each(["2*3*4", "snake_case_name", "* not bold *", "**", "*open", "a * b * c", "**two**", "__init__"])(
    "leaves the marks of %s alone",
    (text) => {
      expect(line(text).flatMap(inlineTexts).join("")).toBe(text);
    },
  );

  it("ends a style beside punctuation", () => {
    expect(line("(*a*).")).toEqual([words("("), { kind: "bold", children: [words("a")] }, words(").")]);
  });

  it("does not end a style inside a link", () => {
    expect(line("*see <https://a.example/x*|y> z*")).toEqual([
      {
        kind: "bold",
        children: [words("see "), { kind: "link", url: "https://a.example/x*", children: [words("y")] }, words(" z")],
      },
    ]);
  });

  it("reads nothing inside code, which shows its escapes undone", () => {
    expect(line("`*a* &lt;b&gt;`")).toEqual([{ kind: "code", text: "*a* <b>" }]);
  });

  it("reads emoji names, but not the times of a clock", () => {
    expect(line(":tada:")).toEqual([{ kind: "emoji", name: "tada" }]);
    expect(line("10:30:45")).toEqual([words("10:30:45")]);
  });
});

describe("links and mentions", () => {
  it.each<[string, Inline]>([
    ["<@U1>", { kind: "user", id: "U1", label: "" }],
    ["<@U1|ana>", { kind: "user", id: "U1", label: "ana" }],
    ["<#C1|newsroom>", { kind: "channel", id: "C1", label: "newsroom" }],
    ["<!subteam^S1|@desk>", { kind: "group", id: "S1", label: "@desk" }],
    ["<!channel>", { kind: "broadcast", range: "channel" }],
    ["<!here|here>", { kind: "broadcast", range: "here" }],
    ["<https://a.example?x=1&amp;y=2|A &amp; B>", link("https://a.example?x=1&y=2", "A & B")],
    ["<https://a.example>", link("https://a.example", "https://a.example")],
    ["<mailto:a@b.example>", link("mailto:a@b.example", "a@b.example")],
    ["https://a.example/x", link("https://a.example/x", "https://a.example/x")],
  ])("reads %s", (text, node) => {
    expect(line(text)).toEqual([node]);
  });

  it("leaves the full stop after a bare address out of it", () => {
    expect(line("see https://a.example/x.")).toEqual([
      words("see "),
      link("https://a.example/x", "https://a.example/x"),
      words("."),
    ]);
  });

  it("styles a label and keeps further links out of it", () => {
    expect(line("<https://a.example|*a* of https://b.example>")).toEqual([
      {
        kind: "link",
        url: "https://a.example",
        children: [{ kind: "bold", children: [words("a")] }, words(" of https://b.example")],
      },
    ]);
  });

  it("shows an escaped mention in a label as the text that it is", () => {
    expect(line("<https://a.example|*a* &lt;!channel&gt;>")).toEqual([
      {
        kind: "link",
        url: "https://a.example",
        children: [{ kind: "bold", children: [words("a")] }, words(" <!channel>")],
      },
    ]);
  });

  it("undoes escapes once and makes no control of them", () => {
    expect(line("&lt;!channel&gt; &amp;lt;")).toEqual([words("<!channel> &lt;")]);
  });

  it("shows a lone bracket and still reads the link after it", () => {
    expect(line("1 < 2 <https://a.example|b>")).toEqual([words("1 < 2 "), link("https://a.example", "b")]);
  });

  it("reads a date with its format, link and fallback", () => {
    expect(line("<!date^1700000000^{date} at {time}^https://a.example|then>")).toEqual([
      {
        kind: "date",
        seconds: 1_700_000_000,
        pattern: "{date} at {time}",
        url: "https://a.example",
        fallback: "then",
      },
    ]);
  });

  it.each(["<!date^^{date}|then>", "<!date^soon^{date}|then>", "<!date^0x10^{date}|then>"])(
    "has no moment for %s, so that its fallback shows",
    (text) => {
      expect(line(text)).toMatchObject([{ kind: "date", seconds: Number.NaN, fallback: "then" }]);
    },
  );
});

describe("lines", () => {
  it("keeps the lines of a paragraph together", () => {
    expect(parseMrkdwn("a\n\nb")).toEqual([{ kind: "lines", lines: [[words("a")], [], [words("b")]] }]);
  });

  it("reads bullets with their depth, also where lines end as on Windows", () => {
    expect(parseMrkdwn("• a\r\n    ◦ *b*\n1. c")).toEqual([
      { kind: "bullet", marker: "•", depth: 0, children: [words("a\r")] },
      { kind: "bullet", marker: "◦", depth: 2, children: [{ kind: "bold", children: [words("b")] }] },
      { kind: "bullet", marker: "1.", depth: 0, children: [words("c")] },
    ]);
  });

  it("reads a quote line by line, and to the end of the text after three marks", () => {
    const quote = { kind: "quote", pieces: [{ kind: "lines", lines: [[words("a")], [words("b")]] }] };
    expect(parseMrkdwn("&gt; a\n&gt; b\nc")).toEqual([quote, { kind: "lines", lines: [[words("c")]] }]);
    expect(parseMrkdwn("&gt;&gt;&gt; a\nb")).toEqual([quote]);
  });

  it("keeps preformatted text as it is", () => {
    expect(parseMrkdwn("a\n```\n *b* &lt;c&gt;\n  d\n```\ne")).toEqual([
      { kind: "lines", lines: [[words("a")], []] },
      { kind: "pre", text: " *b* <c>\n  d" },
      { kind: "lines", lines: [[words("e")]] },
    ]);
  });

  it("shows a fence that is never closed", () => {
    expect(parseMrkdwn("```a").map(reading)).toEqual(["```a"]);
  });
});

describe("any text", () => {
  it("is read without an error", () => {
    fc.assert(
      fc.property(fc.oneof(parts(controls, marks, plain), fc.string({ unit: "grapheme" })), (text) => {
        expect(() => parseMrkdwn(text)).not.toThrow();
      }),
      { numRuns: 500 },
    );
  });

  it("never shows a control in its raw form outside code", () => {
    fc.assert(
      fc.property(parts(controls, marks, plain), (text) => {
        for (const shown of parseMrkdwn(text).flatMap(texts))
          expect(shown).not.toMatch(/<[@#!][^<>]+>|<https?:[^<>]+>/);
      }),
      { numRuns: 500 },
    );
  });

  it("loses no letter", () => {
    fc.assert(
      fc.property(parts(["*", "_", "~", "`", "```", "\n", ":", "> ", "- ", "<", " ", "a", "Ö", "7"]), (text) => {
        expect(letters(parseMrkdwn(text).map(reading).join(""))).toBe(letters(text));
      }),
      { numRuns: 500 },
    );
  });
});

function link(url: string, label: string): Inline {
  return { kind: "link", url, children: [words(label)] };
}
