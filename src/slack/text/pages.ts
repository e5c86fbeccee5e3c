/** The messages of a long answer: Slack takes so much Markdown in one, and the rest goes on in the next. */

import { withoutEmptyRows } from "./blocks.ts";
import { type Fence, fenceAfter, linesOf } from "./code.ts";
import { limits } from "./limits.ts";
import { type Message, fitText } from "./message.ts";
import { plainTextOfMarkdown } from "./mrkdwn.ts";

/**
 * The messages that together show one: a message whose Markdown is too long for Slack goes on in the next. Parts
 * joined are the whole, and a longer state of the same answer begins with the same full parts.
 */
export function pages(message: Message): Message[] {
  const blocks = message.blocks && withoutEmptyRows(message.blocks);
  const at = blocks?.findIndex(({ type }) => type === "markdown") ?? -1;
  const block = blocks?.[at];
  if (!blocks || block?.type !== "markdown") {
    return [{ ...message, text: fitText(message.text), ...(blocks && { blocks: wellFormed(blocks) }) }];
  }
  const parts = splitMarkdown(block.text.toWellFormed(), limits.markdown);
  const end = parts.length - 1;
  return parts.map((part, index) => ({
    ...(index === end && message),
    text: fitText(inert(end === 0 ? message.text : "") || plainTextOfMarkdown(spokenPart(part)) || inert(part)),
    blocks: [
      ...(index === 0 ? wellFormed(blocks.slice(0, at)) : []),
      { type: "markdown", text: part },
      ...(index === end ? wellFormed(blocks.slice(at + 1)) : []),
    ],
  }));
}

/** The lines at the beginning of a page that its `text` is made from: more than these would not fit. */
function spokenPart(markdown: string): string {
  if (markdown.length <= limits.spokenFrom) return markdown;
  const end = markdown.lastIndexOf("\n", limits.spokenFrom);
  return markdown.slice(0, end > 0 ? end : limits.spokenFrom);
}

/** The same value with every string in it fit to be sent: half a character anywhere and no request can carry it. */
function wellFormed<T>(value: T): T {
  const text = JSON.stringify(value);
  // JSON writes half a character as an escape, and a whole one as it is.
  return /\\ud[89a-f]/i.test(text)
    ? JSON.parse(text, (_, part: unknown) => (typeof part === "string" ? part.toWellFormed() : part))
    : value;
}

/** Markdown as `text`, which Slack reads as mrkdwn: what is harmless inside code there could ping here. */
function inert(markdown: string): string {
  return markdown.replaceAll("<", "&lt;");
}

/**
 * Cuts Markdown into parts of at most `length` characters at the last paragraph, line or word; joined they are the
 * whole, but for code fences, which are closed at a cut and opened again.
 */
export function splitMarkdown(markdown: string, length: number): string[] {
  const parts: string[] = [];
  let open = "";
  let rest = markdown;
  while (open.length + rest.length > length) {
    const cut = cutPoint(rest, length - open.length - 1 - longestMarks);
    const part = open + rest.slice(0, cut);
    const fence = openFence(part);
    parts.push(part + closing(fence, part));
    open = opening(fence);
    rest = rest.slice(cut);
  }
  return [...parts, open + rest];
}

/** The rest of a text whose beginning stands somewhere else: a code fence that is open there is opened again. */
export function continueFence(before: string, after: string): string {
  const fence = openFence(before);
  return fence ? opening(fence) + after : after;
}

/** A fence that is longer than these would leave no room for what it holds. */
const longestMarks = 16;
const longestInfo = 40;

function opening(fence: Fence | undefined): string {
  return fence ? `${fence.marks}${fence.info.length > longestInfo ? "" : fence.info}\n` : "";
}

function closing(fence: Fence | undefined, part: string): string {
  if (!fence) return "";
  return /[\r\n]$/.test(part) ? fence.marks : `\n${fence.marks}`;
}

/** The places where a text may be cut, best first: after a paragraph, a line, a word. */
const separators = [["\n\n", "\n\r\n", "\r\r"], ["\n", "\r"], [" "]];

function cutPoint(text: string, length: number): number {
  for (const alike of separators) {
    const cut = Math.max(...alike.map((separator) => endOfLast(separator, text, length)));
    if (cut > length / 2) return cut;
  }
  return text.slice(0, length).replace(/(?:&[a-z]{0,4}|[\uD800-\uDBFF]|\r)$/, "").length;
}

/** The end of the last separator within a length; a `\r\n` stays whole, for which there is always room. */
function endOfLast(separator: string, text: string, length: number): number {
  const at = text.lastIndexOf(separator, length - separator.length - 1);
  const end = at < 0 ? 0 : at + separator.length;
  return end > 0 && text.startsWith("\r\n", end - 1) ? end + 1 : end;
}

/** The code fence that is still open at the end of a text. */
function openFence(text: string): Fence | undefined {
  let open: Fence | undefined;
  for (const { line } of linesOf(text)) open = fenceAfter(open, line);
  return open && open.marks.length <= longestMarks ? open : undefined;
}
