import { randomBytes } from "node:crypto";

/** Runs `run` once after `ms` milliseconds; returns a function that cancels it. */
export type SetTimer = (ms: number, run: () => void) => () => void;

/** The time and the timers of a workspace; `stop` cancels the pending ones. */
export interface WorkspaceClock {
  now: () => number;
  after: SetTimer;
  stop: () => void;
}

function afterReal(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, ms);
  timer.unref();
  return () => clearTimeout(timer);
}

/** Builds the clock of one workspace from the time and, in tests, from timers that are moved by hand. */
export function createClock(now: () => number = Date.now, after: SetTimer = afterReal): WorkspaceClock {
  const waiting = new Set<() => void>();
  return {
    now,
    after(ms, run) {
      const forget = () => {
        waiting.delete(forget);
        cancel();
      };
      const cancel = after(ms, () => {
        waiting.delete(forget);
        run();
      });
      waiting.add(forget);
      return forget;
    },
    stop() {
      for (const forget of waiting) forget();
    },
  };
}

/** Makes the identifiers of one workspace. */
export interface Ids {
  /** A message timestamp: unique in the workspace and later than every one before. */
  ts: () => string;
  /** An identifier such as `Ev0000000A`. */
  next: (prefix: string) => string;
  /** A token that cannot be guessed. */
  secret: () => string;
  save: () => SavedIds;
}

/** The state of the identifiers, so that none is made twice. */
export interface SavedIds {
  /** The latest timestamp, in microseconds. */
  last: number;
  count: number;
}

const microsInSecond = 1_000_000;

/** Writes microseconds since 1970 the way Slack writes message timestamps. */
function writeTs(micros: number): string {
  return `${Math.floor(micros / microsInSecond)}.${String(micros % microsInSecond).padStart(6, "0")}`;
}

/** Reads a timestamp as microseconds; undefined if it is none. */
export function readTs(ts: string): number | undefined {
  const match = /^(\d{1,11})(?:\.(\d{1,6}))?$/.exec(ts);
  if (!match) return undefined;
  return Number(match[1]) * microsInSecond + Number((match[2] ?? "").padEnd(6, "0"));
}

/** Builds the identifiers of one workspace on its clock. */
export function createIds(now: () => number, saved: SavedIds = { last: 0, count: 0 }): Ids {
  let { last, count } = saved;
  return {
    ts() {
      last = Math.max(last + 100, now() * 1000);
      return writeTs(last);
    },
    next(prefix) {
      count += 1;
      return prefix + count.toString(36).toUpperCase().padStart(8, "0");
    },
    secret: () => randomBytes(18).toString("hex"),
    save: () => ({ last, count }),
  };
}
