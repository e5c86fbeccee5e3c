import { z } from "zod";

import {
  type GenerateEvent,
  type GenerativeMessage,
  articleIdsOf,
  inFull,
  retrievalLimit,
  userMessage,
} from "../../apis/intelligence/generate.ts";
import { legible } from "../../slack/text/mrkdwn.ts";
import { isInWords } from "../text.ts";
import { languageOrder } from "../question/language.ts";
import { type Scope, askedWithin, onlyThese, scopeSchema } from "../question/scope.ts";

const messageSchema = z.object({
  role: z.enum(["user", "assistant", "tool"]),
  content: z.looseObject({ type: z.string() }),
});
/** Contents of messages are what the API gave and takes back, so they are kept whole. */
const messagesSchema = z.array(z.custom<GenerativeMessage>((value) => messageSchema.safeParse(value).success));

/** One question and everything that was said and fetched to answer it. */
const turnSchema = z.object({
  messages: messagesSchema,
  /** The key of its answer while that is still to come, and for good if it never came. */
  unanswered: z.string().optional(),
  /** The message up to which its thread had been read then, as Slack counts time. */
  readUpTo: z.string().optional(),
});
export type Turn = z.infer<typeof turnSchema>;

/** Articles that somebody chose for a thread to be about. */
const chosenSchema = z.object({
  /** The name of the list of them. */
  title: z.string(),
  count: z.number(),
  /** The articles as the generative endpoint takes them. */
  messages: messagesSchema,
  /** Of the kept list that they came from. */
  key: z.string().optional(),
  /** Names of what they are about, the most frequent first. */
  subjects: z.array(z.string()).optional(),
});
export type ChosenArticles = z.infer<typeof chosenSchema>;

/** The subject of a thread; the generative endpoint remembers nothing, so all of it is sent with each question. */
export const conversationSchema = z.object({
  turns: z.array(turnSchema),
  /** Lists of articles that were chosen for it, the oldest first; they stay however long the thread becomes. */
  articles: z.array(chosenSchema).optional(),
  /** The scope in which its questions are asked, until somebody says otherwise. */
  scope: scopeSchema.optional(),
  /** A language model without the news was asked last, and answers what names neither. */
  isChat: z.boolean().optional(),
  /** The one that was named for it. */
  model: z.string().optional(),
});
export type Conversation = z.infer<typeof conversationSchema>;

/** A question, and what people said before it, in words. */
export interface Question {
  text: string;
  overheard?: { text: string; count: number } | undefined;
  /** The message up to which the thread has been read with it. */
  readUpTo?: string | undefined;
  /** The language that it is answered in, unless its thread has a language. */
  language?: string | undefined;
}

/** Older turns give way so that a long thread stays affordable; the service cuts further by its truncation strategy. */
const turnsKept = 20;
const charactersKept = 60_000;
/** Lists of articles that a thread can be about. */
const listsKept = 4;

export const newConversation: Conversation = { turns: [] };

const onlyTheseAnswer = `${onlyThese} Where they do not say it, say that they do not.`;

/**
 * The messages to send for a question: the articles of the thread, the thread so far, then the question. The scope is sent
 * with the newest question alone and never kept with it, so that nothing of an older one is still in force.
 */
export function messagesForQuestion(
  { articles = [], turns, scope }: Conversation,
  question: Question,
  now: number,
): GenerativeMessage[] {
  const { text } = question;
  const given = articles.flatMap(({ messages }) => messages);
  const language = languageOrder(scope?.language ?? question.language);
  return [
    ...(scope?.isFull ? given.map(inFull) : given),
    ...turns.flatMap(({ messages }) => messages),
    ...overheardIn(question),
    ...(scope?.limit && !scope.isOnly ? [retrievalLimit(scope.limit)] : []),
    ...subjectOf(scope),
    ...(scope?.isOnly ? [userMessage(onlyTheseAnswer)] : []),
    ...(language ? [userMessage(language)] : []),
    askedWithin(text, scope, now),
  ];
}

/**
 * The entity meant by "it" in a question that is limited to one: the filter holds its ID alone. Other names are left
 * out, because the service would search for articles that have all of them.
 */
function subjectOf({ source: within, isOnly }: Scope = {}): GenerativeMessage[] {
  const isOne = within?.source.kind === "entity" && within.source.ids.length === 1;
  return isOne && !isOnly ? [userMessage(`This is about ${within.title}.`)] : [];
}

/** The articles of a thread if more are chosen for it: the newest lists, each of them once, and a search's as last read. */
export function withArticles(before: ChosenArticles[] | undefined = [], chosen: ChosenArticles): ChosenArticles[] {
  const wanted = JSON.stringify(chosen.messages);
  const isRead = isInWords(chosen.messages);
  const others = before.filter(({ title, messages }) => {
    const isReadBefore = isRead && isInWords(messages) && title === chosen.title;
    return !isReadBefore && JSON.stringify(messages) !== wanted;
  });
  return [...others.slice(1 - listsKept), chosen];
}

/** A message as a language model without the news takes it. */
interface ChatMessage {
  role: "user" | "assistant";
  content: string;
}

/** The words of a thread, and with a question what people said before it. */
export function chatMessages({ turns }: Conversation, question?: Question): ChatMessage[] {
  const messages = turns.flatMap((turn) => turn.messages);
  if (question) messages.push(...turnOfQuestion(question).messages);
  return messages.flatMap(({ role, content }) => {
    const text = messageWords({ role, content });
    return role !== "tool" && text ? [{ role, content: text }] : [];
  });
}

function messageWords(message: GenerativeMessage | undefined): string | undefined {
  const text = message?.content.type === "text" && "text" in message.content ? message.content.text : undefined;
  return typeof text === "string" ? text : undefined;
}

/** The message up to which the thread has been read; nothing if it never was. */
export function lastRead({ turns }: Conversation): string | undefined {
  const all = turns.flatMap(({ readUpTo }) => readUpTo ?? []);
  return all.toSorted((one, other) => Number(one) - Number(other)).at(-1);
}

/** The questions of a thread, in words. */
export function questionsIn(conversation: Conversation): string[] {
  return chatMessages(conversation).flatMap(({ role, content }) => (role === "user" ? [content] : []));
}

/** IDs of the articles that earlier answers of a thread were written from; a follow-up may link to them. */
export function articleIdsIn({ turns }: Conversation): number[] {
  return turns.flatMap(({ messages }) => messages).flatMap(articleIdsOf);
}

/** The conversation with a question whose answer is still to come. */
export function withQuestion(conversation: Conversation, question: Question, key: string): Conversation {
  const others = withoutUnanswered(conversation, question.text);
  return withTurn(others, { ...turnOfQuestion(question), unanswered: key });
}

/** The conversation with an answer in the place of its question. */
export function withAnswer(conversation: Conversation, turn: Turn, key: string): Conversation {
  const turns = conversation.turns.filter(({ unanswered }) => unanswered !== key);
  return withTurn({ ...conversation, turns }, turn);
}

/** The conversation without a question that has no answer, if the same is asked again. */
export function withoutUnanswered(conversation: Conversation, question: string): Conversation {
  const isSame = ({ unanswered, messages }: Turn) =>
    unanswered !== undefined && messageWords(messages.at(-1)) === question;
  return { ...conversation, turns: conversation.turns.filter((turn) => !isSame(turn)) };
}

/** The conversation with one more turn, without its oldest ones if it has become too long. */
export function withTurn(conversation: Conversation, turn: Turn): Conversation {
  const turns = [...conversation.turns, turn].slice(-turnsKept);
  while (turns.length > 1 && JSON.stringify(turns).length > charactersKept) turns.shift();
  return { ...conversation, turns };
}

/** A message of the model that calls tools, with what they gave so far. */
interface ToolExchange {
  call: GenerativeMessage;
  /** IDs of the calls that have no result yet. */
  waiting: string[];
  results: GenerativeMessage[];
}

/** An answer as it comes in. */
export interface NewsAnswer {
  question: Question;
  text: string;
  /** There is something to read in the text. */
  hasWords: boolean;
  /** The thing that the model is fetching at the moment, in words. */
  activity: string | undefined;
  /** IDs of the articles that the model was given. */
  articleIds: number[];
  exchanges: ToolExchange[];
}

/** An answer of which nothing has come yet. */
export function newAnswer(question: Question): NewsAnswer {
  return { question, text: "", hasWords: false, activity: undefined, articleIds: [], exchanges: [] };
}

/** The answer after one more event. */
export function withEvent(answer: NewsAnswer, event: GenerateEvent): NewsAnswer {
  if (event.type === "restart") return newAnswer(answer.question);
  if (event.type === "text") {
    // Looked for in what is new alone: to read the whole text at each part would cost its length each time.
    const hasWords = answer.hasWords || legible(event.text).trim() !== "";
    return { ...answer, text: answer.text + event.text, hasWords, activity: undefined };
  }
  if (event.type === "tool_start") {
    const exchange = { call: event.message, waiting: event.calls.map(({ id }) => id), results: [] };
    return { ...answer, activity: activityWords(event.calls), exchanges: [...answer.exchanges, exchange] };
  }
  const { callId = "", message, articleIds } = event;
  const exchanges = answer.exchanges.map((exchange) => {
    if (!exchange.waiting.includes(callId)) return exchange;
    const waiting = exchange.waiting.filter((id) => id !== callId);
    return { ...exchange, waiting, results: [...exchange.results, message] };
  });
  return {
    ...answer,
    activity: exchanges.some(({ waiting }) => waiting.length > 0) ? answer.activity : undefined,
    articleIds: [...new Set([...answer.articleIds, ...articleIds])],
    exchanges,
  };
}

/**
 * The part of an answer that the next question needs to know: its words, and of what tools gave as much as there is room
 * for. A thread in which a call has no result is refused upstream.
 */
export function turnOfAnswer({ question, text, exchanges }: NewsAnswer): Turn {
  let room = charactersKept;
  const complete = exchanges.filter(({ waiting, results }) => waiting.length === 0 && results.length > 0);
  const fetched = complete.flatMap(({ call, results }) => {
    const { length } = JSON.stringify([call, ...results]);
    if (length > room) return [];
    room -= length;
    return [call, ...results];
  });
  const answered: GenerativeMessage = { role: "assistant", content: { type: "text", text } };
  const { messages, ...asked } = turnOfQuestion(question);
  return { ...asked, messages: [...messages, ...fetched, answered] };
}

function turnOfQuestion(question: Question): Turn {
  const { text, readUpTo } = question;
  return { messages: [...overheardIn(question), userMessage(text)], ...(readUpTo && { readUpTo }) };
}

function overheardIn({ overheard }: Question): GenerativeMessage[] {
  return overheard ? [userMessage(overheard.text)] : [];
}

type ToolCalls = Extract<GenerateEvent, { type: "tool_start" }>["calls"];

function activityWords(calls: ToolCalls): string {
  const details = calls.flatMap(({ args }) => ["query", "keywords", "search", "q"].map((name) => args[name]));
  const detail = details.find((value) => typeof value === "string" && value.trim() !== "");
  return typeof detail === "string" ? `Searching articles: ${detail.trim()}`.slice(0, 500) : "Searching articles…";
}
