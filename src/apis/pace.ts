import type { RateLimit } from "./answer.ts";
import { Unavailable } from "./errors.ts";
import type { Api } from "./errors.ts";
import type { Clock } from "./retry.ts";

/** What is known of a key's window of requests; times in epoch milliseconds. */
export interface Budget {
  limit: number | undefined;
  /** The fewest that any answer of this window has told. */
  remaining: number;
  resetAt: number | undefined;
}

/** Lets calls go only while the service would take them; one for all that share a key. */
export interface Pace {
  /** Does the work when its turn has come; rejects with Unavailable where that is more than ten seconds away. */
  run<T>(call: Paced, work: () => Promise<T>): Promise<T>;
  /** Takes in what an answer tells of the budget. */
  learn(rate: RateLimit): void;
}

interface Paced {
  operation: string;
  signal?: AbortSignal | undefined;
}

interface Waiter {
  /** How long this caller waits at most, in epoch milliseconds. */
  deadline: number;
  go(): void;
  refuse(retryAt: number | undefined): void;
}

const PATIENCE = 10_000;
// The reset is told in whole seconds, and whether rounded up or down is not shown.
const ROUNDING = 1_000;
// So many may be underway before the first answer tells the budget, which others may have used up already.
const UNTOLD = 50;

export const untold: Budget = { limit: undefined, remaining: UNTOLD, resetAt: undefined };

/** The budget at that time: whole again when its window is over. */
export function renewed(budget: Budget, now: number): Budget {
  const { limit, resetAt } = budget;
  return isOver(resetAt, now) ? { limit, remaining: limit ?? UNTOLD, resetAt: undefined } : budget;
}

function isOver(resetAt: number | undefined, now: number): boolean {
  return resetAt !== undefined && now >= resetAt + ROUNDING;
}

/** The budget with what one more answer tells of it; answers may come in any order. */
export function learned(budget: Budget, rate: RateLimit, now: number): Budget {
  const known = { ...budget, limit: rate.limit ?? budget.limit };
  const { remaining, resetAt = budget.resetAt } = rate;
  if (remaining === undefined) return known;
  if (isOver(rate.resetAt, now)) return known;
  if (resetAt === undefined || budget.resetAt === undefined || resetAt > budget.resetAt) {
    return { ...known, remaining, resetAt };
  }
  return resetAt < budget.resetAt ? known : { ...known, remaining: Math.min(known.remaining, remaining) };
}

/**
 * Whether one more may go beside those underway, which are taken as not counted in `remaining` yet. "hold" is until an
 * answer tells more, "spent" until the reset. With nothing underway and no reset known, only asking tells.
 */
export function verdict({ remaining, resetAt }: Budget, underway: number): "go" | "hold" | "spent" {
  if (remaining > underway) return "go";
  if (remaining <= 0 && resetAt !== undefined) return "spent";
  return underway > 0 ? "hold" : "go";
}

type Fate = { kind: "go" } | { kind: "wait"; until: number } | { kind: "refuse"; retryAt: number | undefined };

/** What becomes of the first in the queue: a reset is worth waiting for where it comes before the deadline. */
function fateOf({ deadline }: Waiter, { underway, ...budget }: Budget & { underway: number }, now: number): Fate {
  const next = verdict(budget, underway);
  if (next === "go") return { kind: "go" };
  if (next === "spent" && budget.resetAt !== undefined) {
    const until = budget.resetAt + ROUNDING;
    return budget.resetAt <= deadline ? { kind: "wait", until } : { kind: "refuse", retryAt: until };
  }
  return now < deadline ? { kind: "wait", until: deadline } : { kind: "refuse", retryAt: undefined };
}

/** Builds the pace for one key. Callers go in the order in which they came. */
export function createPace(api: Api, clock: Pick<Clock, "now" | "wait">): Pace {
  const queue: Waiter[] = [];
  const alarm = createAlarm(clock, attend);
  let budget = untold;
  let underway = 0;

  function attend(): void {
    const now = clock.now();
    budget = renewed(budget, now);
    for (let waiter = queue[0]; waiter !== undefined; waiter = queue[0]) {
      const fate = fateOf(waiter, { ...budget, underway }, now);
      if (fate.kind === "wait") return alarm.set(fate.until);
      queue.shift();
      if (fate.kind === "go") waiter.go();
      else waiter.refuse(fate.retryAt);
    }
    alarm.clear();
  }

  function turn({ operation, signal }: Paced): Promise<void> {
    return new Promise((resolve, reject) => {
      const stay = onAbort(signal, () => {
        queue.splice(queue.indexOf(waiter), 1);
        reject(signal?.reason);
        attend();
      });
      const waiter: Waiter = {
        deadline: clock.now() + PATIENCE,
        go() {
          stay();
          underway += 1;
          resolve();
        },
        refuse(retryAt) {
          stay();
          reject(new Unavailable({ api, operation, reason: "limit", retryAt }));
        },
      };
      queue.push(waiter);
      attend();
    });
  }

  return {
    async run(call, work) {
      call.signal?.throwIfAborted();
      await turn(call);
      try {
        return await work();
      } finally {
        underway -= 1;
        attend();
      }
    },
    learn(rate) {
      budget = learned(renewed(budget, clock.now()), rate, clock.now());
    },
  };
}

/** Calls when the signal fires; the result takes that back. */
function onAbort(signal: AbortSignal | undefined, call: () => void): () => void {
  signal?.addEventListener("abort", call, { once: true });
  return () => signal?.removeEventListener("abort", call);
}

/** One alarm at a time, so that thousands who wait need one timer. */
function createAlarm(clock: Pick<Clock, "now" | "wait">, ring: () => void) {
  let current: { at: number; off: AbortController } | undefined;
  function clear(): void {
    current?.off.abort();
    current = undefined;
  }
  return {
    clear,
    set(at: number): void {
      if (current?.at === at) return;
      clear();
      const off = new AbortController();
      current = { at, off };
      clock.wait(Math.max(0, at - clock.now()), off.signal).then(
        () => {
          if (off.signal.aborted) return;
          current = undefined;
          ring();
        },
        // An alarm that was cleared has nothing to say.
        () => undefined,
      );
    },
  };
}
