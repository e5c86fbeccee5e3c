import { z } from "zod";
import { Refusal } from "./http.ts";

const NAMES = [
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

type FaultName = (typeof NAMES)[number];

export interface Fault {
  /** NAME or NAME:ARGUMENT. */
  fault: string;
  /** Only requests whose path contains this. */
  path?: string | undefined;
  /** How many requests it hits; 1 unless told. */
  times?: number | undefined;
}

/** A fault that has hit a request. */
export interface Struck {
  name: FaultName;
  arg: string;
  label: string;
}

/** The body of POST /control/faults. */
export const FaultBody = z.strictObject({
  fault: z.string(),
  path: z.string().optional(),
  times: z.int().min(1).max(1_000_000).optional(),
});

function struckBy(label: string): Struck {
  const [name, ...rest] = label.split(":");
  const known = NAMES.find((one) => one === name);
  if (!known) throw new Refusal(400, "unknown_fault", `"${name}" is no fault; there are ${NAMES.join(", ")}.`);
  return { name: known, arg: rest.join(":"), label };
}

/** The faults that wait for requests, oldest first. Unknown names are refused. */
export function createFaults() {
  let waiting: { struck: Struck; path: string; left: number }[] = [];
  return {
    add(fault: Fault): void {
      waiting.push({ struck: struckBy(fault.fault), path: fault.path ?? "", left: fault.times ?? 1 });
    },
    clear(): void {
      waiting = [];
    },
    /** The fault for this request: the one its own header asks for, else the first that waits for its path. */
    take(path: string, header: string | undefined): Struck | undefined {
      if (header !== undefined) return struckBy(header);
      const found = waiting.find((one) => path.includes(one.path));
      if (!found) return undefined;
      found.left -= 1;
      waiting = waiting.filter((one) => one.left > 0);
      return found.struck;
    },
  };
}

export type Faults = ReturnType<typeof createFaults>;

function wrongType(value: unknown): unknown {
  if (typeof value === "string") return 42;
  if (typeof value === "number") return "not a number";
  if (typeof value === "boolean") return "yes";
  return Array.isArray(value) || value === null ? { unexpected: true } : null;
}

function wrongFields(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return wrongType(value);
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, wrongType(field)]));
}

/**
 * A JSON value with wrong types in it. In a list every second element is spoiled and the others stay right, so that a
 * reader can show that it keeps what is good; an object without lists is spoiled in all its fields.
 * With `nullLists` every list becomes null instead.
 */
export function spoiled(value: unknown, nullLists: boolean): unknown {
  if (Array.isArray(value)) {
    return nullLists ? null : value.map((one, at) => (at % 2 === 0 ? one : wrongFields(one)));
  }
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value);
  const nested = entries.some(([, field]) => typeof field === "object" && field !== null);
  if (!nested) return wrongFields(value);
  return Object.fromEntries(entries.map(([key, field]) => [key, spoiled(field, nullLists)]));
}
