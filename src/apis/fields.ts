import { z } from "zod";

// Readers of answers and their fields. The documents leave some names and formats open ("not shown"): a schema lists
// the plausible names, and these readers take the plausible ways of writing a value. The `read…` functions return
// undefined for what is no such value; the zod schemas below are made of them.

/** True for an object with named members: not null, not a list. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Names as upstream may spell them: as they are, in snake case, and in camel case. */
export function spellings(names: readonly string[]): string[] {
  const camelCase = (name: string) => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  return [...new Set(names.flatMap((name) => [name, camelCase(name)]))];
}

/** The first of the named members that has a value. */
export function firstMember(record: Record<string, unknown>, names: readonly string[]): unknown {
  for (const name of names) {
    const value = record[name];
    // A field that every object inherits is nothing that upstream has sent.
    if (value != null && Object.hasOwn(record, name)) return value;
  }
  return undefined;
}

// Direction overrides let a headline read differently from what it is. Joiners stay: emoji and scripts need them.
const INVISIBLE = /[\p{Cc}\u202A-\u202E\u2066-\u2069\uFEFF]/gu;
// Nearly every text has none of them, and one test is much cheaper than three replacements.
const HAS_INVISIBLE = new RegExp(INVISIBLE.source, "u");

/** Text without control and direction characters; line breaks stay, tabs become spaces. */
export function dropInvisible(value: string): string {
  if (!HAS_INVISIBLE.test(value)) return value;
  const lines = value.replaceAll("\r\n", "\n").replaceAll("\t", " ");
  return lines.replace(INVISIBLE, (character) => (character === "\n" ? "\n" : ""));
}

/** Visible text, well-formed, trimmed, in at most `max` UTF-16 units. */
export function cleanText(value: string, max: number): string {
  const trimmed = dropInvisible(value.slice(0, max * 4))
    .toWellFormed()
    .trim();
  return trimmed.length <= max ? trimmed : trimmed.slice(0, max).replace(/[\uD800-\uDBFF]$/, "");
}

// Spaces without width, joiners and marks alone show nothing: what is called so could not be read or clicked.
const SHOWN = /[\p{L}\p{N}\p{P}\p{S}]/u;

/** Text that shows something, of at most `max` characters; longer text is cut, numbers are taken as text. */
export function readText(value: unknown, max: number): string | undefined {
  if (typeof value !== "string" && !(typeof value === "number" && Number.isFinite(value))) return undefined;
  const clean = cleanText(String(value), max);
  return SHOWN.test(clean) ? clean : undefined;
}

/** A finite number, also when written as text. */
function readQuantity(value: unknown): number | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  if (typeof value !== "string" || !/^\s*-?\d{1,15}(\.\d{1,15})?(e[+-]?\d{1,2})?\s*$/i.test(value)) return undefined;
  return Number(value);
}

/** An integer ID, also when written as text. */
export function readIdentifier(value: unknown): number | undefined {
  const number = readQuantity(value);
  return number !== undefined && Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}

/** The integer IDs of a list, bare or of records, each once; of anything but a list, none. */
export function readIdentifiers(value: unknown): number[] {
  if (!Array.isArray(value)) return [];
  const ids = value.map((one: unknown) => readIdentifier(isRecord(one) ? firstMember(one, ["id", "entity_id"]) : one));
  return [...new Set(ids.filter((id) => id !== undefined))];
}

/** A web address (http or https only), normalised. */
export function readAddress(value: unknown): string | undefined {
  if (typeof value !== "string" || value.length > 4000) return undefined;
  const url = URL.parse(value.trim());
  return url?.protocol === "https:" || url?.protocol === "http:" ? url.href : undefined;
}

// A date alone, or a date and a time, with or without a zone.
const ISO = /^\d{4}-\d\d-\d\d(?<time>[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?<zone>Z|[+-]\d\d:?\d\d)?)?$/i;

// No news is older, and a time that never comes is mostly written as the end of the year 9999.
const earliest = Date.UTC(1800);
const latest = Date.UTC(10_000);

/** A point in time as epoch milliseconds: ISO text, in UTC if it names no zone, or epoch seconds or milliseconds. */
export function readTime(value: unknown): number | undefined {
  const iso = typeof value === "string" ? ISO.exec(value.trim()) : null;
  let time: number | undefined;
  if (iso !== null) {
    const isLocal = iso.groups?.["time"] !== undefined && iso.groups["zone"] === undefined;
    time = Date.parse(isLocal ? `${iso[0]}Z` : iso[0]);
  } else {
    const number = readQuantity(value);
    // As milliseconds, anything below would lie in the first three years after 1970.
    time = number === undefined ? undefined : Math.round(Math.abs(number) < 1e11 ? number * 1000 : number);
  }
  return time !== undefined && time >= earliest && time < latest ? time : undefined;
}

// Compiled, because zod's interpreter makes a closure for each transform that it runs, which keeps the answer alive for
// the garbage collector to copy about: that cost more than the reading.
function readBy<T>(read: (value: unknown) => T | undefined, problem: string): z.ZodType<T> {
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

/** More of anything than this is a mistake, and would be shown to people. */
const largest = 1e9;

function between(least: number): z.ZodType<number> {
  return readBy((value) => {
    const number = readQuantity(value);
    return number !== undefined && number >= least && number <= largest ? number : undefined;
  }, "not a plausible number");
}

/** A number from minus to plus a billion, also when written as text. */
export const quantity: z.ZodType<number> = between(-largest);

/** The same of what is counted, which is never negative. */
export const amount: z.ZodType<number> = between(0);

/** An integer ID, also when written as text. */
export const identifier: z.ZodType<number> = readBy(readIdentifier, "not an integer ID");

/** A point in time as epoch milliseconds. */
export const timestamp: z.ZodType<number> = readBy(readTime, "not a point in time");

/** The value if it can be read, else undefined. */
export function maybe<T>(schema: z.ZodType<T>): z.ZodOptional<z.ZodType<T | undefined>> {
  return z.transform((value) => (value == null ? undefined : schema.safeParse(value).data)).optional();
}

/** A list of which the unreadable elements were dropped and counted. */
export interface LooseList<T> {
  items: T[];
  dropped: number;
}

type ElementReader<T> = z.ZodType<T> | ((value: unknown) => T | undefined);

/** A list that drops and counts what it cannot read; null and a missing list are empty. */
export function looseList<T>(element: ElementReader<T>): z.ZodType<LooseList<T>> {
  const read = typeof element === "function" ? element : (value: unknown) => element.safeParse(value).data;
  return readBy((raw) => {
    const list = raw ?? [];
    if (!Array.isArray(list)) return undefined;
    const items = list.map(read).filter((item) => item !== undefined);
    return { items, dropped: list.length - items.length };
  }, "no list");
}

/**
 * The list of an answer, bare or as a member of an object under a usual name or under `name`. A list of which not one
 * element can be read is a changed format, and must not pass for "nothing found".
 */
export function listAnswer<T>(element: ElementReader<T>, name: string): z.ZodType<LooseList<T>> {
  return z.compile(
    z
      .preprocess((raw) => listIn(raw, name), looseList(element))
      .refine(({ items, dropped }) => items.length > 0 || dropped === 0, "no element could be read"),
  );
}

/** The list in an object, or what came if there is none. */
function listIn(raw: unknown, name: string): unknown {
  if (!isRecord(raw)) return raw;
  return [name, "data", "items", "results"].map((each) => firstMember(raw, [each])).find(Array.isArray) ?? raw;
}

/** Reads an object under our names: per name, the first of upstream's possible names that has a value. */
export function withNames<T>(names: Record<string, readonly string[]>, schema: z.ZodType<T>): z.ZodType<T> {
  const pairs = Object.entries(names).map(([name, theirs]) => [name, spellings(theirs)] as const);
  return z.compile(
    z.preprocess(
      (raw) =>
        isRecord(raw) ? Object.fromEntries(pairs.map(([name, theirs]) => [name, firstMember(raw, theirs)])) : raw,
      schema,
    ),
  );
}

/** The answer is nothing that can be read; the message says why and quotes nothing of it. */
export class UnreadableAnswer extends Error {
  override readonly name = "UnreadableAnswer";
}

/** Parses JSON; throws `UnreadableAnswer` for anything else. */
export function parseJson(answer: string): unknown {
  if (answer.trim() === "") throw new UnreadableAnswer("an empty answer");
  if (answer.trimStart().startsWith("<")) throw new UnreadableAnswer("a web page instead of JSON");
  const value = tolerantJson(answer);
  if (value === undefined) throw new UnreadableAnswer("text that is not JSON");
  return value;
}

/** A text as JSON, or undefined if it is none, or nests deeper than anything that a service means. */
export function tolerantJson(json: string): unknown {
  if (isDeep(json)) return undefined;
  try {
    return JSON.parse(json);
  } catch {
    // The engine's own message quotes the text, which may hold secrets.
    return undefined;
  }
}

const deepest = 1_000;

/** True if lists and objects nest so deep that JSON.parse would hold up everybody, or JSON.stringify would throw later. */
function isDeep(json: string): boolean {
  let depth = 0;
  let isText = false;
  for (let at = 0; at < json.length; at += 1) {
    const character = json[at];
    if (isText && character === "\\") at += 1;
    else if (character === '"') isText = !isText;
    else if (isText) continue;
    else if (character === "[" || character === "{") depth += 1;
    else if (character === "]" || character === "}") depth -= 1;
    if (depth > deepest) return true;
  }
  return false;
}
