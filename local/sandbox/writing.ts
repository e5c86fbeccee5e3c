import type { SampleArticle } from "./news.ts";
import { createRandom } from "./random.ts";

/** Shared words of everything that is generated: links, dates, lists. */

export interface Citing {
  now: number;
  /** The address at which the sandbox serves article pages. */
  origin: string;
  /** Whether articles are cited by their own address, not by that of the sandbox. */
  directUrls: boolean;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** An article as a link: "[headline](address)". */
export function linkTo(article: SampleArticle, { directUrls, origin }: Citing): string {
  const address = directUrls ? article.url : `${origin}/articles/${article.id}`;
  return `[${article.title.replaceAll(/[[\]]/g, "\\$&")}](${address})`;
}

/** An article as a source: "[headline](address) — Outlet, 3 h ago". */
export function cite(article: SampleArticle, citing: Citing): string {
  return `${linkTo(article, citing)} — *${article.source}*, ${when(article.published, citing.now)}`;
}

/** An age or a date: "40 min ago", "3 h ago", and beyond a day "13 Nov". */
export function when(time: number, now: number): string {
  const minutes = Math.max(1, Math.round((now - time) / 60_000));
  if (minutes < 60) return `${minutes} min ago`;
  if (now - time < dayMs) return `${Math.round(minutes / 60)} h ago`;
  return date(time);
}

const dateFormat = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
const clockFormat = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", timeZone: "UTC" });

/** A date in UTC, as an answer has many readers: "13 Nov". */
export function date(time: number): string {
  return dateFormat.format(time);
}

/** A time of day in UTC: "18:15". */
export function clockTime(time: number): string {
  return clockFormat.format(time);
}

export function bold(named: { name: string }[]): string {
  return listed(named.map(({ name }) => `**${name}**`));
}

/** A list in words: "a, b and c". */
export function listed(items: string[]): string {
  const last = items.at(-1) ?? "";
  return items.length < 2 ? last : `${items.slice(0, -1).join(", ")} and ${last}`;
}

/** A count with its noun: "1 article", "12 articles". */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** The sentences of a text. A full stop inside a figure or after an initial ends none. */
export function sentencesOf(text: string): string[] {
  return text
    .split(/(?<=[.!?]["”’]?)\s+(?=[\p{Lu}\p{N}"“‘])/u)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== "");
}

/**
 * The parts of a text in a stream as models send them: one to three words, or a piece of one. Joined, they are the
 * text.
 */
export function splitIntoParts(text: string): string[] {
  const random = createRandom(text);
  const words = text.match(/\s*\S+\s*$|\s*\S+/g) ?? [text];
  const parts: string[] = [];
  for (let at = 0; at < words.length;) {
    const size = 1 + random.below(3);
    // Cut between code points: half of an emoji would not survive the encoding.
    const points = Array.from(words.slice(at, at + size).join(""));
    at += size;
    const middle = random.next() < 0.2 ? 1 + random.below(Math.max(1, points.length - 1)) : points.length;
    const halves = [points.slice(0, middle).join(""), points.slice(middle).join("")];
    parts.push(...halves.filter((half) => half !== ""));
  }
  return parts;
}
