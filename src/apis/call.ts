import type { z } from "zod";
import type { RateLimit } from "./answer.ts";
import type { Pace } from "./pace.ts";
import type { ServerEvent } from "./sse.ts";

/** The two ways in which a key may be given: as a bearer token, or in a header of its own. */
export type KeyHeader = "authorization" | "x-api-key";

export interface Call {
  operation: string;
  method: "GET" | "POST";
  /** Below the base URL, beginning with a slash, already encoded. */
  path: string;
  body?: unknown;
  /** A token or key; sent as a bearer token, unless `keyHeader` says otherwise. */
  token?: string | undefined;
  keyHeader?: KeyHeader | undefined;
  /** Further texts that no error may show, such as the parts of a login. */
  secrets?: readonly string[];
  accept?: string;
  /** Kept by every attempt, and told what the answers say of the budget. */
  pace?: Pace;
  signal?: AbortSignal | undefined;
}

export interface JsonCall<T> extends Call {
  schema: z.ZodType<T>;
  /** Says that a POST does no harm, and costs nothing, when it is sent again. */
  repeatable?: boolean;
  /** Milliseconds for an answer that takes a model's time, in place of the usual ones. */
  within?: number;
}

/** What comes with every answer; `servedAt` is its date in epoch milliseconds, by the service's own clock. */
export interface Terms {
  rate: RateLimit;
  requestId: string | undefined;
  servedAt?: number | undefined;
}

export interface Answer<T> extends Terms {
  value: T;
}

export interface StreamAnswer extends Terms {
  /** To be read to its end or left by `break`; error events and cuts are thrown. */
  events: AsyncIterable<ServerEvent>;
}

export interface Http {
  json<T>(call: JsonCall<T>): Promise<Answer<T>>;
  stream(call: Call): Promise<StreamAnswer>;
}

/** Milliseconds. */
export interface Timeouts {
  headers: number;
  /** From the sending to the last byte of a JSON answer. */
  answer: number;
  firstByte: number;
  idle: number;
}

/** Bytes, and characters for one event. */
export interface Sizes {
  answer: number;
  stream: number;
  event: number;
}
