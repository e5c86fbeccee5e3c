import { once } from "node:events";
import {
  type IncomingMessage,
  type Server,
  type RequestListener,
  type ServerOptions,
  type ServerResponse,
  createServer,
} from "node:http";

import type { Logger } from "@slack/bolt";

import type { Timer } from "../timer.ts";

/**
 * Anybody can connect without a signature, so a connection that is silent, slow or idle is closed: after ten seconds
 * without all headers, and after fifteen without the whole request. Here it is a second less, because Node looks for late
 * requests only once in each interval.
 */
const serverOptions: ServerOptions = {
  headersTimeout: 9_000,
  requestTimeout: 14_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 1_000,
};

export type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Serves a port within limits; resolves when it listens. */
export async function serveHttp(port: number, listener: RequestListener): Promise<Server> {
  const server = createServer(serverOptions, listener);
  server.maxConnections = 1_000;
  // A response that never comes: longer than the ten seconds that a Web API call may take.
  server.timeout = 20_000;
  server.listen(port);
  await once(server, "listening");
  return server;
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

/** Refuses a request that has no response yet, and closes its connection at once, so that the rest of its body is not read. */
export function refuse(response: ServerResponse, status: number): void {
  if (response.headersSent) return;
  response.writeHead(status, { connection: "close" }).end();
  response.req.destroy();
}

/** Slack's biggest request, the event of an edited message of 40,000 characters, is just below this. */
const maxBodyBytes = 1_000_000;
/** The cost of each piece of a body besides its bytes, because a body may be sent byte by byte. */
const pieceCost = 1_000;
const maxBodyCost = 2 * maxBodyBytes;
/** Most of Slack's requests are a few kB; a body that costs more than this is long. */
const maxShortCost = 64_000;
/** The most that all unfinished short bodies together may cost, and the most long ones that there may be. */
const maxHeldCost = 8_000_000;
const maxLongBodies = 8;

/**
 * Reads bodies before their signature can be checked; resolves to the body, or to the status with which to refuse it. A
 * limit for each body alone would let 500 connections hold 500 MB. If short ones together hold too much, the oldest is
 * refused: Slack's are complete within milliseconds, so this hits slow senders. Of long ones the newest is refused: to
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
