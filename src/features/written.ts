import { UsageError } from "../apis/errors.ts";
import { closeMarkdown } from "../slack/closer.ts";
import { fenceAfter, linesOf, readOn, unread } from "../slack/code.ts";
import { legible, safeMarkdown } from "../slack/mrkdwn.ts";

/** Characters that a model may write for one reader: about five messages; what goes on and on would fill a channel. */
const longest = 40_000;

/** The part of what a model has written that a reader gets. */
export function withinReach(text: string): string {
  return text.length <= longest ? text : text.slice(0, longest).replace(/[\uD800-\uDBFF]$/, "");
}

/** Rejects what a model has written where it does not come to an end. */
export function refuseEndless(text: string): void {
  if (text.length <= longest) return;
  throw new UsageError("This goes on and on, so I stopped reading. Ask for less at a time.");
}

/** No text that ends with more of these says anything by them. */
const most = 40;
/** A quotation mark opens only where nothing stands before it: “ ends a German quotation. */
const openers = /\s*(?:(?:[([{]|(?<![^\s([{*_“„«‘])[“„«‘])\s*)+(?=[*_]*$)/;
/** A list's mark, or emphasis, around nothing. */
const around = /(?:^|(?<=[\r\n]))[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]*$|(?<=^|\s)[*_]+$/;

/** The Markdown of a text that stops anywhere, fit to be read: closed, and without brackets that nothing follows. */
export function readableSoFar(text: string): string {
  const closed = closeMarkdown(text);
  if (!/[([{“„«‘][\s*_]*$/.test(closed.slice(-most)) || isInFence(text)) return closed;
  const end = closed.slice(-most).replace(openers, "").replace(around, "").trimEnd();
  return closed.slice(0, -most) + end;
}

/**
 * Makes safe Markdown of a text that is being written, as far as it can be read; what nothing that follows can change is
 * made once.
 */
export function createWriting(): (text: string) => string {
  let read = unread;
  let known = "";
  let made = "";
  return (text) => {
    if (!text.startsWith(known)) [read, made] = [unread, ""];
    read = readOn(read, text);
    known = text.slice(0, read.at);
    for (const { from, to, opening } of read.blocks) made += behind(opening, text.slice(from, to), (part) => part);
    return made + behind(read.opening, text.slice(read.rest), readableSoFar);
  };
}

/** A part of a text, made safe as it reads behind the line that opens it. */
function behind(opening: string, part: string, make: (text: string) => string): string {
  const safe = (text: string) => safeMarkdown(legible(text));
  const lead = safe(opening);
  const whole = safe(make(opening + part));
  return whole.startsWith(lead) ? whole.slice(lead.length) : "";
}

function isInFence(text: string): boolean {
  let fence: ReturnType<typeof fenceAfter>;
  for (const { line } of linesOf(text)) fence = fenceAfter(fence, line);
  return fence !== undefined;
}
