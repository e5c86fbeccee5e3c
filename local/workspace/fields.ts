/** A JSON object whose fields nobody has looked at yet. */
export type Fields = Record<string, unknown>;

/** Tells a JSON object from everything else. */
export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value as a JSON object, empty where it is none. */
export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}

/** The value as a list, empty where it is none. */
export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The value as text, empty where it is none. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The text as JSON, or undefined where it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
