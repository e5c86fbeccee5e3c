/** Servers on the loopback address, between the bot and its services. */
import { type IncomingMessage, type Server, createServer } from "node:http";
import { pipeline } from "node:stream/promises";

import { listen } from "../local/http.ts";

/** Starts a server on a free port of the loopback address; resolves with its URL. */
export async function listenLocally(server: Server): Promise<string> {
  return `http://127.0.0.1:${await listen(server, 0)}`;
}

/** Closes a server and all its connections. */
export function closeNow(server: Server): void {
  server.closeAllConnections();
  server.close();
}

/**
 * A server that passes every request on to the one at `to`. `see` gets each request first; if it returns something,
 * that is the answer, as JSON.
 */
export async function startGate(to: string, see: (request: IncomingMessage, body: string) => unknown) {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks);
      const own = see(request, body.toString());
      if (own !== undefined) {
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(own));
        return;
      }
      const { method = "GET", headers } = request;
      const passed = new Headers();
      for (const name of ["authorization", "x-api-key", "content-type", "accept"]) {
        const value = headers[name];
        if (typeof value === "string") passed.set(name, value);
      }
      fetch(`${to}${request.url}`, { method, headers: passed, ...(body.length > 0 && { body }) })
        .then(async ({ status, headers: given, body: answer }) => {
          response.writeHead(status, { "content-type": given.get("content-type") ?? "" });
          await pipeline(answer ?? [], response);
        })
        .catch(() => response.destroy());
    });
  });
  return { url: await listenLocally(server), close: () => closeNow(server) };
}
