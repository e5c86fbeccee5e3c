import type { Message } from "../slack/message.ts";
import { waitingView } from "./chat/answer/view.ts";
import type { Ask, Services } from "./feature.ts";
import { answeredIn, askedIn, threadKey } from "./thread.ts";

type Leave = () => void;

/**
 * The states of an answer that begins when its turn has come, led by its place in the line while it waits. They are told
 * whether other answers of the thread stand between it and its question.
 */
export async function* inTurn(
  request: Ask,
  services: Services,
  states: (isApart: boolean) => AsyncIterable<Message>,
): AsyncGenerator<Message> {
  const thread = askedIn(request);
  const isApart = thread !== undefined && services.gate.isBusy(request.team, threadKey(thread));
  const leave = yield* waited(request, services);
  try {
    yield* states(isApart);
  } finally {
    leave();
  }
}

async function* waited(request: Ask, { gate }: Services): AsyncGenerator<Message, Leave> {
  const { team, user, stopKey, posted: stands, signal } = request;
  const thread = askedIn(request);
  const begins = thread ? undefined : keyOf(answeredIn(request));
  const waiting = gate.enter({ team, user, thread: thread && threadKey(thread), begins, stands, signal });
  try {
    let shown = "";
    for (;;) {
      const step = await waiting.next();
      if (step.done) return step.value;
      const state = waitingView(step.value.position, { asker: user, stopKey });
      if (state.text !== shown) yield state;
      shown = state.text;
    }
  } finally {
    // Where the reader has left, so has the question; where its turn has come, this does nothing.
    await waiting.return(() => undefined);
  }
}

async function keyOf(started: ReturnType<typeof answeredIn>): Promise<string | undefined> {
  const thread = await started;
  return thread && threadKey(thread);
}
