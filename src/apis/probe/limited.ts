import type { Clock } from "../retry.ts";

interface Limit {
  ms: number;
  /** What the work is aborted with when the time is over. */
  overdue: Error;
  wait: Clock["wait"];
  signal: AbortSignal | undefined;
}

/** Does the work, and aborts it when its time is over; the work itself settles with the reason. */
export async function limited<T>(
  { ms, overdue, wait, signal }: Limit,
  work: (inTime: AbortSignal) => Promise<T>,
): Promise<T> {
  const time = new AbortController();
  const done = new AbortController();
  wait(ms, done.signal).then(
    () => time.abort(overdue),
    // The work was done before.
    () => undefined,
  );
  try {
    return await work(signal === undefined ? time.signal : AbortSignal.any([signal, time.signal]));
  } finally {
    done.abort();
  }
}
