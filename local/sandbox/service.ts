import { timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { z } from "zod";
import { HttpError, mediaType } from "../http.ts";

/** One request as a service sees it: the path is the one inside the service's own base URL. */
export interface ServiceCall {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  /** Raw body; read it with `readJson`. */
  body: string;
  now: number;
  /** Mentions on top of those in the sample news, by entity ID. */
  surges: ReadonlyMap<number, number>;
  /** The sandbox's own address, where links to its article pages lead. */
  origin: string;
}

/** Sends server-sent events one by one. Once the reader has left, everything resolves at once. */
export interface EventWriter {
  /** Aborted when the reader leaves. */
  gone: AbortSignal;
  send(event: string, data: string): Promise<void>;
  pause(ms: number): Promise<void>;
}

export type ServiceReply =
  | { status: number; json: unknown; headers?: Record<string, string> }
  | { status: number; stream: (events: EventWriter) => Promise<void>; headers?: Record<string, string> };

/** One of the three services: its answers, and the form of its error bodies. */
export interface Service {
  answer(call: ServiceCall): ServiceReply;
  errorBody(code: string, message: string): unknown;
}

/** A request that a service refuses, with the status and the code of its answer. */
export class ServiceError extends HttpError {
  override readonly name = "ServiceError";
  readonly code: string;
  readonly headers: Record<string, string>;

  constructor(status: number, code: string, message: string, headers: Record<string, string> = {}) {
    super(status, message);
    this.code = code;
    this.headers = headers;
  }
}

/** The error for a request that is not as the documents say. */
export function invalid(message: string): ServiceError {
  return new ServiceError(400, "invalid_request", message);
}

/** A good answer as JSON. */
export function ok(json: unknown): ServiceReply {
  return { status: 200, json };
}

/** The JSON body of a call, checked: 415 for another content type, 400 for a body that is not as documented. */
export function readJson<T>(call: ServiceCall, schema: z.ZodType<T>): T {
  if (mediaType(call) !== "application/json") {
    throw new ServiceError(415, "unsupported_media_type", "Send the body with Content-Type: application/json.");
  }
  let body: unknown;
  try {
    body = JSON.parse(call.body);
  } catch {
    throw invalid("The body is not valid JSON.");
  }
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  throw invalid(`${issue?.path.join(".") || "body"}: ${issue?.message ?? "invalid"}`);
}

/** A whole number out of a path or query. */
export function readInteger(text: string, name: string): number {
  if (!/^\d{1,15}$/.test(text)) throw invalid(`${name} must be a whole number.`);
  return Number(text);
}

/** The optional `limit` of a query; the same rule at every endpoint that takes one. */
export function readLimit(query: URLSearchParams, range: { usual: number; max: number }): number {
  const text = query.get("limit");
  if (text === null) return range.usual;
  const limit = readInteger(text, "limit");
  if (limit < 1 || limit > range.max) throw invalid(`limit must be between 1 and ${range.max}.`);
  return limit;
}

/** Compares secrets in a time that does not depend on how much of one was right. */
export function isSameSecret(given: string | undefined, wanted: string): boolean {
  const left = Buffer.from(given ?? "");
  const right = Buffer.from(wanted);
  return left.length === right.length && timingSafeEqual(left, right);
}

export type PathParameters = (name: string) => string;

/** One endpoint. A segment of its path may be named, as in `/channel/id/:channelId`. */
export interface ServiceRoute {
  method: "GET" | "POST";
  path: string;
  run(call: ServiceCall, parameter: PathParameters): ServiceReply;
}

/** The route that a call is for, and its path parameters; 404 for an unknown path and 405 for a wrong method. */
export function findRoute<R extends Pick<ServiceRoute, "method" | "path">>(
  routes: R[],
  call: ServiceCall,
): { route: R; parameter: PathParameters } {
  const fitting = routes.flatMap((route) => {
    const values = matchPath(route.path, call.path);
    return values ? [{ route, parameter: (name: string) => values.get(name) ?? "" }] : [];
  });
  const found = fitting.find(({ route }) => route.method === call.method);
  if (found) return found;
  if (fitting.length === 0) throw new ServiceError(404, "not_found", `There is no ${call.path} here.`);
  const Allow = fitting.map(({ route }) => route.method).join(", ");
  throw new ServiceError(405, "method_not_allowed", `Use ${Allow} here.`, { Allow });
}

function matchPath(pattern: string, path: string): Map<string, string> | undefined {
  const wanted = pattern.split("/");
  const given = path.split("/");
  if (wanted.length !== given.length) return undefined;
  const values = new Map<string, string>();
  for (const [at, segment] of wanted.entries()) {
    const actual = given[at] ?? "";
    if (!segment.startsWith(":")) {
      if (segment !== actual) return undefined;
    } else if (actual === "") return undefined;
    else values.set(segment.slice(1), decodeSegment(actual));
  }
  return values;
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw invalid("The path is not encoded correctly.");
  }
}
