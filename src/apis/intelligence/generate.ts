import { z } from "zod";
import { parseJson } from "../json.ts";
import { identifier, isRecord, looseList, maybe, visible } from "../loose.ts";
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
  messages: GenerativeMessage[];
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

// The document puts metadata into the content object; beside the content it is taken as well.
const messageSchema: z.ZodType<GenerativeMessage> = z.preprocess(
  (raw) => {
    if (!isRecord(raw) || !isRecord(raw["content"])) return raw;
    const { metadata: beside, content } = raw;
    return beside === undefined ? raw : { ...raw, content: { metadata: beside, ...content } };
  },
  z.object({
    role: z.enum(["user", "assistant", "tool"]).catch("assistant"),
    content: z.looseObject({ type: z.string(), metadata: metadata.optional().catch(undefined) }),
  }),
);

const eventSchema = z.object({ type: z.string(), message: messageSchema });
const articleIds = looseList(identifier).catch({ items: [], dropped: 0 });

/** Reads a stream of version 1; kinds of messages that later versions may add are passed over. */
export async function* generateEvents(received: AsyncIterable<ServerEvent>): AsyncIterable<GenerateEvent> {
  for await (const { event, data } of received) {
    if (data.trim() === "[DONE]") return;
    const json = parseJson(data);
    const found = event === "json" ? completeReply(json) : generateEvent(json);
    if (found !== undefined) yield found;
  }
}

function generateEvent(data: unknown): GenerateEvent | undefined {
  const parsed = eventSchema.safeParse(data);
  if (!parsed.success) return undefined;
  const { type, message } = parsed.data;
  const meta = metadata.safeParse(message.content.metadata).data;
  if (type === "ai_part") return textEvent(textOf(message));
  if (type === "tool_start") return { type, message, calls: meta?.tool_calls ?? [] };
  if (type !== "tool_finish") return undefined;
  const found = articleIds.parse("articleIds" in message.content ? message.content.articleIds : []);
  return { type, message, callId: meta?.tool_call_id, articleIds: found.items };
}

// The answer of the other mode, which a service may give where a stream was asked for.
function completeReply(data: unknown): GenerateEvent | undefined {
  const thread = z.object({ messages: looseList(messageSchema) }).safeParse(data).data?.messages.items ?? [];
  const reply = thread.findLast(({ role, content }) => role === "assistant" && content.type === "text");
  return reply === undefined ? undefined : textEvent(textOf(reply));
}

function textEvent(raw: string): GenerateEvent | undefined {
  const text = visible(raw);
  return text === "" ? undefined : { type: "text", text };
}

/** A message's text, or "" where its content is of another kind. */
function textOf({ content }: GenerativeMessage): string {
  return content.type === "text" && "text" in content && typeof content.text === "string" ? content.text : "";
}
