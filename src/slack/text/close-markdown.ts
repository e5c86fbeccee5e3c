/** Markdown that is still being written, so that what is half there does not look broken. */

import { type Fence, endOfBackticks, fenceAfter, leadOf, lengthAt, linesOf } from "./code.ts";
import { endsIn } from "./enclosed.ts";

/**
 * Markdown that stops anywhere, made fit to be shown: what is open at its end is closed, and what cannot be closed yet is
 * held back. What is complete is not changed.
 */
export function closeMarkdown(text: string): string {
  const { head, lines, fence } = readEnd(wholeCharacters(text));
  if (fence) return head + closeFence(lines, fence);
  return head + closeLines(lines);
}

/**
 * The beginning of such a text that stays as it is, whatever is written next and whatever closed it: fit for a place
 * where words can be added but not taken back. Empty if that would take too long to find out.
 */
export function settledMarkdown(text: string): string {
  let settled = text;
  for (let round = 0; round < mostRounds; round++) {
    const before = settled;
    settled = settledOnce(before);
    if (settled === before) return settled;
  }
  return "";
}

/**
 * Each cut can show another thing that is half written. Ordinary text takes two or three rounds; what a model writes in
 * order to be slow would take one for each of its characters, so that the end of it is held back instead.
 */
const mostRounds = 6;

function settledOnce(text: string): string {
  const { head, lines, fence } = readEnd(wholeCharacters(text));
  if (fence) {
    const code = withoutEnd(lines.join(""), isCodeEnd);
    // A fence without a line may still become a longer one.
    return linesOf(code).length > 1 ? head + code : head;
  }
  const { before, words } = readLines(lines);
  const { openAt, closed } = readSpans(words);
  let end = openAt ?? words.length;
  // A span closed at the very end may have been closed for show, and so may one closed before that.
  for (const span of openAt === undefined ? closed.toReversed() : []) {
    if (span.end < words.slice(0, end).trimEnd().length) break;
    end = span.at;
  }
  const settled = withoutFence(head + before + words.slice(0, end));
  return withoutEnd(settled, (character) => /[\s|*_~`\\!]/.test(character));
}

const isCodeEnd = (character: string) => /[\s>`~]/.test(character);

/** A text without the characters at its end that fit. */
function withoutEnd(text: string, fits: (character: string) => boolean): string {
  let end = text.length;
  while (end > 0 && fits(text[end - 1] ?? "")) end--;
  return text.slice(0, end);
}

/** A text without a last line that is a code fence, which may have been closed for show. */
function withoutFence(text: string): string {
  const start = Math.max(text.lastIndexOf("\n"), text.lastIndexOf("\r")) + 1;
  return start > 0 && /^[>\s]*(?:`{3,}|~{3,})$/.test(text.slice(start)) ? text.slice(0, start) : text;
}

/** No half of a character, and no half of an entity. */
function wholeCharacters(text: string): string {
  return text.replace(/[\uD800-\uDBFF]$/, "").replace(/&(?:lt|gt|amp?|quot?|#\d{1,4})$/, "");
}

interface End {
  /** Everything before the last block, which nothing that follows can change. */
  head: string;
  /** The lines of the last block, each with its ending. */
  lines: string[];
  /** Set if that block is code whose fence is open; its first line then opens it. */
  fence?: OpenFence;
}

interface OpenFence extends Fence {
  /** The text before the fence on a line: quotes and indents. */
  indent: string;
}

/** The last block of a text: an open code fence, or the lines after the last blank line or closed fence. */
function readEnd(text: string): End {
  let fence: OpenFence | undefined;
  let start = 0;
  let at = 0;
  for (const { line, ending } of linesOf(text)) {
    const lead = leadOf(line);
    const after = fenceAfter(fence, line.slice(lead.length));
    const next = at + line.length + ending.length;
    if (after && !fence) start = at;
    else if (fence && !after) start = next;
    else if (!fence && line.trim() === "" && ending) start = next;
    fence = after && { ...after, indent: fence?.indent ?? lead.replace(/[^>\s]/g, " ") };
    at = next;
  }
  const lines = linesOf(text.slice(start)).map(({ line, ending }) => line + ending);
  return { head: text.slice(0, start), lines, ...(fence && { fence }) };
}

/** Code with an end to it; nothing if it has no line yet, or if its last line may become the end. */
function closeFence(lines: string[], { marks, indent }: OpenFence): string {
  if (lines.length === 1) return "";
  const last = lines.at(-1) ?? "";
  const isHalfEnd =
    /^[>\s]*(`{1,2}|~{1,2}|`{3,}|~{3,})$/.test(last) && last.trim().replace(/^[>\s]*/, "")[0] === marks[0];
  const code = (isHalfEnd ? lines.slice(0, -1) : lines).join("");
  return `${code}${/[\r\n]$/.test(code) ? "" : "\n"}${indent}${marks}`;
}

function closeLines(lines: string[]): string {
  const { before, words, isRow } = readLines(lines);
  const text = withoutHalfMark(before + closeSpans(words));
  const cell = text.slice(Math.max(...["|", "\n", "\r"].map((mark) => text.lastIndexOf(mark))) + 1);
  return isRow && cell.trim() ? `${text.trimEnd()} |` : text;
}

/** The end of a block: the words of its last line, item or cell, and what stands before them. */
function readLines(lines: string[]): { before: string; words: string; isRow: boolean } {
  const text = withoutHalfMark(withoutHead(lines).join(""));
  const kept = linesOf(text).map(({ line, ending }) => line + ending);
  const isInTable = kept.some(isRule);
  let start = 0;
  let at = 0;
  let isAfterHeading = false;
  for (const line of kept) {
    const lead = /^\s*(?:[-*+]\s+|\d{1,9}[.)]\s+|#{1,6}\s|>|\|)/.exec(line);
    if (lead || isAfterHeading) start = at + (lead?.[0].length ?? 0);
    isAfterHeading = /^\s*#{1,6}\s/.test(line);
    at += line.length;
  }
  if (isInTable && /[\r\n]$/.test(text)) start = text.length;
  const isRow = isInTable && /^\s*\|/.test(kept.at(-1) ?? "");
  if (isRow) start = Math.max(start, text.search(/(?<!\\)\|(?:[^|\\]|\\[\s\S])*$/) + 1);
  return { before: text.slice(0, start), words: text.slice(start), isRow };
}

/** Lines without the head of a table whose rule is not complete yet. */
function withoutHead(lines: string[]): string[] {
  const at = lines.findIndex((line) => /^\s*\|/.test(line));
  const rule = lines[at + 1];
  if (at < 0 || lines.length > at + 2) return lines;
  if (rule !== undefined && isRule(rule) && cellsIn(rule) >= cellsIn(lines[at] ?? "")) return lines;
  return rule === undefined || /^[\s|:-]*$/.test(rule) ? lines.slice(0, at) : lines;
}

function isRule(line: string): boolean {
  return /^\s*\|(?:\s*:?-+:?\s*\|)+\s*$/.test(line);
}

function cellsIn(row: string): number {
  return row
    .trim()
    .replaceAll("\\|", "")
    .replace(/^\||\|$/g, "")
    .split("|").length;
}

/** A last line that is only the beginning of a mark would turn the line above it into a heading, or show as it is. */
function withoutHalfMark(text: string): string {
  return text.replace(/(?:^|(?<=[\r\n]))[ \t]*(?:[-*+=]{1,2}|#{1,6}|>+)[ \t]*$/, "");
}

/** Words with what is open in them closed, or held back if there is nothing in it yet. */
function closeSpans(words: string): string {
  let shown = words;
  for (let round = 0; round < mostRounds; round++) {
    const { open, linkAt, isHalf } = readSpans(shown);
    if (linkAt !== undefined) shown = shown.slice(0, linkAt);
    else if (isHalf || (open.length > 0 && isMark(shown.at(-1) ?? ""))) shown = withoutEnd(shown, isMark);
    else {
      const end = shown.trimEnd().length;
      const marks = open.map(({ mark }) => mark).toReversed();
      return shown.slice(0, end) + marks.join("") + shown.slice(end);
    }
  }
  return "";
}

const isMark = (character: string) => /[*_~`\\]/.test(character);

/** The places where something begins and ends. */
interface MarkdownSpan {
  at: number;
  end: number;
}

interface Spans {
  /** Emphasis and code that is open, outermost first. */
  open: { mark: string; at: number }[];
  /** The number of those of each kind. */
  counts: Map<string, number>;
  /** The beginning of the first thing that is open. */
  openAt?: number;
  /** The beginning of a link or an image that is not complete. */
  linkAt?: number;
  /** The words end with a mark that closes nothing. */
  isHalf: boolean;
  /** The spans that were closed and lie in nothing else that was, in order. */
  closed: MarkdownSpan[];
}

const spanToken =
  /\\[!-/:-@[-`{-~]|`+|!?\[|\*+|_+|~+|<(?:https?|mailto):[^\s<>]*>?|(?:https?:\/\/|www\.)[^\s<>*_~`()[\]]*/g;
// Neither may have two ways to read the same part: some texts, of a few lines, would then take for ever.
const address = /\((?:[^()\s\\]|\\.|\([^()\s]*\)|\s+"[^"]*"\s*(?!\s))*\)/y;
const halfLink =
  /!\[(?:[^[\]\\]|\\.|\[(?:[^[\]\\]|\\.)*\])*\]$|!?\[(?:(?:[^[\]\\]|\\[\s\S]|\[(?:[^[\]\\]|\\.)*(?![^[\]\\]|\\.)\]?){0,200}|(?:[^[\]\\]|\\.|\[(?:[^[\]\\]|\\.)*\])*\]\((?:[^()\s\\]|\\[\s\S]|\((?:(?:[^()\s\\]|\\\S)*\))?|\s+"(?:[^"]*"\s*(?!\s)|[^"]*$))*)$/y;

/** The words of a half link may be so long, and all of it with its address; what is longer is shown as it is written. */
const longestHalfWords = 300;
const longestHalfLink = 2_000;

/** Reads the words once, and finds the spans that are open at their end and those that were closed in them. */
function readSpans(words: string): Spans {
  const spans: Spans = { open: [], counts: new Map(), isHalf: endsWithBackslash(words), closed: [] };
  const addressAt = words.lastIndexOf("](");
  const mayBeHalf = (at: number) => words.length - at <= (at < addressAt ? longestHalfLink : longestHalfWords);
  const endOfLink = createLinkReader(words);
  const token = new RegExp(spanToken);
  for (let match = token.exec(words); match && spans.linkAt === undefined; match = token.exec(words)) {
    const at = match.index;
    const [mark] = match;
    if (mark.startsWith("`")) {
      const end = endOfBackticks(words, at + mark.length, mark.length);
      if (end === undefined) {
        openSpan(spans, mark, at);
        break;
      }
      token.lastIndex = end;
      closeSpan(spans, { at, end });
    } else if (mark.endsWith("[") && !mark.startsWith("\\")) {
      const end = endOfLink(at + mark.length);
      if (end !== undefined) {
        token.lastIndex = end;
        closeSpan(spans, { at, end });
      } else if (mayBeHalf(at) && lengthAt(halfLink, words, at) !== undefined) spans.linkAt = at;
    } else if (mark.startsWith("<") && !mark.endsWith(">") && at + mark.length === words.length) spans.linkAt = at;
    else if (/^[*_~]/.test(mark)) readRun(words, { mark, at }, spans);
  }
  const openAt = Math.min(spans.linkAt ?? Number.POSITIVE_INFINITY, spans.open[0]?.at ?? Number.POSITIVE_INFINITY);
  return Number.isFinite(openAt) ? { ...spans, openAt } : spans;
}

/** Finds where the link ends whose words begin at a place; each part is read once, however many brackets are open. */
function createLinkReader(words: string): (from: number) => number | undefined {
  const lengths = new Map<number, number | undefined>();
  let ends: Int32Array | undefined;
  return (from) => {
    ends ??= endsIn(words, "]", "[").nested;
    const at = (ends[from] ?? -1) + 1;
    if (at > 0 && !lengths.has(at)) lengths.set(at, lengthAt(address, words, at));
    const length = lengths.get(at);
    return length && at + length;
  };
}

/** The last character is a backslash that nothing escapes. */
function endsWithBackslash(words: string): boolean {
  return (words.length - withoutEnd(words, (character) => character === "\\").length) % 2 === 1;
}

function openSpan({ open, counts }: Spans, mark: string, at: number): void {
  open.push({ mark, at });
  const kind = mark.charAt(0);
  counts.set(kind, (counts.get(kind) ?? 0) + 1);
}

function closeSpan({ closed }: Spans, span: MarkdownSpan): void {
  while ((closed.at(-1)?.at ?? -1) >= span.at) closed.pop();
  closed.push(span);
}

/** Lets a run of asterisks, underscores or tildes close what it can, and open what is left of it. */
function readRun(words: string, { mark, at }: { mark: string; at: number }, spans: Spans): void {
  const { counts } = spans;
  const kind = mark.charAt(0);
  const { opens, closes } = flanks(words, mark, at);
  let left = mark.length;
  const canClose = () => closes && left > 0 && (counts.get(kind) ?? 0) > 0;
  while (canClose()) {
    // A span that is open inside the one that is closed was no emphasis.
    const other = spans.open.pop();
    if (!other) break;
    counts.set(other.mark.charAt(0), (counts.get(other.mark.charAt(0)) ?? 0) - 1);
    if (!other.mark.startsWith(kind)) continue;
    const used = Math.min(left, other.mark.length);
    left -= used;
    if (used < other.mark.length) openSpan(spans, other.mark.slice(used), other.at);
    closeSpan(spans, { at: other.at, end: at + mark.length });
  }
  const isEmphasis = kind !== "~" || mark.length === 2;
  if (left > 0 && opens && isEmphasis) openSpan(spans, mark.slice(0, left), at);
  else if (left > 0 && at + mark.length === words.length) spans.isHalf = true;
}

/** Says whether a run may open emphasis and whether it may close some, by the characters beside it. */
function flanks(words: string, mark: string, at: number): { opens: boolean; closes: boolean } {
  const before = words[at - 1] ?? " ";
  const after = words[at + mark.length] ?? " ";
  const isLeft = !isSpace(after) && (!isPunctuation(after) || isSpace(before) || isPunctuation(before));
  const isRight = !isSpace(before) && (!isPunctuation(before) || isSpace(after) || isPunctuation(after));
  if (mark[0] !== "_") return { opens: isLeft, closes: isRight };
  return { opens: isLeft && (!isRight || isPunctuation(before)), closes: isRight && (!isLeft || isPunctuation(after)) };
}

const isSpace = (character: string) => /\s/.test(character);
const isPunctuation = (character: string) => /[\p{P}\p{S}]/u.test(character);
