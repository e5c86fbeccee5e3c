import type { Article } from "../../apis/article.ts";
import type { Api } from "../../apis/errors.ts";
import type { Gateway } from "../../apis/gateway/client.ts";
import type { Credits } from "../../apis/gateway/schema.ts";
import { type GenerativeMessage, inFull, userMessage } from "../../apis/intelligence/generate.ts";
import type { Intelligence } from "../../apis/intelligence/client.ts";
import type { Configured } from "../feature.ts";
import { type AnswerSettings, generation } from "../question/answer-options.ts";
import { languageOrder } from "../question/language.ts";
import { askedWithin, onlyThese } from "../question/scope.ts";
import { articleMessages, articlesAsText, articlesTold, articlesWithin } from "../text.ts";

/** Words about these articles and no others: by the news service, or by the gateway if only that is set up. */

/** A text that is to be written about articles. */
export interface WritingOrder {
  articles: Article[];
  /** The manner of writing, which the model is told before the order. */
  manner?: string | undefined;
  /** The last that the model is told. */
  order: string;
  /** The language, the model, and how articles are given and linked. */
  settings?: AnswerSettings | undefined;
}

export interface WriterDependencies {
  configured: Configured;
  intelligence: Pick<Intelligence, "generate">;
  /** The gateway of whoever pays. */
  gateway: Pick<Gateway, "chat">;
  /** The language model of the gateway if none is named. */
  chatModel?: string | undefined;
  now: () => number;
}

type WritingEvent = { type: "text"; text: string } | { type: "credits"; credits: Credits };

/** A service that writes, and the articles that it has room for. */
interface Writer {
  service: { api: Api; operation: string };
  sources: Article[];
  /** Has it written, until the signal aborts. */
  open: (signal: AbortSignal) => AsyncIterable<WritingEvent>;
}

/** Characters of articles that are given to a model of the gateway. */
const articlesMost = 6_000;

/** The service that writes: a model of the gateway, which has no news but what it's given, only if the other is not set up. */
export function writingApi({ configured }: Pick<WriterDependencies, "configured">): Api {
  return !configured.intelligence && configured.gateway ? "gateway" : "intelligence";
}

/** Has a text written by the service that is set up for that. */
export function writerOf(writing: WritingOrder, deps: WriterDependencies): Writer {
  const { articles } = writing;
  const api = writingApi(deps);
  if (api === "gateway") {
    return {
      service: { api, operation: "chat" },
      sources: articlesWithin(articles, articlesMost),
      open: (signal) => writtenByGateway(writing, deps, signal),
    };
  }
  return {
    service: { api, operation: "generate" },
    sources: articlesTold(articles),
    open: (signal) => writtenByNewsService(writing, deps, signal),
  };
}

async function* writtenByNewsService(
  { articles, manner, order, settings }: WritingOrder,
  { intelligence, now }: WriterDependencies,
  signal: AbortSignal,
): AsyncGenerator<WritingEvent> {
  const given = articleMessages(articles);
  const messages: GenerativeMessage[] = [
    ...(settings?.isFull ? given.map(inFull) : given),
    ...mannerIn(manner, settings).map(userMessage),
    userMessage(onlyThese),
    askedWithin(order, { isOnly: true }, now()),
  ];
  for await (const event of intelligence.generate({ messages, ...generation(settings), signal })) {
    if (event.type === "text") yield event;
  }
}

async function* writtenByGateway(
  { articles, manner, order, settings }: WritingOrder,
  { gateway, chatModel }: WriterDependencies,
  signal: AbortSignal,
): AsyncGenerator<WritingEvent> {
  const messages = [
    { role: "system" as const, content: [...mannerIn(manner, settings), onlyThese].join("\n") },
    { role: "user" as const, content: `${articlesAsText(articles, articlesMost)}\n\n${order}` },
  ];
  const reply = await gateway.chat({ model: settings?.model ?? chatModel, messages, signal });
  // First, so that it's known to whoever stops reading a text that is too long.
  yield { type: "credits", credits: reply.credits };
  yield { type: "text", text: reply.text };
}

function mannerIn(manner: string | undefined, settings: AnswerSettings | undefined): string[] {
  return [manner, languageOrder(settings?.language)].filter((each) => each !== undefined);
}

interface WholeText {
  text: string;
  credits?: Credits | undefined;
}

/** A text that nobody reads before it's complete; no more is read of it than so many characters. */
export async function writeWhole(
  writing: WritingOrder,
  { most, signal }: { most: number; signal: AbortSignal },
  deps: WriterDependencies,
): Promise<WholeText> {
  const written: WholeText = { text: "" };
  for await (const event of writerOf(writing, deps).open(signal)) {
    if (event.type === "credits") written.credits = event.credits;
    else written.text += event.text;
    if (written.text.length > most) break;
  }
  return written;
}

interface Deadline {
  ms: number;
  /** The reason of the abort. */
  late: () => Error;
  after: (ms: number, call: () => void) => () => void;
  signal?: AbortSignal | undefined;
}

/** Work that is aborted when it takes too long. */
export async function beforeDeadline<T>(
  { ms, late, after, signal }: Deadline,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const timeout = new AbortController();
  const cancel = after(ms, () => timeout.abort(late()));
  try {
    return await work(AbortSignal.any([timeout.signal, ...(signal ? [signal] : [])]));
  } finally {
    cancel();
  }
}
