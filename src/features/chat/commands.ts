import { UnexpectedAnswer, UsageError } from "../../apis/errors.ts";
import type { Ask, Command, Message, Services } from "../feature.ts";
import { type Answer, heard, messagesFor, newAnswer, newConversation, turnOf, withTurn } from "./conversation.ts";
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

async function* answerTo(
  question: string,
  request: Ask,
  { intelligence, conversations }: Services,
): AsyncGenerator<Message> {
  const { thread, signal, surface } = request;
  const recalled = async (root: string) => (await conversations.get(keyOf(request, root))) ?? newConversation;
  const conversation = thread === undefined ? newConversation : await recalled(thread);
  const asker = surface === "slash" || surface === "button" ? request.user : undefined;
  let answer: Answer = newAnswer(question);
  try {
    const messages = messagesFor(conversation, question);
    for await (const event of intelligence.generate({ messages, directUrls: true, signal })) {
      answer = heard(answer, event);
      yield answerView({ answer, asker, isFinished: false });
    }
    if (!answer.text) throw new UnexpectedAnswer({ ...service, detail: "an answer without any words" });
    yield answerView({ answer, asker, isFinished: true });
  } finally {
    // What was said before a failure was read by people, so the thread remembers it as well.
    const root = thread ?? (answer.text ? (await request.posted)?.ts : undefined);
    if (answer.text && root) {
      // Recalled again: somebody else may have asked in this thread meanwhile.
      const latest = await recalled(root);
      await conversations.set(keyOf(request, root), withTurn(latest, turnOf(answer)));
    }
  }
}

function keyOf({ team, channel }: Ask, thread: string): string {
  return `${team} ${channel} ${thread}`;
}
