import type { GenerateEvent, GenerativeMessage } from "../../apis/intelligence/generate.ts";

/** One question and everything that was said and fetched to answer it. */
export interface Turn {
  messages: GenerativeMessage[];
}

/** What a thread is about; the generative endpoint remembers nothing, so all of it is sent with each question. */
export interface Conversation {
  turns: Turn[];
}

/** Older turns give way so that a long thread stays affordable; the service cuts further by its truncation strategy. */
const turnsKept = 20;
const charactersKept = 60_000;

export const newConversation: Conversation = { turns: [] };

/** The messages to send for a question: the thread so far, then the question. */
export function messagesFor(conversation: Conversation, question: string): GenerativeMessage[] {
  return [...conversation.turns.flatMap(({ messages }) => messages), asked(question)];
}

/** The conversation with one more turn, without its oldest ones where it has become too long. */
export function withTurn(conversation: Conversation, turn: Turn): Conversation {
  const turns = [...conversation.turns, turn].slice(-turnsKept);
  while (turns.length > 1 && JSON.stringify(turns).length > charactersKept) turns.shift();
  return { turns };
}

/** An answer as it comes in. */
export interface Answer {
  question: string;
  text: string;
  /** What the model is fetching at the moment, in words. */
  activity: string | undefined;
  /** IDs of the articles that the model was given. */
  articleIds: number[];
  /** Tool calls, each followed by its result. */
  exchanges: GenerativeMessage[];
  /** A call that has no result yet: a thread that holds one is refused upstream. */
  pending: GenerativeMessage[];
}

/** An answer of which nothing has come yet. */
export function newAnswer(question: string): Answer {
  return { question, text: "", activity: undefined, articleIds: [], exchanges: [], pending: [] };
}

/** The answer after one more event. */
export function heard(answer: Answer, event: GenerateEvent): Answer {
  if (event.type === "text") return { ...answer, text: answer.text + event.text, activity: undefined };
  if (event.type === "tool_start") {
    return { ...answer, activity: activityOf(event.calls), pending: [...answer.pending, event.message] };
  }
  return {
    ...answer,
    activity: undefined,
    articleIds: [...new Set([...answer.articleIds, ...event.articleIds])],
    exchanges: [...answer.exchanges, ...answer.pending, event.message],
    pending: [],
  };
}

/** What of an answer the next question needs to know. */
export function turnOf({ question, text, exchanges }: Answer): Turn {
  return { messages: [asked(question), ...exchanges, { role: "assistant", content: { type: "text", text } }] };
}

function asked(question: string): GenerativeMessage {
  return { role: "user", content: { type: "text", text: question } };
}

type ToolCalls = Extract<GenerateEvent, { type: "tool_start" }>["calls"];

function activityOf(calls: ToolCalls): string {
  const details = calls.flatMap(({ args }) => ["query", "keywords", "search", "q"].map((name) => args[name]));
  const detail = details.find((value) => typeof value === "string" && value.trim() !== "");
  return typeof detail === "string" ? `Searching articles: ${detail.trim()}` : "Searching articles…";
}
