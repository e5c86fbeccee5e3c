/** Reads unchecked JSON, for server and page: a field of the wrong type counts as absent, so a bad block breaks nothing. */

export type Fields = Record<string, unknown>;

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value as an object; empty if it is none. */
export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}

/** The objects in a list; empty if the value is none. */
export function objectsIn(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : [];
}

/** The value as a list; empty if it is none. */
export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The value as a string; empty if it is none. */
export function stringOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The strings in a list; empty if the value is none. */
export function stringsIn(value: unknown): string[] {
  return listOf(value).filter((item) => typeof item === "string");
}

/** The value as a finite number, even if it was sent as text. */
export function numberOf(value: unknown): number | undefined {
  const read = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof read === "number" && Number.isFinite(read) ? read : undefined;
}

/** The text of a text object of Block Kit, or of a string. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : stringOf(fieldsOf(value)["text"]);
}

/** The entry of a table under a name from an app; a name like `constructor` does not find what every object inherits. */
export function entryOf<T>(table: Record<string, T>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

/** The text as JSON; undefined if it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
