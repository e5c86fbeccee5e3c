import { describe, expect, it } from "vitest";
import { type InlineNode, type MrkdwnPiece, parseMrkdwn } from "../../../../local/workspace/page/mrkdwn.ts";
import * as fc from "../../../support/property.ts";

const words = (text: string): InlineNode => ({ kind: "text", text });
const bold = (...children: InlineNode[]): InlineNode => ({ kind: "bold", children });
const link = (url: string, ...children: InlineNode[]): InlineNode => ({ kind: "link", url, children });

/** The only line of a text that has one. */
function line(text: string): InlineNode[] {
  const [piece, ...more] = parseMrkdwn(text);
  if (piece?.kind !== "lines" || more.length > 0) throw new Error(`${text} is not one line`);
  return piece.lines.flat();
}

/** What can be read of a node: its text, that of code only where asked for. */
function textOf(node: InlineNode, withCode = true): string {
  if (node.kind === "text") return node.text;
  if (node.kind === "code") return withCode ? node.text : "";
  if ("children" in node) return node.children.map((child) => textOf(child, withCode)).join("\0");
  return node.kind === "emoji" ? node.name : "";
}

function reading(piece: MrkdwnPiece, withCode = true): string {
  const all = (nodes: InlineNode[]) => nodes.map((node) => textOf(node, withCode)).join("\0");
  if (piece.kind === "pre") return withCode ? piece.text : "";
  if (piece.kind === "lines") return all(piece.lines.flat());
  if (piece.kind === "quote") return piece.pieces.map((inner) => reading(inner, withCode)).join("\0");
  return piece.marker + all(piece.children);
}

describe("styles", () => {
  it.each<[string, InlineNode[]]>([
    ["*a*", [bold(words("a"))]],
    ["_a_", [{ kind: "italic", children: [words("a")] }]],
    ["~a~", [{ kind: "strike", children: [words("a")] }]],
    ["*a _b_*", [bold(words("a "), { kind: "italic", children: [words("b")] })]],
    ["(*a*).", [words("("), bold(words("a")), words(").")]],
    ["*a <https://a.example/x*|y> z*", [bold(words("a "), link("https://a.example/x*", words("y")), words(" z"))]],
    ["`*a* &lt;b&gt;`", [{ kind: "code", text: "*a* <b>" }]],
    [":tada:", [{ kind: "emoji", name: "tada" }]],
    ["10:30:45", [words("10:30:45")]],
  ])("reads %s", (text, nodes) => {
    expect(line(text)).toEqual(nodes);
  });
});

describe("links and mentions", () => {
  const a = "https://a.example";

  it.each<[string, InlineNode[]]>([
    ["<@U1>", [{ kind: "user", id: "U1", label: "" }]],
    ["<@U1|ana>", [{ kind: "user", id: "U1", label: "ana" }]],
    ["<#C1|newsroom>", [{ kind: "channel", id: "C1", label: "newsroom" }]],
    ["<!subteam^S1|@desk>", [{ kind: "group", id: "S1", label: "@desk" }]],
    ["<!channel>", [{ kind: "broadcast", range: "channel" }]],
    ["<!here|here>", [{ kind: "broadcast", range: "here" }]],
    ["<https://a.example?x=1&amp;y=2|A &amp; B>", [link("https://a.example?x=1&y=2", words("A & B"))]],
    ["<https://a.example>", [link(a, words(a))]],
    ["<mailto:a@b.example>", [link("mailto:a@b.example", words("a@b.example"))]],
    ["see https://a.example.", [words("see "), link(a, words(a)), words(".")]],
    ["<https://a.example|*a* of https://b.example>", [link(a, bold(words("a")), words(" of https://b.example"))]],
    ["<https://a.example|*a* &lt;!here&gt;>", [link(a, bold(words("a")), words(" <!here>"))]],
    ["&lt;!channel&gt; &amp;lt;", [words("<!channel> &lt;")]],
    ["1 < 2 <https://a.example|b>", [words("1 < 2 "), link(a, words("b"))]],
  ])("reads %s", (text, nodes) => {
    expect(line(text)).toEqual(nodes);
  });

  it("reads a date with its format, link and fallback", () => {
    const date = { kind: "date", seconds: 1_700_000_000, pattern: "{date} at {time}", url: a, fallback: "then" };
    expect(line("<!date^1700000000^{date} at {time}^https://a.example|then>")).toEqual([date]);
  });
});

describe("lines", () => {
  const lines = (...found: InlineNode[][]): MrkdwnPiece => ({ kind: "lines", lines: found });

  it("of a paragraph stay together", () => {
    expect(parseMrkdwn("a\n\nb")).toEqual([lines([words("a")], [], [words("b")])]);
  });

  it("may be bullets of two depths, with Windows line endings too", () => {
    expect(parseMrkdwn("• a\r\n    ◦ *b*\n1. c")).toEqual([
      { kind: "bullet", marker: "•", isDeep: false, children: [words("a\r")] },
      { kind: "bullet", marker: "◦", isDeep: true, children: [bold(words("b"))] },
      { kind: "bullet", marker: "1.", isDeep: false, children: [words("c")] },
    ]);
  });

  it("may be quoted, to the end of the text after three marks", () => {
    const quote = { kind: "quote", pieces: [lines([words("a")], [words("b")])] };
    expect(parseMrkdwn("&gt; a\n&gt; b\nc")).toEqual([quote, lines([words("c")])]);
    expect(parseMrkdwn("&gt;&gt;&gt; a\nb")).toEqual([quote]);
  });

  it("stay as they are between fences, and an open fence is shown", () => {
    const pre = { kind: "pre", text: " *b* <c>\n  d" };
    expect(parseMrkdwn("a\n```\n *b* &lt;c&gt;\n  d\n```\ne")).toEqual([
      lines([words("a")], []),
      pre,
      lines([words("e")]),
    ]);
    expect(parseMrkdwn("```a").map((piece) => reading(piece))).toEqual(["```a"]);
  });
});

describe("any text", () => {
  const controls = ["<!channel>", "<@U1|ana>", "<#C1|newsroom>", "<!date^1700000000^{date}|then>"];
  const links = ["<https://a.example|a *b* c>", "<mailto:a@b.example>", "https://b.example/x_y"];
  const marks = ["\n", "\r\n", "&gt; ", "• ", "1. ", "- ", ..."* _ ~ ` ``` > >>> : :tada: ^ |".split(" ")];
  const plain = ["a", "word ", " ", "&amp;", "&", "é", "😀", "<", "(", ")."];
  const parts = (...kinds: string[][]) =>
    fc.array(fc.constantFrom(...kinds.flat()), { maxLength: 24 }).map((found) => found.join(""));
  const letters = (text: string) => text.replaceAll(/[^\p{L}\p{N}]/gu, "");

  it("is read without an error, and never shows a control in its raw form outside code", () => {
    const text = fc.oneof(parts(controls, links, marks, plain), fc.string({ unit: "grapheme" }));
    fc.assert(
      fc.property(text, (given) => {
        const shown = parseMrkdwn(given).map((piece) => reading(piece, false));
        for (const one of shown) expect(one).not.toMatch(/<[@#!][^<>\0]+>|<https?:[^<>\0]+>/);
      }),
      { numRuns: 500 },
    );
  });

  it("loses no letter", () => {
    fc.assert(
      fc.property(parts(["*", "_", "~", "`", "```", "\n", ":", "> ", "- ", "<", " ", "a", "Ö", "7"]), (text) => {
        const shown = parseMrkdwn(text).map((piece) => reading(piece));
        expect(letters(shown.join(""))).toBe(letters(text));
      }),
      { numRuns: 500 },
    );
  });
});
