import { setTimeout as sleep } from "node:timers/promises";
import { Pool } from "undici";
import type { Dispatcher } from "undici";
import type { z } from "zod";
import {
  type Api,
  ApiError,
  errorIn,
  NotAStream,
  redactDetail,
  Unavailable,
  UnexpectedAnswer,
  notSetUp,
} from "./errors.ts";
import { isRecord, parseJson, readIdentifier, tolerantJson, UnreadableAnswer } from "./fields.ts";
import { readEvents, type ServerEvent } from "./sse.ts";

/** The two ways in which a key may be sent: as a bearer token, or in a header of its own. */
export type KeyHeader = "authorization" | "x-api-key";

export interface ApiCall {
  operation: string;
  method: "GET" | "POST";
  /** Below the base URL, beginning with a slash, already encoded. */
  path: string;
  body?: unknown;
  /** A token or key; sent as a bearer token, unless `keyHeader` says otherwise. */
  token?: string | undefined;
  keyHeader?: KeyHeader | undefined;
  /** Further texts that no error may show, such as the parts of a login. */
  secrets?: readonly string[];
  signal?: AbortSignal | undefined;
}

export interface JsonCall<T> extends ApiCall {
  schema: z.ZodType<T>;
  /** Says that a POST does no harm, and costs nothing, when it is sent again. */
  repeatable?: boolean;
  /** Milliseconds for an answer that takes a model's time, in place of the usual ones. */
  within?: number;
}

interface StreamAnswer {
  /** To be read to its end or left by `break`; error events and cuts are thrown. */
  events: AsyncIterable<ServerEvent>;
  requestId: string | undefined;
}

/** The line to one service. */
export interface Http {
  json<T>(call: JsonCall<T>): Promise<T>;
  stream(call: ApiCall): Promise<StreamAnswer>;
}

/** A request that has ended; `outcome` is `ok`, or the name of the error. */
interface EndedCall {
  service: Api;
  operation: string;
  outcome: string;
  ms: number;
  requestId: string | undefined;
}

/** Time as the clients see it; `wait` rejects when the signal fires. */
interface HttpClock {
  now(): number;
  wait(ms: number, signal?: AbortSignal): Promise<void>;
  /** 0 to 1, spreads retries. */
  random(): number;
}

export interface HttpOptions {
  api: Api;
  /** With or without a path prefix and a slash at its end. */
  baseUrl: string;
  /** Texts that no error may show, whatever was sent in the call itself: a service may repeat what another one was sent. */
  secrets?: readonly string[];
  /** Called when a request has ended, with its outcome, its duration and the service's ID of it. */
  onCall?: (call: EndedCall) => void;
  clock?: Partial<HttpClock>;
  timeouts?: Partial<typeof TIMEOUTS>;
  sizes?: Partial<typeof SIZES>;
}

/** Milliseconds; `answer` is for a whole JSON answer, `firstByte` and `idle` are for a stream. */
const TIMEOUTS = { headers: 15_000, answer: 30_000, firstByte: 30_000, idle: 60_000 };
/** Bytes, and characters for one event. */
const SIZES = { answer: 10_000_000, stream: 20_000_000, event: 2_000_000 };
/** Of an error that is larger, the status alone says enough; no event that is longer says one. */
const MAX_ERROR = 64_000;
/** The longest Retry-After that is waited for; a call that would have to wait longer fails with the time to come back. */
const LONGEST_WAIT = 10_000;
/** The rate limit's window lasts a minute; a reset that is further off is not believed. */
const LONGEST_WINDOW = 3_600_000;
const MAX_RETRIES = 2;
const FIRST_PAUSE = 250;

const systemClock: HttpClock = {
  now: Date.now,
  wait: (ms, signal) => sleep(ms, undefined, signal === undefined ? {} : { signal }),
  random: Math.random,
};

type HttpHeaders = Record<string, string | string[] | undefined>;
type HttpResponse = Pick<Dispatcher.ResponseData, "statusCode" | "headers" | "body">;
type SendOptions = Pick<Dispatcher.RequestOptions, "headersTimeout" | "bodyTimeout" | "signal"> & { accept: string };

/** The one way to an upstream service: timeouts, retries, size limits, schemas, and errors by class. */
export function createHttp(options: HttpOptions): Http {
  const { api } = options;
  const clock = { ...systemClock, ...options.clock };
  const timeouts = { ...TIMEOUTS, ...options.timeouts };
  const sizes = { ...SIZES, ...options.sizes };
  const { origin, pathname } = new URL(options.baseUrl);
  const prefix = pathname.replace(/\/+$/, "");
  /** The rate limit is used up until then, and nothing is asked. */
  let closedUntil = 0;
  // HTTP/1.1 only: that is where timeouts, resets and cut streams were measured.
  const pool = new Pool(origin, { allowH2: false, connect: { timeout: timeouts.headers } });

  return {
    json(call) {
      const isRepeatable = call.method === "GET" || call.repeatable === true;
      return isRepeatable ? retry(() => askForJson(call), call.signal) : askForJson(call);
    },
    stream: askForStream,
  };

  /** Reports how a request that began at a moment has ended. */
  function report(
    { operation }: ApiCall,
    since: number,
    end: { error?: unknown; requestId?: string | undefined },
  ): void {
    const { error } = end;
    const requestId = end.requestId ?? (error instanceof ApiError ? error.requestId : undefined);
    const outcome = error === undefined ? "ok" : error instanceof Error ? error.name : "error";
    options.onCall?.({ service: api, operation, outcome, ms: clock.now() - since, requestId });
  }

  async function askForJson<T>(call: JsonCall<T>): Promise<T> {
    const { within, signal } = call;
    const since = clock.now();
    const expiry = AbortSignal.timeout(within ?? timeouts.answer);
    try {
      const response = await send(call, {
        accept: "application/json",
        headersTimeout: within ?? timeouts.headers,
        bodyTimeout: 0,
        signal: signal ? AbortSignal.any([signal, expiry]) : expiry,
      });
      const text = await readWhole(response.body, sizes.answer);
      // Without content there is nothing in a list, and everything else is missing.
      const json = response.statusCode === 204 ? null : parseJson(text);
      if (isErrorBody(json)) throw errorAnswer(call, response, json);
      noteLimit(response, json);
      const answer = parseAnswer(call, json, response.headers);
      report(call, since, { requestId: requestIdOf(call, response.headers, json) });
      return answer;
    } catch (failure) {
      const error = toApiError(failure, call, "connection");
      report(call, since, { error });
      throw error;
    }
  }

  async function askForStream(call: ApiCall): Promise<StreamAnswer> {
    const since = clock.now();
    try {
      const response = await send(call, {
        accept: "text/event-stream",
        headersTimeout: timeouts.firstByte,
        bodyTimeout: timeouts.idle,
        signal: call.signal ?? null,
      });
      const kind = headerOf(response.headers, "content-type") ?? "";
      if (!/\b(?:html|json)\b/i.test(kind)) {
        return { events: readStream(call, response, since), requestId: requestIdOf(call, response.headers, undefined) };
      }
      // An error in place of the stream is thrown here, before the caller takes the stream for begun.
      const json = tolerantJson(await readWhole(response.body, sizes.answer));
      if (isErrorBody(json)) throw errorAnswer(call, response, json);
      const detail = json === undefined ? "a page instead of a stream" : "JSON instead of a stream";
      const requestId = requestIdOf(call, response.headers, json);
      throw new NotAStream({ api, operation: call.operation, requestId, detail });
    } catch (failure) {
      const error = toApiError(failure, call, "connection");
      report(call, since, { error });
      throw error;
    }
  }

  /** The events of a stream; what breaks it off is thrown as an error by class. */
  async function* readStream(call: ApiCall, response: HttpResponse, since: number): AsyncIterable<ServerEvent> {
    let error: unknown;
    try {
      for await (const event of readEvents(limitBytes(response.body, sizes.stream), sizes.event)) {
        const told = errorEvent(event);
        if (told !== undefined) throw errorAnswer(call, response, told);
        yield event;
      }
    } catch (failure) {
      error = toApiError(failure, call, "cut");
      throw error;
    } finally {
      report(call, since, { error, requestId: requestIdOf(call, response.headers, undefined) });
    }
  }

  /** The response with a status of success, of which the body is still to be read; any other is thrown as an error. */
  async function send(call: ApiCall, { accept, ...limits }: SendOptions): Promise<HttpResponse> {
    call.signal?.throwIfAborted();
    if (closedUntil > clock.now()) {
      throw new Unavailable({ api, operation: call.operation, status: 429, retryAt: closedUntil });
    }
    const response = await pool.request({
      path: prefix + call.path,
      method: call.method,
      headers: requestHeaders(call, accept),
      body: call.body === undefined ? null : JSON.stringify(call.body),
      ...limits,
    });
    const { statusCode, body } = response;
    // An aborted body may emit one more error while nothing reads it; without a listener that ends the process.
    body.on("error", () => undefined);
    noteLimit(response, undefined);
    if (statusCode >= 300) {
      // Of an error that is huge or breaks off, the status alone is kept.
      const text = await readWhole(body, MAX_ERROR).catch(() => "");
      throw errorAnswer(call, response, errorBody(text));
    }
    return response;
  }

  /** Repeats what is harmless to repeat, at most twice, after failures that may pass soon. */
  async function retry<T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    for (let retries = 0; ; retries += 1) {
      try {
        return await work();
      } catch (error) {
        const wait = retries < MAX_RETRIES ? waitAfter(error, retries) : undefined;
        if (wait === undefined || signal?.aborted === true) throw error;
        await clock.wait(wait, signal).catch((interruption: unknown) => {
          throw signal?.aborted === true ? signal.reason : interruption;
        });
      }
    }
  }

  function waitAfter(error: unknown, retries: number): number | undefined {
    if (!(error instanceof Unavailable)) return undefined;
    // After a timeout the reader has waited long enough.
    if (error.reason === "timeout" || error.status === 408) return undefined;
    // A limit of which nobody knows when it ends is no matter of a second.
    if (error.status === 429 && error.retryAt === undefined) return undefined;
    if (error.retryAt === undefined) return Math.round(FIRST_PAUSE * 2 ** retries * (0.5 + clock.random()));
    const asked = Math.max(0, error.retryAt - clock.now());
    return asked <= LONGEST_WAIT ? asked : undefined;
  }

  /** Closes the line until the reset that an answer names, if that answer used the limit up or was refused for it. */
  function noteLimit({ statusCode, headers }: Pick<HttpResponse, "statusCode" | "headers">, body: unknown): void {
    const now = clock.now();
    const { remaining, resetAt } = rateLimitIn(headers, body);
    const isRefused = statusCode === 429;
    if (!isRefused && remaining !== 0) return;
    const isPlausible = (time: number | undefined) => time !== undefined && time > now && time <= now + LONGEST_WINDOW;
    const until = [resetAt, isRefused ? retryTime(headers, now) : undefined].find(isPlausible);
    if (until !== undefined) closedUntil = Math.max(closedUntil, until);
  }

  function errorAnswer(call: ApiCall, response: HttpResponse, body: unknown): ApiError {
    const { statusCode, headers } = response;
    noteLimit(response, body);
    const isClosed = statusCode === 429 && closedUntil > clock.now();
    return errorIn(body, {
      api,
      operation: call.operation,
      status: statusCode,
      requestId: requestIdOf(call, headers, body),
      retryAt: isClosed ? closedUntil : retryTime(headers, clock.now()),
      secrets: secretsOf(call),
    });
  }

  function parseAnswer<T>(call: JsonCall<T>, json: unknown, headers: HttpHeaders): T {
    const result = call.schema.safeParse(json);
    if (result.success) return result.data;
    const [issue] = result.error.issues;
    const at = issue === undefined || issue.path.length === 0 ? "the answer" : issue.path.join(".");
    const detail = redactDetail(`${at}: ${issue?.message ?? "not as documented"}`, secretsOf(call));
    const requestId = requestIdOf(call, headers, json);
    throw new UnexpectedAnswer({ api, operation: call.operation, requestId, detail });
  }

  /** The error in the class that fits; `broken` is what a failure of the network means at this point. */
  function toApiError(error: unknown, call: ApiCall, broken: "connection" | "cut"): unknown {
    if (call.signal?.aborted === true) return call.signal.reason;
    if (error instanceof ApiError) return error;
    const failure = { api, operation: call.operation };
    if (error instanceof UnreadableAnswer) return new UnexpectedAnswer({ ...failure, detail: error.message });
    if (!(error instanceof Error)) return error;
    if (error.name === "TimeoutError") return new Unavailable({ ...failure, reason: "timeout" });
    // Without a code it is no failure of the network but a mistake of ours, which must stay visible.
    if (!("code" in error && typeof error.code === "string")) return error;
    if (/^UND_ERR_\w+_TIMEOUT$/.test(error.code)) return new Unavailable({ ...failure, reason: "timeout" });
    // Its code and words alone: the error itself may hold the request with its headers.
    const cause = new Error(redactDetail(`${error.name}: ${error.code}: ${error.message}`, secretsOf(call)));
    if (error.code === "UND_ERR_INVALID_ARG") {
      return new UnexpectedAnswer({ ...failure, detail: "a request that cannot be sent", cause });
    }
    return new Unavailable({ ...failure, reason: broken, cause });
  }

  /** The request ID from the header, else from the body's envelope. */
  function requestIdOf(call: ApiCall, headers: HttpHeaders, body: unknown): string | undefined {
    const meta = isRecord(body) ? body["meta"] : undefined;
    const id = headerOf(headers, "x-request-id") ?? (isRecord(meta) ? meta["request_id"] : undefined);
    return typeof id === "string" ? redactDetail(id, secretsOf(call)).slice(0, 100) || undefined : undefined;
  }

  /** The secrets that no error of this call may show. */
  function secretsOf({ token = "", secrets = [] }: ApiCall): string[] {
    return [token, ...secrets, ...(options.secrets ?? [])];
  }
}

function requestHeaders({ body, token, keyHeader }: ApiCall, accept: string): Record<string, string> {
  const own: Record<string, string> = {
    accept,
    // Without this header any coding may come, and what is unpacked may be a thousand times as large as what came.
    "accept-encoding": "identity",
    "user-agent": "Bellwether",
  };
  if (body !== undefined) own["content-type"] = "application/json";
  if (token !== undefined && keyHeader === "x-api-key") own["x-api-key"] = token;
  else if (token !== undefined) own["authorization"] = `Bearer ${token}`;
  return own;
}

/** The value of a header that may come once, several times or not at all. */
function headerOf(headers: HttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** The time at which upstream wants to be asked again, in epoch milliseconds: by Retry-After, in seconds or as a date. */
function retryTime(headers: HttpHeaders, now: number): number | undefined {
  const after = headerOf(headers, "retry-after")?.trim();
  if (after === undefined) return undefined;
  if (/^\d{1,9}$/.test(after)) return now + Number(after) * 1000;
  const date = Date.parse(after);
  return Number.isNaN(date) ? undefined : date;
}

/** Reads the calls that remain and when the limit resets (epoch milliseconds) from the headers, or else from the envelope. */
function rateLimitIn(
  headers: HttpHeaders,
  body: unknown,
): { remaining?: number | undefined; resetAt?: number | undefined } {
  const meta = isRecord(body) && isRecord(body["meta"]) ? body["meta"] : {};
  const limit = isRecord(meta["rate_limit"]) ? meta["rate_limit"] : {};
  const read = (name: string) => readIdentifier(headerOf(headers, `x-ratelimit-${name}`) ?? limit[name]);
  const reset = read("reset");
  return { remaining: read("remaining"), resetAt: reset === undefined ? undefined : reset * 1000 };
}

/** The body of an error, which may be anything: JSON, else a few words; a page and a long text are no words. */
function errorBody(text: string): unknown {
  return tolerantJson(text) ?? (/^[^<{[]{1,300}$/.test(text.trim()) ? text.trim() : undefined);
}

/** True if a body that came with a good status is an error all the same. */
function isErrorBody(body: unknown): boolean {
  if (!isRecord(body)) return false;
  const { error } = body;
  return isRecord(error) || (typeof error === "string" && error !== "") || body["success"] === false;
}

/** The error in an event: the shape of error events is not shown. */
function errorEvent({ event, data }: ServerEvent): unknown {
  if (data.length > MAX_ERROR) return event === "error" ? {} : undefined;
  if (event === "error") return tolerantJson(data) ?? data;
  if (!data.includes('"error"')) return undefined;
  const body = tolerantJson(data);
  return isErrorBody(body) || (isRecord(body) && body["type"] === "error") ? body : undefined;
}

/** Passes a body's bytes on, up to a limit; leaving it early closes the connection. */
async function* limitBytes(body: AsyncIterable<unknown>, maxBytes: number): AsyncIterable<Uint8Array> {
  let bytes = 0;
  for await (const chunk of body) {
    if (!(chunk instanceof Uint8Array)) continue;
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw new UnreadableAnswer("an answer that is too large");
    yield chunk;
  }
}

/** A whole body as text. undici gathers it: to read it chunk by chunk would cost as much as all the rest of an answer. */
async function readWhole(body: HttpResponse["body"], maxBytes: number): Promise<string> {
  let bytes = 0;
  body.on("data", (chunk: Uint8Array) => {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) body.destroy(new UnreadableAnswer("an answer that is too large"));
  });
  return body.text();
}

/** Stands in for a service without settings: every call says which ones an operator has to set. */
export function unconfiguredHttp(api: Api): Http {
  const refuse = () => Promise.reject(notSetUp(api));
  return { json: refuse, stream: refuse };
}
