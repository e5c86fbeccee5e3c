/** Runs `run` once after `ms` milliseconds; the answer cancels it. */
export type After = (ms: number, run: () => void) => () => void;

/** The time and the only timers of a workspace; `stop` cancels what still waits. */
export interface Clock {
  now: () => number;
  after: After;
  stop: () => void;
}

function afterReal(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, ms);
  timer.unref();
  return () => clearTimeout(timer);
}

/** Builds the clock of one workspace from the time and, in tests, from timers that are moved by hand. */
export function createClock(now: () => number = Date.now, after: After = afterReal): Clock {
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
