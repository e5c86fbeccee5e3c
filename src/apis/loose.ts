import { z } from "zod";
import { readTime } from "./time.ts";
import { firstOf, isRecord, readIdentifier, readQuantity, readText } from "./values.ts";

// The documents leave formats and some names open ("not shown"). These blocks accept the plausible
// variants, so that a real answer that differs is one line to correct.

/** A list of which the unreadable elements were dropped and counted. */
export interface LooseList<T> {
  items: T[];
  dropped: number;
}

/** Undefined where the value is none. */
type Read<T> = (value: unknown) => T | undefined;

// One step each, where a chain of zod's own would be ten times as slow: an answer has hundreds of such values. Compiled,
// because zod's interpreter makes a closure for each transform that it runs, which keeps the answer alive for the garbage
// collector to copy about: that cost more than the reading.
function readBy<T>(read: Read<T>, problem: string): z.ZodType<T> {
  return z.compile(
    z.transform((value, context): T => {
      const result = read(value);
      if (result !== undefined) return result;
      context.issues.push({ code: "custom", message: problem, input: value });
      return z.NEVER;
    }),
  );
}

/** Text that shows something, of at most `max` characters; longer text is cut, numbers are taken as text. */
export function text(max: number): z.ZodType<string> {
  return readBy((value) => readText(value, max), "no text");
}

/** A finite number, also when written as text. */
export const quantity: z.ZodType<number> = readBy(readQuantity, "not a finite number");

/** An integer ID, also when written as text. */
export const identifier: z.ZodType<number> = readBy(readIdentifier, "not an integer ID");

/** A point in time as epoch milliseconds, from text or a number as services write it; without a zone it is UTC. */
export const timestamp: z.ZodType<number> = readBy(readTime, "not a point in time");

/** The value where it can be read, else undefined. */
export function maybe<T>(schema: z.ZodType<T>): z.ZodType<T | undefined> {
  return z.transform((value) => (value == null ? undefined : schema.safeParse(value).data)).optional();
}

/** A list that drops and counts what it cannot read; null and a missing list are empty. */
export function looseList<T>(element: z.ZodType<T> | Read<T>): z.ZodType<LooseList<T>> {
  const read = typeof element === "function" ? element : (value: unknown) => element.safeParse(value).data;
  return readBy((raw) => readList(raw ?? [], read), "no list");
}

function readList<T>(raw: unknown, read: Read<T>): LooseList<T> | undefined {
  if (!Array.isArray(raw)) return undefined;
  const items: T[] = [];
  for (const element of raw) {
    const item = read(element);
    if (item !== undefined) items.push(item);
  }
  return { items, dropped: raw.length - items.length };
}

/** A list of which not one element can be read is a changed format, and must not pass for "nothing found". */
export function answeredList<T>(element: z.ZodType<T> | Read<T>, names: readonly string[]): z.ZodType<LooseList<T>> {
  return z.compile(
    z
      .preprocess((raw) => unwrapped(raw, names), looseList(element))
      .refine(({ items, dropped }) => items.length > 0 || dropped === 0, "no element could be read"),
  );
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
  return z.compile(
    z.preprocess((raw) => {
      if (!isRecord(raw)) return raw;
      const ours: Record<string, unknown> = {};
      for (const [name, theirs] of pairs) ours[name] = firstOf(raw, theirs);
      return ours;
    }, schema),
  );
}
