/** Nothing was heard for so long. */
export interface Silence {
  type: "silence";
  ms: number;
}

/** Begins what is listened to; nothing of it goes on once its signal aborts. */
type Open<T> = (signal: AbortSignal) => AsyncIterable<T>;

interface ListenOptions<T> {
  /** Calls once after that many milliseconds; the result cancels. */
  after: (ms: number, call: () => void) => () => void;
  /** Ends the listening at once, with its reason. */
  signal: AbortSignal;
  /** What it comes to where nothing is heard for too long. */
  tooLong: () => Error;
  /** What ends a silence; everything where it is left out. */
  isLife?: (event: T) => boolean;
}

/** Whether there is something to read in a text, however many characters it has. */
export function isReadable(text: string): boolean {
  return /[^\s\p{Cc}\p{Cf}]/u.test(text);
}

/** Before the first event a reader has nothing to look at. */
const firstSignMs = 1_000;
/** From here on, silence is worth a word. */
export const stalledMs = 10_000;
const longestMs = 90_000;

/**
 * Events as they come, and a sign where no life comes for a second at the beginning or for ten seconds at any time; gives up
 * after ninety. What is written by then has been yielded.
 */
export async function* listened<T>(open: Open<T>, options: ListenOptions<T>): AsyncGenerator<T | Silence> {
  const unheard = new AbortController();
  const iterator = open(AbortSignal.any([options.signal, unheard.signal]))[Symbol.asyncIterator]();
  const { isLife = () => true } = options;
  const silence = createSilence(options.after);
  silence.begin([firstSignMs, stalledMs, longestMs]);
  try {
    for (;;) {
      const step = yield* awaited(iterator.next(), silence, options);
      if (step.done) return;
      yield step.value;
      if (isLife(step.value)) silence.begin([stalledMs, longestMs]);
    }
  } finally {
    silence.end();
    unheard.abort();
    // Not awaited: a source that takes no notice of its end would keep the reader waiting.
    void iterator.return?.().catch(() => undefined);
  }
}

type Silent = ReturnType<typeof createSilence>;

/** Counts how long it is silent, from one sign to the next. */
function createSilence(after: ListenOptions<never>["after"]) {
  let signs: number[] = [];
  let waited = 0;
  let cancel = (): void => undefined;
  let sign = Promise.withResolvers<void>();

  function count(): void {
    cancel();
    sign = Promise.withResolvers();
    cancel = after((signs[0] ?? longestMs) - waited, sign.resolve);
  }

  return {
    begin(next: number[]): void {
      signs = next;
      waited = 0;
      count();
    },
    /** Resolves when the next sign is due. */
    due: () => sign.promise,
    /** How long it has been silent when a sign was due; counts on to the next. */
    pass(): number {
      waited = signs.shift() ?? longestMs;
      count();
      return waited;
    },
    end: () => cancel(),
  };
}

async function* awaited<T>(
  next: Promise<T>,
  silence: Silent,
  { signal, tooLong }: Pick<ListenOptions<never>, "signal" | "tooLong">,
): AsyncGenerator<Silence, T> {
  while (!(await isHere(next, silence, signal))) {
    const ms = silence.pass();
    if (ms >= longestMs) throw tooLong();
    yield { type: "silence", ms };
  }
  return next;
}

/** Whether something has come, or failed, before the next sign is due; rejects with the signal's reason. */
async function isHere(next: Promise<unknown>, silence: Silent, signal: AbortSignal): Promise<boolean> {
  signal.throwIfAborted();
  const here = Promise.withResolvers<boolean>();
  const onAbort = () => here.reject(signal.reason);
  const onCome = () => here.resolve(true);
  signal.addEventListener("abort", onAbort, { once: true });
  // Also where it fails: whoever gave up by then must not be told by the process ending.
  next.then(onCome, onCome);
  void silence.due().then(() => here.resolve(false));
  try {
    return await here.promise;
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
