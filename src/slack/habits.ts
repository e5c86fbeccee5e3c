import type { Timer } from "./timer.ts";

/** Taken for how long answers last while nothing is known. */
const guessMs = 25_000;
/** Counts as so many answers, because those that end first are the short ones. */
const guessWeight = 1.7;
/** Each answer counts for so much less than the next. */
const forgetting = 0.95;
const remembered = 60;
/** Answers that come so close together are one flock, which says nothing about the next. */
const flockMs = 2_000;
const memoryMs = 120_000;
const shortestMs = 10_000;
const leastMs = 1_000;
/** So many would have come since the last one if they still came as often as before. */
const missing = 1.5;
/** What is kept for answers that never come is lost, what those lack that do come is dear: most of it is kept. */
const hedge = 0.75;

/** Learns how long answers last in a workspace, and how often they come. */
export function createHabits(timer: Timer) {
  /** Newest last. */
  const durations: number[] = [];
  const arrivals: number[] = [];

  /** Milliseconds that an answer of that age will probably go on within a time. */
  function remaining(ageMs: number, withinMs = Number.POSITIVE_INFINITY): number {
    let weight = 1;
    let known = guessWeight * Math.exp(-ageMs / guessMs);
    let sum = known * guessMs * (1 - Math.exp(-withinMs / guessMs));
    for (let index = durations.length - 1; index >= 0; index--) {
      const left = (durations[index] ?? 0) - ageMs;
      if (left > 0) {
        known += weight;
        sum += weight * Math.min(left, withinMs);
      }
      weight *= forgetting;
    }
    return Math.max(leastMs, sum / known);
  }

  /** Answers that will probably begin in a millisecond. */
  function rate(): number {
    const now = timer.now();
    const first = arrivals.find((at) => at >= now - memoryMs) ?? now;
    const often = arrivals.filter((at) => at > first + flockMs).length / Math.max(shortestMs, now - first);
    return Math.min(often, missing / Math.max(1, now - (arrivals.at(-1) ?? now)));
  }

  return {
    /** Notes that an answer begins. */
    arrive(): void {
      const now = timer.now();
      while (arrivals[0] !== undefined && arrivals[0] < now - memoryMs) arrivals.shift();
      arrivals.push(now);
    },
    /** Notes how long one lasted. */
    learn(ms: number): void {
      durations.push(ms);
      if (durations.length > remembered) durations.shift();
    },
    remaining,
    /** Answers that have begun within a time. */
    begun: (withinMs: number) => arrivals.filter((at) => at > timer.now() - withinMs).length,
    /** Answers that will probably begin within a time. */
    coming: (withinMs: number) => rate() * withinMs,
    /** Milliseconds of answers that have not begun, and will probably be there within a time. */
    comingMs(withinMs: number): number {
      const lasting = remaining(0, withinMs);
      return rate() * lasting * (withinMs - lasting / 2) * hedge;
    },
  };
}
