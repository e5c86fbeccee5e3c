/** Slack's mrkdwn and Markdown, made from text that nobody has checked. */

import { type Fence, codeIn, fenceAfter, linesOf } from "./code.ts";
import { safeLinks, saysOtherAddress } from "./links.ts";

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/** Text that Slack shows as it is: it can neither ping, nor link, nor reorder its surroundings. */
export function escape(text: string): string {
  return legible(text).replace(/[&<>]/g, (character) => entities[character] ?? character);
}

/**
 * Text without control characters, without the marks that turn the writing direction of what follows, and without
 * halves of characters, which no request can carry. A return ends a line, as it does for readers of Markdown.
 */
export function legible(text: string): string {
  const lines = text.toWellFormed().replace(/\r\n?/g, "\n");
  // oxlint-disable-next-line no-control-regex
  return lines.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, "");
}

/** One line, at most `length` characters, cut at a word if there is one. */
export function shorten(text: string, length: number): string {
  const line = oneLine(legible(text)).trim();
  const characters = Array.from(line);
  if (characters.length <= length) return line;
  const cut = characters.slice(0, length - 1).join("");
  const space = characters[length - 1] === " " ? -1 : cut.lastIndexOf(" ");
  return `${(space > length / 2 ? cut.slice(0, space) : cut).replace(/[\s,;:.–—-]+$/, "")}…`;
}

/** The whole sentences of a text that fit into so many characters; the first one shortened if none fits. */
export function cutAtSentence(text: string, length: number): string {
  const line = oneLine(legible(text)).trim();
  let fits = "";
  for (const { segment } of sentences.segment(line)) {
    if (Array.from((fits + segment).trimEnd()).length > length) break;
    fits += segment;
  }
  return fits.trimEnd() || shorten(line, length);
}

const sentences = new Intl.Segmenter("en", { granularity: "sentence" });

/** With a longer one there is no room for the words around it, and a link that is cut takes them along. */
const longestAddress = 2_000;

/**
 * A link with a label; only the label if the address is not plain http(s), or longer than browsers like. A label that
 * is another address stands beside a link that says the real host.
 */
export function link(url: string, label: string): string {
  const address = webAddress(url);
  const shown = oneLine(escape(label)).replaceAll("|", "¦");
  if (!address || address.length > longestAddress) return shown;
  return saysOtherAddress(label, url) ? `${shown} (<${address}|${URL.parse(url)?.host}>)` : `<${address}|${shown}>`;
}

/** The address in a form that fits into a link, or nothing if it is not http(s). */
export function webAddress(url: string): string | undefined {
  const parsed = URL.parse(url.trim());
  if (!parsed || !["http:", "https:"].includes(parsed.protocol)) return undefined;
  return parsed.href.replaceAll("|", "%7C").replaceAll("<", "%3C").replaceAll(">", "%3E").replaceAll("&", "&amp;");
}

/** Bold text; asterisks inside would end it early, so they become look-alikes. */
export function bold(text: string): string {
  return `*${oneLine(escape(text)).replaceAll("*", "∗")}*`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ");
}

const standIn = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
  timeZone: "UTC",
});

/**
 * A point in time (epoch milliseconds) that every reader sees in their own zone: `13 Nov, 18:15`. Slack’s pretty dates
 * would begin with a capital in mid-sentence (“until Tomorrow”).
 */
export function when(time: number): string {
  return `<!date^${Math.floor(time / 1000)}^{date_short}, {time}|${standIn.format(time)} UTC>`;
}

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

const units = "min|h|minutes?|hours?|days?|weeks?|months?|articles?|outlets?|stories|story|credits?";
const beforeUnit = new RegExp(`\`[^\`]*\`|<[^<>]*>|(?<=\\d) (?=(?:${units})\\b)`, "g");

/** mrkdwn in which no line breaks between a number and its unit; code stays as it is copied, and a link as it is quoted. */
export function keepUnits(mrkdwn: string): string {
  return mrkdwn.replace(beforeUnit, (found) => (found === " " ? "\u00a0" : found));
}

/** A past time: `2 h ago` up to a day, which Slack keeps true for as long as it is read; then day and time. */
export function ago(time: number, now: number): string {
  const minutes = Math.floor(Math.max(0, now - time) / minuteMs);
  if (now - time >= dayMs) return when(time);
  const words = minutes < 1 ? "just now" : minutes < 60 ? `${minutes} min ago` : `${Math.floor(minutes / 60)} h ago`;
  return `<!date^${Math.floor(time / 1000)}^{ago}|${words}>`;
}

/**
 * A mrkdwn string as plain words, for `text` beside blocks: links become their labels, names such as those of settings
 * keep their underscores, and code its stars.
 */
export function accessibleText(mrkdwn: string): string {
  return mrkdwn
    .replace(/<!date\^[^|<>]*\|([^<>]*)>/g, "$1")
    .replace(/<https?:[^|<>]*\|([^<>]*)>/g, "$1")
    .replace(/`([^`]*)`|[*~`]/g, "$1")
    .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, "");
}

/**
 * Markdown from a model in which nothing outside code can ping or pass for a Slack link, and whose links lead where
 * they say; it reads as it was written. If it is not certain that something is code, it is treated as text.
 */
export function safeMarkdown(markdown: string): string {
  const whole = markdown.toWellFormed();
  let isCode: ReturnType<typeof codeIn> | undefined;
  const quiet = whole.replace(pings, (mark: string, index: number) => {
    if (!mark.endsWith("<")) return mark;
    // Most texts have none of these, and what is code takes longest to find.
    isCode ??= codeIn(whole);
    // A backslash before it would make the entity be shown as it is written.
    return isCode(index + mark.length - 1) ? mark : "&lt;";
  });
  return safeLinks(quiet);
}

/**
 * Text that Slack may read as a ping or a link of its own, with the backslash that escapes it, or any other escape. An
 * address of the web or a mail alone in angle brackets is a plain link in Markdown, with nothing in it that could pass
 * for another one.
 */
const pings = /\\?<(?=[!@#]|(?!(?:https?|mailto):[^\s<>|]*>)[a-z][a-z0-9+.-]*:)|\\[!-/:;=-@[-`{-~]/gi;

const entitiesRead: Record<string, string> = { lt: "<", gt: ">", amp: "&", quot: '"', "#39": "'" };

/**
 * Markdown as words to be read aloud, for the `text` beside blocks: without marks, the rows of tables as lists, all of
 * it escaped, because Slack reads mrkdwn there, even inside code.
 */
export function plainTextOfMarkdown(markdown: string): string {
  const spokenLines: string[] = [];
  let open: Fence | undefined;
  for (const { line } of linesOf(markdown)) {
    const after = fenceAfter(open, line);
    if (open && after) spokenLines.push(line);
    else if (!open && !after) spokenLines.push(...spokenLine(line));
    open = after;
  }
  const words = spokenLines
    .join("\n")
    .replace(/&(lt|gt|amp|quot|#39);/g, (_, name: string) => entitiesRead[name] ?? "");
  return escape(words).trim();
}

/** Code, or marks of emphasis, which stand at an edge of a word: `2*3*4` and `a_b` keep theirs. */
const emphasis = /(`+[^`]*`+)|(?<![\p{Lu}\p{Ll}\p{N}\\])[*_]{1,3}(?=\S)|(?<=[^\s\\])[*_]{1,3}(?![\p{Lu}\p{Ll}\p{N}])/gu;

/** A line of Markdown outside code as words; nothing if it only draws a rule. */
function spokenLine(line: string): string[] {
  if (line.trim() === "") return [line];
  if (/^[\s|:*_=-]{3,}$/.test(line)) return [];
  const linked = line
    .replace(/^(?:[ \t]*>)+ ?/, "")
    .replace(/^ {0,3}#{1,6} +/, "")
    .replace(/!?\[([^[\]]*)\]\([^()\s]*\)/g, "$1")
    .replace(/<((?:https?|mailto):[^\s<>|]*)>/g, "$1");
  const text = linked
    .replace(emphasis, (_, code = "") => code)
    .replace(/\*\*|~~|`/g, "")
    .replace(/\\([!-/:-@[-`{-~])/g, "$1");
  return [/^\s*\|/.test(text) ? cellsOf(text).join(", ") : text];
}

function cellsOf(row: string): string[] {
  return row
    .split("|")
    .map((cell) => cell.trim())
    .filter(Boolean);
}

/** Text that somebody typed, to be shown between backticks of mrkdwn. */
export function inCode(text: string): string {
  return escape(shorten(text, 120)).replaceAll("`", "'");
}
