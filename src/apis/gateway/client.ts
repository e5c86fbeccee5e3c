import type { Log } from "../../log.ts";
import type { Article } from "../article.ts";
import { tolerantJson } from "../answer.ts";
import type { Http } from "../call.ts";
import { UnexpectedAnswer } from "../errors.ts";
import { createPace } from "../pace.ts";
import { systemClock } from "../retry.ts";
import type { Clock } from "../retry.ts";
import type { ServerEvent } from "../sse.ts";
import { createAsk, isTest } from "./ask.ts";
import type { Ask, Line } from "./ask.ts";
import { createCollections } from "./collections/client.ts";
import type { Collections } from "./collections/client.ts";
import { createModels } from "./models/client.ts";
import type { Models } from "./models/client.ts";
import { accountSchema, searchSchema, summaryPart, summarySchema, usageSchema } from "./schema.ts";
import type { Credits, Usage } from "./schema.ts";

interface SearchResult {
  query: string;
  articles: Article[];
  total: number;
  credits: Credits;
}

interface SummaryResult {
  text: string;
  articles: Article[];
  credits: Credits;
}

interface AccountResult {
  name?: string | undefined;
  email?: string | undefined;
  credits: Credits;
}

export type SummaryEvent =
  | { type: "text"; text: string }
  | { type: "sources"; articles: Article[] }
  | { type: "credits"; credits: Credits };

/** News, found and summed up. */
interface News {
  /** 1 credit. */
  search(query: string, options?: { limit?: number; signal?: AbortSignal }): Promise<SearchResult>;
  /** 5 credits. */
  summary(query: string, signal?: AbortSignal): Promise<SummaryResult>;
  /** 5 credits; text that was yielded before a failure stands. */
  streamSummary(query: string, signal?: AbortSignal): AsyncIterable<SummaryEvent>;
}

/** Who the key belongs to and what it was used for. */
interface Account {
  me(signal?: AbortSignal): Promise<AccountResult>;
  /** Free. */
  usage(signal?: AbortSignal): Promise<{ usage: Usage; credits: Credits }>;
}

/** All that the gateway offers to one key; every signal is honoured by throwing its reason. */
export interface Gateway extends News, Account, Models, Collections {}

export interface GatewayOptions {
  http: Http;
  key: string;
  clock?: Partial<Pick<Clock, "now" | "wait">>;
  log?: Pick<Log, "warn"> | undefined;
}

/** Builds the client for one key; all its callers share one pace. */
export function createGateway({ http, key, clock, log }: GatewayOptions): Gateway {
  const pace = createPace("gateway", { ...systemClock, ...clock });
  const line: Line = { http, key, pace, log };
  const ask = createAsk(line);
  return { ...createNews(line, ask), ...createAccount(ask), ...createModels(ask), ...createCollections(ask, log) };
}

function createNews(line: Line, ask: Ask): News {
  return {
    async search(query, { limit, signal } = {}) {
      const { data, credits } = await ask.one({
        operation: "search",
        method: "POST",
        path: "/api/v1/search",
        body: limit === undefined ? { query } : { query, limit },
        // A search is sent again after failures of the server or the line, at the price of one credit at most.
        repeatable: true,
        schema: searchSchema,
        signal,
      });
      const { dropped } = data;
      if (dropped > 0) line.log?.warn("gateway.dropped", { operation: "search", dropped });
      return { query: data.query ?? query, articles: data.articles, total: data.total, credits };
    },
    async summary(query, signal) {
      const call = {
        operation: "summary",
        method: "POST",
        path: "/api/v1/summaries",
        body: { query },
        signal,
      } as const;
      const { data, credits } = await ask.one({ ...call, schema: summarySchema });
      return { ...data, credits };
    },
    streamSummary: (query, signal) => streamSummary(line, query, signal),
  };
}

function createAccount(ask: Ask): Account {
  return {
    async me(signal) {
      const call = { operation: "me", method: "GET", path: "/api/v1/me", signal } as const;
      const { data, credits } = await ask.one({ ...call, schema: accountSchema });
      const remaining = data.remaining ?? credits.remaining;
      return { name: data.name, email: data.email, credits: { ...credits, remaining } };
    },
    async usage(signal) {
      const call = { operation: "usage", method: "GET", path: "/api/v1/usage", signal } as const;
      const { data, credits } = await ask.one({ ...call, schema: usageSchema });
      return { usage: data, credits };
    },
  };
}

async function* streamSummary(
  { http, key, pace }: Line,
  query: string,
  signal: AbortSignal | undefined,
): AsyncIterable<SummaryEvent> {
  const { events, requestId } = await http.stream({
    operation: "summary",
    method: "POST",
    path: "/api/v1/summaries/stream",
    body: { query },
    accept: "text/event-stream",
    token: key,
    pace,
    signal,
  });
  let something = false;
  for await (const event of summaryEvents(events, isTest(key))) {
    something ||= event.type === "text";
    yield event;
  }
  if (something) return;
  const failure = { api: "gateway", operation: "summary", requestId } as const;
  throw new UnexpectedAnswer({ ...failure, detail: "a stream without any text" });
}

// Names and payloads of these events are not shown: JSON of any likely shape is read, anything else is text.
async function* summaryEvents(received: AsyncIterable<ServerEvent>, test: boolean): AsyncIterable<SummaryEvent> {
  for await (const { data } of received) {
    if (data.trim() === "[DONE]") return;
    const json = tolerantJson(data);
    // A bare number is a piece of plain text that happens to look like JSON.
    const payload = json === undefined || typeof json === "number" ? data : json;
    const { text, articles, used, remaining } = summaryPart(payload);
    if (text !== "") yield { type: "text", text };
    if (articles.length > 0) yield { type: "sources", articles };
    if (used !== undefined || remaining !== undefined) yield { type: "credits", credits: { used, remaining, test } };
  }
}
