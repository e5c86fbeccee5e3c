import type { Ask, Command, Message, Services } from "../feature.ts";
import { askedIn } from "../thread.ts";
import { inTurn } from "../turn.ts";
import { answered } from "./answer/answer.ts";
import { inquiryIn } from "./commands.ts";
import { completed, completionIn } from "./completions.ts";

/** What is said in a thread and names no command: answered by whatever was asked there last. */
export const reply: Command = {
  verb: "reply",
  usage: "TEXT",
  summary: "Go on in a thread",
  examples: [],
  isSlash: false,
  isHidden: true,
  working: "Thinking…",
  // Typed, it is a word like any other.
  fits: () => false,
  run: (request, services) =>
    inTurn(request, services, (isApart) => answeredAsBefore({ ...request, isApart }, services)),
};

async function* answeredAsBefore(request: Ask & { isApart: boolean }, services: Services): AsyncGenerator<Message> {
  // Not before its turn: an answer that is under way may be the thread's first.
  const { isChat } = await services.memories.recall(askedIn(request));
  if (!isChat) {
    yield* answered(await inquiryIn(request.text, request, services), request, services);
    return;
  }
  const gateway = services.spending.gatewayFor(request);
  yield* completed(await completionIn(request, services), request, { ...services, gateway });
}
