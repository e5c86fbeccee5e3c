/** Nothing came for so long. */
export interface Silence {
  type: "silence";
  ms: number;
}

interface SilenceOptions<T> {
  /** Calls once after that many milliseconds; the result cancels. */
  after: (ms: number, call: () => void) => () => void;
  /** Ends the reading at once, with its reason. */
  signal: AbortSignal;
  /** The error that ends it if nothing comes for too long. */
  tooLong: () => Error;
  /** True for an event that ends a silence; every event does if it is left out. */
  isLife?: (event: T) => boolean;
}

/** True if there is something to read in a text, however many characters it has. */
export function isReadable(text: string): boolean {
  return /[^\s\p{Cc}\p{Cf}]/u.test(text);
}

/** A silence this long before the first event is reported, because the reader sees nothing yet. */
const firstSignMs = 1_000;
/** A silence this long is worth a word. */
export const stalledMs = 10_000;
const longestMs = 90_000;

/**
 * Events as they come, and a silence if none comes for a second at the beginning or for ten seconds at any time; gives
 * up after ninety. `open` begins the events; nothing of them goes on once its signal aborts.
 */
export async function* withSilences<T extends object>(
  open: (signal: AbortSignal) => AsyncIterable<T>,
  { after, signal, tooLong, isLife = () => true }: SilenceOptions<T>,
): AsyncGenerator<T | Silence> {
  signal.throwIfAborted();
  const over = new AbortController();
  const aborted = Promise.withResolvers<never>();
  // Handled here: it may reject while the reader is busy.
  aborted.promise.catch(() => undefined);
  const onAbort = () => aborted.reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  const iterator = open(AbortSignal.any([signal, over.signal]))[Symbol.asyncIterator]();
  let marks = [firstSignMs, stalledMs, longestMs];
  let due = Promise.withResolvers<number>();
  let cancel = (): void => undefined;
  /** Waits for the next mark, once nothing has come for so long. */
  const waitFrom = (waited: number) => {
    const [mark = longestMs] = marks;
    due = Promise.withResolvers();
    cancel();
    cancel = after(mark - waited, () => due.resolve(mark));
  };
  waitFrom(0);
  try {
    let next = iterator.next();
    for (;;) {
      const step = await Promise.race([next, due.promise, aborted.promise]);
      if (typeof step === "number") {
        if (step >= longestMs) throw tooLong();
        marks = marks.slice(1);
        waitFrom(step);
        yield { type: "silence", ms: step };
        continue;
      }
      if (step.done) return;
      yield step.value;
      if (isLife(step.value)) {
        marks = [stalledMs, longestMs];
        waitFrom(0);
      }
      next = iterator.next();
    }
  } finally {
    signal.removeEventListener("abort", onAbort);
    cancel();
    over.abort();
    // Not awaited: a source that takes no notice of its end would keep the reader waiting.
    void iterator.return?.().catch(() => undefined);
  }
}
