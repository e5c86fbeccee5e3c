import type { Log } from "../../log.ts";
import type { Article } from "../article.ts";
import { tolerantJson } from "../answer.ts";
import type { Http } from "../call.ts";
import { UnexpectedAnswer } from "../errors.ts";
import type { ServerEvent } from "../sse.ts";
import { accountSchema, enveloped, searchSchema, summaryPart, summarySchema } from "./schema.ts";
import type { Credits } from "./schema.ts";

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

/** The developer gateway; every signal is honoured by throwing its reason. */
export interface Gateway {
  /** 1 credit. */
  search(query: string, options?: { limit?: number; signal?: AbortSignal }): Promise<SearchResult>;
  /** 5 credits. */
  summary(query: string, signal?: AbortSignal): Promise<SummaryResult>;
  /** 5 credits; text that was yielded before a failure stands. */
  streamSummary(query: string, signal?: AbortSignal): AsyncIterable<SummaryEvent>;
  me(signal?: AbortSignal): Promise<AccountResult>;
}

export interface GatewayOptions {
  http: Http;
  key: string;
  log?: Pick<Log, "warn"> | undefined;
}

/** Builds the client for one key. */
export function createGateway({ http, key, log }: GatewayOptions): Gateway {
  const test = key.startsWith("svc_test_");
  const post = { method: "POST", token: key } as const;

  return {
    async search(query, { limit, signal } = {}) {
      const { value } = await http.json({
        ...post,
        operation: "search",
        path: "/api/v1/search",
        body: limit === undefined ? { query } : { query, limit },
        // A search is sent again after failures of the server or the line, at the price of one credit at most.
        repeatable: true,
        schema: enveloped(searchSchema),
        signal,
      });
      const { data, ...bill } = value;
      if (data.dropped > 0) log?.warn("gateway.dropped", { operation: "search", dropped: data.dropped });
      return { query: data.query ?? query, articles: data.articles, total: data.total, credits: { ...bill, test } };
    },
    async summary(query, signal) {
      const path = "/api/v1/summaries";
      const schema = enveloped(summarySchema);
      const { value } = await http.json({ ...post, operation: "summary", path, body: { query }, schema, signal });
      const { data, ...bill } = value;
      return { ...data, credits: { ...bill, test } };
    },
    async *streamSummary(query, signal) {
      const call = { ...post, operation: "summary", path: "/api/v1/summaries/stream", body: { query }, signal };
      const { events, requestId } = await http.stream({ ...call, accept: "text/event-stream" });
      let something = false;
      for await (const event of summaryEvents(events, test)) {
        something ||= event.type === "text";
        yield event;
      }
      if (something) return;
      const failure = { api: "gateway", operation: "summary", requestId } as const;
      throw new UnexpectedAnswer({ ...failure, detail: "a stream without any text" });
    },
    async me(signal) {
      const schema = enveloped(accountSchema);
      const { value } = await http.json({
        operation: "me",
        method: "GET",
        path: "/api/v1/me",
        token: key,
        schema,
        signal,
      });
      const { data, used, remaining } = value;
      return { name: data.name, email: data.email, credits: { used, remaining: data.remaining ?? remaining, test } };
    },
  };
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
