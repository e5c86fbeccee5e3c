/** Nothing was heard for so long. */
export interface Silence {
  type: "silence";
  ms: number;
}

/** Begins what is listened to; nothing of it goes on once its signal aborts. */
type Open<T> = (signal: AbortSignal) => AsyncIterable<T>;

interface ListenOptions {
  /** Calls once after that many milliseconds; the result cancels. */
  after: (ms: number, call: () => void) => () => void;
  /** Ends the listening at once, with its reason. */
  signal: AbortSignal;
  /** What it comes to where nothing is heard for too long. */
  tooLong: () => Error;
}

/** Before the first event a reader has nothing to look at. */
const firstSignMs = 1_000;
/** From here on, silence is worth a word. */
export const stalledMs = 10_000;
const longestMs = 90_000;

/**
 * Events as they come, and a sign where none comes for a second at the beginning or for ten seconds at any time; gives up
 * after ninety. What is written by then has been yielded.
 */
export async function* listened<T>(open: Open<T>, options: ListenOptions): AsyncGenerator<T | Silence> {
  const unheard = new AbortController();
  const iterator = open(AbortSignal.any([options.signal, unheard.signal]))[Symbol.asyncIterator]();
  let signs = [firstSignMs, stalledMs, longestMs];
  try {
    for (;;) {
      const next = iterator.next();
      const step = yield* awaited(next, signs, options);
      if (step.done) return;
      signs = [stalledMs, longestMs];
      yield step.value;
    }
  } finally {
    unheard.abort();
    // Not awaited: a source that takes no notice of its end would keep the reader waiting.
    void iterator.return?.().catch(() => undefined);
  }
}

async function* awaited<T>(next: Promise<T>, signs: number[], options: ListenOptions): AsyncGenerator<Silence, T> {
  let waited = 0;
  for (const ms of signs) {
    if (await isHere(next, ms - waited, options)) return next;
    waited = ms;
    if (ms < longestMs) yield { type: "silence", ms };
  }
  throw options.tooLong();
}

/** Whether something has come, or failed, within a time; rejects with the signal's reason. */
async function isHere(next: Promise<unknown>, ms: number, { after, signal }: ListenOptions): Promise<boolean> {
  signal.throwIfAborted();
  const here = Promise.withResolvers<boolean>();
  const onAbort = () => here.reject(signal.reason);
  const onCome = () => here.resolve(true);
  const cancel = after(ms, () => here.resolve(false));
  signal.addEventListener("abort", onAbort, { once: true });
  // Also where it fails: whoever gave up by then must not be told by the process ending.
  next.then(onCome, onCome);
  try {
    return await here.promise;
  } finally {
    cancel();
    signal.removeEventListener("abort", onAbort);
  }
}
