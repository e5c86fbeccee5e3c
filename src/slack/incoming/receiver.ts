import { once } from "node:events";
import type { IncomingMessage, Server, ServerResponse } from "node:http";

import { type App, HTTPModuleFunctions, type Logger, type Receiver } from "@slack/bolt";

import { type Timer, withDeadline } from "../timer.ts";
import { type Forward, type WholeRequest, eventsPath, forwardedHeader, replicaHeader } from "./forward.ts";
import { type Handler, createBodyReader, limitErrors, refuse, serveHttp } from "./http.ts";
import { type Payload, workspaceOfPayload } from "./payload.ts";
import { type ProcessEvent, isPassingFailure } from "./process-event.ts";

/**
 * The most that a signature's time may lie ahead. The SDK's check refuses one that lies this far back, but takes any
 * later time.
 */
const maxAheadMs = 5 * 60_000;
/** Slack waits three seconds for a response. */
const longestMs = 3_001;
/** The time for which requests that nobody has answered hold up the stop. */
const stopMs = 500;

export interface HttpReceiverOptions {
  port: number;
  signingSecret: string;
  timer: Timer;
  logger: Logger;
  processEvent: ProcessEvent;
  /** The other pages that are served to GET, by path. */
  pages: ReadonlyMap<string, Handler>;
  /** Called for each request that is refused, with the reason. */
  onRefused?: ((reason: string) => void) | undefined;
  /** With several replicas: passes on what is another one's to answer, and the ID of this one. */
  forward?: Forward | undefined;
  replicaId?: string | undefined;
  /** The workspace that everything is for, if there is but one. */
  ownTeam?: (() => Promise<string>) | undefined;
}

/**
 * Receives what Slack sends by HTTP: a body is read within limits, its signature is checked, and it is passed on or
 * processed, in this order. Each request gets its response within the three seconds that Slack waits.
 */
export function createHttpReceiver(options: HttpReceiverOptions) {
  const { port, signingSecret, timer, logger, processEvent, pages, onRefused, forward, replicaId, ownTeam } = options;
  const readBody = createBodyReader();
  const limited = limitErrors(logger, timer);
  let app: App | undefined;
  let server: Server | undefined;
  let closed: Promise<unknown> = Promise.resolve();
  let isRefusing = false;

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const rawBody = await readBody(request);
    if (isRefusing) return refuse(response, 503);
    if (typeof rawBody === "number") {
      logger.info(`a request body is refused: ${rawBody}`);
      onRefused?.(rawBody === 413 ? "too long" : "unfinished");
      return refuse(response, rawBody);
    }
    const whole: WholeRequest = Object.assign(request, { rawBody });
    if (!(await isSigned(whole))) {
      limited.error("requests without a valid signature are refused");
      onRefused?.("unsigned");
      return refuse(response, 401);
    }
    const body = parseBody(whole);
    if (body?.["ssl_check"] === "1") return HTTPModuleFunctions.buildSSLCheckResponse(response);
    if (Number(request.headers["x-slack-request-timestamp"]) * 1_000 > Date.now() + maxAheadMs) {
      logger.warn("A request is signed for more than five minutes ahead: is the clock of this machine behind?");
      return refuse(response, 401);
    }
    if (body === undefined) {
      logger.info("a signed request cannot be read: it is no JSON");
      onRefused?.("unreadable");
      return refuse(response, 400);
    }
    if (forward && !(await forwardTo(forward, body, whole, response))) return;
    if (body["type"] === "url_verification") return HTTPModuleFunctions.buildUrlVerificationResponse(response, body);
    await answer(body, response);
  }

  /** Slack signed the request; one that only checks the certificate needs no signature, and keeps nothing else. */
  async function isSigned(whole: WholeRequest): Promise<boolean> {
    const verified = HTTPModuleFunctions.parseAndVerifyHTTPRequest({ signingSecret }, whole);
    return verified.then(
      () => true,
      () => false,
    );
  }

  async function forwardTo(to: Forward, body: Payload, whole: WholeRequest, response: ServerResponse) {
    const team = workspaceOfPayload(body);
    return team === undefined || to((await ownTeam?.()) || team, whole, response);
  }

  async function answer(body: Payload, response: ServerResponse): Promise<void> {
    if (!app) return refuse(response, 503);
    const cancel = timer.after(longestMs, () => {
      logger.error("a signed request was not acknowledged within three seconds");
      refuse(response, 503);
    });
    response.once("close", cancel);
    try {
      await processEvent(app, {
        body,
        async ack(content) {
          if (!response.headersSent) HTTPModuleFunctions.buildContentResponse(response, content);
        },
      });
    } catch (error) {
      const isPassing = isPassingFailure(error);
      const reason = error instanceof Error ? error.message : String(error);
      logger[response.headersSent ? "error" : "info"](
        `a signed request cannot be ${isPassing ? "answered" : "read"}: ${reason}`,
      );
      refuse(response, isPassing ? 503 : 400);
    }
  }

  function handlerOf(request: IncomingMessage): Handler | undefined {
    // A path may be written in many ways.
    const path = URL.parse(request.url ?? "", "http://localhost")?.pathname ?? "";
    if (request.method === "POST" && path === eventsPath) return receive;
    return request.method === "GET" ? pages.get(path) : undefined;
  }

  function listen(request: IncomingMessage, response: ServerResponse): void {
    if (replicaId && request.headers[forwardedHeader]) response.setHeader(replicaHeader, replicaId);
    if (isRefusing) return refuse(response, 503);
    const handle = handlerOf(request);
    if (!handle) {
      logger.info(`nothing is at ${request.method} ${request.url}`);
      return refuse(response, 404);
    }
    handle(request, response).catch((error: unknown) => {
      limited.error(error);
      refuse(response, 500);
    });
  }

  return {
    init(to: App): void {
      app = to;
    },
    async start(): Promise<void> {
      server = await serveHttp(port, listen);
      closed = once(server, "close");
    },
    /** Refuses every request from now on: Slack sends events again. */
    async refuse(): Promise<void> {
      isRefusing = true;
      // A load balancer before the bot tries another replica at once.
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
      await withDeadline<unknown>(timer, stopMs, closed, () => undefined);
      server.closeAllConnections();
    },
  } satisfies Receiver & Record<string, unknown>;
}

/** The payload of a request, as JSON or in a form; nothing if it is neither. */
function parseBody(whole: WholeRequest): Payload | undefined {
  try {
    return HTTPModuleFunctions.parseHTTPRequestBody(whole) ?? {};
  } catch {
    return undefined;
  }
}
