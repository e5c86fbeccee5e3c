import { z } from "zod";
import { UnreadableJson, parseJson } from "../json.ts";
import { identifier, looseList, maybe } from "../loose.ts";
import { isRecord, visible } from "../values.ts";
import type { ServerEvent } from "../sse.ts";
import type { Stage } from "./schema.ts";

interface ToolCall {
  id: string;
  name: string;
  args: Record<string, unknown>;
  type: "tool_call";
}

interface NewsContext {
  /** Epoch milliseconds, as in the documented request examples. */
  start?: number;
  end?: number;
  stages?: Stage[];
  sorting?: string;
  useFullText?: boolean;
}

interface Metadata {
  tool_calls?: ToolCall[] | undefined;
  tool_call_id?: string | undefined;
  news_context?: NewsContext | undefined;
}

interface TextContent {
  type: "text";
  text: string;
  metadata?: Metadata | undefined;
}

interface NewsContent {
  type: "svc_news";
  articleIds: number[];
  useFullText?: boolean;
  count?: number;
  sorting?: string;
  stages?: Stage[];
  metadata?: Metadata | undefined;
}

/** A kind of content that is passed on as it came. */
interface OtherContent {
  type: string;
  metadata?: Metadata | undefined;
  [field: string]: unknown;
}

/** One message of a thread in the service's own form, so that a kept thread can be sent back unchanged. */
export interface GenerativeMessage {
  role: "user" | "assistant" | "tool";
  content: TextContent | NewsContent | OtherContent;
}

export type GenerateEvent =
  | { type: "text"; text: string }
  | { type: "tool_start"; message: GenerativeMessage; calls: ToolCall[] }
  | { type: "tool_finish"; message: GenerativeMessage; callId?: string | undefined; articleIds: number[] };

export interface GenerateRequest {
  /** Sent as they are: articles to inject, templates and `news_context` included. */
  messages: GenerativeMessage[];
  /** The form of the events: "1" where missing; "0" is deprecated upstream. */
  version?: "0" | "1";
  /** False asks for the complete answer at once, which comes in one burst of events. */
  streaming?: boolean;
  /** True makes the model cite the articles' own addresses instead of the platform's. */
  directUrls?: boolean;
  signal?: AbortSignal | undefined;
}

const toolCall: z.ZodType<ToolCall> = z.object({
  id: z.string().max(500),
  name: z.string().max(200),
  args: z.record(z.string(), z.unknown()).catch({}),
  type: z.literal("tool_call").catch("tool_call"),
});

const metadata = z.looseObject({
  tool_calls: looseList(toolCall)
    .transform(({ items }) => items)
    .optional()
    .catch(undefined),
  tool_call_id: maybe(z.string().max(500)),
});

// The document puts metadata into the content object; beside the content it is taken as well. Version 0 is called
// inconsistent without an example: its messages may have bare text as content, or none.
const messageSchema: z.ZodType<GenerativeMessage> = z.preprocess(
  (raw) => {
    if (!isRecord(raw)) return raw;
    const { metadata: beside, content = "" } = raw;
    const whole = typeof content === "string" ? { type: "text", text: content } : content;
    if (!isRecord(whole)) return raw;
    return { ...raw, content: beside === undefined ? whole : { metadata: beside, ...whole } };
  },
  z.object({
    role: z.enum(["user", "assistant", "tool"]).catch("assistant"),
    content: z.looseObject({ type: z.string(), metadata: metadata.optional().catch(undefined) }),
  }),
);

const eventSchema = z.object({ type: z.string(), message: messageSchema });
/** Reads a complete answer. */
export const threadSchema: z.ZodType<GenerativeMessage[]> = z
  .object({ messages: looseList(messageSchema) })
  .transform(({ messages }) => messages.items);

const articleIds = looseList(identifier).catch({ items: [], dropped: 0 });

const KNOWN = new Set(["message", "start_tool", "finish_tool", "json"]);

/**
 * Reads a stream of either version, or a complete answer in its place; kinds of messages that later versions may add
 * are passed over, but a part of the answer that cannot be read is an `UnreadableJson`. `sent` is the thread that was sent.
 */
export async function* generateEvents(
  received: AsyncIterable<ServerEvent>,
  sent: readonly GenerativeMessage[],
): AsyncIterable<GenerateEvent> {
  for await (const { event, data } of received) {
    if (event === "chat_message") {
      yield* textEvent(data);
      continue;
    }
    if (data.trim() === "[DONE]") return;
    const isKnown = KNOWN.has(event) || data.trimStart().startsWith("{");
    // An empty event, or one of another name, keeps the line open or marks an end.
    if (data.trim() === "" || !isKnown) continue;
    const json = parseJson(data);
    if (event === "json") yield* completeEvents(threadSchema.safeParse(json).data ?? [], sent);
    else yield* event === "start_tool" || event === "finish_tool" ? versionZero(event, json) : versionOne(json);
  }
}

/**
 * What a complete answer adds, as the events that a stream would have brought. Whether its thread begins with the one
 * that was sent is not shown; both are read.
 */
export function completeEvents(
  thread: readonly GenerativeMessage[],
  sent: readonly GenerativeMessage[],
): GenerateEvent[] {
  const events: GenerateEvent[] = [];
  for (const message of thread.slice(lengthOfSent(thread, sent))) {
    const calls = metadataOf(message).tool_calls ?? [];
    if (message.role === "tool") events.push(finished(message));
    else if (message.role === "assistant" && calls.length > 0) events.push({ type: "tool_start", message, calls });
    // Two messages of a thread are two paragraphs; parts of a stream are not.
    else if (message.role === "assistant") events.push(...textEvent(paragraph(message, events)));
  }
  return events;
}

function paragraph(message: GenerativeMessage, before: readonly GenerateEvent[]): string {
  const text = textOf(message);
  return text !== "" && before.some(({ type }) => type === "text") ? `\n\n${text}` : text;
}

function lengthOfSent(thread: readonly GenerativeMessage[], sent: readonly GenerativeMessage[]): number {
  const begins = sent.every(({ role, content }, at) => {
    const other = thread[at];
    return other?.role === role && other.content.type === content.type;
  });
  // A thread that was truncated may come back shorter; nothing of it after the last question was there before.
  return begins ? sent.length : thread.findLastIndex(({ role }) => role === "user") + 1;
}

function versionOne(data: unknown): GenerateEvent[] {
  const parsed = eventSchema.safeParse(data);
  if (!parsed.success) {
    if (isRecord(data) && data["type"] === "ai_part") throw new UnreadableJson("a part of the answer without content");
    return [];
  }
  const { type, message } = parsed.data;
  if (type === "ai_part") return textEvent(textOf(message));
  if (type === "tool_start") return [{ type, message, calls: metadataOf(message).tool_calls ?? [] }];
  return type === "tool_finish" ? [finished(message)] : [];
}

function versionZero(event: "start_tool" | "finish_tool", data: unknown): GenerateEvent[] {
  const parsed = messageSchema.safeParse(data);
  if (!parsed.success) return [];
  const message = parsed.data;
  if (event === "finish_tool") return [finished(message)];
  return [{ type: "tool_start", message, calls: metadataOf(message).tool_calls ?? [] }];
}

function finished(message: GenerativeMessage): GenerateEvent {
  const found = articleIds.parse("articleIds" in message.content ? message.content.articleIds : []);
  const callId = metadataOf(message).tool_call_id;
  return { type: "tool_finish", message, callId, articleIds: found.items };
}

function metadataOf({ content }: GenerativeMessage): Partial<z.infer<typeof metadata>> {
  return metadata.safeParse(content.metadata).data ?? {};
}

function textEvent(raw: string): GenerateEvent[] {
  const text = visible(raw);
  return text === "" ? [] : [{ type: "text", text }];
}

/** A message's text, or "" where its content is of another kind. */
function textOf({ content }: GenerativeMessage): string {
  return content.type === "text" && "text" in content && typeof content.text === "string" ? content.text : "";
}
