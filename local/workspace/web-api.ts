import type { IncomingMessage, ServerResponse } from "node:http";
import { bearerToken, mediaType, readBody, sendJson } from "../http.ts";
import { openArgs, textArg } from "./args.ts";
import type { EventFeed } from "./feed.ts";
import type { SlackFault, SlackFaults } from "./faults.ts";
import type { Inspector } from "./inspector.ts";
import { type ChatContext, chatMethods } from "./methods/chat.ts";
import { type ConversationContext, conversationMethods } from "./methods/conversations.ts";
import type { SlackMethod } from "./methods/method.ts";
import { type StreamContext, streamMethods } from "./methods/streams.ts";
import { type UserContext, userMethods } from "./methods/users.ts";
import { type ViewContext, viewMethods } from "./methods/views.ts";
import { type Fields, fieldsOf, parseJson, stringOf } from "./page/fields.ts";
import type { RateLimits } from "./rates.ts";
import { methodScopes, needScope } from "./scopes.ts";
import { SlackError } from "./slack-error.ts";

/** One Web API call with its outcome. */
export interface WebApiCall {
  method: string;
  args: Fields;
  at: number;
  /** `ok`, a Slack error code, `429`, or the fault that the call got. */
  outcome: string;
}

interface ApiAnswer {
  status: number;
  body: Fields;
  headers?: Record<string, string>;
  outcome: string;
}

/** The entrance to the Web API, and the log of its calls. */
export interface WebApi {
  handle: (request: IncomingMessage, response: ServerResponse, method: string) => Promise<void>;
  calls: WebApiCall[];
}

/** Parts of the workspace that all methods together need. */
type MethodContext = ChatContext & ConversationContext & StreamContext & UserContext & ViewContext;

interface WebApiOptions {
  context: MethodContext;
  feed: EventFeed;
  rates: RateLimits;
  faults: SlackFaults;
  tokens: { bot: string; app: string };
  inspector: Inspector;
  /** The least time that a call takes, in milliseconds. */
  latencyMs: number;
}

const methods: ReadonlyMap<string, SlackMethod<MethodContext>> = new Map(
  Object.entries({ ...chatMethods, ...conversationMethods, ...streamMethods, ...userMethods, ...viewMethods }),
);

const keptCalls = 20_000;

/** Builds the Web API of one workspace. */
export function createWebApi(options: WebApiOptions): WebApi {
  const { context, feed, rates, faults, tokens, inspector, latencyMs } = options;
  const { clock, manifest } = context;
  const calls: WebApiCall[] = [];

  function log(call: WebApiCall): void {
    calls.push(call);
    if (calls.length > keptCalls) calls.splice(0, calls.length - keptCalls);
    feed.nudge();
  }

  function checkToken(method: string, token: string | undefined): void {
    if (token === undefined) throw new SlackError("not_authed");
    if (token !== tokens.bot && token !== tokens.app) throw new SlackError("invalid_auth");
    const needed = method === "apps.connections.open" ? tokens.app : tokens.bot;
    if (token !== needed) throw new SlackError("not_allowed_token_type");
  }

  function checkScope(method: string): void {
    const enough = methodScopes[method] ?? [];
    const [first = ""] = enough;
    if (enough.length > 0 && !enough.some((scope) => manifest.scopes.has(scope))) needScope(manifest, first);
  }

  function carryOut({ method, args, token }: { method: string; args: Fields; token: string | undefined }): ApiAnswer {
    const run = methods.get(method);
    if (!run) return refused("unknown_method", { req_method: method });
    try {
      checkToken(method, token);
      checkScope(method);
      const wait = rates.take({ method, channel: textArg(args, "channel") ?? "" });
      if (wait !== undefined) return rateLimited(wait);
      return { status: 200, body: { ok: true, ...run(context, args) }, outcome: "ok" };
    } catch (error) {
      if (error instanceof SlackError) return refused(error.code, error.details);
      throw error;
    }
  }

  return {
    calls,
    async handle(request, response, method) {
      const since = performance.now();
      const { token: given, ...args } = await readArgs(request);
      const token = bearerToken(request) ?? (stringOf(given) || undefined);
      if (latencyMs > 0) await new Promise<void>((resolve) => clock.after(latencyMs, resolve));
      const at = clock.now();
      const fault = faults.take(method);
      const fallbackBlocks = fault && faultAnswer(fault);
      const done = fallbackBlocks && !fault.isDone ? undefined : carryOut({ method, args, token });
      const answer = fallbackBlocks ?? done ?? refused("internal_error");
      const isLost = fault !== undefined && fallbackBlocks === undefined;
      const outcome = isLost && answer.outcome === "ok" ? fault.outcome : answer.outcome;
      log({ method, args, at, outcome });
      const channel = textArg(args, "channel") ?? textArg(args, "channel_id");
      const ms = performance.now() - since;
      const exchange = { kind: "call" as const, name: method, at, ms, outcome, sent: args, answered: answer.body };
      inspector.note({ ...exchange, ...(channel !== undefined && { channel }) });
      if (fault?.outcome === "accept_then_cut") request.socket.destroy();
      else if (!isLost) sendJson(response, answer);
    },
  };
}

async function readArgs(request: IncomingMessage): Promise<Fields> {
  const query = Object.fromEntries(new URL(request.url ?? "/", "http://localhost").searchParams);
  const text = await readBody(request);
  if (mediaType(request) === "application/json") return { ...query, ...openArgs(fieldsOf(parseJson(text))) };
  return openArgs({ ...query, ...Object.fromEntries(new URLSearchParams(text)) });
}

function rateLimited(seconds: number): ApiAnswer {
  const body = { ok: false, error: "ratelimited" };
  return { status: 429, body, headers: { "retry-after": String(seconds) }, outcome: "429" };
}

function refused(code: string, details: Fields = {}): ApiAnswer {
  return { status: 200, body: { ok: false, error: code, ...details }, outcome: code };
}

/** The answer of a fault; undefined if the call is carried out and its answer lost. */
function faultAnswer({ outcome, retryAfter = 1 }: SlackFault): ApiAnswer | undefined {
  if (outcome === "accept_then_cut" || outcome === "timeout") return undefined;
  if (outcome === "ratelimited") return rateLimited(retryAfter);
  if (outcome === "http_500") return { status: 500, body: { ok: false }, outcome };
  return refused(outcome);
}
