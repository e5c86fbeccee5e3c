import { Pool } from "undici";
import { rateLimit } from "./answer.ts";
import type { AnswerFacts, Headers } from "./answer.ts";
import { Gathering } from "./body.ts";
import type { Call, Http, Sizes, Timeouts } from "./call.ts";
import type { Api } from "./errors.ts";
import { UsageError } from "./errors.ts";
import { exchange, openStream, secretsOf } from "./exchange.ts";
import type { Line } from "./exchange.ts";
import { retrying, systemClock } from "./retry.ts";
import type { Clock } from "./retry.ts";

export interface HttpOptions {
  api: Api;
  /** With or without a path prefix and a slash at its end. */
  baseUrl: string;
  clock?: Partial<Clock>;
  timeouts?: Partial<Timeouts>;
  sizes?: Partial<Sizes>;
}

const TIMEOUTS: Timeouts = { headers: 15_000, answer: 30_000, firstByte: 30_000, idle: 60_000 };
const SIZES: Sizes = { answer: 10_000_000, stream: 20_000_000, event: 2_000_000 };

/** The one way to an upstream service: timeouts, retries, size caps, schemas, and errors in five classes. */
export function createHttp(options: HttpOptions): Http {
  const clock = { ...systemClock, ...options.clock };
  const line: Line = {
    api: options.api,
    timeouts: { ...TIMEOUTS, ...options.timeouts },
    sizes: { ...SIZES, ...options.sizes },
    ...createWays(options, clock),
  };
  return {
    json(call) {
      const attempt = () => inTurn(call, () => exchange(line, call));
      if (call.method !== "GET" && call.repeatable !== true) return attempt();
      return retrying(attempt, clock, call.signal);
    },
    stream: (call) => inTurn(call, () => openStream(line, call)),
  };
}

// Outside the exchange, whose time runs from the sending on.
function inTurn<T>(call: Call, work: () => Promise<T>): Promise<T> {
  return call.pace === undefined ? work() : call.pace.run(call, work);
}

function createWays({ api, baseUrl, timeouts, sizes }: HttpOptions, clock: Clock): Pick<Line, "open" | "whole"> {
  const { origin, pathname } = new URL(baseUrl);
  const prefix = pathname.replace(/\/+$/, "");
  // HTTP/1.1 only: that is where timeouts, resets and cut streams were measured.
  const pool = new Pool(origin, { allowH2: false, connect: { timeout: timeouts?.headers ?? TIMEOUTS.headers } });
  const request = (call: Call) => ({
    path: prefix + call.path,
    method: call.method,
    headers: requestHeaders(call),
    body: call.body === undefined ? null : JSON.stringify(call.body),
    // The exchange's watchdog keeps the time; undici's default of five minutes must not cut a long stream.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const begun = (call: Call, status: number, headers: Headers): AnswerFacts => {
    // Refusals and streams tell of the budget as well, in their headers.
    const now = clock.now();
    call.pace?.learn(rateLimit(headers, undefined, now));
    return { api, operation: call.operation, status, headers, secrets: secretsOf(call), now };
  };
  return {
    async open(call, watchdog) {
      const given = new AbortController();
      watchdog.whenOver(() => given.abort());
      const { statusCode, headers, body } = await pool.request({ ...request(call), signal: given.signal });
      // A body that is given up may fail once more with nobody reading; without a listener that ends the process.
      body.on("error", () => undefined);
      return { facts: begun(call, statusCode, headers), body };
    },
    whole(call, watchdog) {
      const gathering = new Gathering(sizes?.answer ?? SIZES.answer, (status, headers) => {
        watchdog.rest();
        return begun(call, status, headers);
      });
      watchdog.whenOver(() => gathering.stop(new Error("given up")));
      pool.dispatch(request(call), gathering);
      return gathering.whole;
    },
  };
}

function requestHeaders(call: Call): Record<string, string> {
  return {
    accept: call.accept ?? "application/json",
    // Where nothing is said, any coding may come.
    "accept-encoding": "identity",
    "user-agent": "Bellwether",
    ...(call.body === undefined ? {} : { "content-type": "application/json" }),
    ...credential(call),
  };
}

function credential({ token, keyHeader }: Call): Record<string, string> {
  if (token === undefined) return {};
  return keyHeader === "x-api-key" ? { "x-api-key": token } : { authorization: `Bearer ${token}` };
}

const SERVICE_NAMES: Record<Api, string> = {
  intelligence: "The news intelligence service",
  gateway: "The developer gateway",
  jurisdictions: "The jurisdiction database",
};

/** Stands in for a service without settings: every call tells which ones an operator has to set. */
export function unconfiguredHttp(api: Api, settings: readonly string[]): Http {
  const names = new Intl.ListFormat("en").format(settings);
  const refuse = () => {
    const next = `An operator sets ${names}, then restarts Bellwether.`;
    return Promise.reject(new UsageError(`${SERVICE_NAMES[api]} is not set up here. ${next}`));
  };
  return { json: refuse, stream: refuse };
}
