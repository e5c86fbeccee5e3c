import { once } from "node:events";
import { type IncomingMessage, type Server, type ServerResponse, createServer } from "node:http";

import { limitConnections, serverOptions } from "./http.ts";

/** What a health check says besides: it reads as JSON. */
export interface Facts {
  /** When what is due every minute last was done, all of it, as ISO time. */
  lastTick?: string | undefined;
  /** Subscriptions whose time has come, or whose message is still on its way. */
  waiting?: number | undefined;
  /** What is wrong with what is kept; a restart would not help, so it is still 200. */
  store?: string | undefined;
  /** The clockwork has finished nothing for so long that a restart would help. */
  isStalled?: true | undefined;
}

/** Asked for at each check. */
export type FactsOf = () => Promise<Facts>;

/** Answers 200 while `isWell` and nothing is stalled, else 503; for a container's health check. */
export function answerHealth(isWell: () => boolean, factsOf: FactsOf = async () => ({})) {
  return async (_request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { isStalled, ...facts } = await factsOf().catch((): Facts => ({}));
    const status = isWell() ? (isStalled ? "stalled" : "ok") : "disconnected";
    response.writeHead(status === "ok" ? 200 : 503, { "content-type": "application/json" });
    response.end(JSON.stringify({ status, ...facts }));
  };
}

/** Serves `/health` alone, for a bot that needs no other door. */
export async function serveHealth(port: number, isWell: () => boolean, factsOf?: FactsOf): Promise<Server> {
  const answer = answerHealth(isWell, factsOf);
  const server = createServer(serverOptions, (request, response) => {
    if (request.url === "/health") void answer(request, response);
    else response.writeHead(404).end();
  });
  limitConnections(server);
  server.listen(port);
  await once(server, "listening");
  return server;
}
