import { context } from "./blocks.ts";
import { type Message, type Reply, grows } from "./message.ts";
import type { Timer } from "./pacer.ts";

/** How long a reader waits before being told that the bot is at work. */
const patienceMs = 700;
/** How long a source that is told to stop has for an end of its own. */
const graceMs = 1_000;

interface Ending {
  /** Ends the states, with its reason as the last one. */
  signal: AbortSignal;
  timer: Timer;
}

/** A reply as states that never fail: an error becomes the last state. The only `try` around what a command does. */
export async function* statesOf(
  run: () => Reply | Promise<Reply>,
  explain: (error: unknown, last?: Message) => Message,
  ending: Ending,
): AsyncGenerator<Message> {
  let last: Message | undefined;
  let source: AsyncIterator<Message> | undefined;
  try {
    const reply = await untilEnd(async () => run(), ending);
    if (!grows(reply)) {
      yield { ...reply, private: true };
      return;
    }
    const growing = reply[Symbol.asyncIterator]();
    source = growing;
    for (;;) {
      const step = await untilEnd(() => growing.next(), ending);
      if (step.done) break;
      last = step.value;
      yield last;
    }
    if (!last || last.progress) throw new Error("the answer ended before it began");
  } catch (error) {
    yield explain(error, last?.progress ? undefined : last);
  } finally {
    // Not awaited: a source that does not notice that it is to end would keep its reader waiting.
    void source?.return?.().catch(() => undefined);
  }
}

/** What the work comes to; rejects with the signal's reason where that is first and the work takes no notice. */
async function untilEnd<T>(work: () => Promise<T>, { signal, timer }: Ending): Promise<T> {
  signal.throwIfAborted();
  const ended = Promise.withResolvers<never>();
  let cancel: (() => void) | undefined;
  const onAbort = () => {
    cancel = timer.after(graceMs, () => ended.reject(signal.reason));
  };
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([work(), ended.promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
    cancel?.();
  }
}

/** The same states, led by a line that says what is going on where the first one takes more than a moment. */
export async function* patient(
  states: AsyncGenerator<Message>,
  working: () => string,
  timer: Timer,
): AsyncGenerator<Message> {
  try {
    const first = states.next();
    const late = Promise.withResolvers<"late">();
    const cancel = timer.after(patienceMs, () => late.resolve("late"));
    const winner = await Promise.race([first, late.promise]);
    cancel();
    const text = working();
    if (winner === "late" && text) yield { text, blocks: [context(text)], progress: true, private: true };
    const step = await first;
    if (!step.done) yield step.value;
    yield* states;
  } finally {
    void states.return(undefined).catch(() => undefined);
  }
}
