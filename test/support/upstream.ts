import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";

interface Received {
  method: string;
  path: string;
  headers: IncomingMessage["headers"];
  body: string;
}

interface Exchange extends Received {
  response: ServerResponse;
  /** Settles when the client has closed the connection. */
  gone: Promise<void>;
}

export type Answerer = (exchange: Exchange) => void | Promise<void>;

/** A loopback HTTP server that answers as the test says and remembers what it was asked. */
export interface Upstream {
  url: string;
  requests: Received[];
  /** The answers to come, one a request; the last one stays. */
  answers(...next: Answerer[]): void;
  close(): Promise<void>;
}

/** Starts the server on a free port. */
export async function startUpstream(...first: Answerer[]): Promise<Upstream> {
  let queue = first;
  const requests: Received[] = [];
  const server = createServer((request, response) => {
    // The date of this machine is not that of a test's clock.
    response.sendDate = false;
    void receive(request).then(async (received) => {
      requests.push(received);
      const answer = queue.length > 1 ? queue.shift() : queue[0];
      const gone = new Promise<void>((resolve) => response.once("close", resolve));
      await (answer ?? json({}, 500))({ ...received, response, gone });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    answers: (...next) => (queue = next),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function receive(request: IncomingMessage): Promise<Received> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) if (chunk instanceof Uint8Array) chunks.push(chunk);
  const body = Buffer.concat(chunks).toString();
  return { method: request.method ?? "", path: request.url ?? "", headers: request.headers, body };
}

/** Answers with JSON. */
export function json(body: unknown, status = 200, headers: Record<string, string> = {}): Answerer {
  return ({ response }) => {
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
  };
}

/** Answers with text of any kind. */
export function plain(body: string | Uint8Array, kind: string, status = 200): Answerer {
  return ({ response }) => void response.writeHead(status, { "content-type": kind }).end(body);
}

/** Answers with an event stream, one write a part; `end` says how it ends. */
export function stream(parts: readonly (string | Uint8Array)[], end: "clean" | "cut" | "open" = "clean"): Answerer {
  return async ({ response }) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    // Each part is flushed before the next, so that the parts arrive as separate chunks.
    for (const part of parts) await new Promise((resolve) => response.write(part, resolve));
    if (end === "clean") response.end();
    if (end === "cut") setImmediate(() => response.destroy());
  };
}

/** Closes the connection without an answer. */
export const reset: Answerer = ({ response }) => void response.socket?.resetAndDestroy();
