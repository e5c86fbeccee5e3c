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

/** Text without control and direction characters; line breaks stay, tabs become spaces. */
export function visible(value: string): string {
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

/** Non-empty text of at most `max` characters; longer text is cut, numbers are taken as text. */
export function text(max: number): z.ZodType<string> {
  return z
    .union([z.string(), z.number()])
    .transform((value) => cleanText(String(value), max))
    .refine((value) => value !== "", "empty text");
}

/** A finite number, also when written as text. */
export const quantity: z.ZodType<number> = z
  .union([
    z.number(),
    z
      .string()
      .trim()
      .regex(/^-?\d{1,15}(\.\d{1,15})?(e[+-]?\d{1,2})?$/i),
  ])
  .transform(Number)
  .refine((value) => Number.isFinite(value), "not a finite number");

/** An integer ID, also when written as text. */
export const identifier: z.ZodType<number> = quantity.refine(
  (value) => Number.isSafeInteger(value) && value >= 0,
  "not an integer ID",
);

/** A point in time as epoch milliseconds, from ISO text (without a zone: UTC), epoch seconds or milliseconds. */
export const timestamp: z.ZodType<number> = z
  .union([quantity, z.string().transform(parseDate)])
  .transform((value) => (Math.abs(value) < 1e11 ? value * 1000 : value))
  .transform(Math.round)
  .refine((value) => Math.abs(value) <= 8.64e15, "not a point in time");

function parseDate(value: string): number {
  const trimmed = value.trim();
  const hasNoZone = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?$/.test(trimmed);
  return Date.parse(hasNoZone ? `${trimmed.replace(" ", "T")}Z` : trimmed);
}

/** A web address (http or https only), normalised. */
export const webAddress: z.ZodType<string> = z
  .string()
  .max(4000)
  .transform((value) => (URL.canParse(value.trim()) ? new URL(value.trim()) : undefined))
  .refine((url) => url?.protocol === "https:" || url?.protocol === "http:", "not a web address")
  .transform((url) => url?.href ?? "");

/** The value where it can be read, else undefined. */
export function maybe<T>(schema: z.ZodType<T>): z.ZodType<T | undefined> {
  return schema.optional().catch(undefined);
}

/** A list that drops and counts what it cannot read; null and a missing list are empty. */
export function looseList<T>(schema: z.ZodType<T>): z.ZodType<LooseList<T>> {
  return z
    .array(z.unknown())
    .nullish()
    .transform((raw) => {
      const read = (raw ?? []).map((element) => schema.safeParse(element));
      const items = read.flatMap((result) => (result.success ? [result.data] : []));
      return { items, dropped: read.length - items.length };
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
  return z.preprocess((raw) => {
    if (!isRecord(raw)) return raw;
    return Object.fromEntries(Object.entries(names).map(([ours, theirs]) => [ours, firstOf(raw, theirs)]));
  }, schema);
}

/** The first of the named members that has a value. */
export function firstOf(record: Record<string, unknown>, names: readonly string[]): unknown {
  const name = names.find((candidate) => Object.hasOwn(record, candidate) && record[candidate] != null);
  return name === undefined ? undefined : record[name];
}

/** True for an object with named members: not null, not a list. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
