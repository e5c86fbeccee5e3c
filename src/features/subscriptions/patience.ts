import { nextRuns } from "../../schedule/runs.ts";
import { type Subscription, earlyMs } from "./subscription.ts";

/** How long a subscription is let be whose source could not be read, or whose outcome could not be written down. */
export interface Patience {
  /** Takes note of such a failure; what fails while it waits is the same failure. */
  failed(subscription: Subscription, now: number): void;
  /** Whether it is too early to read again; what was changed since is read at once. */
  isWaiting(subscription: Subscription, now: number): boolean;
}

interface Wait {
  for: string;
  tries: number;
  until: number;
}

const minuteMs = 60_000;
const longestMs = 30 * minuteMs;
/** Reads take their time, and jobs run on the minute. */
const roundMs = minuteMs / 2;

/**
 * Waits twice as long after each failure, half an hour at most, and never beyond the next time that was promised. In
 * memory only: somebody who starts the bot anew has mended something.
 */
export function createPatience(): Patience {
  const waits = new Map<string, Wait>();

  function waitOf(subscription: Subscription): Wait | undefined {
    const wait = waits.get(keyOf(subscription));
    return wait?.for === versionOf(subscription) ? wait : undefined;
  }

  function isWaiting(subscription: Subscription, now: number): boolean {
    const wait = waitOf(subscription);
    return wait !== undefined && now + earlyMs < wait.until;
  }

  return {
    failed(subscription, now) {
      if (isWaiting(subscription, now)) return;
      const tries = (waitOf(subscription)?.tries ?? 0) + 1;
      const [next = Number.POSITIVE_INFINITY] = nextRuns(subscription.schedule, now, 1);
      const until = now + Math.min(2 ** (tries - 1) * minuteMs, longestMs) - roundMs;
      waits.set(keyOf(subscription), { for: versionOf(subscription), tries, until: Math.min(until, next) });
    },
    isWaiting,
  };
}

function keyOf({ team, number }: Subscription): string {
  return `${team} ${number}`;
}

function versionOf({ nextRun, changed: [latest] }: Subscription): string {
  return `${nextRun} ${latest?.at ?? 0}`;
}
