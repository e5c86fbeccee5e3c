import type { z } from "zod";
import { describe } from "../../log.ts";
import type { Log } from "../../log.ts";
import type { Article } from "../article.ts";
import type { Call, Http } from "../call.ts";
import { NotAllowed, Unavailable, UnexpectedAnswer, UsageError } from "../errors.ts";
import { UnreadableJson } from "../json.ts";
import type { LooseList } from "../loose.ts";
import { createLookUp } from "./entities.ts";
import type { EntityCache } from "./entities.ts";
import { completeEvents, generateEvents, threadSchema } from "./generate.ts";
import type { GenerateEvent, GenerateRequest, GenerativeMessage } from "./generate.ts";
import { articlesSchema, channelSchema, channelsSchema, entitiesSchema, trendingSchema } from "./schema.ts";
import type { Entity, Login, NewsChannel, Stage, TrendingEntity } from "./schema.ts";
import { createSession } from "./session.ts";
import type { Session } from "./session.ts";

/** The news intelligence service. Every call logs in by itself; every signal is honoured by throwing its reason. */
export interface Intelligence {
  /** In upstream's order; `type` is a type's display name, compared without regard to case. */
  trending(options?: { type?: string; signal?: AbortSignal }): Promise<TrendingEntity[]>;
  channels(signal?: AbortSignal): Promise<NewsChannel[]>;
  channel(id: number, signal?: AbortSignal): Promise<NewsChannel>;
  articles(stages: Stage[], signal?: AbortSignal): Promise<Article[]>;
  /** IDs that upstream does not know are absent from the map. */
  entities(ids: number[], signal?: AbortSignal): Promise<Map<number, Entity>>;
  /** Yields as the model writes; text that was yielded before a failure stands. */
  generate(request: GenerateRequest): AsyncIterable<GenerateEvent>;
}

export interface IntelligenceOptions {
  http: Http;
  /** The login body; its fields are the operator's. */
  credentials: Record<string, unknown>;
  /** Needed for `generate` only. */
  model?: string | undefined;
  truncation?: string | undefined;
  cache: EntityCache;
  now: () => number;
  log?: Pick<Log, "warn"> | undefined;
}

interface Query<T> {
  operation: string;
  method?: "GET" | "POST";
  path: (login: Login) => string;
  body?: unknown;
  schema: z.ZodType<T>;
  signal?: AbortSignal | undefined;
}

const TRENDING: Query<LooseList<TrendingEntity>> = {
  operation: "trending",
  path: () => "/analytics/trending/entity",
  schema: trendingSchema,
};

const CHANNELS: Query<LooseList<NewsChannel>> = {
  operation: "channels",
  path: ({ userId }) => `/channel/user/${encodeURIComponent(userId)}`,
  schema: channelsSchema,
};

const ARTICLES: Query<LooseList<Article>> = {
  operation: "articles",
  // A POST that only reads: the filter is its payload.
  method: "POST",
  path: ({ userId }) => `/news/user/${encodeURIComponent(userId)}/query`,
  schema: articlesSchema,
};

// Generation "can take a long time", says the document, and the complete answer comes at its end.
const COMPLETE_TIME = 180_000;

/** Builds the client; it keeps the login between calls and nothing else. */
export function createIntelligence(options: IntelligenceOptions): Intelligence {
  const { http, cache, log } = options;
  const session = createSession(options);

  async function ask<T>({ path, method = "GET", ...query }: Query<T>): Promise<T> {
    // All of these only read, so repeating them is harmless.
    const send = (login: Login) =>
      http.json({ ...query, method, path: path(login), token: login.token, repeatable: true });
    return (await session.run(send, query.signal)).value;
  }

  async function list<T>(query: Query<LooseList<T>>): Promise<T[]> {
    const { items, dropped } = await ask(query);
    if (dropped > 0) log?.warn("intelligence.dropped", { operation: query.operation, dropped, kept: items.length });
    return items;
  }

  const lookUp = createLookUp({
    cache,
    fetch: (ids) => list({ operation: "entities", path: () => `/entity/ids/${ids.join(",")}`, schema: entitiesSchema }),
    now: options.now,
    cacheFailed: (error) => log?.warn("intelligence.cache-failed", { error: describe(error) }),
  });

  return {
    async trending({ type, signal } = {}) {
      const all = await list({ ...TRENDING, signal });
      // The endpoint's own type parameter is not shown, so the choice is made here.
      const wanted = type?.trim().toLowerCase();
      return wanted === undefined ? all : all.filter((entity) => entity.type.toLowerCase() === wanted);
    },
    channels: (signal) => list({ ...CHANNELS, signal }),
    channel: (id, signal) =>
      ask({ operation: "channel", path: () => `/channel/id/${id}`, schema: channelSchema, signal }),
    articles: (stages, signal) => list({ ...ARTICLES, body: stages, signal }),
    entities: lookUp,
    generate: (request) => generate(options, session, request),
  };
}

const GENERATE = { api: "intelligence", operation: "generate" } as const;

async function* generate(
  options: IntelligenceOptions,
  session: Session,
  request: GenerateRequest,
): AsyncIterable<GenerateEvent> {
  const body = generateBody(options, request);
  const call = { operation: "generate", method: "POST", path: "/generative/generate", signal: request.signal } as const;
  const { events, requestId } = body.streaming
    ? await streamed({ ...call, body }, options, session)
    : await complete({ ...call, body }, options, session);
  const failure = { ...GENERATE, requestId };
  let something = false;
  for await (const event of events) {
    something = true;
    yield event;
  }
  if (!something) throw new UnexpectedAnswer({ ...failure, detail: "an answer without any text" });
}

interface GenerateCall extends Call {
  body: { messages: GenerativeMessage[] };
}

interface Generated {
  events: AsyncIterable<GenerateEvent> | Iterable<GenerateEvent>;
  requestId: string | undefined;
}

function generateBody({ model, truncation }: IntelligenceOptions, request: GenerateRequest) {
  if (model === undefined) {
    throw new UsageError(
      "No language model is chosen here. An operator sets INTELLIGENCE_MODEL, then restarts Bellwether.",
    );
  }
  const { version = "1", messages, streaming = true, directUrls } = request;
  return {
    version,
    model,
    messages,
    streaming,
    ...(truncation === undefined ? {} : { truncationStrategy: truncation }),
    ...(directUrls === undefined ? {} : { useDirectArticleURL: directUrls }),
  };
}

async function streamed(call: GenerateCall, { http }: IntelligenceOptions, session: Session): Promise<Generated> {
  // To its first event: that a login is over may also be told there, and nothing has been written yet.
  const begin = async (login: Login): Promise<Begun> => {
    const { events, requestId } = await http.stream({ ...call, token: login.token, accept: "text/event-stream" });
    const rest = readable(generateEvents(events, call.body.messages), requestId);
    return { login, requestId, rest, first: await rest.next() };
  };
  const begun = await session.run(begin, call.signal);
  return { events: goneOn(begun, session), requestId: begun.requestId };
}

interface Begun {
  login: Login;
  requestId: string | undefined;
  first: IteratorResult<GenerateEvent, void>;
  rest: AsyncGenerator<GenerateEvent, void>;
}

async function* readable(events: AsyncIterable<GenerateEvent>, requestId: string | undefined): Begun["rest"] {
  try {
    yield* events;
  } catch (error) {
    if (!(error instanceof UnreadableJson)) throw error;
    throw new UnexpectedAnswer({ ...GENERATE, requestId, detail: `in the stream, ${error.message}` });
  }
}

async function* goneOn({ login, requestId, first, rest }: Begun, session: Session): AsyncIterable<GenerateEvent> {
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

// Never sent again: it takes a model's time, and whether it is charged is not shown.
async function complete(call: GenerateCall, { http }: IntelligenceOptions, session: Session): Promise<Generated> {
  const ask = ({ token }: Login) => http.json({ ...call, token, schema: threadSchema, within: COMPLETE_TIME });
  const { value, requestId } = await session.run(ask, call.signal);
  return { events: completeEvents(value, call.body.messages), requestId };
}
