import type { IncomingMessage, ServerResponse } from "node:http";
import { openArgs, textArg } from "./args.ts";
import type { Desk } from "./desk.ts";
import type { Fault, Faults } from "./faults.ts";
import { type Fields, fieldsOf, parseJson } from "./fields.ts";
import { METHODS } from "./methods/index.ts";
import { missingScope } from "./methods/place.ts";
import type { Rates } from "./rates.ts";
import { Refusal } from "./refusal.ts";
import { METHOD_SCOPES } from "./scopes.ts";
import { mediaType, readBody, sendJson } from "./wire.ts";

/** One Web API call as it was answered. */
export interface ApiCall {
  method: string;
  args: Fields;
  at: number;
  /** `ok`, a Slack error code, `429`, or the fault that it met. */
  outcome: string;
}

/** The Web API's door and its log. */
export interface WebApi {
  handle: (request: IncomingMessage, response: ServerResponse, method: string) => Promise<void>;
  calls: ApiCall[];
}

interface Parts {
  desk: Desk;
  rates: Rates;
  faults: Faults;
  tokens: { bot: string; app: string };
  latencyMs: number;
}

interface Answer {
  status: number;
  body: Fields;
  headers?: Record<string, string>;
  outcome: string;
}

const KEPT = 20_000;
/** Methods that answer anybody. */
const OPEN_METHODS = new Set(["api.test", "blocks.validate"]);

async function readArgs(request: IncomingMessage): Promise<Fields> {
  const query = Object.fromEntries(new URL(request.url ?? "/", "http://localhost").searchParams);
  const text = await readBody(request);
  if (mediaType(request) === "application/json") return { ...query, ...openArgs(fieldsOf(parseJson(text))) };
  return openArgs({ ...query, ...Object.fromEntries(new URLSearchParams(text)) });
}

function limited(seconds: number): Answer {
  const body = { ok: false, error: "ratelimited" };
  return { status: 429, body, headers: { "retry-after": String(seconds) }, outcome: "429" };
}

function refused(code: string, details: Fields = {}): Answer {
  return { status: 200, body: { ok: false, error: code, ...details }, outcome: code };
}

function checkToken(parts: Parts, method: string, token: string | undefined): void {
  if (OPEN_METHODS.has(method)) return;
  if (token === undefined) throw new Refusal("not_authed");
  const { bot, app } = parts.tokens;
  if (token !== bot && token !== app) throw new Refusal("invalid_auth");
  const needed = method === "apps.connections.open" ? app : bot;
  if (token !== needed) throw new Refusal("not_allowed_token_type");
}

function checkScope(desk: Desk, method: string): void {
  const enough = METHOD_SCOPES[method];
  if (!enough || enough.some((scope) => desk.manifest.scopes.has(scope))) return;
  throw missingScope(desk, enough[0] ?? "");
}

function carryOut(parts: Parts, call: { method: string; args: Fields; token: string | undefined }): Answer {
  const run = METHODS.get(call.method);
  if (!run) return refused("unknown_method", { req_method: call.method });
  try {
    checkToken(parts, call.method, call.token);
    checkScope(parts.desk, call.method);
    const channel = textArg(call.args, "channel") ?? "";
    const wait = parts.rates.take({ method: call.method, channel });
    if (wait !== undefined) return limited(wait);
    return { status: 200, body: { ok: true, ...run(parts.desk, call.args) }, outcome: "ok" };
  } catch (error) {
    if (error instanceof Refusal) return refused(error.code, error.details);
    throw error;
  }
}

/** What a fault answers; undefined where the call is carried out and its answer lost. */
function faultAnswer(fault: Fault): Answer | undefined {
  if (fault.outcome === "accept_then_cut" || fault.outcome === "timeout") return undefined;
  if (fault.outcome === "ratelimited") return limited(fault.retryAfter ?? 1);
  if (fault.outcome === "http_500") return { status: 500, body: { ok: false }, outcome: "http_500" };
  return refused(fault.outcome);
}

/** Builds the Web API of one workspace. */
export function createWebApi(parts: Parts): WebApi {
  const { desk, faults } = parts;
  const calls: ApiCall[] = [];

  function note(call: ApiCall): void {
    calls.push(call);
    if (calls.length > KEPT) calls.splice(0, calls.length - KEPT);
    desk.feed.nudge();
  }

  return {
    calls,
    async handle(request, response, method) {
      const { token: given, ...args } = await readArgs(request);
      const bearer = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1];
      const token = bearer ?? (typeof given === "string" ? given : undefined);
      if (parts.latencyMs > 0) await new Promise<void>((resolve) => desk.clock.after(parts.latencyMs, resolve));
      const at = desk.clock.now();
      const fault = faults.meet(method);
      const instead = fault && faultAnswer(fault);
      const done = instead && !fault.isDone ? undefined : carryOut(parts, { method, args, token });
      const answer = instead ?? done ?? refused("internal_error");
      const isLost = fault?.outcome === "accept_then_cut" || fault?.outcome === "timeout";
      note({ method, args, at, outcome: isLost && answer.outcome === "ok" ? fault.outcome : answer.outcome });
      if (fault?.outcome === "accept_then_cut") request.socket.destroy();
      else if (!isLost) sendJson(response, answer);
    },
  };
}
