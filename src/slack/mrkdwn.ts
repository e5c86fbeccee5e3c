/** Slack's mrkdwn and Markdown, made from text that nobody has checked. */

import { codeIn } from "./code.ts";

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/** Text that Slack shows as it is: it can neither ping, nor link, nor reorder its surroundings. */
export function escape(text: string): string {
  return legible(text).replace(/[&<>]/g, (character) => entities[character] ?? character);
}

/** Text without control characters and without the marks that turn the writing direction of what follows. */
export function legible(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, "");
}

/** One line, at most `length` characters, cut at a word where there is one. */
export function shorten(text: string, length: number): string {
  const line = oneLine(legible(text)).trim();
  const characters = Array.from(line);
  if (characters.length <= length) return line;
  const cut = characters.slice(0, length - 1).join("");
  const space = characters[length - 1] === " " ? -1 : cut.lastIndexOf(" ");
  return `${(space > length / 2 ? cut.slice(0, space) : cut).replace(/[\s,;:.–—-]+$/, "")}…`;
}

/** A link with a label; only the label where the address is not plain http(s). */
export function link(url: string, label: string): string {
  const address = webAddress(url);
  const shown = oneLine(escape(label)).replaceAll("|", "¦");
  return address ? `<${address}|${shown}>` : shown;
}

/** The address in a form that fits into a link, or nothing where it is not http(s). */
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

/** A point in time (epoch milliseconds) that every reader sees in their own zone. */
export function when(time: number): string {
  const fallback = new Date(time).toISOString().slice(0, 16).replace("T", " ");
  return `<!date^${Math.floor(time / 1000)}^{date_short_pretty} {time}|${fallback} UTC>`;
}

/** What may be shown of a mrkdwn string as plain words, for `text` beside blocks: links become their labels. */
export function spoken(mrkdwn: string): string {
  return mrkdwn
    .replace(/<!date\^[^|<>]*\|([^<>]*)>/g, "$1")
    .replace(/<https?:[^|<>]*\|([^<>]*)>/g, "$1")
    .replace(/[*_~`]/g, "");
}

/**
 * Markdown from a model in which nothing outside code can ping or pass for a Slack link; it reads as it was written.
 * Where it is not certain that something is code, it is treated as text.
 */
export function safeMarkdown(markdown: string): string {
  const isCode = codeIn(markdown);
  // An address alone in angle brackets is a plain link in Markdown, with nothing in it that could pass for another one.
  return markdown.replace(/<(?=[!@#]|[a-z][a-z0-9+.-]*:(?![^\s<>|]*>))/gi, (mark, index: number) =>
    isCode(index) ? mark : "&lt;",
  );
}

/** Markdown as plain words for the `text` beside blocks: escaped, because Slack reads mrkdwn there, even inside code. */
export function spokenMarkdown(markdown: string): string {
  const words = markdown
    .replaceAll("&lt;", "<")
    .replace(/!?\[([^[\]]*)\]\([^()\s]*\)/g, "$1")
    .replace(/^ {0,3}#{1,6} +/gm, "")
    .replace(/^ {0,3}```.*$/gm, "")
    .replace(/\*\*|__|`/g, "");
  return escape(words).trim();
}

/** What somebody typed, to be shown between backticks of mrkdwn. */
export function inCode(text: string): string {
  return escape(shorten(text, 120)).replaceAll("`", "'");
}
