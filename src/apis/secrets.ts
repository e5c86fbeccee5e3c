import { redact } from "../log.ts";
import { cleanText } from "./values.ts";

const MAX_DETAIL = 200;

/** Text for an error: secrets and whatever looks like one removed, then cleaned and cut to 200 characters. */
export function redacted(text: string, secrets: readonly string[]): string {
  return cleanText(redact(text.slice(0, MAX_DETAIL * 20), secrets), MAX_DETAIL);
}

/** A cause that carries the code and words of a failure and nothing else of it: no request, no headers. */
export function safeCause(cause: unknown, secrets: readonly string[]): Error {
  const name = cause instanceof Error ? cause.name : "Error";
  const message = cause instanceof Error ? cause.message : "unknown failure";
  const code = codeOf(cause);
  return new Error(redacted([name, code, message].filter(Boolean).join(": "), secrets));
}

/** The `code` of a failure of the network or the HTTP library. */
export function codeOf(cause: unknown): string | undefined {
  if (!(cause instanceof Error) || !("code" in cause)) return undefined;
  return typeof cause.code === "string" ? cause.code : undefined;
}

/** The texts within a login body that must never be shown. */
export function textsWithin(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(textsWithin);
}
