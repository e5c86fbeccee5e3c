import type { Timer } from "../../src/slack/timer.ts";

/** A clock that stands still until a test moves it. */
export interface FakeClock extends Timer {
  /** Resolves when that much time has passed on this clock. */
  sleep(ms: number): Promise<void>;
  /** Lets that much time pass, and everything happen that is due. */
  advance(ms: number): Promise<void>;
  /** Lets time pass until the work is done; fails if nothing is left that could finish it. */
  until<T>(work: Promise<T>): Promise<T>;
  /** The number of calls that are still due. */
  pending(): number;
}

interface Due {
  at: number;
  order: number;
  call: () => void;
}

/** A clock that starts at a round moment. */
export function createClock(start = Date.UTC(2026, 0, 5, 12)): FakeClock {
  let time = start;
  let order = 0;
  const queue: Due[] = [];

  function insert(due: Due): void {
    let low = 0;
    let high = queue.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = queue[middle];
      if (other && (other.at < due.at || (other.at === due.at && other.order < due.order))) low = middle + 1;
      else high = middle;
    }
    queue.splice(low, 0, due);
  }

  /** Runs what is due next, at its time; false if that is later than `end` or nothing is due. */
  async function tick(end: number): Promise<boolean> {
    await settled();
    const [due] = queue;
    if (!due || due.at > end) return false;
    queue.shift();
    time = Math.max(time, due.at);
    due.call();
    return true;
  }

  function after(ms: number, call: () => void): () => void {
    const due = { at: time + Math.max(0, ms), order: order++, call };
    insert(due);
    return () => {
      const index = queue.indexOf(due);
      if (index >= 0) queue.splice(index, 1);
    };
  }

  return {
    now: () => time,
    after,
    sleep: (ms) => new Promise((resolve) => after(ms, resolve)),
    async advance(ms) {
      const end = time + ms;
      while (await tick(end));
      time = end;
    },
    async until(work) {
      let isDone = false;
      const done = () => {
        isDone = true;
      };
      work.then(done, done);
      for (;;) {
        await settled();
        if (isDone) return work;
        if (!(await tick(Number.POSITIVE_INFINITY))) {
          if (isDone) return work;
          throw new Error("nothing is left that could finish the work");
        }
      }
    },
    pending: () => queue.length,
  };
}

/** Resolves when every promise that can settle without time or I/O has. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
