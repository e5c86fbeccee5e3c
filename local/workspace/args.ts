import { type Fields, isFields, listOf, parseJson, textOf } from "./fields.ts";
import { Refusal } from "./refusal.ts";

/** Arguments that travel as JSON inside a form field. */
const JSON_ARGS = new Set([
  "attachments",
  "blocks",
  "chunks",
  "loading_messages",
  "message",
  "metadata",
  "prompts",
  "view",
]);

/** Opens the JSON inside form fields; text that is no JSON stays text, for the method to refuse. */
export function openArgs(raw: Fields): Fields {
  return Object.fromEntries(
    Object.entries(raw).map(([name, value]) => {
      const opened = JSON_ARGS.has(name) && typeof value === "string" ? (parseJson(value) ?? value) : value;
      return [name, opened];
    }),
  );
}

/** A text argument; undefined where it is missing or empty. */
export function textArg(args: Fields, name: string): string | undefined {
  const value = args[name];
  const text = typeof value === "number" ? String(value) : textOf(value);
  return text === "" ? undefined : text;
}

/** A text argument that the method cannot do without. */
export function needText(args: Fields, name: string, code = "invalid_arguments"): string {
  const text = textArg(args, name);
  if (text !== undefined) return text;
  const messages = [`[ERROR] missing required field: ${name}`];
  throw new Refusal(code, code === "invalid_arguments" ? { response_metadata: { messages } } : {});
}

/** A yes or no as forms and JSON write it. */
export function flagArg(args: Fields, name: string): boolean {
  const value = args[name];
  return value === true || value === 1 || value === "true" || value === "1";
}

/** A count from 1 to `most`; `usual` where the argument is missing. */
export function countArg(args: Fields, name: string, range: { usual: number; most: number }): number {
  const text = textArg(args, name);
  if (text === undefined) return range.usual;
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1) throw new Refusal("invalid_limit");
  return Math.min(count, range.most);
}

/** Message metadata: undefined where none was given, null where the app wants it gone. */
export function metadataArg(args: Fields): { event_type: string; event_payload: Fields } | null | undefined {
  const value = args["metadata"];
  if (value === undefined || value === "") return undefined;
  if (!isFields(value)) throw new Refusal("invalid_metadata_format");
  if (Object.keys(value).length === 0) return null;
  const { event_type, event_payload } = value;
  if (typeof event_type !== "string" || !isFields(event_payload)) throw new Refusal("invalid_metadata_format");
  if (JSON.stringify(value).length > METADATA_BYTES) throw new Refusal("metadata_too_large");
  return { event_type, event_payload };
}

const METADATA_BYTES = 8 * 1024;

/** A list argument; refuses with `code` where something else was given. */
export function listArg(args: Fields, name: string, code: string): unknown[] | undefined {
  const value = args[name];
  if (value === undefined || value === "") return undefined;
  if (!Array.isArray(value)) throw new Refusal(code);
  return listOf(value);
}
