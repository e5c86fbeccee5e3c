import { once } from "node:events";
import { type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from "node:http";
import { parse } from "node:querystring";

import {
  type App,
  ErrorCode,
  HTTPModuleFunctions,
  type HTTPReceiver,
  type Logger,
  type ReceiverDispatchErrorHandlerArgs,
  type ReceiverProcessEventErrorHandlerArgs,
  isValidSlackRequest,
} from "@slack/bolt";

import { type Timer, withDeadline } from "../timer.ts";
import {
  type Forward,
  type WholeRequest,
  eventsPath,
  forwardedHeader,
  replicaHeader,
  workspaceOfPayload,
} from "./forward.ts";
import { NotInstalled } from "../workspaces/installations.ts";
import { restrictCookies } from "../workspaces/oauth.ts";
import { findPayloadFlaw } from "./payload.ts";

/**
 * Anybody can connect without a signature, so a connection that is silent, slow or idle is closed: after ten seconds
 * without all headers, and after fifteen without the whole request. Here it is a second less, because Node looks for late
 * requests only once in each interval.
 */
export const serverOptions: ServerOptions = {
  headersTimeout: 9_000,
  requestTimeout: 14_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 1_000,
};

/** Limits that Node takes no option for. */
export function limitConnections(server: Server): void {
  server.maxConnections = 1_000;
  // A response that never comes: longer than the ten seconds that a Web API call may take.
  server.timeout = 20_000;
}

/** Bolt refuses what was signed longer ago than this, but would take what is signed for any later time. */
const maxAheadMs = 5 * 60_000;
/** How long requests that nobody has answered hold up the stop. */
const stopMs = 500;

interface GuardOptions {
  signingSecret: string;
  timer: Timer;
  logger: Logger;
  /** Told of each request that is refused, and why. */
  onRefused?: ((reason: string) => void) | undefined;
  /** Where there are several replicas: passes on what is another one's to answer, and the ID of this one. */
  forward?: Forward | undefined;
  replicaId?: string | undefined;
  /** The workspace that everything is for, where there is one. */
  ownTeam?: (() => Promise<string>) | undefined;
}

/**
 * Looks at requests before Bolt's receiver does, which buffers any number of unsigned bodies and takes signatures for any
 * time to come; starts and stops its server.
 */
export function guardReceiver(receiver: HTTPReceiver, options: GuardOptions) {
  const { signingSecret, timer, logger, onRefused, forward, replicaId, ownTeam } = options;
  const passToBolt = receiver.requestListener;
  const readBody = createBodyReader();
  const limited = limitErrors(logger, timer);
  let server: Server | undefined;
  let closed = Promise.resolve();
  let isRefusing = false;

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const rawBody = await readBody(request);
    if (isRefusing) return refuse(response, 503);
    if (typeof rawBody === "number") {
      logger.info(`a request body is refused: ${rawBody}`);
      onRefused?.(rawBody === 413 ? "too long" : "unfinished");
      return refuse(response, rawBody);
    }
    // Bolt reads no body if it finds one here.
    const whole = Object.assign(request, { rawBody });
    const isCheck = isCertificateCheck(whole);
    if (!isCheck && !isSigned(whole, signingSecret)) {
      limited.error("requests without a valid signature are refused");
      onRefused?.("unsigned");
      return refuse(response, 401);
    }
    if (!isCheck && Number(request.headers["x-slack-request-timestamp"]) * 1_000 > Date.now() + maxAheadMs) {
      logger.warn("A request is signed for more than five minutes ahead: is the clock of this machine behind?");
      return refuse(response, 401);
    }
    const payload = isCheck ? undefined : parsePayload(whole);
    const flaw = isCheck ? undefined : payload === undefined ? "it is no JSON" : findPayloadFlaw(payload);
    if (flaw !== undefined) {
      logger.info(`a signed request cannot be read: ${flaw}`);
      onRefused?.("unreadable");
      return refuse(response, 400);
    }
    if (forward && !(await forwardTo(forward, payload, whole, response))) return;
    passToBolt(whole, response);
  }

  async function forwardTo(to: Forward, payload: unknown, whole: WholeRequest, response: ServerResponse) {
    const team = workspaceOfPayload(payload);
    return team === undefined || to((await ownTeam?.()) || team, whole, response);
  }

  receiver.requestListener = (request, response) => {
    restrictCookies(response);
    if (replicaId && request.headers[forwardedHeader]) response.setHeader(replicaHeader, replicaId);
    if (isRefusing) refuse(response, 503);
    else if (request.method === "POST" && pathOf(request) === eventsPath) void receive(request, response);
    else passToBolt(request, response);
  };

  return {
    async start(port: number): Promise<void> {
      server = await receiver.start(port, serverOptions);
      limitConnections(server);
      closed = once(server, "close").then(() => undefined);
    },
    /** Refuses every request from now on: Slack sends events again. */
    async refuse(): Promise<void> {
      isRefusing = true;
      // What is before the bot tries another replica at once.
      server?.close();
    },
    /** Lets requests under way be answered for half a second, then closes every connection. */
    async stop(): Promise<void> {
      isRefusing = true;
      if (!server) return;
      // A connection whose request has been answered is not kept for another one.
      server.keepAliveTimeout = 1;
      server.keepAliveTimeoutBuffer = 0;
      if (server.listening) server.close();
      else server.closeIdleConnections();
      await withDeadline(timer, stopMs, closed, () => undefined);
      server.closeAllConnections();
    },
  };
}

const limitedMs = 60_000;

/**
 * A logger for what anybody can bring about any number of times, such as an installation that did not work, or a request
 * without a signature: there is one line a minute between all such errors.
 */
export function limitErrors(logger: Logger, timer: Pick<Timer, "now">): Logger {
  let more = 0;
  let loggedAt = -Infinity;
  return {
    ...logger,
    error(...parts: unknown[]) {
      more += 1;
      if (timer.now() - loggedAt < limitedMs) return;
      logger.warn(...parts, `(since the last such line: ${more})`);
      more = 0;
      loggedAt = timer.now();
    },
  };
}

/** The path of a request as Bolt's receiver reads it, which may be written in many ways; nothing where it is none. */
function pathOf({ url = "" }: IncomingMessage): string | undefined {
  return URL.parse(url, "http://localhost")?.pathname;
}

/** Whether a body only checks the certificate, which Slack does without a signature; read as Bolt's receiver reads it. */
function isCertificateCheck({ headers, rawBody }: WholeRequest): boolean {
  const isForm = headers["content-type"] === "application/x-www-form-urlencoded";
  return isForm && parse(rawBody.toString())["ssl_check"] === "1";
}

function isSigned({ headers, rawBody }: WholeRequest, signingSecret: string): boolean {
  return isValidSlackRequest({
    signingSecret,
    body: rawBody.toString(),
    headers: {
      "x-slack-signature": String(headers["x-slack-signature"]),
      "x-slack-request-timestamp": Number(headers["x-slack-request-timestamp"]),
    },
  });
}

/** What a body holds; nothing where it is no JSON. */
function parsePayload(whole: WholeRequest): unknown {
  try {
    return HTTPModuleFunctions.parseHTTPRequestBody(whole) ?? null;
  } catch {
    return undefined;
  }
}

/** Refuses a request and closes its connection at once, so that the rest of its body is not read. */
function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status, { connection: "close" }).end();
  response.req.destroy();
}

/**
 * Answers a payload at which Bolt fails before a listener of ours hears of it: 503 if the workspace's token could not be
 * read, which passes or another replica can do.
 */
export async function refuseUnreadable(failure: ReceiverProcessEventErrorHandlerArgs): Promise<boolean> {
  const { error, response, logger } = failure;
  if (response.headersSent) return HTTPModuleFunctions.defaultProcessEventErrorHandler(failure);
  const isUnread = isTokenUnread(error);
  logger.info(`a signed request cannot be ${isUnread ? "answered" : "read"}: ${error.message}`);
  refuse(response, isUnread ? 503 : 400);
  return true;
}

/** Whether an error of Bolt's says that the token of a workspace could not be read; one without an installation has none. */
export function isTokenUnread(error: Error & { code?: string; original?: Error }): boolean {
  let cause: (Error & { original?: Error }) | undefined = error;
  while (cause && !(cause instanceof NotInstalled)) cause = cause.original;
  return error.code === ErrorCode.AuthorizationError && cause === undefined;
}

/** Has a payload that no listener takes refused at once: Bolt would leave it open for three seconds and log an error. */
export function refuseUntaken(app: Pick<App, "processEvent">): void {
  const process = app.processEvent.bind(app);
  app.processEvent = async (event) => {
    let isAcked = false;
    const ack: typeof event.ack = (answer) => {
      isAcked = true;
      return event.ack(answer);
    };
    await process({ ...event, ack });
    if (!isAcked) throw new Error("nothing listens for it");
  };
}

/** Answers a request to a path that nothing serves, or whose path is none. */
export function refuseUnknownPath({ request, response, logger }: ReceiverDispatchErrorHandlerArgs): void {
  logger.info(`nothing is at ${request.method} ${request.url}`);
  refuse(response, 404);
}

/** Slack's biggest request, the event of an edited message of 40,000 characters, is just below this. */
const maxBodyBytes = 1_000_000;
/** What each piece of a body counts besides its bytes, because a body may be sent byte by byte. */
const pieceCost = 1_000;
const maxBodyCost = 2 * maxBodyBytes;
/** Most of Slack's requests are a few kB; a body that costs more than this is long. */
const maxShortCost = 64_000;
/** What all unfinished short bodies together may cost, and how many long ones there may be. */
const maxHeldCost = 8_000_000;
const maxLongBodies = 8;

/**
 * Reads bodies before their signature can be checked; resolves to the body, or to the status with which to refuse it.
 * A limit for each body alone would let 500 connections hold 500 MB. Where short ones together hold too much, the oldest
 * is refused: Slack's are complete within milliseconds, so this hits slow senders. Of long ones the newest is refused: to
 * replace the oldest, each new one would have to be read, and what was read stays in memory for a while.
 */
export function createBodyReader(): (request: IncomingMessage) => Promise<Buffer | number> {
  /** Unfinished short bodies, the oldest first. */
  const short = new Set<{ cost: number; end(outcome: number): void }>();
  const long = new Set<object>();
  let heldCost = 0;

  return (request) => {
    const { promise, resolve } = Promise.withResolvers<Buffer | number>();
    const pieces: Buffer[] = [];
    let bytes = 0;
    const body = { cost: 0, end };
    short.add(body);

    function end(outcome: Buffer | number): void {
      if (short.delete(body)) heldCost -= body.cost;
      else if (!long.delete(body)) return;
      request.off("data", take);
      pieces.length = 0;
      resolve(outcome);
    }

    function take(piece: Buffer): void {
      const cost = piece.length + pieceCost;
      pieces.push(piece);
      bytes += piece.length;
      body.cost += cost;
      if (short.has(body)) heldCost += cost;
      if (bytes > maxBodyBytes || body.cost > maxBodyCost) return end(413);
      if (body.cost > maxShortCost && short.has(body)) {
        if (long.size >= maxLongBodies) return end(503);
        short.delete(body);
        heldCost -= body.cost;
        long.add(body);
      }
      for (const oldest of short) {
        if (heldCost <= maxHeldCost) break;
        oldest.end(503);
      }
    }

    request.on("data", take);
    request.once("end", () => end(Buffer.concat(pieces)));
    // The sender has gone and reads no status.
    request.once("close", () => end(400));
    if (Number(request.headers["content-length"]) > maxBodyBytes) end(413);
    return promise;
  };
}
