import type { Api, ApiError, Failure } from "./errors.ts";
import { NotAllowed, OutOfCredits, Unavailable, UnexpectedAnswer } from "./errors.ts";
import { firstOf, isRecord } from "./values.ts";
import { parseJson } from "./json.ts";
import { redacted } from "./secrets.ts";

export type Headers = Record<string, string | string[] | undefined>;

/** The state of the key's budget as an answer tells it; `resetAt` in epoch milliseconds. */
export interface RateLimit {
  limit?: number | undefined;
  remaining?: number | undefined;
  resetAt?: number | undefined;
}

/** What is known of one answer when it has to be turned into an error. */
export interface AnswerFacts {
  api: Api;
  operation: string;
  status: number;
  headers: Headers;
  secrets: readonly string[];
  now: number;
}

/** The value of a header that may come once, several times or not at all. */
export function header(headers: Headers, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** When the answer was sent, in epoch milliseconds by the service's own clock. */
export function servedAt(headers: Headers): number | undefined {
  const date = Date.parse(header(headers, "date") ?? "");
  return Number.isNaN(date) ? undefined : date;
}

/** Reads the envelope's `rate_limit`, else X-RateLimit-*, of an answer that came at `now`. */
export function rateLimit(headers: Headers, body?: unknown, now?: number): RateLimit {
  const meta = isRecord(body) ? body["meta"] : undefined;
  const enclosed = isRecord(meta) && isRecord(meta["rate_limit"]) ? meta["rate_limit"] : {};
  const told = (name: string) => wholeNumber(enclosed[name]) ?? wholeNumber(header(headers, `x-ratelimit-${name}`));
  return { limit: told("limit"), remaining: told("remaining"), resetAt: resetAt(told("reset"), headers, now) };
}

/** The reset by our clock. The envelope's is documented in epoch seconds; the format of the header is not shown. */
function resetAt(reset: number | undefined, headers: Headers, now: number | undefined): number | undefined {
  if (reset === undefined) return undefined;
  // So few seconds are none since 1970 but those to go.
  if (reset < 1e9) return now === undefined ? undefined : now + reset * 1000;
  return byOurClock(reset < 1e11 ? reset * 1000 : reset, headers, now);
}

/** A time by the service's clock, which may be ahead of ours or behind it. */
function byOurClock(time: number, headers: Headers, now: number | undefined): number {
  return now === undefined ? time : time + now - (servedAt(headers) ?? now);
}

function wholeNumber(value: unknown): number | undefined {
  if (typeof value === "number") return Number.isInteger(value) && value >= 0 && value < 1e14 ? value : undefined;
  return typeof value === "string" && /^\s*\d{1,14}\s*$/.test(value) ? Number(value) : undefined;
}

/** When upstream wants to be asked again, in epoch milliseconds: Retry-After as seconds or as a date. */
function retryAt(headers: Headers, status: number, now: number): number | undefined {
  const after = header(headers, "retry-after")?.trim();
  if (after !== undefined && /^\d{1,9}(\.\d+)?$/.test(after)) return now + Number(after) * 1000;
  const date = after === undefined ? Number.NaN : Date.parse(after);
  if (Number.isFinite(date)) return byOurClock(date, headers, now);
  const reset = status === 429 ? rateLimit(headers, undefined, now).resetAt : undefined;
  return reset !== undefined && reset > now ? reset : undefined;
}

/** The request ID from the header, else from the body's envelope. */
export function requestId(headers: Headers, body: unknown, secrets: readonly string[]): string | undefined {
  const meta = isRecord(body) ? body["meta"] : undefined;
  const fromBody = isRecord(meta) ? meta["request_id"] : undefined;
  const id = header(headers, "x-request-id") ?? fromBody;
  if (typeof id !== "string") return undefined;
  return isPlainId(id, secrets) ? id : redacted(id, secrets).slice(0, 100) || undefined;
}

// Nearly every ID is a UUID or a number, with or without a prefix: nothing in it can look like a secret.
function isPlainId(id: string, secrets: readonly string[]): boolean {
  return /^(?:req[-_])?[\da-f-]{1,40}$/i.test(id) && !secrets.some((secret) => secret !== "" && id.includes(secret));
}

/** The body of an error, which may be anything: JSON, else a few words; a page and a long text are no words. */
export function errorBody(text: string): unknown {
  return tolerantJson(text) ?? (/^[^<{[]{1,300}$/.test(text.trim()) ? text.trim() : undefined);
}

/** An answer's body as JSON, or undefined where it is none. */
export function tolerantJson(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** What upstream says of an error: in `error`, in a list of `errors`, at the top, or as plain text. */
function upstreamError(body: unknown): { code?: string; message?: string } {
  if (typeof body === "string") return { message: body };
  if (!isRecord(body)) return {};
  const error = body["error"] ?? firstIn(body["errors"]);
  if (typeof error === "string") return { ...textMember("code", body["code"]), message: error };
  const source = isRecord(error) ? error : body;
  return {
    ...textMember("code", source["code"] ?? source["type"]),
    ...textMember("message", firstOf(source, ["message", "detail", "description", "title"])),
  };
}

function firstIn(list: unknown): unknown {
  return Array.isArray(list) ? list[0] : undefined;
}

function textMember(name: "code" | "message", value: unknown): { code?: string; message?: string } {
  return typeof value === "string" ? { [name]: value } : {};
}

/** True where a body that came with a good status tells of an error. */
export function tellsError(body: unknown): boolean {
  if (!isRecord(body)) return false;
  const error = body["error"];
  return isRecord(error) || (typeof error === "string" && error !== "") || body["success"] === false;
}

/** Turns an answer that tells of an error into one of the four classes. */
export function answeredError(facts: AnswerFacts, body: unknown): ApiError {
  const { api, operation, status, headers, secrets, now } = facts;
  const { code = "", message } = upstreamError(body);
  const told = status < 300 ? undefined : status;
  const failure: Failure = { api, operation, status: told, requestId: requestId(headers, body, secrets) };
  if (status === 402 || code === "insufficient_credits") {
    return new OutOfCredits({ ...failure, remaining: remainingCredits(body) });
  }
  if (status === 401 || status === 403) return new NotAllowed(failure);
  if (status === 408 || status === 429 || status >= 500) {
    return new Unavailable({ ...failure, retryAt: retryAt(headers, status, now) });
  }
  // The documents leave both codes and statuses open, so an error under another status is told by its code.
  if (/^(rate_limit|too_many_requests|overloaded|service_unavailable|timeout)/i.test(code)) {
    return new Unavailable({ ...failure, retryAt: retryAt(headers, 429, now) });
  }
  if (isRefusal(code, message)) return new NotAllowed(failure);
  const said = message === undefined ? "" : redacted(message, secrets);
  if (said === "") return new UnexpectedAnswer({ ...failure, detail: plainDetail(status) });
  return new UnexpectedAnswer({ ...failure, detail: `the service says: ${said}`, said });
}

const SECRET = "((api|access|auth|security|session)_)?(key|token|session|login|credentials)";
const WRONG = "(invalid|expired|missing|revoked|disabled)";
const REFUSALS = [
  "(un|not_)(authori[sz]ed|authenticated)",
  "(auth|authentication|authorization)_(error|failed|required|expired)",
  "forbidden|(access|permission)_denied|not_logged_in|log_?in_required",
  `${WRONG}_${SECRET}`,
  `((the|your)_)?${SECRET}_((is|has|was)_)?(been_)?(${WRONG}|not_found|not_valid|required)`,
].join("|");
const REFUSED_BY_CODE = new RegExp(`^(${REFUSALS})`, "i");
const REFUSED_IN_WORDS = new RegExp(`^(${REFUSALS})$`, "i");

// Codes such as `token_expired` and `TokenExpired`; a message only where it says as much and nothing else.
function isRefusal(code: string, message = ""): boolean {
  return REFUSED_BY_CODE.test(underscored(code)) || REFUSED_IN_WORDS.test(underscored(message.slice(0, 60)));
}

function underscored(words: string): string {
  const parts = words.replace(/([a-z])(?=[A-Z])/g, "$1_").split(/[^a-z]+/i);
  return parts.filter(Boolean).join("_");
}

function plainDetail(status: number): string {
  if (status >= 300 && status < 400) return "a redirect, which is never followed";
  return status === 404 ? "nothing at this address" : "an error without explanation";
}

function remainingCredits(body: unknown): number | undefined {
  const meta = isRecord(body) ? body["meta"] : undefined;
  const error = isRecord(body) ? body["error"] : undefined;
  const value = [meta, error].filter(isRecord).map((part) => firstOf(part, ["credits_remaining", "remaining"]))[0];
  return typeof value === "number" ? value : undefined;
}
