import type { IncomingMessage, ServerResponse } from "node:http";

/** A request that is answered with an HTTP status instead of a result. */
export class HttpRefusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = "HttpRefusal";
    this.status = status;
  }
}

const MOST_BYTES = 1024 * 1024;

/** Reads a request's body as text; refuses above 1 MB with 413. */
export async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > MOST_BYTES) throw new HttpRefusal(413, "the body is larger than 1 MB");
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Answers with JSON. */
export function sendJson(
  response: ServerResponse,
  answer: { status?: number; body: unknown; headers?: Record<string, string> },
): void {
  const type = { "content-type": "application/json; charset=utf-8", "cache-control": "no-store" };
  response.writeHead(answer.status ?? 200, { ...type, ...answer.headers });
  response.end(JSON.stringify(answer.body));
}

/** The media type of a request without its parameters. */
export function mediaType(request: IncomingMessage): string {
  return (request.headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
}
