import type { types } from "@slack/bolt";

import { limits } from "./limits.ts";

export type Block = types.KnownBlock;

/** What a reader is shown. `text` is what screen readers and notifications read, so it stands for all of it. */
export interface Message {
  text: string;
  blocks?: Block[];
  /** Shown while there is nothing to read yet: the next state is shown as soon as there is one. */
  progress?: true;
  /** Shown only to the person who asked, where the surface can do that. */
  private?: true;
  /** Offers to show a private reply to the whole channel. */
  shareable?: true;
}

/** A finished reply, or whole states of one that grows: each state replaces the one before it. */
export type Reply = Message | AsyncIterable<Message>;

/** Where a message stands. */
export interface Posted {
  channel: string;
  ts: string;
}

/** Tells a reply that grows from one that is finished. */
export function grows(reply: Reply): reply is AsyncIterable<Message> {
  return Symbol.asyncIterator in reply;
}

/** `text` cut to what Slack takes on an edit, counted in bytes. */
export function fitText(text: string): string {
  if (Buffer.byteLength(text) <= limits.textBytes) return text;
  const cut = Buffer.from(text)
    .subarray(0, limits.textBytes - 3)
    .toString();
  return `${cut.replace(/\uFFFD+$/, "").replace(/&[a-z]*$/, "")}…`;
}

/**
 * The messages that together show one: a message whose Markdown is too long for Slack goes on in the next. Parts
 * joined are the whole, and a longer state of the same answer begins with the same full parts.
 */
export function pages(message: Message): Message[] {
  const blocks = message.blocks ?? [];
  const at = blocks.findIndex((block) => block.type === "markdown");
  const block = blocks[at];
  if (block?.type !== "markdown" || block.text.length <= limits.markdown) {
    return [{ ...message, text: fitText(message.text) }];
  }
  const parts = splitMarkdown(block.text, limits.markdown);
  return parts.map((part, index) => {
    const before = index === 0 ? blocks.slice(0, at) : [];
    const after = index === parts.length - 1 ? blocks.slice(at + 1) : [];
    return { ...message, text: fitText(part), blocks: [...before, { type: "markdown", text: part }, ...after] };
  });
}

/** Cuts Markdown into parts of at most `length` characters at the last paragraph, line or word; joined they are the whole. */
export function splitMarkdown(markdown: string, length: number): string[] {
  const parts: string[] = [];
  let rest = markdown;
  let fence = "";
  while (rest.length + fence.length > length) {
    const cut = cutPoint(rest, length - fence.length - closing.length);
    const part = fence + rest.slice(0, cut);
    rest = rest.slice(cut);
    fence = openFence(part);
    parts.push(fence ? part + closing : part);
  }
  return [...parts, fence + rest];
}

const closing = "\n```";

function cutPoint(text: string, length: number): number {
  for (const separator of ["\n\n", "\n", " "]) {
    const at = text.lastIndexOf(separator, length - separator.length);
    if (at > length / 2) return at + separator.length;
  }
  const high = text.charCodeAt(length - 1);
  return high >= 0xd800 && high <= 0xdbff ? length - 1 : length;
}

/** The opening line of the code fence that is still open at the end of a text, with its line break; "" where none is. */
function openFence(text: string): string {
  let open = "";
  for (const line of text.split("\n")) {
    const fence = /^ {0,3}```+\s*([\w+-]*)\s*$/.exec(line);
    if (fence) open = open ? "" : `\`\`\`${fence[1]}\n`;
  }
  return open;
}
