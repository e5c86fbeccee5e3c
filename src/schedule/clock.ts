/** The time, and waiting for it: handed in everywhere, so that tests decide how late it is. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Calls once after `ms`, or after 24 days if that is longer, or a second if it is endless; the result cancels. */
  after(ms: number, call: () => void): () => void;
}

/** The longest delay; Node takes a longer one for no time at all. */
const longestMs = 2 ** 31 - 1;
/** The time after which an endless wait looks again, in milliseconds. */
const endlessMs = 1_000;

/** The machine's own clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, call) {
    const timer = setTimeout(call, Number.isFinite(ms) ? Math.min(Math.max(0, ms), longestMs) : endlessMs);
    return () => clearTimeout(timer);
  },
};
