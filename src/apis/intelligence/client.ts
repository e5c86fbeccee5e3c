import { LRUCache } from "lru-cache";
import type { z } from "zod";
import { type Log, describe } from "../../log.ts";
import { type Article, type Trend, trendList } from "../article.ts";
import { ApiError, NotAllowed, NotAStream, Unavailable, UnexpectedAnswer } from "../errors.ts";
import { type LooseList, UnreadableAnswer } from "../fields.ts";
import { isReadable } from "../silence.ts";
import { type GenerateEvent, type GenerateRequest, readGenerated, readThread, threadSchema } from "./generate.ts";
import {
  type Entity,
  type Login,
  type NewsChannel,
  type Stage,
  articlesSchema,
  channelSchema,
  channelsSchema,
  entitiesSchema,
} from "./schema.ts";
import { type Session, type SessionOptions, createSession } from "./session.ts";

/** The news intelligence service. Every call logs in by itself; every signal is honoured by throwing its reason. */
export type Intelligence = ReturnType<typeof createIntelligence>;

/** Remembers entities between calls; how long is its own affair. */
export interface EntityCache {
  getMany(ids: number[]): Promise<Map<number, Entity>>;
  setMany(entities: Entity[]): Promise<void>;
}

interface IntelligenceOptions extends SessionOptions {
  model: string;
  truncation?: string | undefined;
  cache: EntityCache;
  /** Told of all articles that are read. */
  onRead?: ((articles: Article[]) => void) | undefined;
  log?: Pick<Log, "warn"> | undefined;
}

interface Query<T> {
  operation: string;
  method?: "GET" | "POST";
  path: string | ((login: Login) => string);
  body?: unknown;
  schema: z.ZodType<T>;
  signal?: AbortSignal | undefined;
}

/** Builds the client; it keeps the login between calls, and for a while which entities the service does not know. */
export function createIntelligence(options: IntelligenceOptions) {
  const { http, log, onRead } = options;
  const session = createSession(options);
  const readLately = new LRUCache<number, Article>({ max: MAX_READ_LATELY });
  function remember(articles: Article[]): Article[] {
    for (const article of articles) if (article.id !== undefined) readLately.set(article.id, article);
    onRead?.(articles);
    return articles;
  }

  async function ask<T>({ path, method = "GET", ...query }: Query<T>): Promise<T> {
    return session.run((login) => {
      const address = typeof path === "string" ? path : path(login);
      // All of these only read, so repeating them is harmless.
      return http.json({ ...query, method, path: address, token: login.token, repeatable: true });
    }, query.signal);
  }

  async function list<T>(query: Query<LooseList<T>>): Promise<T[]> {
    const { items, dropped } = await ask(query);
    if (dropped > 0) log?.warn("intelligence.dropped", { operation: query.operation, dropped, kept: items.length });
    return items;
  }

  return {
    /** Makes sure that there is a login; every other call does so by itself. */
    async logIn(signal?: AbortSignal) {
      await session.run(async () => undefined, signal);
    },
    /** In upstream's order of rank. */
    trending: ({ signal }: { signal?: AbortSignal } = {}): Promise<Trend[]> =>
      list({ operation: "trending", path: "/analytics/trending/entity", schema: trendList, signal }),
    channels: (signal?: AbortSignal): Promise<NewsChannel[]> =>
      list({
        operation: "channels",
        path: ({ userId }) => `/channel/user/${encodeURIComponent(userId)}`,
        schema: channelsSchema,
        signal,
      }),
    channel: (id: number, signal?: AbortSignal): Promise<NewsChannel> =>
      ask({ operation: "channel", path: `/channel/id/${id}`, schema: channelSchema, signal }),
    articles: async (stages: Stage[], signal?: AbortSignal): Promise<Article[]> =>
      remember(
        await list({
          operation: "articles",
          method: "POST",
          path: ({ userId }) => `/news/user/${encodeURIComponent(userId)}/query`,
          body: stages,
          schema: articlesSchema,
          signal,
        }),
      ),
    /** Articles that were read lately, by their IDs; upstream looks none up. */
    articlesKnown: (ids: number[]): Map<number, Article> =>
      new Map(
        ids.flatMap((id) => {
          const article = readLately.get(id);
          return article ? [[id, article] as const] : [];
        }),
      ),
    /** IDs that upstream does not know are absent from the map. */
    entities: createEntityLookup(options, (ids, signal) =>
      list({ operation: "entities", path: `/entity/ids/${ids.join(",")}`, schema: entitiesSchema, signal }),
    ),
    /** Yields as the model writes; a failure does not take back the text before it. */
    generate: createGenerator(options, session, remember),
  };
}

/** About two megabytes. */
const MAX_READ_LATELY = 2_000;

const MAX_IDS_TEXT = 3_800;
/** An ID that the service does not know today may be one that it learns tomorrow. */
const UNKNOWN_TIME = 10 * 60_000;
const MAX_UNKNOWN = 20_000;

/** Looks entities up: in the cache, else from the service. */
function createEntityLookup(
  { cache, log, now }: IntelligenceOptions,
  fetch: (ids: number[], signal: AbortSignal | undefined) => Promise<Entity[]>,
): (ids: number[], signal?: AbortSignal) => Promise<Map<number, Entity>> {
  const unknown = new LRUCache<number, true>({ max: MAX_UNKNOWN, ttl: UNKNOWN_TIME, ttlResolution: 0, perf: { now } });
  const cacheFailed = (error: unknown) => log?.warn("intelligence.cache.failed", { error: describe(error) });

  return async (all, signal) => {
    signal?.throwIfAborted();
    const ids = [...new Set(all)];
    const known = await cache.getMany(ids).catch((error: unknown) => {
      // The look-up goes on without it.
      cacheFailed(error);
      return new Map<number, Entity>();
    });
    const missing = ids.filter((id) => !known.has(id) && !unknown.has(id));
    const fetched = (await Promise.all(splitByLength(missing).map((part) => fetch(part, signal)))).flat();
    if (fetched.length > 0) await cache.setMany(fetched).catch(cacheFailed);
    const found = new Map([...known, ...fetched.map((entity) => [entity.id, entity] as const)]);
    for (const id of missing) if (!found.has(id)) unknown.set(id, true);
    return new Map(ids.flatMap((id) => [found.get(id)].filter((one) => one !== undefined).map((one) => [id, one])));
  };
}

/** Splits IDs so that their comma-separated text stays within an address of 4,000 characters. */
function splitByLength(ids: readonly number[]): number[][] {
  const parts: number[][] = [];
  let length = Number.POSITIVE_INFINITY;
  for (const id of ids) {
    const added = String(id).length + 1;
    if (length + added > MAX_IDS_TEXT) {
      parts.push([]);
      length = 0;
    }
    parts.at(-1)?.push(id);
    length += added;
  }
  return parts;
}

const GENERATE = { api: "intelligence", operation: "generate" } as const;

/** A whole answer takes as long as the model writes. */
const WHOLE_ANSWER_TIME = 90_000;

/**
 * Generates answers: as a stream, or as a whole if no stream can be had. An answer of which words were read is never
 * asked for a second time.
 */
function createGenerator(
  options: IntelligenceOptions,
  session: Session,
  remember: (articles: Article[]) => void,
): (request: GenerateRequest) => AsyncIterable<GenerateEvent> {
  const { http, model: usualModel, log } = options;
  let { truncation } = options;

  /** Sends a request; if it is refused for its truncation strategy, without one, and so from then on. */
  async function send<T>(
    { messages, directUrls, model = usualModel }: GenerateRequest,
    streaming: boolean,
    work: (body: unknown) => Promise<T>,
  ): Promise<T> {
    const strategy = truncation;
    const body = {
      version: "1",
      model,
      messages,
      streaming,
      ...(directUrls !== undefined && { useDirectArticleURL: directUrls }),
    };
    if (strategy === undefined) return work(body);
    try {
      return await work({ ...body, truncationStrategy: strategy });
    } catch (error) {
      if (!(error instanceof UnexpectedAnswer) || !/truncat/i.test(error.said ?? "")) throw error;
      truncation = undefined;
      const next = "Questions go without it. Set INTELLIGENCE_TRUNCATION to a value that the news service accepts.";
      log?.warn("intelligence.truncation.failed", { truncation: strategy, said: error.said, next });
      return work(body);
    }
  }

  async function* streamed(request: GenerateRequest): AsyncGenerator<GenerateEvent, void> {
    const { signal } = request;
    // Including the first event, which may be an error that says that the login has expired: then nothing was written yet.
    const begun = await session.run(
      (login) =>
        send(request, true, async (body) => {
          const call = { operation: "generate", method: "POST", path: "/generative/generate", body, signal } as const;
          const { events, requestId } = await http.stream({ ...call, token: login.token });
          const rest = checkReadable(readGenerated(events, log), requestId);
          return { login, requestId, rest, first: await rest.next() };
        }),
      signal,
    );
    const { login, requestId, rest, first } = begun;
    try {
      if (first.done) return;
      yield first.value;
      yield* rest;
    } catch (error) {
      if (!(error instanceof NotAllowed)) throw error;
      // The login was good when it began, so the next one gets further, and there is nothing for an operator to do.
      session.forget(login);
      throw new Unavailable({ ...GENERATE, requestId, reason: "cut", cause: error });
    } finally {
      await rest.return();
    }
  }

  async function whole(request: GenerateRequest): Promise<GenerateEvent[]> {
    const { signal } = request;
    const call = { operation: "generate", method: "POST", path: "/generative/generate", signal } as const;
    const thread = await session.run(
      ({ token }) =>
        send(request, false, (body) =>
          http.json({ ...call, body, token, schema: threadSchema, within: WHOLE_ANSWER_TIME }),
        ),
      signal,
    );
    return readThread(thread);
  }

  async function* generate(request: GenerateRequest): AsyncGenerator<GenerateEvent> {
    let hasBegun = false;
    let hasWords = false;
    let reason = "a stream without words";
    try {
      for await (const event of streamed(request)) {
        hasBegun = true;
        hasWords ||= event.type === "text" && isReadable(event.text);
        if (event.type === "tool_finish") remember(event.articles ?? []);
        yield event;
      }
    } catch (failure) {
      if (hasWords || !(isRefusedStream(failure) || isCut(failure))) throw failure;
      reason = describe(failure);
    }
    if (hasWords) return;
    log?.warn("intelligence.stream.failed", { error: reason });
    const events = await whole(request);
    for (const event of events) if (event.type === "tool_finish") remember(event.articles ?? []);
    if (hasBegun) yield { type: "restart" };
    if (events.length === 0) throw new UnexpectedAnswer({ ...GENERATE, detail: "an answer without any text" });
    yield* events;
  }

  return generate;
}

/** True if something on the way lets no stream through: it refuses one, or sends something else in its place. */
function isRefusedStream(error: unknown): boolean {
  return error instanceof NotAStream || (error instanceof ApiError && [406, 415, 501].includes(error.status ?? 0));
}

function isCut(error: unknown): boolean {
  return error instanceof Unavailable && error.reason === "cut";
}

async function* checkReadable(
  events: AsyncIterable<GenerateEvent>,
  requestId: string | undefined,
): AsyncGenerator<GenerateEvent, void> {
  try {
    yield* events;
  } catch (error) {
    if (!(error instanceof UnreadableAnswer)) throw error;
    throw new UnexpectedAnswer({ ...GENERATE, requestId, detail: `in the stream, ${error.message}` });
  }
}
