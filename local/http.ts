import { once } from "node:events";
import type { IncomingMessage, Server, ServerResponse } from "node:http";

/** A request that is answered with an HTTP status and a sentence. */
export class HttpError extends Error {
  override readonly name: string = "HttpError";
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const maxBodyBytes = 1024 * 1024;

/** Reads a request's body as text; refuses more than a megabyte. */
export async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > maxBodyBytes) throw new HttpError(413, "The body is larger than 1 MB.");
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** The media type of a request's body, without parameters. */
export function mediaType({ headers }: Pick<IncomingMessage, "headers">): string {
  return headers["content-type"]?.split(";")[0]?.trim().toLowerCase() ?? "";
}

/** The token of an `Authorization: Bearer` header, if there is one. */
export function bearerToken({ headers }: Pick<IncomingMessage, "headers">): string | undefined {
  return /^Bearer +(\S+)$/i.exec(headers.authorization ?? "")?.[1];
}

/** Answers with JSON. */
export function sendJson(
  response: ServerResponse,
  { status = 200, body, headers }: { status?: number; body: unknown; headers?: Record<string, string> },
): void {
  const type = { "content-type": "application/json; charset=utf-8", "cache-control": "no-store" };
  response.writeHead(status, { ...type, ...headers }).end(JSON.stringify(body));
}

/** Listens on the loopback address alone and resolves with the port; rejects if the port is taken. */
export async function listen(server: Server, port: number): Promise<number> {
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return address.port;
}

/** Closes a server and every connection that is still open. */
export async function closeServer(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, "close");
  server.close();
  server.closeAllConnections();
  await closed;
}
