/** The time, and waiting for it: handed in everywhere, so that tests decide how late it is. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Calls once after `ms`; the result cancels. */
  after(ms: number, call: () => void): () => void;
}

/** The machine's own clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, call) {
    const timer = setTimeout(call, Math.max(0, ms));
    return () => clearTimeout(timer);
  },
};
