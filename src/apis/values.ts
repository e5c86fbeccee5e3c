// Plain functions for the values of answers: undefined where there is no such value. An answer has hundreds of them.

/** True for an object with named members: not null, not a list. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The first of the named members that has a value. */
export function firstOf(record: Record<string, unknown>, names: readonly string[]): unknown {
  for (const name of names) {
    const value = record[name];
    // What every object inherits is nothing that upstream has said.
    if (value != null && Object.hasOwn(record, name)) return value;
  }
  return undefined;
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

/** Spaces without width, joiners and marks alone show nothing: what is called so could not be read or clicked. */
const SHOWN = /[\p{L}\p{N}\p{P}\p{S}]/u;

/** Text that shows something, of at most `max` characters; longer text is cut, numbers are taken as text. */
export function readText(value: unknown, max: number): string | undefined {
  if (typeof value !== "string" && !isFiniteNumber(value)) return undefined;
  const clean = cleanText(String(value), max);
  return SHOWN.test(clean) ? clean : undefined;
}

/** A finite number, also when written as text. */
export function readQuantity(value: unknown): number | undefined {
  if (isFiniteNumber(value)) return value;
  if (typeof value !== "string" || !/^\s*-?\d{1,15}(\.\d{1,15})?(e[+-]?\d{1,2})?\s*$/i.test(value)) return undefined;
  return Number(value);
}

function isFiniteNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

/** An integer ID, also when written as text. */
export function readIdentifier(value: unknown): number | undefined {
  const number = readQuantity(value);
  return number !== undefined && Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}

/** The integer IDs of a list, bare or of records, each once; of anything but a list, none. */
export function readIdentifiers(value: unknown): number[] {
  if (!Array.isArray(value)) return [];
  const found: number[] = [];
  for (const one of value) {
    const id = readIdentifier(isRecord(one) ? firstOf(one, ["id", "entity_id", "entityId"]) : one);
    if (id !== undefined) found.push(id);
  }
  const hasTwice = found.length > 20 || found.some((id, at) => found.indexOf(id) < at);
  return hasTwice ? [...new Set(found)] : found;
}

// Nearly every address is in normal form already, and a look is cheaper than taking it apart.
const NORMAL =
  /^https?:\/\/(?:[a-z\d]+(?:-[a-z\d]+)*\.)+[a-z]{2,}(?:\/(?:[\w~-][\w.~-]*)?)+(?:\?[\w.~=&-]*)?(?:#[\w.~=&-]*)?$/;

/** A web address (http or https only), normalised. */
export function readAddress(value: unknown): string | undefined {
  if (typeof value !== "string" || value.length > 4000) return undefined;
  if (NORMAL.test(value)) return value;
  const url = URL.parse(value.trim());
  return url?.protocol === "https:" || url?.protocol === "http:" ? url.href : undefined;
}
