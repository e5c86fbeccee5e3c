import type { z } from "zod";
import { describe, type Log } from "../../log.ts";
import type { Article } from "../article.ts";
import { Unavailable, UnexpectedAnswer } from "../errors.ts";
import type { LooseList } from "../fields.ts";
import type { Http, KeyHeader } from "../http.ts";
import * as schemas from "./schema.ts";
import type { Credits, Enveloped, NewsCollection } from "./schema.ts";
import { eventsOfSummary, readSummary, type SummaryEvent, type SummaryResult } from "./summaries.ts";

export type { SummaryEvent } from "./summaries.ts";

type Billed<T> = T & { credits: Credits };

/** All that the gateway offers to one key; every signal is honoured by throwing its reason. */
export type Gateway = ReturnType<typeof createGateway>;

/** Every endpoint as the document lists it, and what a call costs in credits by a live key; a test key pays nothing. */
export const endpoints = {
  search: { path: "POST /api/v1/search", credits: 1 },
  trending: { path: "GET /api/v1/trending/entities", credits: 1 },
  summary: { path: "POST /api/v1/summaries", credits: 5 },
  streamSummary: { path: "POST /api/v1/summaries/stream", credits: 5 },
  chat: { path: "POST /api/v1/chat/completions", credits: 1 },
  models: { path: "GET /api/v1/models", credits: 0 },
  createCollection: { path: "POST /api/v1/collections", credits: 0 },
  collections: { path: "GET /api/v1/collections", credits: 0 },
  collection: { path: "GET /api/v1/collections/:id", credits: 0 },
  runCollection: { path: "POST /api/v1/collections/:id/execute", credits: 1 },
  insightChannels: { path: "GET /api/v1/insight-channels", credits: 0 },
  me: { path: "GET /api/v1/me", credits: 0 },
  usage: { path: "GET /api/v1/usage", credits: 0 },
} as const satisfies Record<string, { path: string; credits: number }>;

type Endpoint = keyof typeof endpoints;

/** A call that costs credits. */
export type PaidCall = {
  [Name in Endpoint]: (typeof endpoints)[Name]["credits"] extends 0 ? never : Name;
}[Endpoint];

/** Keys of the test kind cost nothing. */
export function isTestKey(key: string): boolean {
  return key.startsWith("svc_test_");
}

interface GatewayOptions {
  http: Http;
  key: string;
  /** "authorization" if missing; the gateway documents both. */
  keyHeader?: KeyHeader | undefined;
  log?: Pick<Log, "warn"> | undefined;
  /** Told of all articles that are read. */
  onRead?: ((articles: Article[]) => void) | undefined;
}

const REPLY_TIME = 120_000;

interface ChatRequest {
  model?: string | undefined;
  messages: { role: "system" | "user" | "assistant"; content: string }[];
  signal?: AbortSignal | undefined;
}

interface EndpointCall<T> {
  schema: z.ZodType<Enveloped<T>>;
  body?: unknown;
  /** The ID in the path. */
  id?: string;
  repeatable?: boolean;
  within?: number;
  signal?: AbortSignal | undefined;
}

/** Builds the client for one key. */
export function createGateway({ http, key, keyHeader, log, onRead }: GatewayOptions) {
  const test = isTestKey(key);
  const credential = { token: key, keyHeader };

  /** Calls an endpoint; a POST is not sent again, unless it is `repeatable`. */
  async function ask<T>(name: Endpoint, { id = "", ...call }: EndpointCall<T>): Promise<Billed<{ data: T }>> {
    const { path } = endpoints[name];
    const [, method, address = ""] = /^(GET|POST) (.*)$/.exec(path) ?? [];
    const { data, used, remaining } = await http.json({
      ...call,
      operation: operationOf(name),
      method: method === "POST" ? "POST" : "GET",
      path: address.replace(":id", encodeURIComponent(id)),
      ...credential,
    });
    return { data, credits: { used, remaining, test } };
  }

  /** Reads of a list what can be read of it. */
  async function list<T>(name: Endpoint, call: EndpointCall<LooseList<T>>): Promise<Billed<{ items: T[] }>> {
    const { data, credits } = await ask(name, call);
    reportDropped(name, data.dropped);
    return { items: data.items, credits };
  }

  function reportDropped(name: Endpoint, dropped: number): void {
    if (dropped > 0) log?.warn("gateway.dropped", { operation: operationOf(name), dropped });
  }

  // Never sent again: a summary is paid for each time it is written.
  async function summary(query: string, signal?: AbortSignal): Promise<SummaryResult> {
    const call = { body: { query }, within: REPLY_TIME, schema: schemas.summarySchema, signal };
    const { data, credits } = await ask("summary", call);
    onRead?.(data.articles);
    return { ...data, credits };
  }

  /**
   * A failure does not take back the text before it. If no stream can be had, the whole summary comes as one text. Credits
   * are yielded only if the gateway sends them.
   */
  async function* streamSummary(query: string, signal?: AbortSignal): AsyncIterable<SummaryEvent> {
    let isPaid = false;
    try {
      const { events, requestId } = await http.stream({
        ...credential,
        operation: "summary",
        method: "POST",
        path: "/api/v1/summaries/stream",
        body: { query },
        signal,
      });
      let hasText = false;
      for await (const event of readSummary(events, test)) {
        hasText ||= event.type === "text";
        if (event.type === "sources") onRead?.(event.articles);
        isPaid ||= hasText || (event.type === "credits" && (event.credits.used ?? 0) > 0);
        yield event;
      }
      if (hasText) return;
      // A stream that ends as it should is paid for, whatever it held.
      isPaid = true;
      const failure = { api: "gateway", operation: "summary", requestId } as const;
      throw new UnexpectedAnswer({ ...failure, detail: "a stream without any text" });
    } catch (error) {
      if (isPaid || !isAboutStreaming(error)) throw error;
      log?.warn("gateway.stream.failed", { error: describe(error) });
    }
    yield* eventsOfSummary(await summary(query, signal));
  }

  return {
    summary,
    streamSummary,
    async search(query: string, { limit, signal }: { limit?: number; signal?: AbortSignal } = {}) {
      // A search is sent again after failures of the server or the line, at the price of one credit at most.
      const call = { body: { query, limit }, repeatable: true, schema: schemas.foundSchema, signal };
      const { data, credits } = await ask("search", call);
      reportDropped("search", data.dropped);
      onRead?.(data.articles);
      return { query: data.query ?? query, articles: data.articles, total: data.total, credits };
    },
    /** Of all types, in upstream's order. */
    async trending(signal?: AbortSignal) {
      const { items, credits } = await list("trending", { schema: schemas.trendingSchema, signal });
      return { entities: items, credits };
    },
    // Never sent again: a reply is paid for each time it is written.
    /** The reply comes whole. The model is the gateway's own choice if none is named; see `models`. */
    async chat({ model, messages, signal }: ChatRequest) {
      const call = { body: { model, messages }, within: REPLY_TIME, schema: schemas.replySchema, signal };
      const { data, credits } = await ask("chat", call);
      return { ...data, credits };
    },
    async models(signal?: AbortSignal) {
      const { items, credits } = await list("models", { schema: schemas.modelsSchema, signal });
      return { models: items, credits };
    },
    // Never sent again: after a lost answer there would be two of them.
    async createCollection(
      { name, query }: { name: string; query?: string | undefined },
      signal?: AbortSignal,
    ): Promise<Billed<{ collection: NewsCollection }>> {
      const call = { body: { name, query }, schema: schemas.collectionSchema, signal };
      const { data, credits } = await ask("createCollection", call);
      // An answer may hold little more than the new ID.
      const isNamed = data.name !== `Collection ${data.id}`;
      return { collection: { ...data, name: isNamed ? data.name : name, query: data.query ?? query }, credits };
    },
    async collections(signal?: AbortSignal) {
      const { items, credits } = await list("collections", { schema: schemas.collectionsSchema, signal });
      return { collections: items, credits };
    },
    async collection(id: string, signal?: AbortSignal) {
      const { data, credits } = await ask("collection", { id, schema: schemas.collectionSchema, signal });
      return { collection: data, credits };
    },
    // Never sent again: whether an execution leaves anything behind is not shown.
    async runCollection(id: string, signal?: AbortSignal) {
      const { data, credits } = await ask("runCollection", { id, schema: schemas.foundSchema, signal });
      reportDropped("runCollection", data.dropped);
      onRead?.(data.articles);
      return { articles: data.articles, total: data.total, credits };
    },
    /** The topics that the gateway itself keeps. */
    async insightChannels(signal?: AbortSignal) {
      const { items, credits } = await list("insightChannels", { schema: schemas.insightChannelsSchema, signal });
      return { channels: items, credits };
    },
    /** The owner of the key. */
    async me(signal?: AbortSignal): Promise<Billed<{ name?: string | undefined }>> {
      const { data, credits } = await ask("me", { schema: schemas.accountSchema, signal });
      return { name: data.name, credits: { ...credits, remaining: data.remaining ?? credits.remaining } };
    },
    /** The uses of the key. */
    async usage(signal?: AbortSignal) {
      const { data, credits } = await ask("usage", { schema: schemas.usageSchema, signal });
      return { usage: data, credits };
    },
  };
}

/** An endpoint as the log and the metrics name it: `run collection`. */
function operationOf(name: Endpoint): string {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

// The whole summary is asked for if the stream was refused, or failed before its first words and its bill. Not after a
// timeout, when the service may still be writing at our expense; and not if it says that it cannot, or we may not, now.
function isAboutStreaming(error: unknown): boolean {
  if (!(error instanceof Unavailable)) return error instanceof UnexpectedAnswer;
  const { reason, status = 0, retryAt } = error;
  return reason === "connection" || reason === "cut" || (reason === "status" && status >= 500 && retryAt === undefined);
}
