import type { Timer } from "./timer.ts";
import { context } from "./text/blocks.ts";
import { type Message, type Reply, grows } from "./text/message.ts";
import { Stopped } from "./incoming/request.ts";

/** How long a reader waits before being told that the bot is at work. */
const patienceMs = 700;
/** How long a source that is told to stop has for an end of its own. */
const graceMs = 1_000;

interface Ending {
  /** Ends the states, with its reason as the last one. */
  signal: AbortSignal;
  timer: Timer;
}

interface Telling extends Ending {
  explain: (error: unknown, last?: Message) => Message;
  /** Says what is going on; nothing where the reader may wait without. */
  working: () => string;
}

/**
 * A reply as states that never fail: an error becomes the last state. Where it takes more than a moment, a sign of work
 * leads it: private while it is not clear whether the reply grows, the first state of the reply itself where it does.
 * The only `try` around what a command does.
 */
export async function* statesOf(run: () => Reply | Promise<Reply>, telling: Telling): AsyncGenerator<Message> {
  const { explain, working, timer } = telling;
  let last: Message | undefined;
  let source: AsyncIterator<Message> | undefined;
  try {
    const replying = untilEnd(async () => run(), telling);
    const reply = yield* patiently(replying, () => ({ ...signOf(working()), private: true }), timer);
    if (!grows(reply)) {
      yield { ...reply, private: true };
      return;
    }
    const growing = reply[Symbol.asyncIterator]();
    source = growing;
    let step = yield* patiently(
      untilEnd(() => growing.next(), telling),
      () => signOf(working()),
      timer,
    );
    while (!step.done) {
      last = step.value;
      yield last;
      step = await untilEnd(() => growing.next(), telling);
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
  // What is stopped by its asker may still say how it ends.
  if (!(signal.reason instanceof Stopped)) signal.throwIfAborted();
  const ended = Promise.withResolvers<never>();
  let cancel: (() => void) | undefined;
  const onAbort = () => {
    cancel = timer.after(graceMs, () => ended.reject(signal.reason));
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([work(), ended.promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
    cancel?.();
  }
}

/** What the work comes to, led by a sign of it where it takes more than a moment. */
async function* patiently<T>(work: Promise<T>, sign: () => Message, timer: Timer): AsyncGenerator<Message, T> {
  const late = Promise.withResolvers<boolean>();
  const cancel = timer.after(patienceMs, () => late.resolve(true));
  try {
    const isLate = await Promise.race([work.then(() => false), late.promise]);
    const shown = sign();
    if (isLate && shown.text) yield shown;
    return await work;
  } finally {
    cancel();
  }
}

function signOf(text: string): Message {
  return { text, blocks: [context(text)], progress: true };
}
