import { redact } from "../log.ts";
import { cleanText, isRecord } from "./fields.ts";

/** The services, in the order in which they are shown. */
export const apis = ["intelligence", "gateway", "jurisdictions"] as const;
export type Api = (typeof apis)[number];

/** The name that people call each of them by. */
export const apiNames: Record<Api, string> = {
  intelligence: "news service",
  gateway: "search service",
  jurisdictions: "jurisdictions service",
};

/** The settings of an operator for each of them: its address, then what it is opened with. */
export const apiSettings: Record<Api, [address: string, access: string]> = {
  intelligence: ["INTELLIGENCE_URL", "INTELLIGENCE_CREDENTIALS"],
  gateway: ["GATEWAY_URL", "GATEWAY_API_KEY"],
  jurisdictions: ["JURISDICTIONS_URL", "JURISDICTIONS_API_KEY"],
};

/** Tells the reader what to do next; its message is shown as it stands. */
export class UsageError extends Error {
  override readonly name: string = "UsageError";
}

/** Says which settings of a service an operator has to set. */
export function notSetUp(api: Api): UsageError {
  const next = `An operator sets ${apiSettings[api].join(" and ")}, then restarts Bellwether.`;
  return new UsageError(`The ${apiNames[api]} isn’t set up here. ${next}`);
}

/** The place where a call to an upstream service failed. None of it may hold a key, a token or a body. */
export interface Failure {
  api: Api;
  operation: string;
  status?: number | undefined;
  requestId?: string | undefined;
  cause?: unknown;
}

/** The base of the four ways in which a call to an upstream service can fail. */
export abstract class ApiError extends Error {
  readonly api: Api;
  readonly operation: string;
  readonly status: number | undefined;
  readonly requestId: string | undefined;

  constructor(what: string, failure: Failure) {
    const { api, operation, status, requestId, cause } = failure;
    const facts = [status && `status ${status}`, requestId && `request ${requestId}`].filter(Boolean).join(", ");
    const by = facts && ` (${facts})`;
    super(`${api} ${operation}: ${what}${by}`, cause === undefined ? undefined : { cause });
    this.api = api;
    this.operation = operation;
    this.status = status;
    this.requestId = requestId;
  }
}

/** The service refused the key, the login or the right to see something. */
export class NotAllowed extends ApiError {
  override readonly name: string = "NotAllowed";

  constructor(failure: Failure) {
    super("not allowed", failure);
  }
}

/** The key's balance does not cover the call; `remaining` is in credits, if upstream says it. */
export class OutOfCredits extends ApiError {
  override readonly name: string = "OutOfCredits";
  readonly remaining: number | undefined;

  constructor(failure: Failure & { remaining?: number | undefined }) {
    super("out of credits", failure);
    this.remaining = failure.remaining;
  }
}

/** Why a service cannot answer now, for an operator. */
export const unavailableReasons = {
  timeout: "no answer in time",
  connection: "no connection",
  cut: "the answer broke off",
  status: "it cannot answer now",
};

/** The service cannot answer now; `retryAt` is in epoch milliseconds, if upstream says it. */
export class Unavailable extends ApiError {
  override readonly name: string = "Unavailable";
  readonly retryAt: number | undefined;
  readonly reason: keyof typeof unavailableReasons;

  constructor(failure: Failure & { retryAt?: number | undefined; reason?: keyof typeof unavailableReasons }) {
    const reason = failure.reason ?? "status";
    super(unavailableReasons[reason], failure);
    this.retryAt = failure.retryAt;
    this.reason = reason;
  }
}

/**
 * The service answered with something that cannot be used; `detail` says what, and `said` is its own message if it
 * reported an error, both with secrets removed.
 */
export class UnexpectedAnswer extends ApiError {
  override readonly name: string = "UnexpectedAnswer";
  readonly detail: string;
  readonly said: string | undefined;

  constructor(failure: Failure & { detail: string; said?: string }) {
    super(failure.detail, failure);
    this.detail = failure.detail;
    this.said = failure.said;
  }
}

/** Something other than events came when a stream was asked for, and it is no error. */
export class NotAStream extends UnexpectedAnswer {
  override readonly name = "NotAStream";
}

/** One answer of a service as far as an error needs it. */
interface ErrorHead {
  api: Api;
  operation: string;
  status: number;
  requestId: string | undefined;
  /** The time at which upstream wants to be asked again, in epoch milliseconds. */
  retryAt: number | undefined;
  /** Texts that the error may not show. */
  secrets: readonly string[];
}

/** The error that an answer is; `body` is its JSON or text, if it has any. */
export function errorIn(body: unknown, head: ErrorHead): ApiError {
  const { api, operation, status, requestId, retryAt, secrets } = head;
  const { code = "", message = "" } = codeAndMessage(body);
  const failure: Failure = { api, operation, status: status < 300 ? undefined : status, requestId };
  if (status === 402 || code === "insufficient_credits") {
    return new OutOfCredits({ ...failure, remaining: remainingCredits(body) });
  }
  if (status === 401 || status === 403) return new NotAllowed(failure);
  // The documents show one code and hardly a status, so an error under another status goes by its code.
  const isBusy = /^(rate_limit|too_many_requests|overloaded|service_unavailable|timeout)/i.test(code);
  if (status === 408 || status === 429 || status >= 500 || isBusy) return new Unavailable({ ...failure, retryAt });
  if (REFUSAL.test(code) || REFUSAL.test(message)) return new NotAllowed(failure);
  const said = redactDetail(message, secrets);
  if (said === "") return new UnexpectedAnswer({ ...failure, detail: detailOfStatus(status) });
  return new UnexpectedAnswer({ ...failure, detail: `the service says: ${said}`, said });
}

const CREDENTIAL = "(?:api[ _])?(?:key|token|session|login)";
const REFUSAL = new RegExp(
  `^(?:unauthori[sz]ed|forbidden|access[ _]denied|(?:invalid|expired|missing|revoked)[ _]${CREDENTIAL}` +
    `|(?:your )?${CREDENTIAL}[ _](?:has )?(?:invalid|expired|missing|revoked))\\.?$`,
  "i",
);

/**
 * The code and message that upstream gives for an error. The gateway documents `error: {code, message}`, the news
 * service `error` as a text; the body of the jurisdiction database is not shown, and may have the message at the top or
 * be plain text.
 */
function codeAndMessage(body: unknown): { code?: string | undefined; message?: string | undefined } {
  if (typeof body === "string") return { message: body };
  if (!isRecord(body)) return {};
  const { error, code } = body;
  if (typeof error === "string") return { code: textOrNothing(code), message: error };
  const said = isRecord(error) ? error : body;
  return { code: textOrNothing(said["code"]), message: textOrNothing(said["message"]) };
}

function textOrNothing(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function remainingCredits(body: unknown): number | undefined {
  const meta = isRecord(body) && isRecord(body["meta"]) ? body["meta"] : {};
  const value = meta["credits_remaining"];
  return typeof value === "number" ? value : undefined;
}

function detailOfStatus(status: number): string {
  if (status >= 300 && status < 400) return "a redirect, which is never followed";
  return status === 404 ? "nothing at this address" : "an error without explanation";
}

const MAX_DETAIL = 200;

/** Text for an error: secrets, also as base64, and what looks like one removed, then cleaned and cut to 200 characters. */
export function redactDetail(text: string, secrets: readonly string[]): string {
  const encoded = secrets.filter(Boolean).flatMap((secret) => {
    const bytes = Buffer.from(secret);
    return [bytes.toString("base64"), bytes.toString("base64url")];
  });
  return cleanText(redact(text.slice(0, MAX_DETAIL * 20), [...secrets, ...encoded]), MAX_DETAIL);
}
