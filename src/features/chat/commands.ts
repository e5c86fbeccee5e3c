import { UnexpectedAnswer, UsageError } from "../../apis/errors.ts";
import { describe } from "../../log.ts";
import type { Ask, Command, Message, Services } from "../feature.ts";
import {
  type Answer,
  type Conversation,
  heard,
  messagesFor,
  newAnswer,
  newConversation,
  turnOf,
  withTurn,
} from "./conversation.ts";
import { answerView } from "./view.ts";

const longestQuestion = 3_000;
const service = { api: "intelligence", operation: "generate" } as const;

export const ask: Command = {
  verb: "ask",
  usage: "QUESTION",
  summary: "Ask anything about the news; mention me in the answer's thread to go on",
  examples: ["ask why are chip makers in the news?"],
  isSlash: true,
  working: "Thinking…",
  run(request, services) {
    const question = questionIn(request.text);
    return answerTo(question, request, services);
  },
};

function questionIn(text: string): string {
  const question = text.trim();
  if (!question)
    throw new UsageError("What would you like to know? Type `/ask QUESTION`, for example `/ask why is gold rising?`.");
  if (question.length > longestQuestion) {
    const length = question.length.toLocaleString("en");
    throw new UsageError(
      `Your question is ${length} characters long, and ${longestQuestion.toLocaleString("en")} fit. Shorten it, or ask in two steps: I remember what was said in a thread.`,
    );
  }
  return question;
}

async function* answerTo(question: string, request: Ask, services: Services): AsyncGenerator<Message> {
  const { thread, signal, surface } = request;
  const conversation = thread === undefined ? newConversation : await recalledIfPossible(request, thread, services);
  const asker = surface === "slash" || surface === "button" ? request.user : undefined;
  let answer: Answer = newAnswer(question);
  try {
    const messages = messagesFor(conversation, question);
    for await (const event of services.intelligence.generate({ messages, directUrls: true, signal })) {
      answer = heard(answer, event);
      yield answerView({ answer, asker, isFinished: false });
    }
    if (!answer.text) throw new UnexpectedAnswer({ ...service, detail: "an answer without any words" });
    yield answerView({ answer, asker, isFinished: true });
  } finally {
    // What was said before a failure was read by people, so the thread remembers it as well.
    if (answer.text) await remember(answer, request, services);
  }
}

/** Adds the answer to its thread's conversation; a store that fails is the operator's matter, the answer stands. */
async function remember(answer: Answer, request: Ask, services: Services): Promise<void> {
  const root = request.thread ?? (await request.posted)?.ts;
  if (!root) return;
  try {
    // Recalled again: somebody else may have asked in this thread meanwhile.
    const latest = await recalled(request, root, services);
    await services.conversations.set(keyOf(request, root), withTurn(latest, turnOf(answer)));
  } catch (error) {
    services.log.error("conversation.unsaved", { error: describe(error) });
  }
}

async function recalled(request: Ask, thread: string, { conversations }: Services): Promise<Conversation> {
  return (await conversations.get(keyOf(request, thread))) ?? newConversation;
}

/** What the thread is about; a store that fails costs the memory, not the answer. */
async function recalledIfPossible(request: Ask, thread: string, services: Services): Promise<Conversation> {
  try {
    return await recalled(request, thread, services);
  } catch (error) {
    services.log.error("conversation.forgotten", { error: describe(error) });
    return newConversation;
  }
}

function keyOf({ team, channel }: Ask, thread: string): string {
  return `${team} ${channel} ${thread}`;
}
