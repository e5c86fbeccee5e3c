import type { IncomingMessage, Server, ServerOptions, ServerResponse } from "node:http";

import {
  HTTPModuleFunctions,
  type HTTPReceiver,
  type Logger,
  type ReceiverDispatchErrorHandlerArgs,
  type ReceiverProcessEventErrorHandlerArgs,
  isValidSlackRequest,
} from "@slack/bolt";

import { createBodies } from "./bodies.ts";
import { flawIn } from "./payload.ts";
import type { Timer } from "../pacer.ts";

/**
 * Anybody can connect without a signature, so a connection that is silent, slow or idle is closed: after ten seconds
 * without all headers, and after fifteen without the whole request. That is a second less here, because Node looks for
 * those that are late once in the interval, which is half a minute where nothing is said.
 */
export const serverOptions: ServerOptions = {
  headersTimeout: 9_000,
  requestTimeout: 14_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 1_000,
};

/** Sets what Node takes no option for. */
export function limitConnections(server: Server): void {
  server.maxConnections = 1_000;
  // Whatever waits for an answer that never comes: longer than the ten seconds that a call of Slack's may take.
  server.timeout = 20_000;
}

/** Where Slack sends everything. */
export const eventsPath = "/slack/events";
/** Bolt refuses what was signed longer ago, but takes what is signed for any time to come. */
const mostAheadMs = 5 * 60_000;
/** How long requests that nobody answers hold up the end. */
const farewellMs = 500;

interface GuardOptions {
  signingSecret: string;
  timer: Timer;
  logger: Logger;
}

/**
 * Looks at requests before Bolt's receiver does, which buffers any number of unsigned bodies, takes signatures for any
 * time to come, and fails at signed payloads that are none of Slack's; starts and stops its server.
 */
export function guardReceiver(receiver: HTTPReceiver, { signingSecret, timer, logger }: GuardOptions) {
  const toBolt = receiver.requestListener;
  const read = createBodies();
  const open = createOpenRequests(timer);
  let server: Server | undefined;
  let isRefusing = false;

  async function hear(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const rawBody = await read(request);
    if (isRefusing) return close(response, 503);
    if (typeof rawBody === "number") {
      logger.info(`a body is not taken: ${rawBody}`);
      return close(response, rawBody);
    }
    // Bolt reads no body where it finds one.
    const whole = Object.assign(request, { rawBody });
    const refusal = isSigned(whole, signingSecret) ? refusalOf(whole, logger) : undefined;
    if (refusal !== undefined) return close(response, refusal);
    open.add(response);
    toBolt(whole, response);
  }

  receiver.requestListener = (request, response) => {
    // What is no address fails here, and Bolt's server passes that on to its handler for it.
    const { pathname } = new URL(request.url ?? "", "http://localhost");
    if (isRefusing) close(response, 503);
    else if (request.method !== "POST" || pathname !== eventsPath) toBolt(request, response);
    else void hear(request, response);
  };

  /** Refuses every request from now on: Slack sends events again. */
  async function refuse(): Promise<void> {
    isRefusing = true;
    server?.close();
  }

  return {
    start: async (port: number): Promise<void> => {
      server = await receiver.start(port, serverOptions);
      limitConnections(server);
    },
    refuse,
    stop: async (): Promise<void> => {
      await refuse();
      await open.answered();
      // Also those on which nothing came yet, or half a request: Node takes them for busy.
      server?.closeAllConnections();
    },
  };
}

/** Requests that Bolt has and nobody has answered yet. */
function createOpenRequests(timer: Timer) {
  const open = new Set<ServerResponse>();
  let onAnswered = () => {};
  return {
    add(response: ServerResponse): void {
      open.add(response);
      response.once("close", () => {
        open.delete(response);
        if (open.size === 0) onAnswered();
      });
    },
    /** Resolves when they are all answered, or when the time for that is up. */
    async answered(): Promise<void> {
      if (open.size === 0) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      const cancel = timer.after(farewellMs, resolve);
      onAnswered = resolve;
      await promise;
      cancel();
    },
  };
}

type Whole = IncomingMessage & { rawBody: Buffer };

function isSigned({ headers, rawBody }: Whole, signingSecret: string): boolean {
  return isValidSlackRequest({
    signingSecret,
    body: rawBody.toString(),
    headers: {
      "x-slack-signature": String(headers["x-slack-signature"]),
      "x-slack-request-timestamp": signedAt(headers),
    },
  });
}

function signedAt(headers: IncomingMessage["headers"]): number {
  return Number(headers["x-slack-request-timestamp"]);
}

/** The status with which to refuse what is signed and is no request of Slack's for now. */
function refusalOf(whole: Whole, logger: Logger): number | undefined {
  if (signedAt(whole.headers) * 1_000 > Date.now() + mostAheadMs) {
    logger.warn("A request is signed for more than five minutes ahead: is the clock of this machine behind?");
    return 401;
  }
  let payload: unknown;
  try {
    payload = HTTPModuleFunctions.parseHTTPRequestBody(whole);
  } catch {
    logger.info("a signed request is no JSON");
    return 400;
  }
  const flaw = flawIn(payload);
  if (flaw === undefined) return undefined;
  logger.info(`a signed request cannot be read: ${flaw}`);
  return 400;
}

/** Refuses a request, and closes its connection at once: nobody reads what still comes of its body. */
function close(response: ServerResponse, status: number): void {
  response.writeHead(status, { connection: "close" }).end();
  response.req.destroy();
}

/** Answers what Bolt cannot take for a request, as one to an address that is none. */
export function refuseAddress({ request, response, logger }: ReceiverDispatchErrorHandlerArgs): void {
  logger.info(`nothing is at ${request.method} ${request.url}`);
  close(response, 404);
}

/** Answers a payload at which Bolt fails before anybody of ours hears of it. */
export async function refusePayload(failure: ReceiverProcessEventErrorHandlerArgs): Promise<boolean> {
  const { error, response, logger } = failure;
  if (response.headersSent) return HTTPModuleFunctions.defaultProcessEventErrorHandler(failure);
  logger.info(`a signed request cannot be read: ${error.message}`);
  close(response, 400);
  return true;
}
