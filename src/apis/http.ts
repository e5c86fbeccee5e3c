import { setTimeout as sleep } from "node:timers/promises";
import { Pool } from "undici";
import type { z } from "zod";
import { ApiError, errorIn, isErrorBody, redactDetail, Unavailable, UnexpectedAnswer, UsageError } from "./errors.ts";
import type { AnswerHead, Api } from "./errors.ts";
import { isRecord, readQuantity } from "./fields.ts";
import { parseJson, tolerantJson, UnreadableJson } from "./json.ts";
import { createRateLimiter, header, readRateLimit, readRetryAt } from "./rate-limit.ts";
import type { HttpHeaders, RateLimit } from "./rate-limit.ts";
import { events, OversizedEvent } from "./sse.ts";
import type { ServerEvent } from "./sse.ts";

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
  accept?: string;
  signal?: AbortSignal | undefined;
}

export interface JsonCall<T> extends ApiCall {
  schema: z.ZodType<T>;
  /** Says that a POST does no harm, and costs nothing, when it is sent again. */
  repeatable?: boolean;
  /** Milliseconds for an answer that takes a model's time, in place of the usual ones. */
  within?: number;
}

interface AnswerFacts {
  rate: RateLimit;
  requestId: string | undefined;
}

interface JsonAnswer<T> extends AnswerFacts {
  value: T;
}

interface StreamAnswer extends AnswerFacts {
  /** To be read to its end or left by `break`; error events and cuts are thrown. */
  events: AsyncIterable<ServerEvent>;
}

/** The line to one service. */
export interface Http {
  json<T>(call: JsonCall<T>): Promise<JsonAnswer<T>>;
  stream(call: ApiCall): Promise<StreamAnswer>;
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
  clock?: Partial<HttpClock>;
  timeouts?: Partial<typeof TIMEOUTS>;
  sizes?: Partial<typeof SIZES>;
}

/** Milliseconds; `answer` runs from the sending to the last byte of a JSON answer. */
const TIMEOUTS = { headers: 15_000, answer: 30_000, firstByte: 30_000, idle: 60_000 };
/** Bytes, and characters for one event. */
const SIZES = { answer: 10_000_000, stream: 20_000_000, event: 2_000_000 };
/** Of an error that is larger, the status alone says enough. */
const MAX_ERROR = 64_000;
/** Requests a minute by the documents, until the service says otherwise. */
const DOCUMENTED_LIMITS: Partial<Record<Api, number>> = { gateway: 1_000 };
/** Longest wait for a rate limit or Retry-After; a call that would have to wait longer fails with the time to come back. */
const LONGEST_WAIT = 10_000;
const MAX_RETRIES = 2;
const FIRST_PAUSE = 250;

const systemClock: HttpClock = {
  now: Date.now,
  wait: (ms, signal) => sleep(ms, undefined, signal === undefined ? {} : { signal }),
  random: Math.random,
};

/** The head of an answer. */
interface Head {
  status: number;
  headers: HttpHeaders;
}

/** The one way to an upstream service: timeouts, retries, size limits, schemas, the rate limit, and errors by class. */
export function createHttp(options: HttpOptions): Http {
  const { api } = options;
  const clock = { ...systemClock, ...options.clock };
  const timeouts = { ...TIMEOUTS, ...options.timeouts };
  const sizes = { ...SIZES, ...options.sizes };
  const limiter = createRateLimiter(DOCUMENTED_LIMITS[api]);
  const { origin, pathname } = new URL(options.baseUrl);
  const prefix = pathname.replace(/\/+$/, "");
  // HTTP/1.1 only: that is where timeouts, resets and cut streams were measured.
  const pool = new Pool(origin, { allowH2: false, connect: { timeout: timeouts.headers } });

  return {
    json(call) {
      const isRepeatable = call.method === "GET" || call.repeatable === true;
      return isRepeatable ? retry(() => askForJson(call), call.signal) : askForJson(call);
    },
    stream: askForStream,
  };

  async function askForJson<T>(call: JsonCall<T>): Promise<JsonAnswer<T>> {
    await takeTurn(call);
    const watchdog = createWatchdog(call.signal, call.within ?? timeouts.answer);
    try {
      call.signal?.throwIfAborted();
      watchdog.allow(call.within ?? timeouts.headers);
      const { text, ...head } = await gatherAnswer(call, watchdog);
      if (head.status >= 300) throw errorAnswer(call, head, errorBody(text));
      refuseCompressed(head);
      // Without content there is nothing in a list, and everything else is missing.
      const json = head.status === 204 ? null : parseJson(text);
      if (isErrorBody(json)) throw errorAnswer(call, head, json);
      const facts = factsOf(call, head, json);
      return { value: parseAnswer(call, json, facts), ...facts };
    } catch (error) {
      throw toApiError(error, call, { watchdog, broken: "connection" });
    } finally {
      watchdog.end();
    }
  }

  async function askForStream(call: ApiCall): Promise<StreamAnswer> {
    await takeTurn(call);
    const watchdog = createWatchdog(call.signal);
    try {
      call.signal?.throwIfAborted();
      watchdog.allow(timeouts.firstByte);
      const givenUp = new AbortController();
      watchdog.whenOver(() => givenUp.abort());
      const { statusCode, headers, body } = await pool.request({ ...request(call), signal: givenUp.signal });
      // An aborted body may emit one more error while nothing reads it; without a listener that ends the process.
      body.on("error", () => undefined);
      const head = { status: statusCode, headers };
      if (head.status >= 300) throw errorAnswer(call, head, errorBody(await errorText(body)));
      refuseCompressed(head);
      const kind = header(headers, "content-type") ?? "";
      if (/\bhtml\b/i.test(kind)) throw new UnreadableJson("a web page instead of a stream");
      const facts = factsOf(call, head, undefined);
      if (!/\bjson\b/i.test(kind)) return { events: readStream(call, head, { body, watchdog }), ...facts };
      // An error in place of the stream is thrown here, before the caller takes the stream for begun.
      const whole = await wholeText(body, sizes.answer);
      const json = parseJson(whole);
      if (isErrorBody(json)) throw errorAnswer(call, head, json);
      watchdog.end();
      return { events: yieldOne({ event: "json", data: whole }), ...facts };
    } catch (error) {
      watchdog.end();
      throw toApiError(error, call, { watchdog, broken: "connection" });
    }
  }

  /** The events of a stream; what breaks it off is thrown as an error by class. */
  async function* readStream(call: ApiCall, head: Head, { body, watchdog }: Streaming): AsyncIterable<ServerEvent> {
    try {
      for await (const event of events(watchChunks(body, watchdog), sizes.event)) {
        const error = errorEvent(event);
        if (error !== undefined) throw errorAnswer(call, head, error);
        yield event;
      }
    } catch (error) {
      throw toApiError(error, call, { watchdog, broken: "cut" });
    } finally {
      watchdog.end();
    }
  }

  // Time is counted only while upstream is waited for, not while the reader is busy with what came.
  async function* watchChunks(body: AsyncIterable<unknown>, watchdog: Watchdog): AsyncIterable<Uint8Array> {
    for await (const chunk of limitBytes(body, sizes.stream)) {
      watchdog.rest();
      yield chunk;
      watchdog.allow(timeouts.idle);
    }
  }

  /** Waits until the rate limit lets the call go, or rejects with the time at which to come back. */
  async function takeTurn({ operation, signal }: ApiCall): Promise<void> {
    const now = clock.now();
    const deadline = now + LONGEST_WAIT;
    for (let renewedAt = limiter.take(now); renewedAt !== undefined; renewedAt = limiter.take(clock.now())) {
      if (renewedAt > deadline) throw new Unavailable({ api, operation, reason: "limit", retryAt: renewedAt });
      await pause(renewedAt - clock.now(), signal);
    }
  }

  /** Repeats what is harmless to repeat, at most twice, after failures that may pass soon. */
  async function retry<T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    for (let retries = 0; ; retries += 1) {
      try {
        return await work();
      } catch (error) {
        const wait = retries < MAX_RETRIES ? waitAfter(error, retries) : undefined;
        if (wait === undefined || signal?.aborted === true) throw error;
        await pause(wait, signal);
      }
    }
  }

  function waitAfter(error: unknown, retries: number): number | undefined {
    if (!(error instanceof Unavailable)) return undefined;
    // After a timeout the reader has waited long enough, and so has one whose call the rate limiter did not let go.
    if (error.reason === "timeout" || error.reason === "limit" || error.status === 408) return undefined;
    if (error.retryAt === undefined) return Math.round(FIRST_PAUSE * 2 ** retries * (0.5 + clock.random()));
    const asked = Math.max(0, error.retryAt - clock.now());
    return asked <= LONGEST_WAIT ? asked : undefined;
  }

  async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
    await clock.wait(ms, signal).catch((interruption: unknown) => {
      throw signal?.aborted === true ? signal.reason : interruption;
    });
  }

  function request(call: ApiCall) {
    return {
      path: prefix + call.path,
      method: call.method,
      headers: requestHeaders(call),
      body: call.body === undefined ? null : JSON.stringify(call.body),
      // The watchdog keeps the time; undici's default of five minutes must not cut a long stream.
      headersTimeout: 0,
      bodyTimeout: 0,
    };
  }

  /**
   * A whole answer, taken from undici's dispatch: a stream in between would cost as much as all the rest of a small
   * answer. Of an error that is huge or breaks off, the status alone is kept.
   */
  function gatherAnswer(call: ApiCall, watchdog: Watchdog): Promise<Head & { text: string }> {
    return new Promise((resolve, reject) => {
      const chunks: Uint8Array[] = [];
      let left = sizes.answer;
      let head: Head | undefined;
      let connection: { abort(reason: Error): void } | undefined;
      let stopped: Error | undefined;

      const end = (error?: Error) => {
        if (head !== undefined && (error === undefined || head.status >= 300)) {
          resolve({ ...head, text: error === undefined ? decodeText(chunks) : "" });
        } else reject(error ?? new Error("an answer without a status"));
      };
      const stop = (reason: Error) => {
        stopped = reason;
        connection?.abort(reason);
        end(reason);
      };
      watchdog.whenOver(() => stop(new Error("given up")));
      pool.dispatch(request(call), {
        onRequestStart(controller) {
          connection = controller;
          // Given up before there was a connection.
          if (stopped !== undefined) controller.abort(stopped);
        },
        onResponseStart(_, status, headers) {
          // An interim answer such as 103.
          if (status < 200) return;
          watchdog.rest();
          head = { status, headers };
          if (status >= 300) left = Math.min(left, MAX_ERROR);
        },
        onResponseData(_, chunk) {
          left -= chunk.byteLength;
          if (left < 0) stop(new TooLarge("too many bytes"));
          else chunks.push(chunk);
        },
        onResponseEnd: () => end(),
        onResponseError: (_, error) => end(error),
      });
    });
  }

  function factsOf(call: ApiCall, { headers }: Head, json: unknown): AnswerFacts {
    const now = clock.now();
    const rate = readRateLimit(headers, json, now);
    limiter.learn(rate, now);
    return { rate, requestId: requestIdOf(headers, json, secretsOf(call)) };
  }

  function errorAnswer(call: ApiCall, head: Head, body: unknown): ApiError {
    const { requestId } = factsOf(call, head, body);
    const retryAt = readRetryAt(head.headers, head.status, clock.now());
    const { operation } = call;
    const secrets = secretsOf(call);
    const facts: AnswerHead = { api, operation, status: head.status, requestId, retryAt, secrets };
    return errorIn(facts, body);
  }

  function parseAnswer<T>(call: JsonCall<T>, json: unknown, { requestId }: AnswerFacts): T {
    const result = call.schema.safeParse(json);
    if (result.success) return result.data;
    const [issue] = result.error.issues;
    const at = issue === undefined || issue.path.length === 0 ? "the answer" : issue.path.join(".");
    const detail = redactDetail(`${at}: ${issue?.message ?? "not as documented"}`, secretsOf(call));
    // An answer in its envelope is paid for, although it cannot be read.
    const meta = isRecord(json) ? json["meta"] : undefined;
    const bill = isRecord(meta) ? { used: readQuantity(meta["credits_used"]) } : undefined;
    throw new UnexpectedAnswer({ api, operation: call.operation, requestId, detail, bill });
  }

  /** The error in the class that fits; `broken` is what a failure of the network means at this point. */
  function toApiError(
    error: unknown,
    call: ApiCall,
    { watchdog, broken }: { watchdog: Watchdog; broken: "connection" | "cut" },
  ): unknown {
    if (call.signal?.aborted === true) return call.signal.reason;
    if (error instanceof ApiError) return error;
    const failure = { api, operation: call.operation };
    if (watchdog.expired()) return new Unavailable({ ...failure, reason: "timeout" });
    if (error instanceof UnreadableJson) return new UnexpectedAnswer({ ...failure, detail: error.message });
    if (error instanceof TooLarge || error instanceof OversizedEvent) {
      return new UnexpectedAnswer({ ...failure, detail: "an answer that is too large" });
    }
    // Without a code it is no failure of the network but a mistake of ours, which must stay visible.
    if (!(error instanceof Error && "code" in error && typeof error.code === "string")) return error;
    // Its code and words alone: the error itself may hold the request with its headers.
    const cause = new Error(redactDetail(`${error.name}: ${error.code}: ${error.message}`, secretsOf(call)));
    if (error.code === "UND_ERR_INVALID_ARG") {
      return new UnexpectedAnswer({ ...failure, detail: "a request that cannot be sent", cause });
    }
    return new Unavailable({ ...failure, reason: broken, cause });
  }

  /** What no error of this call may show. */
  function secretsOf({ token = "", secrets = [] }: ApiCall): string[] {
    return [token, ...secrets, ...(options.secrets ?? [])];
  }
}

interface Streaming {
  body: AsyncIterable<unknown>;
  watchdog: Watchdog;
}

function requestHeaders({ accept = "application/json", body, token, keyHeader }: ApiCall): Record<string, string> {
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

function refuseCompressed({ headers }: Head): void {
  const coding = header(headers, "content-encoding")?.trim().toLowerCase() || "identity";
  if (coding !== "identity") throw new UnreadableJson("a compressed answer, although none was asked for");
}

/** The request ID from the header, else from the body's envelope. */
function requestIdOf(headers: HttpHeaders, body: unknown, secrets: readonly string[]): string | undefined {
  const meta = isRecord(body) ? body["meta"] : undefined;
  const id = header(headers, "x-request-id") ?? (isRecord(meta) ? meta["request_id"] : undefined);
  if (typeof id !== "string") return undefined;
  // Nearly every ID is a UUID or a number, with or without a prefix: nothing in it can look like a secret.
  const isPlain = /^(?:req[-_])?[\da-f-]{1,40}$/i.test(id) && !secrets.some((one) => one !== "" && id.includes(one));
  return isPlain ? id : redactDetail(id, secrets).slice(0, 100) || undefined;
}

/** The body of an error, which may be anything: JSON, else a few words; a page and a long text are no words. */
function errorBody(text: string): unknown {
  return tolerantJson(text) ?? (/^[^<{[]{1,300}$/.test(text.trim()) ? text.trim() : undefined);
}

/** What an event says of an error: the shape of error events is not shown. */
function errorEvent({ event, data }: ServerEvent): unknown {
  if (event === "error") return tolerantJson(data) ?? data;
  if (!data.includes('"error"')) return undefined;
  const body = tolerantJson(data);
  return isErrorBody(body) || (isRecord(body) && body["type"] === "error") ? body : undefined;
}

async function* yieldOne<T>(item: T): AsyncIterable<T> {
  yield item;
}

/** More bytes came than an honest answer has. */
class TooLarge extends Error {
  override readonly name = "TooLarge";
}

/** Passes a body's bytes on, up to a limit; leaving it early closes the connection. */
async function* limitBytes(body: AsyncIterable<unknown>, maxBytes: number): AsyncIterable<Uint8Array> {
  let bytes = 0;
  for await (const chunk of body) {
    if (!(chunk instanceof Uint8Array)) continue;
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw new TooLarge("too many bytes");
    yield chunk;
  }
}

async function wholeText(body: AsyncIterable<unknown>, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of limitBytes(body, maxBytes)) chunks.push(chunk);
  return decodeText(chunks);
}

async function errorText(body: AsyncIterable<unknown>): Promise<string> {
  try {
    return await wholeText(body, MAX_ERROR);
  } catch {
    return "";
  }
}

// It keeps nothing between two bodies, and a new one for each costs more than the decoding.
const decoder = new TextDecoder();

function decodeText(chunks: Uint8Array[]): string {
  return decoder.decode(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks));
}

interface Watchdog {
  /** Says what to do when the caller gives up or the time is over. */
  whenOver(stop: () => void): void;
  /** Starts the time for the next step anew, in milliseconds. */
  allow(ms: number): void;
  /** Stops counting the step: what is waited for now is not upstream. */
  rest(): void;
  /** True when the time was over, as opposed to a caller who gave up. */
  expired(): boolean;
  end(): void;
}

/** Watches over one exchange and its steps; own timers, because undici's are coarse and know no total. */
function createWatchdog(caller: AbortSignal | undefined, total?: number): Watchdog {
  let isExpired = false;
  let stop: () => void = () => undefined;
  let step: NodeJS.Timeout | undefined;
  const giveUp = () => stop();
  const expire = () => {
    isExpired = true;
    stop();
  };
  const whole = total === undefined ? undefined : setTimeout(expire, total);
  // Joining the caller's signal with one of our own would cost more than all the rest of an exchange's care.
  caller?.addEventListener("abort", giveUp, { once: true });
  return {
    whenOver: (next) => (stop = next),
    allow(ms) {
      clearTimeout(step);
      step = setTimeout(expire, ms);
    },
    rest: () => clearTimeout(step),
    expired: () => isExpired,
    end() {
      clearTimeout(step);
      clearTimeout(whole);
      caller?.removeEventListener("abort", giveUp);
    },
  };
}

const SERVICE_NAMES: Record<Api, string> = {
  intelligence: "The news intelligence service",
  gateway: "The developer gateway",
  jurisdictions: "The jurisdiction database",
};

/** Stands in for a service without settings: every call says which ones an operator has to set. */
export function unconfiguredHttp(api: Api, settings: readonly string[]): Http {
  const names = new Intl.ListFormat("en").format(settings);
  const refuse = () => {
    const next = `An operator sets ${names}, then restarts Bellwether.`;
    return Promise.reject(new UsageError(`${SERVICE_NAMES[api]} is not set up here. ${next}`));
  };
  return { json: refuse, stream: refuse };
}
