import { z } from "zod";

// The documents leave formats and some names open ("not shown"). These blocks accept the plausible
// variants, so that a real answer that differs is one line to correct.

/** A list of which the unreadable elements were dropped and counted. */
export interface LooseList<T> {
  items: T[];
  dropped: number;
}

// Direction overrides let a headline read differently from what it is. Joiners stay: emoji and scripts need them.
const INVISIBLE = /[\p{Cc}\u202A-\u202E\u2066-\u2069\uFEFF]/gu;
// Nearly every text has none of them, and one look is much cheaper than three replacements.
const HAS_INVISIBLE = new RegExp(INVISIBLE.source, "u");

/** Text without control and direction characters; line breaks stay, tabs become spaces. */
export function visible(value: string): string {
  if (!HAS_INVISIBLE.test(value)) return value;
  const lines = value.replaceAll("\r\n", "\n").replaceAll("\t", " ");
  return lines.replace(INVISIBLE, (character) => (character === "\n" ? "\n" : ""));
}

/** Visible text, well-formed, trimmed, in at most `max` UTF-16 units. */
export function cleanText(value: string, max: number): string {
  const trimmed = visible(value.slice(0, max * 4))
    .toWellFormed()
    .trim();
  if (trimmed.length <= max) return trimmed;
  return trimmed.slice(0, max).replace(/[\uD800-\uDBFF]$/, "");
}

// One step each, where a chain of zod's own would be ten times as slow: an answer has hundreds of such values.
function readBy<T>(read: (value: unknown) => T | undefined, problem: string): z.ZodType<T> {
  return z.transform((value, context): T => {
    const result = read(value);
    if (result !== undefined) return result;
    context.issues.push({ code: "custom", message: problem, input: value });
    return z.NEVER;
  });
}

/** Spaces without width, joiners and marks alone show nothing: what is called so could not be read or clicked. */
const SHOWN = /[\p{L}\p{N}\p{P}\p{S}]/u;

/** Text that shows something, of at most `max` characters; longer text is cut, numbers are taken as text. */
export function text(max: number): z.ZodType<string> {
  return readBy((value) => {
    if (typeof value !== "string" && !isFiniteNumber(value)) return undefined;
    const clean = cleanText(String(value), max);
    return SHOWN.test(clean) ? clean : undefined;
  }, "no text");
}

/** A finite number, also when written as text. */
export const quantity: z.ZodType<number> = readBy(readQuantity, "not a finite number");

function readQuantity(value: unknown): number | undefined {
  if (isFiniteNumber(value)) return value;
  if (typeof value !== "string" || !/^\s*-?\d{1,15}(\.\d{1,15})?(e[+-]?\d{1,2})?\s*$/i.test(value)) return undefined;
  return Number(value);
}

function isFiniteNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

/** An integer ID, also when written as text. */
export const identifier: z.ZodType<number> = readBy(readIdentifier, "not an integer ID");

function readIdentifier(value: unknown): number | undefined {
  const number = readQuantity(value);
  return number !== undefined && Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}

/** The integer IDs of a list, each once; of anything but a list, none. */
export const identifiers: z.ZodType<number[]> = readBy((value) => {
  const all: unknown[] = Array.isArray(value) ? value : [];
  return [...new Set(all.map(readIdentified).filter((id) => id !== undefined))];
}, "no list of IDs");

function readIdentified(value: unknown): number | undefined {
  return readIdentifier(isRecord(value) ? firstOf(value, ["id", "entity_id", "entityId"]) : value);
}

/** A point in time as epoch milliseconds, from ISO text (without a zone: UTC), epoch seconds or milliseconds. */
export const timestamp: z.ZodType<number> = readBy((value) => {
  const told = readQuantity(value) ?? (typeof value === "string" ? parseDate(value) : Number.NaN);
  const time = Math.round(Math.abs(told) < 1e11 ? told * 1000 : told);
  return Math.abs(time) <= 8.64e15 ? time : undefined;
}, "not a point in time");

function parseDate(value: string): number {
  const trimmed = value.trim();
  const hasNoZone = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?$/.test(trimmed);
  return Date.parse(hasNoZone ? `${trimmed.replace(" ", "T")}Z` : trimmed);
}

/** A web address (http or https only), normalised. */
export const webAddress: z.ZodType<string> = readBy((value) => {
  const url = typeof value === "string" && value.length <= 4000 ? URL.parse(value.trim()) : null;
  return url?.protocol === "https:" || url?.protocol === "http:" ? url.href : undefined;
}, "not a web address");

/** The value where it can be read, else undefined. */
export function maybe<T>(schema: z.ZodType<T>): z.ZodType<T | undefined> {
  return z.transform((value) => (value == null ? undefined : schema.safeParse(value).data)).optional();
}

/** A list that drops and counts what it cannot read; null and a missing list are empty. */
export function looseList<T>(schema: z.ZodType<T>): z.ZodType<LooseList<T>> {
  return z
    .array(z.unknown())
    .nullish()
    .transform((raw) => {
      const items: T[] = [];
      for (const element of raw ?? []) {
        const result = schema.safeParse(element);
        if (result.success) items.push(result.data);
      }
      return { items, dropped: (raw ?? []).length - items.length };
    });
}

/** A list of which not one element can be read is a changed format, and must not pass for "nothing found". */
export function answeredList<T>(schema: z.ZodType<T>, names: readonly string[]): z.ZodType<LooseList<T>> {
  return z
    .preprocess((raw) => unwrapped(raw, names), looseList(schema))
    .refine(({ items, dropped }) => items.length > 0 || dropped === 0, "no element could be read");
}

// Some services wrap a list in an object although the document shows a bare one.
function unwrapped(raw: unknown, names: readonly string[]): unknown {
  if (!isRecord(raw)) return raw;
  const name = ["data", "items", "results", ...names].find((candidate) => Array.isArray(raw[candidate]));
  return name === undefined ? raw : raw[name];
}

/** Reads an object under our names: per name, the first of upstream's possible names that has a value. */
export function renamed<T>(names: Record<string, readonly string[]>, schema: z.ZodType<T>): z.ZodType<T> {
  const pairs = Object.entries(names);
  return z.preprocess((raw) => {
    if (!isRecord(raw)) return raw;
    const ours: Record<string, unknown> = {};
    for (const [name, theirs] of pairs) ours[name] = firstOf(raw, theirs);
    return ours;
  }, schema);
}

/** The first of the named members that has a value. */
export function firstOf(record: Record<string, unknown>, names: readonly string[]): unknown {
  for (const name of names) if (Object.hasOwn(record, name) && record[name] != null) return record[name];
  return undefined;
}

/** True for an object with named members: not null, not a list. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
