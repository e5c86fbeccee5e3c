import { type Fields, isFields, listOf, parseJson, stringOf } from "./page/fields.ts";
import { SlackError } from "./slack-error.ts";

/** The arguments that a form field carries as JSON. */
const jsonArgs = new Set(["attachments", "blocks", "chunks", "metadata", "view"]);

/** Parses the JSON in form fields; a text that is not JSON stays a text, for the method to refuse. */
export function openArgs(raw: Fields): Fields {
  const opened = Object.entries(raw).map(([name, value]) => {
    const isJson = jsonArgs.has(name) && typeof value === "string";
    return [name, isJson ? (parseJson(value) ?? value) : value] as const;
  });
  return Object.fromEntries(opened);
}

/** A text argument; undefined if it is missing or empty. */
export function textArg(args: Fields, name: string): string | undefined {
  const value = args[name];
  return (typeof value === "number" ? String(value) : stringOf(value)) || undefined;
}

/** A text argument that the method requires. */
export function needText(args: Fields, name: string, code = "invalid_arguments"): string {
  const text = textArg(args, name);
  if (text !== undefined) return text;
  const messages = [`[ERROR] missing required field: ${name}`];
  throw new SlackError(code, code === "invalid_arguments" ? { response_metadata: { messages } } : {});
}

/** A yes or no as forms and JSON write it. */
export function flagArg(args: Fields, name: string): boolean {
  const value = args[name];
  return value === true || value === 1 || value === "true" || value === "1";
}

/** A count from 1 to `most`; `usual` if the argument is missing. */
export function countArg(args: Fields, name: string, range: { usual: number; most: number }): number {
  const text = textArg(args, name);
  if (text === undefined) return range.usual;
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1) throw new SlackError("invalid_limit");
  return Math.min(count, range.most);
}

/** A list argument; refuses anything else with `code`. */
export function listArg(args: Fields, name: string, code: string): unknown[] {
  const value = args[name] ?? "";
  if (value !== "" && !Array.isArray(value)) throw new SlackError(code);
  return listOf(value);
}

const maxMetadataBytes = 8 * 1024;

/** Message metadata: undefined if none was given, null if the app removes it. */
export function metadataArg(args: Fields): { event_type: string; event_payload: Fields } | null | undefined {
  const value = args["metadata"] ?? "";
  if (value === "") return undefined;
  if (!isFields(value)) throw new SlackError("invalid_metadata_format");
  if (Object.keys(value).length === 0) return null;
  const { event_type, event_payload } = value;
  if (typeof event_type !== "string" || !isFields(event_payload)) throw new SlackError("invalid_metadata_format");
  if (JSON.stringify(value).length > maxMetadataBytes) throw new SlackError("metadata_too_large");
  return { event_type, event_payload };
}
