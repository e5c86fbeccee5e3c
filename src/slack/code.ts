/** Which parts of a Markdown text are code. */

/** A code fence: what opened it, and what goes on with it. */
export interface Fence {
  /** Three or more backticks or tildes. */
  marks: string;
  /** What follows them: mostly a language. */
  info: string;
}

/** The fence that is open after a line, given the one that was open before it. */
export function fenceAfter(open: Fence | undefined, line: string): Fence | undefined {
  const [, marks = "", info = ""] = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
  if (!marks) return open;
  if (!open) return marks.startsWith("`") && info.includes("`") ? undefined : { marks, info: info.trim() };
  const closes = marks.startsWith(open.marks) && info.trim() === "";
  return closes ? undefined : open;
}

/** One way to read Markdown. */
interface Reading {
  /** The part of a line that may be a fence. */
  bare: (line: string) => string;
  /** Whether a code span ends with its line; else with its paragraph. */
  isOneLine: boolean;
  /** What is no backtick of a code span. */
  token: RegExp;
}

/**
 * Readers of Markdown differ on fences in lists, and on spans that reach over lines, tags and addresses. Only what is code to both
 * of these is treated as code.
 */
const readings: Reading[] = [
  {
    bare: (line) => line,
    isOneLine: false,
    token: /\\[!-/:-@[-`{-~]|<\/?[a-z][^<>:]*>|(?:https?:\/\/|ftp:\/\/|www\.)\S*|`+/gi,
  },
  {
    bare: (line) => line.replace(/^(?:[ \t]*(?:>|[-*+](?=\s)|\d{1,9}[.)](?=\s)))*[ \t]*/, ""),
    isOneLine: true,
    token: /\\[!-/:-@[-`{-~]|`+/g,
  },
];

/** For each character of a Markdown text, whether it certainly is code. */
export function codeIn(markdown: string): (index: number) => boolean {
  const counts = { fenced: new Uint8Array(markdown.length + 1), span: new Uint8Array(markdown.length + 1) };
  for (const reading of readings) {
    for (const { kind, start, end } of rangesOf(markdown, reading)) {
      for (let index = start; index < end; index++) counts[kind][index] = (counts[kind][index] ?? 0) + 1;
    }
  }
  return (index) => counts.fenced[index] === readings.length || counts.span[index] === readings.length;
}

interface Range {
  kind: "fenced" | "span";
  start: number;
  end: number;
}

function rangesOf(markdown: string, { bare, isOneLine, token }: Reading): Range[] {
  const ranges: Range[] = [];
  let open: Fence | undefined;
  let at = 0;
  let paragraph = "";
  let start = 0;
  const endParagraph = () => {
    for (const span of spansOf(paragraph, token)) {
      ranges.push({ kind: "span", start: start + span.start, end: start + span.end });
    }
    paragraph = "";
  };
  for (const line of markdown.split("\n")) {
    const after = fenceAfter(open, bare(line));
    const isProse = !open && !after && line.trim() !== "";
    if (open && after) ranges.push({ kind: "fenced", start: at, end: at + line.length + 1 });
    if (!isProse || isOneLine) endParagraph();
    if (isProse && !paragraph) start = at;
    if (isProse) paragraph += `${line}\n`;
    open = after;
    at += line.length + 1;
  }
  endParagraph();
  return ranges;
}

/** What the code spans of a paragraph hold: from a run of backticks to the next run of the same length. */
function spansOf(text: string, token: RegExp): { start: number; end: number }[] {
  const spans: { start: number; end: number }[] = [];
  const unclosed = new Set<number>();
  token.lastIndex = 0;
  for (let match = token.exec(text); match; match = token.exec(text)) {
    const run = match[0];
    if (!run.startsWith("`") || unclosed.has(run.length)) continue;
    const start = token.lastIndex;
    const end = closingRun(text, start, run.length);
    if (end === undefined) {
      unclosed.add(run.length);
      continue;
    }
    // A table ends a span with its cell.
    if (!text.slice(start, end).includes("|")) spans.push({ start, end });
    token.lastIndex = end + run.length;
  }
  return spans;
}

function closingRun(text: string, from: number, length: number): number | undefined {
  const runs = /`+/g;
  runs.lastIndex = from;
  for (let match = runs.exec(text); match; match = runs.exec(text)) {
    if (match[0].length === length) return match.index;
  }
  return undefined;
}
