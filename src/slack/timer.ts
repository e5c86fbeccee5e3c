/** The time and a way to wait, handed in. */
export interface Timer {
  now(): number;
  after(ms: number, call: () => void): () => void;
}

/** A clock for measuring how long something takes: where the machine's is set back, it goes on from where it was. */
export function steady(timer: Timer): Timer {
  let added = 0;
  let last = timer.now();
  return {
    now() {
      added = Math.max(added, last - timer.now());
      last = timer.now() + added;
      return last;
    },
    after: (ms, call) => timer.after(ms, call),
  };
}
