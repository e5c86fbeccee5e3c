/** Makes links in unchecked text say where they lead. */

import { codeIn, lengthAt } from "./code.ts";

/**
 * Markdown from a model whose links lead to the web or into a mail, and say nothing else about where they lead. Words
 * that are an address of another host are replaced by the real one; an image becomes a link; any other link is shown as
 * it was written. Code stays as it is. Reads the text once.
 */
export function safeLinks(markdown: string): string {
  if (!/\][(:]/.test(markdown)) return markdown;
  let safe = "";
  let from = 0;
  for (const { start, end, text } of changesTo(markdown).toSorted((one, other) => one.start - other.start)) {
    safe += markdown.slice(from, start) + text;
    from = end;
  }
  return safe + markdown.slice(from);
}

/** A text that is put in the place of a part of another. */
interface Replacement {
  start: number;
  end: number;
  text: string;
}

/** The brackets of a paragraph: a link does not go on after a blank line. */
interface Paragraph {
  /** The beginnings of the words after each open one. */
  open: { wordsAt: number; isImage: boolean }[];
  /** The number of those that hold a link already, and so cannot be one. */
  taken: number;
  /** The place where readers of Markdown last disagree, perhaps, whether something is code or HTML. */
  unclearAt: number;
  hasTag: boolean;
  /** The number of brackets that are open within the code that is being read. */
  openInCode: number;
}

const newParagraph = (): Paragraph => ({ open: [], taken: 0, unclearAt: -1, hasTag: false, openInCode: 0 });

const tokens = /\\[!-/:-@[-`{-~]|`+|!?\[|\]|[<>]|\r\n?|\n/g;
/** The characters that may stand on a line before the definition of a link: quotes and the marks of lists. */
const lead = /^[\s>*+\-\d.)]*$/;
/** `[name]:`, by which `[words][name]` gets its address; it may come long after them. */
const definition = /\[(?:[^[\]\\]|\\[\s\S])*\](?=:)/y;

function changesTo(markdown: string): Replacement[] {
  // Most texts have no code, and to find it takes longest.
  const isCode = /[`~]/.test(markdown) ? codeIn(markdown) : () => false;
  const changes: Replacement[] = [];
  let paragraph = newParagraph();
  let line = { start: 0, isLead: true };
  let last = 0;
  for (const { 0: token, index: at } of markdown.matchAll(tokens)) {
    const next = at + token.length;
    const isLead = line.isLead && lead.test(markdown.slice(last, at));
    line.isLead = isLead && token === ">";
    last = next;
    if (/[\r\n]/.test(token)) {
      if (markdown.slice(line.start, at).trim() === "") paragraph = newParagraph();
      line = { start: next, isLead: true };
    } else if (isCode(at)) {
      if (token.endsWith("[")) paragraph.openInCode++;
      else if (token === "]" && paragraph.openInCode > 0) paragraph.openInCode--;
      // Some readers take this for the end of what began before the code.
      else if (token === "]" && paragraph.open.length > 0) separate(markdown, at, changes);
    } else if (token.startsWith("`")) {
      paragraph.openInCode = 0;
      if (!isCode(at - 1) && !isCode(next)) paragraph.unclearAt = at;
    } else if (token === "<") paragraph.hasTag = true;
    else if (token === ">") {
      if (paragraph.hasTag) paragraph.unclearAt = at;
    } else if (token.endsWith("[") && !token.startsWith("\\")) {
      const named = isLead && !token.startsWith("!") ? lengthAt(definition, markdown, at) : undefined;
      if (named !== undefined) changes.push({ start: at + named, end: at + named, text: "\\" });
      paragraph.open.push({ wordsAt: next, isImage: token.startsWith("!") });
    } else if (token === "]") closeBracket(markdown, at, { paragraph, changes });
  }
  return changes;
}

interface LinkReading {
  paragraph: Paragraph;
  changes: Replacement[];
}

/** Takes the words before a closing bracket for those of a link if an address follows. */
function closeBracket(markdown: string, at: number, { paragraph, changes }: LinkReading): void {
  const opener = paragraph.open.pop();
  const isTaken = paragraph.open.length < paragraph.taken;
  paragraph.taken = Math.min(paragraph.taken, paragraph.open.length);
  if (markdown[at + 1] !== "(") return;
  const target = targetAt(markdown, at + 2);
  if (!opener || !target || isTaken || paragraph.unclearAt >= opener.wordsAt) return separate(markdown, at, changes);
  paragraph.taken = paragraph.open.length;
  const { wordsAt, isImage } = opener;
  const words = markdown.slice(wordsAt, at);
  if (!isShown(words) || saysOtherHost(words, target.host)) {
    while ((changes.at(-1)?.start ?? -1) >= wordsAt) changes.pop();
    changes.push({ start: wordsAt, end: at, text: target.words });
  }
  if (isImage) changes.push({ start: wordsAt - 2, end: wordsAt - 1, text: "" });
}

/** Keeps words in brackets apart from what follows, so that the two make no link. */
function separate(markdown: string, at: number, changes: Replacement[]): void {
  if (markdown[at + 1] === "(") changes.push({ start: at + 1, end: at + 1, text: "\\" });
}

/** The target of a link. */
interface LinkTarget {
  host: string;
  /** The host, or the mail address, as the words of a link. */
  words: string;
}

// Of an address, whatever could hide its host from a reader of Markdown or from a browser is none of these characters.
const web = /\s*<?https?:\/\/([\p{L}\p{N}.-]{1,253}(?::\d{1,5})?)(?=[/?#)>\s]|$)/iuy;
const mail = /\s*<?mailto:([\w.+-]{1,64})@([\p{L}\p{N}.-]{1,253})(?=[?)>\s]|$)/iuy;

/** The target of the link whose address begins here; nothing if that is neither the web nor a mail. */
function targetAt(markdown: string, at: number): LinkTarget | undefined {
  web.lastIndex = mail.lastIndex = at;
  const [, site] = web.exec(markdown) ?? [];
  const [, box = "", domain] = mail.exec(markdown) ?? [];
  const parsed = URL.parse(`http://${site ?? domain ?? ""}`);
  if (!parsed) return undefined;
  const { host, hostname } = parsed;
  return { host: hostname, words: domain ? `${box.replaceAll("_", "\\_")}@${hostname}` : host };
}

/** The words of a link are an address of another host than the one that it leads to. */
export function saysOtherAddress(words: string, url: string): boolean {
  const host = URL.parse(url)?.hostname;
  return host !== undefined && saysOtherHost(words, host);
}

function saysOtherHost(words: string, host: string): boolean {
  const shown = asRead(words)
    .split(/\s+/)
    .filter((word) => /\p{L}|\d\.\d/u.test(word));
  // A name such as Booking.com within a sentence is no address; a whole address is one anywhere.
  const hosts = shown.flatMap((word) => (shown.length === 1 || /:\/\/|^\P{L}*www\./iu.test(word) ? hostIn(word) : []));
  return hosts.some((each) => plainHost(each) !== plainHost(host));
}

function isShown(words: string): boolean {
  return asRead(words).trim() !== "";
}

/** Markdown as it reads: without marks, entities and what cannot be seen. */
function asRead(words: string): string {
  return words
    .replace(/&#(?:x([\da-f]{1,6})|(\d{1,7}));/gi, (_, hex?: string, decimal?: string) =>
      characterOf(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)),
    )
    .replace(/&(\w{1,32});/g, (_, name: string) => (name === "period" ? "." : ""))
    .replace(/[*_~`\\<>[\]]|[\p{Cf}\p{DI}]/gu, "")
    .normalize("NFKC")
    .replaceAll("。", ".");
}

function characterOf(code: number): string {
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : "";
}

const hostName = /[\p{L}\p{N}](?:[\p{L}\p{N}-]|\.(?=[\p{L}\p{N}]))*/gu;

/** The host that a word names; an empty one if it hides it behind a name of somebody. */
function hostIn(word: string): string[] {
  const [, scheme, address = ""] = /^(.*?:\/\/)?(.*)$/s.exec(word) ?? [];
  const [authority = ""] = address.split(/[/?#]/);
  if (scheme && authority.includes("@")) return [""];
  const names = authority.slice(authority.lastIndexOf("@") + 1).match(hostName) ?? [];
  return names.filter((name, index) => (scheme && index === 0) || isHost(name)).slice(0, 1);
}

/** Endings of files that no domain has. */
const file = /^(?:pdf|html?|csv|txt|xml|json|docx?|xlsx?|pptx?)$/i;

function isHost(name: string): boolean {
  const parts = name.split(".");
  const [end = ""] = parts.slice(-1);
  if (parts.length === 4 && parts.every((part) => /^\d{1,3}$/.test(part))) return true;
  return parts.length > 1 && /^\p{L}[\p{L}\p{N}-]+$/u.test(end) && !file.test(end);
}

function plainHost(host: string): string {
  const name = URL.parse(`http://${host}`)?.hostname ?? host;
  return name.replace(/^www\./, "").replace(/\.$/, "");
}
