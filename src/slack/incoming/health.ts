import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, Server } from "node:http";

import { type Handler, serveHttp } from "./http.ts";

/** The facts that a health check reports besides whether Slack is connected; it is sent as JSON. */
export interface HealthFacts {
  /** The time by which every job has ended, in ISO format. */
  lastTick?: string | undefined;
  /** The number of subscriptions that are due, or have a message on its way. */
  waiting?: number | undefined;
  /** The trouble with the store; a restart would not help, so it is still 200. */
  store?: string | undefined;
  /** The jobs have been stuck for so long that a restart would help. */
  isStalled?: true | undefined;
}

export interface HealthOptions {
  isConnected: () => boolean;
  readFacts: () => Promise<HealthFacts>;
  /** All metrics as text; without them there is no such page. */
  renderMetrics?: (() => Promise<{ type: string; text: string }>) | undefined;
  /** The bearer token with which a request is shown everything. */
  token?: string | undefined;
  /** Anybody can reach it, so without the token it says no more than up or down. */
  isPublic: boolean;
}

/**
 * The routes that monitoring asks for, by path. `/livez`: the process does its work, a restart would not help.
 * `/readyz` and `/health`: and Slack reaches it. `/metrics`: figures for Prometheus.
 */
export function createHealthRoutes(options: HealthOptions): Map<string, Handler> {
  const { isConnected, readFacts, renderMetrics, token, isPublic } = options;
  const maySee = (request: IncomingMessage) =>
    token === undefined ? !isPublic : isSame(request.headers.authorization ?? "", `Bearer ${token}`);

  const check =
    (isReady: () => boolean): Handler =>
    async (request, response) => {
      const { isStalled, ...facts } = await readFacts().catch((): HealthFacts => ({}));
      const status = isReady() ? (isStalled ? "stalled" : "ok") : "disconnected";
      response.writeHead(status === "ok" ? 200 : 503, { "content-type": "application/json" });
      response.end(
        JSON.stringify(maySee(request) ? { status, ...facts } : { status: status === "ok" ? "ok" : "down" }),
      );
    };

  const metrics: Handler = async (request, response) => {
    const answer = (status: number, headers = {}, text = "") => void response.writeHead(status, headers).end(text);
    if (!renderMetrics || (isPublic && token === undefined)) return answer(404);
    if (!maySee(request)) return answer(401, { "www-authenticate": "Bearer" });
    const rendered = await renderMetrics().catch(() => undefined);
    return rendered ? answer(200, { "content-type": rendered.type }, rendered.text) : answer(500);
  };

  return new Map([
    ["/health", check(isConnected)],
    ["/readyz", check(isConnected)],
    ["/livez", check(() => true)],
    ["/metrics", metrics],
  ]);
}

/** Compares in constant time. */
function isSame(given: string, wanted: string): boolean {
  const [one, other] = [given, wanted].map((text) => createHash("sha256").update(text).digest());
  return one !== undefined && other !== undefined && timingSafeEqual(one, other);
}

/** Serves these routes alone, for a bot in Socket Mode. */
export function serveHealth(port: number, routes: ReturnType<typeof createHealthRoutes>): Promise<Server> {
  return serveHttp(port, (request, response) => {
    const handler = request.method === "GET" ? routes.get(request.url ?? "") : undefined;
    if (handler) void handler(request, response);
    else response.writeHead(404).end();
  });
}
