/** Finds the parts of a Markdown text that are code. */

/** An open code fence. */
export interface Fence {
  /** Three or more backticks or tildes. */
  marks: string;
  /** The text that follows them: mostly a language. */
  info: string;
}

/** The fence that is open after a line, given the one that was open before it. */
export function fenceAfter(open: Fence | undefined, line: string): Fence | undefined {
  // Texts can be thousands of empty lines.
  if (line === "") return open;
  const [, marks = "", info = ""] = /^ {0,3}(`{3,}(?!`)|~{3,}(?!~))(.*)$/.exec(line) ?? [];
  if (!marks) return open;
  if (!open) return marks.startsWith("`") && info.includes("`") ? undefined : { marks, info: info.trim() };
  const closes = marks.startsWith(open.marks) && info.trim() === "";
  return closes ? undefined : open;
}

/** The lines of a text, each with what ends it: `\n`, `\r\n` or `\r`, or nothing for the last one. */
export function linesOf(text: string): { line: string; ending: string }[] {
  const lines: { line: string; ending: string }[] = [];
  const endings = /\r\n|\r|\n/g;
  let start = 0;
  for (let match = endings.exec(text); match; match = endings.exec(text)) {
    lines.push({ line: text.slice(start, match.index), ending: match[0] });
    start = endings.lastIndex;
  }
  lines.push({ line: text.slice(start), ending: "" });
  return lines;
}

/** The quotes and list marks before a line, which fences may stand behind. */
export function leadOf(line: string): string {
  return /^(?:[ \t]*(?:>|[-*+](?=\s)|\d{1,9}[.)](?=\s)))*[ \t]*/.exec(line)?.[0] ?? "";
}

/** One way to read Markdown. */
interface MarkdownDialect {
  /** The part of a line that may be a fence. */
  bare: (line: string) => string;
  /** A code span ends with its line; else with its paragraph. */
  isOneLine: boolean;
  /** Anything that is no backtick of a code span. */
  token: RegExp;
  /** A line that begins with a tag opens a block of HTML, in which nothing is code. */
  hasHtml: boolean;
}

/**
 * Readers of Markdown differ on fences in lists, on spans that reach over lines, tags and addresses, and on HTML. Only
 * what is code to all of these is treated as code.
 */
const dialects: MarkdownDialect[] = [false, true].flatMap((hasHtml) => [
  {
    bare: (line) => line,
    isOneLine: false,
    token: /\\[!-/:-@[-`{-~]|<\/?[a-z][^<>:]*>|(?:https?:\/\/|ftp:\/\/|www\.)\S*|`+/gi,
    hasHtml,
  },
  {
    bare: (line) => line.slice(leadOf(line).length),
    isOneLine: true,
    token: /\\[!-/:-@[-`{-~]|`+/g,
    hasHtml,
  },
]);

/** For each character of a Markdown text, whether it certainly is code. */
export function codeIn(markdown: string): (index: number) => boolean {
  const counts = { fenced: new Uint8Array(markdown.length + 1), span: new Uint8Array(markdown.length + 1) };
  for (const reading of dialects) {
    for (const { kind, start, end } of rangesOf(markdown, reading)) {
      for (let index = start; index < end; index++) counts[kind][index] = (counts[kind][index] ?? 0) + 1;
    }
  }
  return (index) => counts.fenced[index] === dialects.length || counts.span[index] === dialects.length;
}

interface CodeRange {
  kind: "fenced" | "span";
  start: number;
  end: number;
}

function rangesOf(markdown: string, reading: MarkdownDialect): CodeRange[] {
  const ranges: CodeRange[] = [];
  let state: LineState = {};
  let at = 0;
  let paragraph = "";
  let start = 0;
  const endParagraph = () => {
    for (const span of codeSpansIn(paragraph, reading.token)) {
      ranges.push({ kind: "span", start: start + span.start, end: start + span.end });
    }
    paragraph = "";
  };
  for (const { line, ending } of linesOf(markdown)) {
    const { isProse, ...after } = stateAfterLine(state, line, reading);
    const size = line.length + ending.length;
    if (state.open && after.open) ranges.push({ kind: "fenced", start: at, end: at + size });
    if (!isProse || reading.isOneLine) endParagraph();
    if (isProse && !paragraph) start = at;
    if (isProse) paragraph += line + ending;
    state = after;
    at += size;
  }
  endParagraph();
  return ranges;
}

/** The state that goes on from one line to the next. */
interface LineState {
  open?: Fence | undefined;
  /** The pattern that ends the block of HTML. */
  html?: RegExp | undefined;
}

function stateAfterLine(
  { open, html }: LineState,
  line: string,
  { bare, hasHtml }: MarkdownDialect,
): LineState & { isProse: boolean } {
  // Texts can be thousands of empty lines.
  if (line === "") return { open, html: html === blank ? undefined : html, isProse: false };
  const text = bare(line);
  const closesHtml = !open && hasHtml ? (html ?? htmlEnd(text)) : undefined;
  const after = closesHtml ? undefined : fenceAfter(open, text);
  return {
    open: after,
    html: closesHtml?.test(text) ? undefined : closesHtml,
    isProse: !open && !after && !closesHtml && line.trim() !== "",
  };
}

const blank = /^\s*$/;

/** Blocks of HTML that go on over blank lines, each with what ends it. */
const longHtml: [begins: RegExp, ends: RegExp][] = [
  [/^<(?:script|pre|style|textarea)(?=[\s>]|$)/i, /<\/(?:script|pre|style|textarea)>/i],
  [/^<!--/, /-->/],
  [/^<!\[CDATA\[/, /\]\]>/],
  [/^<\?/, /\?>/],
];

/**
 * The pattern that ends the block of HTML that a line opens; nothing if it opens none. An address in brackets is no
 * tag.
 */
function htmlEnd(line: string): RegExp | undefined {
  const text = line.trimStart();
  const long = longHtml.find(([begins]) => begins.test(text));
  if (long) return long[1];
  return /^<(?:!|\/?[a-z](?![a-z0-9+.-]*:))/i.test(text) ? blank : undefined;
}

/** The content of the code spans of a paragraph: from a run of backticks to the next run of the same length. */
function codeSpansIn(text: string, token: RegExp): { start: number; end: number }[] {
  const spans: { start: number; end: number }[] = [];
  const unclosed = new Set<number>();
  token.lastIndex = 0;
  for (let match = token.exec(text); match; match = token.exec(text)) {
    const run = match[0];
    if (!run.startsWith("`") || unclosed.has(run.length)) continue;
    const start = token.lastIndex;
    const end = endOfBackticks(text, start, run.length);
    if (end === undefined) {
      unclosed.add(run.length);
      continue;
    }
    // A table ends a span with its cell.
    if (!text.slice(start, end).includes("|")) spans.push({ start, end: end - run.length });
    token.lastIndex = end;
  }
  return spans;
}

/** The end of the next run of so many backticks. */
export function endOfBackticks(text: string, from: number, length: number): number | undefined {
  const runs = /`+/g;
  runs.lastIndex = from;
  for (let match = runs.exec(text); match; match = runs.exec(text)) {
    if (match[0].length === length) return runs.lastIndex;
  }
  return undefined;
}

/** The length of what a sticky pattern matches at a place. */
export function lengthAt(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0].length;
}
