import { Agent, type IncomingMessage, type ServerResponse, request as connectTo } from "node:http";
import { pipeline } from "node:stream/promises";

import type { Logger } from "@slack/bolt";

import { type Timer, pause } from "../timer.ts";

/** Knows which of several replicas works for a workspace. */
export interface Router {
  /** The ID of this one. */
  id: string;
  /** This one, another one at its address, or none yet. */
  holderOf: (team: string) => "here" | { url: string } | undefined;
  /** Looks again who holds what. */
  refresh: () => Promise<void>;
}

/** The path to which Slack sends everything, and replicas each other. */
export const eventsPath = "/slack/events";

/** A request that was forwarded once is not forwarded again: whoever gets it holds the workspace, or says so. */
export const forwardedHeader = "x-bellwether-forwarded";
/** Says which replica answers such a request: what another server answers is not for Slack. */
export const replicaHeader = "x-bellwether-replica";
/** The status of HTTP for a request that came to the wrong server. */
const misdirected = 421;
/** A request that is passed on has its response, or 503, before Slack and a proxy give up on this replica, too. */
export const longestMs = 2_200;

/**
 * The pause between look-ups of the replica that works for the workspace. A workspace that is handed over has nobody
 * for up to two seconds: one until it is given back, and one until the other replica looks.
 */
const lookMs = 200;

/** A request whose signature is good, with its body. */
export type WholeRequest = IncomingMessage & { rawBody: Buffer };

interface ForwardOptions {
  timer: Timer;
  logger: Pick<Logger, "warn">;
}

/** Sees to a request: true if it is to be answered here, false if it has its response. */
export type Forward = (team: string, request: WholeRequest, response: ServerResponse) => Promise<boolean>;

/**
 * Passes requests on to the replica that works for the workspace, which checks their signature once more. If none does,
 * it waits a moment for one; after that the response is 503. Slack sends events again, but no commands and no clicks.
 */
export function createForward(router: Router, { timer, logger }: ForwardOptions): Forward {
  const agent = new Agent({ keepAlive: true, maxSockets: 100 });

  /** The response of the replica at an address; nothing if the request surely was not taken. */
  async function pass(url: string, request: WholeRequest, signal: AbortSignal): Promise<IncomingMessage | undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    // Others say how this connection sent it, such as in chunks, and the next one sends it otherwise.
    const own = Object.entries(request.headers).filter(([name]) => /^(content-type$|x-slack-)/.test(name));
    const sent = connectTo(new URL(eventsPath, url), {
      agent,
      method: "POST",
      headers: { ...Object.fromEntries(own), "content-length": request.rawBody.length, [forwardedHeader]: "1" },
      signal,
    });
    sent.on("response", resolve).on("error", reject);
    sent.end(request.rawBody);
    const response = await promise.catch((error: unknown) => {
      if (error instanceof Error && "code" in error && error.code === "ECONNREFUSED") return undefined;
      throw error;
    });
    const isTaken = response?.headers[replicaHeader] !== undefined && response.statusCode !== misdirected;
    if (isTaken) return response;
    response?.destroy();
    return undefined;
  }

  return async (team, request, response) => {
    const isForwarded = request.headers[forwardedHeader] !== undefined;
    const until = timer.now() + longestMs;
    let signal: AbortSignal | undefined;
    let asked = "no replica";
    try {
      for (;;) {
        const holder = router.holderOf(team);
        if (holder === "here") return true;
        if (isForwarded) return end(response, misdirected);
        asked = holder?.url ?? asked;
        signal ??= AbortSignal.timeout(longestMs);
        const answer = holder && (await pass(holder.url, request, signal));
        if (answer) {
          response.writeHead(answer.statusCode ?? 502, answer.headers);
          await pipeline(answer, response);
          return false;
        }
        // It is changing hands.
        if (timer.now() >= until) throw new Error("no replica took it");
        await pause(timer, lookMs);
        await router.refresh();
      }
    } catch (error) {
      const reason = signal?.aborted ? "no answer in time" : messageOf(error);
      logger.warn(`a request for ${team} was refused, as it could not be passed on to ${asked}: ${reason}`);
      return end(response, 503);
    }
  };
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function end(response: ServerResponse, status: number): false {
  if (response.headersSent) response.destroy();
  else response.writeHead(status).end();
  return false;
}
