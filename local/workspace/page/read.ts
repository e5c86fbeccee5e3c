/** Reads fields of JSON that an app sent: a field of the wrong type counts as absent, so a bad block never breaks the page. */

export type Fields = Record<string, unknown>;

/** Tells whether a value is a JSON object. */
export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value as an object, or an empty one. */
export function fields(value: unknown): Fields {
  return isFields(value) ? value : {};
}

/** The value's objects, if it is a list. */
export function list(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : [];
}

/** The value's strings, if it is a list. */
export function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

/** The value as a string, or an empty one. */
export function string(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The value as a finite number, also where it was sent as text. */
export function number(value: unknown): number | undefined {
  const read = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof read === "number" && Number.isFinite(read) ? read : undefined;
}

/** What a table holds under a name that an app chose; a name like `constructor` finds nothing that the table inherits. */
export function entry<T>(table: Record<string, T>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

/** The text of a text object, whatever its kind. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : string(fields(value)["text"]);
}

/** The address if it is one that a person may follow safely. */
export function safeUrl(value: unknown): string | undefined {
  const address = string(value);
  return /^(https?:\/\/|mailto:)/i.test(address) ? address : undefined;
}

/** The address if it is a picture that the page may load. */
export function imageUrl(value: unknown): string | undefined {
  const address = string(value);
  return /^(https:\/\/|data:image\/)/i.test(address) ? address : undefined;
}
