import type { types } from "@slack/bolt";

import { limits } from "./limits.ts";

export type Block = types.KnownBlock;

/** The content that a reader is shown. `text` is read by screen readers and notifications, so it stands for all of it. */
export interface Message {
  text: string;
  blocks?: Block[];
  /** Shown while there is nothing to read yet: the next state is shown as soon as there is one. */
  progress?: true;
  /** Shown only to the person who asked, if the surface can do that. */
  private?: true;
  /** Shown to nobody else even if the question is public, and nothing is to be left of it there. */
  isPrivate?: true;
  /** Offers to show a private reply to the whole channel. */
  shareable?: true;
  /** Blocks to show if Slack refuses `blocks`, before it is plain text. */
  fallbackBlocks?: Block[];
  /** Shown in a window of its own to whoever asked, if the surface has one; otherwise as a message like any other. */
  window?: Frame;
  /**
   * The change to the message whose button was pressed, in place of a reply: blocks for the one that holds the button,
   * or "edited" if that message says it by itself. If nothing can, this message is a reply like any other.
   */
  inPlace?: Block[] | "edited";
  /** Says that it could not be done, so it takes the place of nothing that stands. */
  failed?: true;
}

/** The frame around a message in a window. */
interface Frame {
  /** At most 24 characters. */
  title: string;
  /**
   * The form that reads the fields of the message; without one there is nothing to send off. The fields named in `more`
   * stand behind a button.
   */
  form?: { name: string; submit: string; state?: string; more?: string[] };
}

/** A finished reply, or whole states of one that grows: each state replaces the one before it. */
export type Reply = Message | AsyncIterable<Message>;

/**
 * A message that is made when it is first read, and once: a state that is never shown costs nothing. What has to be
 * known of it before is given as flags.
 */
export function later(build: () => Message, flags: Pick<Message, "progress" | "private"> = {}): Message {
  return Object.defineProperties({ ...flags, text: "", build: buildOnce(build) }, accessors);
}

function buildOnce(build: () => Message): () => Message {
  let built: Message | undefined;
  return () => (built ??= build());
}

/** The same for all: accessors of its own would make each message a kind of its own, which costs more than its words. */
const accessors = {
  text: accessor("text"),
  blocks: accessor("blocks"),
  fallbackBlocks: accessor("fallbackBlocks"),
  build: { enumerable: false },
};

function accessor(field: "text" | "blocks" | "fallbackBlocks") {
  return {
    get(this: { build: () => Message }) {
      return this.build()[field];
    },
    enumerable: true,
  };
}

/** The place where a message stands. */
export interface Posted {
  channel: string;
  ts: string;
}

/** Tells a reply that grows from one that is finished. */
export function grows(reply: Reply): reply is AsyncIterable<Message> {
  return Symbol.asyncIterator in reply;
}

/** `text` cut to what Slack takes on an edit, counted in bytes; no character, entity or link is cut in two. */
export function fitText(text: string): string {
  const sendable = text.toWellFormed();
  if (Buffer.byteLength(sendable) <= limits.textBytes) return sendable;
  const cut = Buffer.from(sendable)
    .subarray(0, limits.textBytes - 3)
    .toString();
  const whole = cut
    .replace(/\uFFFD{1,3}$/, "")
    .replace(/&[a-z]{0,4}$/, "")
    .replace(/<(?:[a-z][a-z0-9+.-]*|(?:[!@#]|[a-z][a-z0-9+.-]*:)[^<>]*)?$/i, "");
  return `${whole}…`;
}
