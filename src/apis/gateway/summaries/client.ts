import { describe } from "../../../log.ts";
import { rateLimit } from "../../answer.ts";
import type { RateLimit } from "../../answer.ts";
import type { Article } from "../../article.ts";
import type { StreamAnswer } from "../../call.ts";
import { Unavailable, UnexpectedAnswer } from "../../errors.ts";
import type { ServerEvent } from "../../sse.ts";
import { billed, credentials, isTest, known } from "../ask.ts";
import type { Ask, Line } from "../ask.ts";
import { enveloped } from "../schema.ts";
import type { Credits } from "../schema.ts";
import { createDraft, createSources } from "./draft.ts";
import type { TextChange } from "./draft.ts";
import { createSummaryReader, summarySchema } from "./schema.ts";

interface SummaryResult {
  text: string;
  articles: Article[];
  credits: Credits;
}

export type SummaryEvent =
  | TextChange
  /** All that are known by now. */
  | { type: "sources"; articles: Article[] }
  | { type: "credits"; credits: Credits };

/** News, summed up. */
export interface Summaries {
  /** 5 credits. */
  summary(query: string, signal?: AbortSignal): Promise<SummaryResult>;
  /**
   * 5 credits; text that was yielded before a failure stands. Where no stream can be had, the whole summary comes as
   * one text. Credits are yielded only where the gateway tells them.
   */
  streamSummary(query: string, signal?: AbortSignal): AsyncIterable<SummaryEvent>;
}

const WRITING_TIME = 120_000;

const ANSWER = enveloped(summarySchema);

/** Builds this part of the gateway's client. */
export function createSummaries(line: Line, ask: Ask): Summaries {
  // Never sent again: a summary is paid for each time it is written.
  async function summary(query: string, signal?: AbortSignal): Promise<SummaryResult> {
    const { data, credits } = await ask.one({
      operation: "summary",
      method: "POST",
      path: "/api/v1/summaries",
      body: { query },
      within: WRITING_TIME,
      schema: ANSWER,
      signal,
    });
    return { ...data, credits };
  }

  async function* streamSummary(query: string, signal?: AbortSignal): AsyncIterable<SummaryEvent> {
    let isPaid = false;
    try {
      const { events, rate, requestId } = await open(line, query, signal);
      let hasText = false;
      let used: number | undefined;
      for await (const event of summaryEvents(events, line, rate)) {
        hasText ||= event.type === "text";
        if (event.type === "credits") used = event.credits.used ?? used;
        isPaid ||= hasText || (used ?? 0) > 0;
        yield event;
      }
      isPaid = true;
      if (hasText) return;
      throw new UnexpectedAnswer({
        api: "gateway",
        operation: "summary",
        requestId,
        detail: "a stream without any text",
        bill: { used },
      });
    } catch (error) {
      if (isPaid || !isAboutStreaming(error)) throw error;
      line.log?.warn("gateway.not-streamed", { error: describe(error) });
    }
    yield* whole(await summary(query, signal));
  }

  return { summary, streamSummary };
}

// Decided: the whole summary is asked for where the stream was refused, or failed before its first words and its bill.
// Not after a stream that ended as it should, which is paid for whatever it held; not after a timeout, when the service
// may still be writing at our expense; and not where the service says that it cannot, or that we may not, now.
function isAboutStreaming(error: unknown): boolean {
  if (!(error instanceof Unavailable)) return error instanceof UnexpectedAnswer;
  const { reason, status = 0, retryAt } = error;
  return reason === "connection" || reason === "cut" || (reason === "status" && status >= 500 && retryAt === undefined);
}

function* whole({ text, articles, credits }: SummaryResult): Iterable<SummaryEvent> {
  yield { type: "text", text };
  if (articles.length > 0) yield { type: "sources", articles };
  if (credits.used !== undefined || credits.remaining !== undefined) yield { type: "credits", credits };
}

function open(line: Line, query: string, signal: AbortSignal | undefined): Promise<StreamAnswer> {
  return line.http.stream({
    ...credentials(line),
    operation: "summary",
    method: "POST",
    path: "/api/v1/summaries/stream",
    body: { query },
    accept: "text/event-stream",
    signal,
  });
}

async function* summaryEvents(
  received: AsyncIterable<ServerEvent>,
  { key, pace }: Line,
  told: RateLimit,
): AsyncIterable<SummaryEvent> {
  const draft = createDraft();
  const sources = createSources();
  const read = createSummaryReader();
  let bill: Pick<Credits, "used" | "remaining"> = {};
  for await (const event of received) {
    if (event.data.trim() === "[DONE]") return;
    const { used, remaining, payload, ...part } = read(event);
    const change = draft.take(part);
    if (change) yield change;
    const articles = sources(part.articles);
    if (articles) yield { type: "sources", articles };
    if (used === undefined && remaining === undefined) continue;
    const enclosed = rateLimit({}, payload);
    pace.learn(enclosed);
    const rate = { ...known(told), ...known(enclosed) };
    bill = { used: used ?? bill.used, remaining: remaining ?? bill.remaining };
    yield { type: "credits", credits: billed({ ...bill, rate, test: isTest(key) }) };
  }
}
