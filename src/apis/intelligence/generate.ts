import { setImmediate } from "node:timers/promises";
import { z } from "zod";
import type { Log } from "../../log.ts";
import { dropInvisible, identifier, isRecord, looseList, maybe, parseJson, UnreadableAnswer } from "../fields.ts";
import type { ServerEvent } from "../sse.ts";
import { type Article, readArticle } from "../article.ts";
import { type Stage, stageSchema } from "./schema.ts";

const toolCall = z.object({
  id: z.string().max(500),
  name: z.string().max(200),
  args: z.record(z.string(), z.unknown()).catch({}),
  type: z.literal("tool_call").catch("tool_call"),
});
type ToolCall = z.infer<typeof toolCall>;

// Not shown: the values of NewsFeedSort, taken to be these words; that the newest article list's `count` limits what the
// model retrieves, also if the list names no articles; and that a list takes `useFullText` for the articles it names.
interface SearchSettings {
  /** "newest" or "relevance". */
  sorting?: string;
  useFullText?: boolean;
}

/** The data that belong to a message; whatever else the service puts there is kept and sent back. */
interface MessageMetadata {
  tool_calls?: ToolCall[] | undefined;
  tool_call_id?: string | undefined;
  /** Which articles a question is about; `start` and `end` in epoch milliseconds, as in the documented examples. */
  news_context?:
    | (SearchSettings & { start?: number; end?: number; stages?: Stage[]; [field: string]: unknown })
    | undefined;
}

interface TextContent {
  type: "text";
  text: string;
  metadata?: MessageMetadata | undefined;
}

/** Articles by their IDs (`svc_news`), a template, or another kind; it is passed on as it came. */
interface OtherContent {
  type: string;
  metadata?: MessageMetadata | undefined;
  [field: string]: unknown;
}

/** One message of a thread in the service's own form, so that a kept thread can be sent back unchanged. */
export interface GenerativeMessage {
  role: "user" | "assistant" | "tool";
  content: TextContent | OtherContent;
}

/** The words of a person, as one message. */
export function userMessage(text: string): GenerativeMessage {
  return { role: "user", content: { type: "text", text } };
}

/** Says how many articles the model may retrieve for what is asked next. */
export function retrievalLimit(count: number): GenerativeMessage {
  return { role: "user", content: { type: "svc_news", articleIds: [], count } };
}

/** A message whose articles are read in full, if it names articles. */
export function inFull(message: GenerativeMessage): GenerativeMessage {
  const { content } = message;
  return content.type === "svc_news" ? { ...message, content: { ...content, useFullText: true } } : message;
}

export type GenerateEvent =
  | { type: "text"; text: string }
  | { type: "tool_start"; message: GenerativeMessage; calls: ToolCall[] }
  /** The answer is asked for again, before it had any words: forget the tool events so far. */
  | { type: "restart" }
  | {
      type: "tool_finish";
      message: GenerativeMessage;
      callId?: string | undefined;
      articleIds: number[];
      articles?: Article[];
    };

export interface GenerateRequest {
  /** Sent as they are: articles to inject, templates and `news_context` included. */
  messages: GenerativeMessage[];
  /** True makes the model cite the articles' own addresses instead of the platform's. */
  directUrls?: boolean;
  /** In the place of the operator's. */
  model?: string | undefined;
  signal?: AbortSignal | undefined;
}

/** Bounds: the tool calls, articles and article IDs of one message, and the messages of a thread (its last ones are kept). */
const most = { calls: 100, articles: 200, articleIds: 1_000, messages: 2_000 };

const metadata = z.looseObject({
  tool_calls: z
    .preprocess((raw) => (Array.isArray(raw) ? raw.slice(0, most.calls) : raw), looseList(toolCall))
    .transform(({ items }) => items)
    .optional()
    .catch(undefined),
  tool_call_id: maybe(z.string().max(500)),
});

const messageSchema: z.ZodType<GenerativeMessage> = z.object({
  role: z.enum(["user", "assistant", "tool"]).catch("assistant"),
  content: z.looseObject({ type: z.string(), metadata: metadata.optional().catch(undefined) }),
});

const eventSchema = z.object({ type: z.string(), message: messageSchema });

const articleIds = looseList(identifier);

/** About 10 ms of work, and what a short event costs beside its characters. */
const charactersAtOnce = 100_000;
const charactersOfAnEvent = 1_000;

/** The characters of one event, and of all events of an answer beside its text. An answer that anybody is shown has fewer. */
const longestEvent = 256_000;
const mostBesideText = 4_000_000;

/**
 * Reads a stream of version 1. Events of other names and types, which later versions may add, are passed over, and so is
 * what tools bring without end; a part of the answer that cannot be read is an `UnreadableAnswer`.
 */
export async function* readGenerated(
  received: AsyncIterable<ServerEvent>,
  log?: Pick<Log, "warn">,
): AsyncIterable<GenerateEvent> {
  let read = 0;
  let besideText = 0;
  let isDropped = false;
  for await (const { event, data } of received) {
    if (data.trim() === "[DONE]") return;
    // Events that have already arrived are read without giving way, so a pause lets other work run now and then.
    read += data.length + charactersOfAnEvent;
    if (read > charactersAtOnce) read = await setImmediate(0);
    // An empty event, or one of another name, keeps the line open or marks an end.
    if (event !== "message" || data.trim() === "") continue;
    // In a text that an event quotes, these quotation marks would be escaped.
    const isText = data.includes('"ai_part"');
    if (isText && data.length > longestEvent) throw new UnreadableAnswer("a part of the answer that is too large");
    if (!isText) besideText += data.length;
    if (isText || (data.length <= longestEvent && besideText <= mostBesideText)) {
      yield* readMessageEvent(parseJson(data));
    } else {
      if (!isDropped) log?.warn("intelligence.tool-result.dropped", { characters: data.length, besideText });
      isDropped = true;
    }
  }
}

export const threadSchema = z.object({
  messages: z.preprocess((raw) => (Array.isArray(raw) ? raw.slice(-most.messages) : raw), looseList(messageSchema)),
});

/**
 * Reads a complete answer of version 1, the thread that was sent with what was added, as the events of a stream. What was
 * added comes after the last message of a person, also if the service leaves out what was sent.
 */
export function readThread({ messages }: z.infer<typeof threadSchema>): GenerateEvent[] {
  const last = messages.items.findLastIndex(({ role }) => role === "user");
  const events = messages.items.slice(last + 1).flatMap((message): GenerateEvent[] => {
    if (message.role === "tool") return [toolFinish(message)];
    const calls = metadataOf(message).tool_calls ?? [];
    return calls.length > 0 ? [{ type: "tool_start", message, calls }] : textEvent(messageText(message));
  });
  return events.map((event, at) => {
    const isNext = event.type === "text" && events[at - 1]?.type === "text";
    return isNext ? { ...event, text: `\n\n${event.text}` } : event;
  });
}

function readMessageEvent(data: unknown): GenerateEvent[] {
  const parsed = eventSchema.safeParse(data);
  if (!parsed.success) {
    if (isRecord(data) && data["type"] === "ai_part")
      throw new UnreadableAnswer("a part of the answer without content");
    return [];
  }
  const { type, message } = parsed.data;
  if (type === "ai_part") return textEvent(messageText(message));
  if (type === "tool_start") return [{ type, message, calls: metadataOf(message).tool_calls ?? [] }];
  return type === "tool_finish" ? [toolFinish(message)] : [];
}

function toolFinish(message: GenerativeMessage): GenerateEvent {
  const { articles: given }: Record<string, unknown> = { ...message.content };
  const event = { type: "tool_finish" as const, message, callId: metadataOf(message).tool_call_id };
  // Not shown: whether a result ever holds more of its articles than their IDs.
  const articles = Array.isArray(given) ? given.slice(0, most.articles).flatMap((raw) => readArticle(raw) ?? []) : [];
  return { ...event, articleIds: articleIdsOf(message), ...(articles.length > 0 && { articles }) };
}

/** IDs of the articles that a message brings. */
export function articleIdsOf({ content }: GenerativeMessage): number[] {
  const { articleIds: ids }: Record<string, unknown> = { ...content };
  return articleIds.parse(Array.isArray(ids) ? ids.slice(0, most.articleIds) : []).items;
}

// Not shown: the arguments of a search. Filters of the kind that stages have are taken from these members.
const searchArgs = z.looseObject({
  stages: z.array(stageSchema).catch([]),
  filters: looseList(z.looseObject({ type: z.literal("entity"), value: identifier }))
    .transform(({ items }) => items)
    .catch([]),
});

/** The filters of a search that a model made, as stages; none if it searched for words alone. */
export function stagesOfSearch(args: unknown): Stage[] {
  const { data } = searchArgs.safeParse(args);
  if (!data) return [];
  const filters = data.filters.map(({ type, value }) => ({ not: false, entities: [{ type, value }] }));
  return [...data.stages, ...filters];
}

function metadataOf({ content }: GenerativeMessage): Partial<z.infer<typeof metadata>> {
  return metadata.safeParse(content.metadata).data ?? {};
}

function textEvent(raw: string): GenerateEvent[] {
  const text = dropInvisible(raw);
  return text === "" ? [] : [{ type: "text", text }];
}

/** A message's text, or "" if its content is of another kind. */
function messageText({ content }: GenerativeMessage): string {
  return content.type === "text" && "text" in content && typeof content.text === "string" ? content.text : "";
}
