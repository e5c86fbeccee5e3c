import type { Timer } from "./timer.ts";
import type { Allowance } from "./allowance.ts";
import { rates } from "./text/limits.ts";

/** The lanes of a workspace's channels; one that has rested is forgotten. */
export function createLanes(timer: Timer, allowance: Allowance): (channel: string) => PostLane {
  const lanes = new Map<string, PostLane>();

  /** With each new lane a look at the two oldest: so there are never many more than are in use. */
  function forget(): void {
    let looks = 2;
    for (const [channel, lane] of lanes) {
      if (looks-- === 0) return;
      lanes.delete(channel);
      if (!lane.isRested()) lanes.set(channel, lane);
    }
  }

  return (channel) => {
    const known = lanes.get(channel);
    if (known) return known;
    forget();
    const lane = createLane(timer, allowance);
    lanes.set(channel, lane);
    return lane;
  };
}

/** How a post waits for its turn. */
export interface Waiting {
  /** Calls it off before its turn. */
  signal?: AbortSignal | undefined;
  /** Whether it says nothing yet that others should wait for; asked whenever a turn is given. */
  canWait?: (() => boolean) | undefined;
  /** Nobody has just asked for it: it goes after all that people wait for, and as the workspace allows. */
  isUnasked?: true | undefined;
}

interface Waiter extends Pick<Waiting, "canWait" | "isUnasked"> {
  pass: () => void;
}

type PostLane = ReturnType<typeof createLane>;

/**
 * Lets posts to one channel pass at Slack's pace: a short burst, then one a second; those that can wait go last. One that
 * nobody has asked for has to leave the allowance when it is done.
 */
function createLane(timer: Timer, allowance: Allowance) {
  let tokens: number = rates.postBurst;
  let countedAt = timer.now();
  let heldUntil = 0;
  let cancelWake: (() => void) | undefined;
  const line = createLine();

  function refill(now: number): void {
    tokens = Math.min(rates.postBurst, tokens + (now - countedAt) / rates.postIntervalMs);
    countedAt = now;
  }

  function serve(): void {
    cancelWake?.();
    cancelWake = undefined;
    for (let next = line.next(); next; next = line.next()) {
      const now = timer.now();
      refill(now);
      const wait = Math.max(heldUntil - now, (1 - tokens) * rates.postIntervalMs);
      if (wait > 0) {
        cancelWake = timer.after(Math.ceil(wait), serve);
        return;
      }
      if (next.isUnasked && !allowance.enter(serve)) return;
      tokens--;
      line.leave(next);
      next.pass();
    }
  }

  return {
    /** Resolves when it is this caller's turn; rejects with the signal's reason, at once, where that comes first. */
    turn({ signal, ...how }: Waiting = {}): Promise<void> {
      if (signal?.aborted) return Promise.reject(signal.reason);
      const turn = Promise.withResolvers<void>();
      const waiter = { ...how, pass: turn.resolve };
      line.join(waiter);
      serve();
      return signal ? abortable(turn.promise, signal, () => line.leave(waiter)) : turn.promise;
    },
    /** Lets nothing pass for a while. */
    hold(ms: number): void {
      heldUntil = Math.max(heldUntil, timer.now() + ms);
    },
    /** Whether a new lane would be no different. */
    isRested(): boolean {
      const now = timer.now();
      refill(now);
      return line.isEmpty() && heldUntil <= now && tokens >= rates.postBurst;
    },
  };
}

/** Who waits for a turn. */
function createLine() {
  const unasked = new Set<Waiter>();
  const patient = new Set<Waiter>();
  const waiting = new Set<Waiter>();
  return {
    join: (waiter: Waiter) => void (waiter.isUnasked ? unasked : patient).add(waiter),
    leave(waiter: Waiter): void {
      for (const set of [unasked, patient, waiting]) set.delete(waiter);
    },
    isEmpty: () => waiting.size + patient.size + unasked.size === 0,
    /** In the order in which they could wait no longer, then those who still can, then what nobody has asked for. */
    next(): Waiter | undefined {
      for (const waiter of patient) {
        if (waiter.canWait?.()) continue;
        patient.delete(waiter);
        waiting.add(waiter);
      }
      const [next] = [waiting, patient, unasked].find((set) => set.size > 0) ?? [];
      return next;
    },
  };
}

/** What the work comes to, or a rejection with the signal's reason where that is first. */
async function abortable<T>(work: Promise<T>, signal: AbortSignal, leave: () => void): Promise<T> {
  const ended = Promise.withResolvers<never>();
  const onAbort = () => {
    leave();
    ended.reject(signal.reason);
  };
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([work, ended.promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
