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

/** A message of the model that calls tools, with what they gave so far. */
interface Exchange {
  call: GenerativeMessage;
  /** IDs of the calls that have no result yet. */
  waiting: string[];
  results: GenerativeMessage[];
}

/** An answer as it comes in. */
export interface Answer {
  question: string;
  text: string;
  /** What the model is fetching at the moment, in words. */
  activity: string | undefined;
  /** IDs of the articles that the model was given. */
  articleIds: number[];
  exchanges: Exchange[];
}

/** An answer of which nothing has come yet. */
export function newAnswer(question: string): Answer {
  return { question, text: "", activity: undefined, articleIds: [], exchanges: [] };
}

/** The answer after one more event. */
export function heard(answer: Answer, event: GenerateEvent): Answer {
  if (event.type === "text") return { ...answer, text: answer.text + event.text, activity: undefined };
  if (event.type === "tool_start") {
    const ids = event.calls.map(({ id }) => id);
    const exchange = { call: event.message, waiting: ids.length > 0 ? ids : [unnamed], results: [] };
    return { ...answer, activity: activityOf(event.calls), exchanges: [...answer.exchanges, exchange] };
  }
  const exchanges = withResult(answer.exchanges, event.message, event.callId);
  return {
    ...answer,
    activity: exchanges.some(({ waiting }) => waiting.length > 0) ? answer.activity : undefined,
    articleIds: [...new Set([...answer.articleIds, ...event.articleIds])],
    exchanges,
  };
}

/** Stands for the ID of a call that came without one. */
const unnamed = "";

/** Puts a result beside its call; one that names none belongs to the oldest call, and one without any call to nothing. */
function withResult(exchanges: Exchange[], message: GenerativeMessage, callId: string | undefined): Exchange[] {
  const named = exchanges.findIndex(({ waiting }) => waiting.includes(callId ?? unnamed));
  const oldest = exchanges.findIndex(({ waiting }) => waiting.includes(unnamed) || (!callId && waiting.length > 0));
  const at = named === -1 ? oldest : named;
  return exchanges.map((exchange, index) => {
    if (index !== at) return exchange;
    const { call, waiting, results } = exchange;
    const answered = Math.max(0, waiting.indexOf(callId ?? unnamed));
    return { call, waiting: waiting.toSpliced(answered, 1), results: [...results, message] };
  });
}

/** What of an answer the next question needs to know; a thread in which a call has no result is refused upstream. */
export function turnOf({ question, text, exchanges }: Answer): Turn {
  const complete = exchanges.filter(({ waiting }) => waiting.length === 0);
  const fetched = complete.flatMap(({ call, results }) => [call, ...results]);
  return { messages: [asked(question), ...fetched, { role: "assistant", content: { type: "text", text } }] };
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
