import type { Timer } from "./timer.ts";
import type { Outcome } from "./pacer.ts";

export type Allowance = ReturnType<typeof createAllowance>;

/** Slack counts a call when it arrives, we when it is answered; this much more and no clock is too fast. */
const windowMs = 60_250;
/** Slack's client has a hundred calls under way at most, and some are for people who wait. */
const atOnceMost = 90;
/** Of the posts of a minute: what goes out without a pause, and what is kept for people who wait. */
const freeShare = 0.2;
const keptShare = 0.02;
/** So many channels refused one after the other are a limit of the workspace: each channel keeps its own pace. */
const channelsOfLimit = 5;
const togetherMs = 5_000;
/** What was learnt of Slack's limit is trusted for so long, and never that it is lower than this. */
const trustMs = 15 * 60_000;
const leastPerMinute = 60;

/**
 * How many posts that nobody waits for may go out in a workspace: so many in any minute with all others, evenly once a
 * part of them is spent, and none for as long as Slack refuses several channels at once. Posts for people who wait are
 * counted and never held here.
 */
export function createAllowance(timer: Timer, mostPerMinute: number) {
  const pace = createPace(timer, mostPerMinute);
  // After a crash each that was under way has to be looked for, so there are no more of them than the pace needs.
  const atOnce = Math.min(atOnceMost, Math.max(10, mostPerMinute / 50));
  const waiting = new Set<() => void>();
  let underway = 0;
  let unasked = 0;
  let cancelWake: (() => void) | undefined;

  /** Milliseconds until the next may go; endless until one that is under way has ended. */
  const delay = () => (unasked >= atOnce ? Number.POSITIVE_INFINITY : pace.delay(underway));

  function serve(): void {
    cancelWake?.();
    cancelWake = undefined;
    while (waiting.size > 0 && delay() <= 0) {
      const [again] = waiting;
      if (!again) return;
      waiting.delete(again);
      again();
    }
    const wait = delay();
    if (waiting.size > 0 && Number.isFinite(wait)) cancelWake = timer.after(Math.ceil(wait), serve);
  }

  return {
    /** Whether a post that nobody waits for may go now, and then it has to be left; where not, calls when it may be. */
    enter(again: () => void): boolean {
      if (delay() > 0) {
        waiting.add(again);
        if (!cancelWake) serve();
        return false;
      }
      pace.take(underway);
      unasked++;
      return true;
    },
    leave(): void {
      unasked--;
      serve();
    },
    /** Every post is counted, whoever waits for it. */
    begin(): void {
      underway++;
    },
    end(channel: string, { retryAfterMs = 0, isFree }: Outcome): void {
      underway--;
      if (retryAfterMs > 0) pace.refused(channel, retryAfterMs);
      else if (!isFree) pace.answered();
      if (waiting.size > 0) serve();
    },
  };
}

/** So many posts in any minute, as far as Slack has shown what it takes; the first ones at once, then evenly. */
function createPace(timer: Timer, mostPerMinute: number) {
  const spent = createCount(timer);
  const refused = new Map<string, number>();
  let nextAt = 0;
  let heldUntil = 0;
  let learnt = { perMinute: mostPerMinute, until: 0 };

  const perMinute = () => (timer.now() < learnt.until ? learnt.perMinute : mostPerMinute);

  return {
    delay(underway: number): number {
      const now = timer.now();
      const over = spent.size() + underway - Math.floor(perMinute() * (1 - keptShare)) + 1;
      return Math.max(0, heldUntil - now, nextAt - now, over > 0 ? spent.untilBack(over) : 0);
    },
    take(underway: number): void {
      const isFree = spent.size() + underway < perMinute() * freeShare;
      const intervalMs = windowMs / (perMinute() * (1 - keptShare));
      nextAt = isFree ? 0 : Math.max(nextAt, timer.now() - intervalMs) + intervalMs;
    },
    answered(): void {
      spent.add();
      refused.clear();
    },
    /** One channel holds its own lane only; several with nothing taken in between mean the workspace. */
    refused(channel: string, retryAfterMs: number): void {
      const now = timer.now();
      refused.set(channel, now);
      for (const [other, at] of refused) if (at < now - togetherMs) refused.delete(other);
      if (refused.size < channelsOfLimit) return;
      heldUntil = Math.max(heldUntil, now + retryAfterMs);
      const taken = Math.min(perMinute(), Math.max(leastPerMinute, spent.size()));
      learnt = { perMinute: taken, until: now + trustMs };
    },
  };
}

/** When the calls of the last minute were answered. */
function createCount(timer: Timer) {
  let times: number[] = [];
  let first = 0;

  function forget(): void {
    const since = timer.now() - windowMs;
    while ((times[first] ?? Number.POSITIVE_INFINITY) <= since) first++;
    if (first < 1_000 || first < times.length / 2) return;
    times = times.slice(first);
    first = 0;
  }

  return {
    size(): number {
      forget();
      return times.length - first;
    },
    add: () => void times.push(timer.now()),
    /** Milliseconds until so many of them are older than a minute; endless where there are not so many. */
    untilBack(calls: number): number {
      forget();
      const at = times[first + calls - 1];
      return at === undefined ? Number.POSITIVE_INFINITY : Math.max(1, at + windowMs - timer.now());
    },
  };
}
