import { z } from "zod";
import type { Stage } from "./channels.ts";
import { checked, Refusal } from "./http.ts";

/** Other entry types and other stage fields are not shown in the document, so the one type that is shown is the only one here. */
export const StageSchema = z.looseObject({
  not: z.boolean(),
  entities: z.array(z.looseObject({ type: z.literal("entity"), value: z.int() })),
});

const ToolCallSchema = z.looseObject({
  id: z.string().min(1),
  name: z.string().min(1),
  args: z.record(z.string(), z.unknown()),
  type: z.literal("tool_call"),
});

/** The allowed values of sorting are not shown: any text is taken, and one that begins with "relev" sorts by relevance. */
const Search = {
  stages: z.array(StageSchema).optional(),
  sorting: z.string().optional(),
  useFullText: z.boolean().optional(),
};

const Metadata = z.looseObject({
  tool_calls: z.array(ToolCallSchema).optional(),
  tool_call_id: z.string().min(1).optional(),
  news_context: z.looseObject({ start: z.number().optional(), end: z.number().optional(), ...Search }).optional(),
});

/** The kinds of template are not shown; these three are this sandbox's, each with the prompt that it stands for. */
const TEMPLATES = {
  svc_template_summary: "Summarise the articles.",
  svc_template_timeline: "Explain in detail what happened and when.",
  svc_template_table: "Show the articles as a table.",
};

const metadata = Metadata.optional();
const Content = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("text"), text: z.string(), metadata }),
  z.looseObject({
    type: z.literal("svc_news"),
    articleIds: z.array(z.int()),
    count: z.number().optional(),
    ...Search,
    metadata,
  }),
  z.looseObject({ type: z.literal("svc_template_summary"), metadata }),
  z.looseObject({ type: z.literal("svc_template_timeline"), metadata }),
  z.looseObject({ type: z.literal("svc_template_table"), metadata }),
]);

const MessageSchema = z.looseObject({ role: z.enum(["user", "tool", "assistant"]), content: Content });

/** The allowed values of model and truncationStrategy are not shown: any text that is not empty is taken. */
const Body = z.looseObject({
  version: z.enum(["0", "1"]),
  model: z.string().min(1),
  messages: z.array(MessageSchema).min(1),
  streaming: z.boolean(),
  truncationStrategy: z.string().min(1).optional(),
  useDirectArticleURL: z.boolean().optional(),
});

/** The body of POST /generative/generate; every rule about single fields is in here, those about the thread in `readThread`. */
export const GenerateBody: z.ZodType<z.infer<typeof Body>> = Body;

export type GenerateBody = z.infer<typeof Body>;
type Message = z.infer<typeof MessageSchema>;

/** What one generation needs to know of a conversation. */
export interface Thread {
  question: string;
  /** Earlier questions, latest first. */
  earlier: string[];
  /** IDs of the articles in the thread, those injected last first. */
  injected: number[];
  window: { start: number | undefined; end: number | undefined };
  stages: Stage[];
  byRelevance: boolean;
  count: number;
  length: number;
}

function checkTools(messages: Message[]): void {
  const called = new Set<string>();
  for (const [at, { role, content }] of messages.entries()) {
    const calls = content.metadata?.tool_calls ?? [];
    const refers = content.metadata?.tool_call_id;
    if (calls.length > 0 && role !== "assistant") {
      throw new Refusal(400, "invalid_request", `messages.${at}: only assistant messages carry tool_calls.`);
    }
    if (role === "tool" && (refers === undefined || !called.has(refers))) {
      const rule = "a tool message needs a tool_call_id that an assistant message before it has called.";
      throw new Refusal(400, "invalid_request", `messages.${at}: ${rule}`);
    }
    for (const call of calls) called.add(call.id);
  }
}

function promptOf({ role, content }: Message): string | undefined {
  if (role !== "user" || content.type === "svc_news") return undefined;
  return content.type === "text" ? content.text : TEMPLATES[content.type];
}

/** IDs of the articles whose addresses stand in a text. */
function quotedIn(text: string): number[] {
  return [...text.matchAll(/^https:\/\/www\.\S+-(\d{1,15})$/gm)].map(([, id]) => Number(id));
}

/** The document's examples give milliseconds; a number too small for those is taken as seconds. */
function milliseconds(time: number | undefined): number | undefined {
  return time === undefined || time > 100_000_000_000 ? time : time * 1000;
}

/** Reads a conversation; refuses one whose tool messages refer to nothing, or that asks for nothing. */
export function readThread({ messages }: GenerateBody): Thread {
  checkTools(messages);
  if (messages.at(-1)?.role === "assistant") {
    throw new Refusal(400, "invalid_request", "messages: the last message must be from the user or a tool.");
  }
  const latestFirst = messages.toReversed();
  const said = latestFirst.flatMap((message) => promptOf(message) ?? []);
  // What somebody quotes before asking is there to be read, and asks for nothing.
  const prompts = said.filter((text, at) => at === 0 || quotedIn(text).length === 0);
  const quoted = said.slice(1).flatMap(quotedIn);
  const lists = latestFirst.flatMap(({ content }) => (content.type === "svc_news" ? [content] : []));
  if (prompts.length === 0 && lists.length === 0) {
    throw new Refusal(400, "invalid_request", "messages: there is no user message to answer.");
  }
  const context = latestFirst.find(({ content }) => content.metadata?.news_context)?.content.metadata?.news_context;
  const sorting = context?.sorting ?? lists[0]?.sorting ?? "";
  const [question = TEMPLATES.svc_template_summary, ...earlier] = prompts;
  return {
    question,
    earlier,
    injected: [...new Set([...lists.flatMap((list) => list.articleIds), ...quoted])],
    window: { start: milliseconds(context?.start), end: milliseconds(context?.end) },
    stages: checked(z.array(StageSchema), [...(context?.stages ?? []), ...lists.flatMap((list) => list.stages ?? [])]),
    byRelevance: sorting.toLowerCase().startsWith("relev"),
    count: Math.min(30, Math.max(1, Math.trunc(lists[0]?.count ?? 10))),
    length: messages.length,
  };
}
