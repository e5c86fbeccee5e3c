import { timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { z } from "zod";
import type { EventStream } from "./stream.ts";

/** One request as the three documents see it: the path is the one inside the document's own base URL. */
export interface Call {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  /** Raw body; read it with `jsonBody`. */
  body: string;
  now: number;
  /** What is written about more than its articles are, by entity. */
  surges: ReadonlyMap<number, number>;
  /** Where platform links point: the address of this sandbox. */
  origin: string;
}

export type Answer =
  | { status: number; json: unknown; headers?: Record<string, string> }
  | { status: number; events: (stream: EventStream) => Promise<void>; headers?: Record<string, string> };

/** One document's service: how it answers, and how it words an error. */
export interface Service {
  answer(call: Call): Answer;
  problem(status: number, code: string, message: string): unknown;
}

/** A request that the service turns down, with the status and the code of its answer. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly headers: Record<string, string>;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.name = "Refusal";
    this.status = status;
    this.code = code;
    this.headers = {};
  }

  /** The same refusal with headers to send along. */
  with(headers: Record<string, string>): this {
    Object.assign(this.headers, headers);
    return this;
  }
}

const BODY_LIMIT = 1_000_000;

/** Reads a body as text; refuses one that is too large. */
export async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > BODY_LIMIT) throw new Refusal(413, "body_too_large", "The body is larger than 1 MB.");
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** The JSON body of a call, checked: 415 for another content type, 400 for what is no JSON or not as documented. */
export function jsonBody<T>(call: Call, schema: z.ZodType<T>): T {
  const type = call.headers["content-type"]?.split(";")[0]?.trim().toLowerCase();
  if (type !== "application/json") {
    throw new Refusal(415, "unsupported_media_type", "Send the body with Content-Type: application/json.");
  }
  return checked(schema, parsed(call.body));
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw new Refusal(400, "invalid_request", "The body is not valid JSON.");
  }
}

/** The value as the schema has it, or a 400 that names the first field at fault. */
export function checked<T>(schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const place = issue?.path.join(".") ?? "";
  throw new Refusal(400, "invalid_request", `${place === "" ? "body" : place}: ${issue?.message ?? "invalid"}`);
}

/** A whole number out of a path or query, or a 400. */
export function integerIn(text: string, name: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new Refusal(400, "invalid_request", `${name} must be a whole number.`);
  return Number(text);
}

/** The optional `limit` of a query; the same rule at every endpoint that takes one. */
export function limitIn(query: URLSearchParams, standard: number, most: number): number {
  const text = query.get("limit");
  if (text === null) return standard;
  const limit = integerIn(text, "limit");
  if (limit < 1 || limit > most) throw new Refusal(400, "invalid_request", `limit must be between 1 and ${most}.`);
  return limit;
}

/** The token of an `Authorization: Bearer` header, if there is one. */
export function bearerOf(headers: IncomingHttpHeaders): string | undefined {
  return /^Bearer +(\S+)$/i.exec(headers.authorization ?? "")?.[1];
}

/** Compares secrets without telling by the time taken how much of one was right. */
export function sameSecret(given: string, wanted: string): boolean {
  const left = Buffer.from(given);
  const right = Buffer.from(wanted);
  return left.length === right.length && timingSafeEqual(left, right);
}
