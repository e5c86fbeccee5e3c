/** The time and a way to wait, handed in. */
export interface Timer {
  now(): number;
  after(ms: number, call: () => void): () => void;
}

/** Resolves after a time. */
export function pause(timer: Pick<Timer, "after">, ms: number): Promise<void> {
  return new Promise((resolve) => timer.after(ms, resolve));
}

/** The result of work, or that of `late` if the work takes longer. */
export function withDeadline<T>(
  timer: Pick<Timer, "after">,
  ms: number,
  work: Promise<T>,
  late: () => T | Promise<T>,
): Promise<T> {
  const deadline = Promise.withResolvers<T>();
  const cancel = timer.after(ms, () => deadline.resolve(late()));
  return Promise.race([work, deadline.promise]).finally(cancel);
}

/** A clock for measuring how long something takes: if the machine's is set back, it goes on from where it was. */
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
