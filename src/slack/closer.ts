/** Markdown that is still being written, so that what is half there does not look broken. */

import { type Fence, fenceAfter, linesOf } from "./code.ts";

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
 * where words can be added but not taken back.
 */
export function settledMarkdown(text: string): string {
  const { head, lines, fence } = readEnd(wholeCharacters(text));
  if (fence) {
    const code = lines.join("").replace(/[\r\n]+[>\s]*(?:`*|~*)$/, "");
    // A fence without a line may still become a longer one.
    return linesOf(code).length > 1 ? head + code : settledMarkdown(head);
  }
  const { before, words } = readLines(lines);
  const { openAt, lastAt, lastEndsAt } = spansOf(words);
  // What is closed at the very end may have been closed for show.
  const end = openAt ?? (lastEndsAt === words.trimEnd().length ? lastAt : words.length);
  const settled = (head + before + words.slice(0, end))
    .replace(/[\r\n]+[>\s]*(?:`{3,}|~{3,})$/, "")
    .replace(/(?:[\s|]+|[*_~`]+|\\|!)$/, "");
  return settled === text ? text : settledMarkdown(settled);
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
  /** Set where that block is code whose fence is open; its first line then opens it. */
  fence?: OpenFence;
}

interface OpenFence extends Fence {
  /** What stands before the fence on a line: quotes and indents. */
  indent: string;
}

/** The last block of a text: an open code fence, or the lines after the last blank line or closed fence. */
function readEnd(text: string): End {
  let fence: OpenFence | undefined;
  let start = 0;
  let at = 0;
  for (const { line, ending } of linesOf(text)) {
    const { bare, indent } = bareLine(line);
    const after = fenceAfter(fence, bare);
    const next = at + line.length + ending.length;
    if (after && !fence) start = at;
    else if (fence && !after) start = next;
    else if (!fence && line.trim() === "" && ending) start = next;
    fence = after && { indent: fence?.indent ?? indent, marks: after.marks, info: after.info };
    at = next;
  }
  const lines = linesOf(text.slice(start)).map(({ line, ending }) => line + ending);
  return { head: text.slice(0, start), lines, ...(fence && { fence }) };
}

/** A line without the quotes and list marks before it, which fences may stand behind. */
function bareLine(line: string): { bare: string; indent: string } {
  const [lead = ""] = /^(?:[ \t]*(?:>|[-*+](?=\s)|\d{1,9}[.)](?=\s)))*[ \t]*/.exec(line) ?? [];
  return { bare: line.slice(lead.length), indent: lead.replace(/[^>\s]/g, " ") };
}

/** Code with an end to it; nothing where it has no line yet, or where its last line may become the end. */
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
  return isRow && /[^\s|][^|\r\n]*$/.test(text) ? `${text.trimEnd()} |` : text;
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

/** Words with what is open in them closed, or held back where there is nothing in it yet. */
function closeSpans(words: string): string {
  const { open, linkAt, isHalf } = spansOf(words);
  if (linkAt !== undefined) return closeSpans(words.slice(0, linkAt));
  const isOpen = open.length > 0;
  if (isHalf || (isOpen && /[*_~`\\]$/.test(words))) return closeSpans(words.replace(/(?:\*+|_+|~+|`+|\\)$/, ""));
  if (!isOpen) return words;
  const end = words.trimEnd().length;
  const marks = open.map(({ mark }) => mark).toReversed();
  return words.slice(0, end) + marks.join("") + words.slice(end);
}

interface Spans {
  /** Emphasis and code that is open, outermost first. */
  open: { mark: string; at: number }[];
  /** Where the first thing begins that is open. */
  openAt?: number;
  /** Where a link or an image begins that is not complete. */
  linkAt?: number;
  /** The words end with a mark that closes nothing. */
  isHalf: boolean;
  /** What was closed last. */
  lastAt: number;
  lastEndsAt: number;
}

const spanToken =
  /\\[!-/:-@[-`{-~]|`+|!?\[|\*+|_+|~+|<(?:https?|mailto):[^\s<>]*>?|(?:https?:\/\/|www\.)[^\s<>*_~`()[\]]*/g;
// Neither may have two ways to read the same part: some texts, of a few lines, would then take for ever.
const wholeLink =
  /!?\[(?:[^[\]\\]|\\.|\[(?:[^[\]\\]|\\.)*\])*\]\((?:[^()\s\\]|\\.|\([^()\s]*\)|\s+"[^"]*"\s*(?!\s))*\)/y;
const halfLink =
  /!\[(?:[^[\]\\]|\\.|\[(?:[^[\]\\]|\\.)*\])*\]$|!?\[(?:(?:[^[\]\\]|\\[\s\S]|\[(?:[^[\]\\]|\\.)*(?![^[\]\\]|\\.)\]?){0,200}|(?:[^[\]\\]|\\.|\[(?:[^[\]\\]|\\.)*\])*\]\((?:[^()\s\\]|\\[\s\S]|\((?:(?:[^()\s\\]|\\\S)*\))?|\s+"(?:[^"]*"\s*(?!\s)|[^"]*$))*)$/y;

/** What is open at the end of words, what was closed last. */
function spansOf(words: string): Spans {
  const open: Spans["open"] = [];
  const spans: Spans = { open, isHalf: /(?:^|[^\\])(?:\\\\)*\\$/.test(words), lastAt: 0, lastEndsAt: -1 };
  const token = new RegExp(spanToken);
  for (let match = token.exec(words); match && spans.linkAt === undefined; match = token.exec(words)) {
    const at = match.index;
    const [mark] = match;
    if (mark.startsWith("`")) {
      const end = closingRun(words, at + mark.length, mark.length);
      if (end === undefined) {
        open.push({ mark, at });
        break;
      }
      token.lastIndex = end;
      Object.assign(spans, { lastAt: at, lastEndsAt: end });
    } else if (mark.endsWith("[") && !mark.startsWith("\\")) {
      const whole = matchAt(wholeLink, words, at);
      if (whole !== undefined) {
        token.lastIndex = at + whole;
        Object.assign(spans, { lastAt: at, lastEndsAt: at + whole });
      } else if (matchAt(halfLink, words, at) !== undefined) spans.linkAt = at;
    } else if (/^<.*[^>]$/.test(mark) && at + mark.length === words.length) spans.linkAt = at;
    else if (/^[*_~]/.test(mark)) readRun(words, { mark, at }, spans);
  }
  const openAt = Math.min(spans.linkAt ?? Number.POSITIVE_INFINITY, open[0]?.at ?? Number.POSITIVE_INFINITY);
  return Number.isFinite(openAt) ? { ...spans, openAt } : spans;
}

/** The length of what matches at a place. */
function matchAt(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0].length;
}

/** Where the next run of so many backticks ends. */
function closingRun(text: string, from: number, length: number): number | undefined {
  const runs = /`+/g;
  runs.lastIndex = from;
  for (let match = runs.exec(text); match; match = runs.exec(text)) {
    if (match[0].length === length) return match.index + length;
  }
  return undefined;
}

/** Lets a run of asterisks, underscores or tildes close what it can, and open what is left of it. */
function readRun(words: string, { mark, at }: { mark: string; at: number }, spans: Spans): void {
  const { open } = spans;
  const { opens, closes } = flanks(words, mark, at);
  let left = mark.length;
  const alike = closes ? open.filter((other) => other.mark[0] === mark[0]).toReversed() : [];
  for (const other of alike) {
    if (left === 0) break;
    const used = Math.min(left, other.mark.length);
    left -= used;
    open.length = open.indexOf(other);
    if (used < other.mark.length) open.push({ mark: other.mark.slice(used), at: other.at });
    Object.assign(spans, { lastAt: other.at, lastEndsAt: at + mark.length });
  }
  const isMark = mark[0] !== "~" || mark.length === 2;
  if (left > 0 && opens && isMark) open.push({ mark: mark.slice(0, left), at });
  else if (left > 0 && at + mark.length === words.length) spans.isHalf = true;
}

/** Whether a run may open emphasis and whether it may close some, by what stands beside it. */
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
