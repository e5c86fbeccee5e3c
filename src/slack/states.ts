import { context } from "./blocks.ts";
import { type Message, type Reply, grows } from "./message.ts";
import type { Timer } from "./pacer.ts";

/** How long a reader waits before being told that the bot is at work. */
const patienceMs = 700;

/** A reply as states that never fail: an error becomes the last state. The only `try` around what a command does. */
export async function* statesOf(
  run: () => Reply | Promise<Reply>,
  explain: (error: unknown, last?: Message) => Message,
): AsyncGenerator<Message> {
  let last: Message | undefined;
  try {
    const reply = await run();
    if (!grows(reply)) {
      yield { ...reply, private: true };
      return;
    }
    for await (const state of reply) {
      last = state;
      yield state;
    }
  } catch (error) {
    yield explain(error, last?.progress ? undefined : last);
  }
}

/** The same states, led by a line that says what is going on where the first one takes more than a moment. */
export async function* patient(
  states: AsyncGenerator<Message>,
  working: () => string,
  timer: Timer,
): AsyncGenerator<Message> {
  const first = states.next();
  const late = Promise.withResolvers<"late">();
  const cancel = timer.after(patienceMs, () => late.resolve("late"));
  if ((await Promise.race([first, late.promise])) === "late") {
    const text = working();
    yield { text, blocks: [context(text)], progress: true, private: true };
  }
  cancel();
  const step = await first;
  if (!step.done) yield step.value;
  yield* states;
}
