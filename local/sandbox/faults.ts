import { invalid, ServiceError } from "./service.ts";

/** The faults that a test can set on a request or its answer. */
const faultNames = [
  "expired_token",
  "rate_limited",
  "server_error",
  "json_instead_of_stream",
  "html",
  "cut",
  "stall",
  "split_bytes",
  "error_event",
  "slow",
  "huge",
  "reset",
  "bad_types",
] as const;

/** A fault for the next requests. */
export interface SandboxFault {
  /** The fault's name, with an argument if it takes one: NAME or NAME:ARGUMENT. */
  fault: string;
  /** Only requests whose path contains this. */
  path?: string;
  /** The number of requests that get the fault; 1 by default. */
  times?: number;
}

/** A fault that a request has met. */
export interface ActiveFault {
  name: (typeof faultNames)[number];
  argument: string;
  label: string;
}

export interface FaultQueue {
  add: (fault: SandboxFault) => void;
  clear: () => void;
  /** Takes the fault for a request: the first in the queue that its path matches. */
  take: (path: string) => ActiveFault | undefined;
}

/** A queue of faults, oldest first; unknown names are refused. */
export function createFaultQueue(): FaultQueue {
  let waiting: { fault: ActiveFault; path: string; left: number }[] = [];
  return {
    add({ fault, path = "", times = 1 }) {
      waiting.push({ fault: parseFault(fault), path, left: times });
    },
    clear() {
      waiting = [];
    },
    take(path) {
      const found = waiting.find((one) => path.includes(one.path));
      if (!found) return undefined;
      found.left -= 1;
      waiting = waiting.filter((one) => one.left > 0);
      return found.fault;
    },
  };
}

function parseFault(label: string): ActiveFault {
  const [name, ...rest] = label.split(":");
  const known = faultNames.find((one) => one === name);
  if (!known) throw invalid(`"${name}" is no fault; there are ${faultNames.join(", ")}.`);
  return { name: known, argument: rest.join(":"), label };
}

/** Throws if the fault is an error status instead of an answer. */
export function throwFault(fault: ActiveFault | undefined): void {
  if (fault?.name === "expired_token") throw new ServiceError(401, "unauthorized", "The token has expired.");
  if (fault?.name === "server_error")
    throw new ServiceError(500, "internal_error", "Something went wrong on our side.");
  if (fault?.name === "rate_limited") {
    const headers = { "Retry-After": fault.argument || "1" };
    throw new ServiceError(429, "rate_limit_exceeded", "Too many requests.", headers);
  }
}

/**
 * A JSON value with wrong types in it. In a list every second element is wrong, so that a reader can show that it keeps
 * the good ones; an object without lists is wrong in all its fields.
 */
export function withWrongTypes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one, at) => (at % 2 === 0 ? one : wrongFields(one)));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value);
  if (!entries.some(([, field]) => typeof field === "object" && field !== null)) return wrongFields(value);
  return Object.fromEntries(entries.map(([key, field]) => [key, withWrongTypes(field)]));
}

function wrongFields(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return wrongType(value);
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, wrongType(field)]));
}

function wrongType(value: unknown): unknown {
  if (typeof value === "string") return 42;
  if (typeof value === "number") return "not a number";
  if (typeof value === "boolean") return "yes";
  return Array.isArray(value) || value === null ? { unexpected: true } : null;
}
