import { z } from "zod";
import { type ChannelStage, stageBody } from "./channels.ts";
import { invalid } from "./service.ts";

const toolCall = z.looseObject({
  id: z.string().min(1),
  name: z.string().min(1),
  args: z.record(z.string(), z.unknown()),
  type: z.literal("tool_call"),
});

/** The document does not show the values of `sorting`: any text is accepted; one with "relev" first sorts by relevance. */
const searchFields = {
  stages: z.array(stageBody).optional(),
  sorting: z.string().optional(),
  useFullText: z.boolean().optional(),
};

const metadata = z
  .looseObject({
    tool_calls: z.array(toolCall).optional(),
    tool_call_id: z.string().min(1).optional(),
    news_context: z
      .looseObject({ start: z.number().optional(), end: z.number().optional(), ...searchFields })
      .optional(),
  })
  .optional();

/** The document does not show the kinds of template; these three are this sandbox's, each with its prompt. */
const templates = {
  svc_template_summary: "Summarise the articles.",
  svc_template_timeline: "Give a timeline: what happened and when.",
  svc_template_table: "Show the articles as a table.",
};

const content = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("text"), text: z.string(), metadata }),
  z.looseObject({
    type: z.literal("svc_news"),
    articleIds: z.array(z.int()),
    count: z.number().optional(),
    ...searchFields,
    metadata,
  }),
  z.looseObject({
    type: z.enum(["svc_template_summary", "svc_template_timeline", "svc_template_table"]),
    metadata,
  }),
]);

const conversationMessage = z.looseObject({ role: z.enum(["user", "tool", "assistant"]), content });

type ConversationMessage = z.infer<typeof conversationMessage>;

/** The body of POST /generative/generate. The document shows no values of `model` and `truncationStrategy`: any is good. */
export const generateBody = z.looseObject({
  version: z.literal("1"),
  model: z.string().min(1),
  messages: z.array(conversationMessage).min(1),
  streaming: z.boolean(),
  truncationStrategy: z.string().min(1).optional(),
  useDirectArticleURL: z.boolean().optional(),
});

/** The parts of a conversation that an answer uses. */
export interface SampleConversation {
  question: string;
  /** Earlier questions, latest first. */
  earlier: string[];
  /** IDs of the articles in the conversation, the latest first. */
  injected: number[];
  /** The range of time that is searched, in epoch milliseconds. */
  window: { start: number | undefined; end: number | undefined };
  stages: ChannelStage[];
  byRelevance: boolean;
  count: number;
  length: number;
  /** The language that the thread has asked for since its last answer. */
  language?: string | undefined;
}

/** The bot's instructions to the model, which are not part of the question. */
const order = /^Answer from the articles /u;
const languageOrder = /^Answer in (\p{L}[\p{L} ()]*)\.$/mu;

/** A question without earlier ones, about the articles with these IDs if there are any. */
export function conversationOf(question: string, injected: number[]): SampleConversation {
  const window = { start: undefined, end: undefined };
  return { question, earlier: [], injected, window, stages: [], byRelevance: false, count: 10, length: 1 };
}

/** Reads a conversation. Refuses one that asks for nothing, or whose tool messages have no call that they answer. */
export function readConversation({ messages }: z.infer<typeof generateBody>): SampleConversation {
  checkTools(messages);
  if (messages.at(-1)?.role === "assistant") throw invalid("messages: the last one must be from the user or a tool.");
  const latestFirst = messages.toReversed();
  const said = latestFirst
    .flatMap((message) => promptOf(message)?.replace(languageOrder, "").trim() ?? [])
    .filter((text) => text !== "" && !order.test(text));
  const answered = latestFirst.findIndex(({ role }) => role === "assistant");
  const newest = answered < 0 ? latestFirst : latestFirst.slice(0, answered);
  const language = newest.flatMap((message) => languageOrder.exec(promptOf(message) ?? "")?.[1] ?? [])[0];
  // A quoted message is context for the question, not a question itself.
  const prompts = said.filter((text, at) => at === 0 || quotedIn(text).length === 0);
  const quoted = said.slice(1).flatMap(quotedIn);
  const lists = latestFirst.flatMap((message) => (message.content.type === "svc_news" ? [message.content] : []));
  if (prompts.length === 0 && lists.length === 0) throw invalid("messages: there is no user message to answer.");
  const context = latestFirst.map((message) => message.content.metadata?.news_context).find((one) => one !== undefined);
  const [question = templates.svc_template_summary, ...earlier] = prompts;
  return {
    question,
    earlier,
    injected: [...new Set([...lists.flatMap((list) => list.articleIds), ...quoted])],
    window: { start: toMilliseconds(context?.start), end: toMilliseconds(context?.end) },
    stages: [...(context?.stages ?? []), ...lists.flatMap((list) => list.stages ?? [])],
    byRelevance: /^relev/i.test(context?.sorting ?? lists[0]?.sorting ?? ""),
    count: Math.min(30, Math.max(1, Math.trunc(lists[0]?.count ?? 10))),
    length: messages.length,
    language,
  };
}

function checkTools(messages: ConversationMessage[]): void {
  const called = new Set<string>();
  for (const [at, { role, content: said }] of messages.entries()) {
    const calls = said.metadata?.tool_calls ?? [];
    if (calls.length > 0 && role !== "assistant") {
      throw invalid(`messages.${at}: only assistant messages carry tool_calls.`);
    }
    if (role === "tool" && !called.has(said.metadata?.tool_call_id ?? "")) {
      throw invalid(
        `messages.${at}: a tool message needs a tool_call_id that an assistant message before it has called.`,
      );
    }
    for (const call of calls) called.add(call.id);
  }
}

function promptOf({ role, content: said }: ConversationMessage): string | undefined {
  if (role !== "user" || said.type === "svc_news") return undefined;
  return said.type === "text" ? said.text : templates[said.type];
}

/** IDs of the articles whose addresses stand in a text. */
export function quotedIn(text: string): number[] {
  return [...text.matchAll(/^(?:> )?https:\/\/www\.\S+-(\d{1,15})$/gm)].map(([, id]) => Number(id));
}

/** The document's examples give milliseconds; a number too small for those is taken as seconds. */
function toMilliseconds(time: number | undefined): number | undefined {
  return time === undefined || time > 100_000_000_000 ? time : time * 1000;
}
