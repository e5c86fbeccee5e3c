import { setTimeout as sleep } from "node:timers/promises";
import { Unavailable } from "./errors.ts";

const MAX_RETRIES = 2;
const LONGEST_WAIT = 10_000;
const FIRST_WAIT = 250;

/** Time as the clients see it; `wait` rejects when the signal fires. */
export interface Clock {
  now(): number;
  wait(ms: number, signal?: AbortSignal): Promise<void>;
  /** 0 to 1, spreads retries. */
  random(): number;
}

export const systemClock: Clock = {
  now: Date.now,
  wait: (ms, signal) => sleep(ms, undefined, signal === undefined ? {} : { signal }),
  random: Math.random,
};

/**
 * Repeats what is harmless to repeat, at most twice, after failures that may pass soon.
 * A service that asks for more than ten seconds of patience is left to the caller.
 */
export async function retrying<T>(work: () => Promise<T>, clock: Clock, signal: AbortSignal | undefined): Promise<T> {
  for (let retries = 0; ; retries += 1) {
    try {
      return await work();
    } catch (error) {
      const pause = pauseAfter(error, retries, clock);
      if (pause === undefined || signal?.aborted === true) throw error;
      await clock.wait(pause, signal).catch((interruption: unknown) => {
        throw signal?.aborted === true ? signal.reason : interruption;
      });
    }
  }
}

function pauseAfter(error: unknown, retries: number, clock: Clock): number | undefined {
  if (!(error instanceof Unavailable) || retries >= MAX_RETRIES) return undefined;
  // After a timeout the service is at its limit already, and the reader has waited long enough; so has one whose turn
  // did not come.
  if (error.reason === "timeout" || error.reason === "limit" || error.status === 408) return undefined;
  if (error.retryAt === undefined) return Math.round(FIRST_WAIT * 2 ** retries * (0.5 + clock.random()));
  const asked = Math.max(0, error.retryAt - clock.now());
  return asked <= LONGEST_WAIT ? asked : undefined;
}
