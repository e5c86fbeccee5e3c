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
// A reset that is told in seconds to go, or by another clock, is a little later or earlier in each answer.
const BLUR = 2_000;
const LONGEST_WINDOW = 60 * 60_000;
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
  const limit = rate.limit ?? budget.limit;
  // A reset that is so far away is a mistake, and taken at its word nothing would ever be asked again.
  const told = rate.resetAt !== undefined && rate.resetAt > now + LONGEST_WINDOW ? undefined : rate.resetAt;
  const { remaining } = rate;
  const before = budget.resetAt;
  const isOld = told !== undefined && before !== undefined && told < before && told <= now;
  if (remaining === undefined || isOld || isOver(told, now)) return { ...budget, limit };
  if (before === undefined || (told ?? before) > before + BLUR) return { limit, remaining, resetAt: told };
  // Of two resets that are both to come, the later is sure to be over for both.
  return { limit, remaining: Math.min(budget.remaining, remaining), resetAt: Math.max(before, told ?? before) };
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
      if (fate.kind === "refuse") waiter.refuse(fate.retryAt);
      else {
        underway += 1;
        waiter.go();
      }
    }
    alarm.clear();
  }

  function turn({ operation, signal }: Paced): Promise<void> {
    const refusal = (retryAt: number | undefined) => new Unavailable({ api, operation, reason: "limit", retryAt });
    const place = placeIn(queue, clock.now() + PATIENCE, { signal, refusal, left: attend });
    attend();
    return place;
  }

  function mayGo(): boolean {
    budget = renewed(budget, clock.now());
    return queue.length === 0 && verdict(budget, underway) === "go";
  }

  return {
    async run(call, work) {
      call.signal?.throwIfAborted();
      // Nearly every call goes at once, and a place in the queue costs more than all the rest of this.
      if (mayGo()) underway += 1;
      else await turn(call);
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

interface Terms {
  signal: AbortSignal | undefined;
  refusal: (retryAt: number | undefined) => Error;
  /** Called when the caller has given up and left the queue. */
  left: () => void;
}

/** Takes the last place of the queue, and resolves when it is this one's turn. */
function placeIn(queue: Waiter[], deadline: number, { signal, refusal, left }: Terms): Promise<void> {
  return new Promise((resolve, reject) => {
    const stay = onAbort(signal, () => {
      queue.splice(queue.indexOf(waiter), 1);
      reject(signal?.reason);
      left();
    });
    const waiter: Waiter = {
      deadline,
      go() {
        stay();
        resolve();
      },
      refuse(retryAt) {
        stay();
        reject(refusal(retryAt));
      },
    };
    queue.push(waiter);
  });
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
