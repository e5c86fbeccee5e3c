import { createHash, randomUUID } from "node:crypto";
import { z } from "zod";
import { bearerToken } from "../http.ts";
import { createAccounts, type GatewayAccount } from "./accounts.ts";
import { generateAnswer } from "./answer.ts";
import { channels, passes } from "./channels.ts";
import { conversationOf, quotedIn } from "./conversation.ts";
import { entityById, entityTypes } from "./entities.ts";
import { recentArticles, type SampleArticle } from "./news.ts";
import { search } from "./search.ts";
import {
  findRoute,
  invalid,
  type PathParameters,
  readJson,
  type Service,
  type ServiceCall,
  ServiceError,
  type ServiceReply,
  type ServiceRoute,
} from "./service.ts";
import { chatReply } from "./talk.ts";
import { trendingFor } from "./trending.ts";
import { sentenceFor } from "./wishes.ts";
import { splitIntoParts } from "./writing.ts";

/** The result of an endpoint: the `data` of the envelope, or the text and the articles of a stream. */
type GatewayResult = { status: number; data: unknown } | { text: string; articles: unknown[] };

/** One row of the document's endpoint table. */
interface GatewayEndpoint extends Pick<ServiceRoute, "method" | "path"> {
  credits: number;
  run(call: ServiceCall, parameter: PathParameters, account: GatewayAccount): GatewayResult;
}

const found = (data: unknown): GatewayResult => ({ status: 200, data });

const models = [
  { id: "bellwether-large", name: "Bellwether Large", context_window: 200_000, default: true },
  { id: "bellwether-small", name: "Bellwether Small", context_window: 64_000, default: false },
];

const query = z.string().trim().min(1).max(500);
const searchBody = z.looseObject({ query, limit: z.int().min(1).max(100).optional() });
const summaryBody = z.looseObject({ query });

/** The document does not show the payload of a chat completion: here it is messages with a role and a text, as is usual. */
const chatBody = z.looseObject({
  model: z.string().min(1).optional(),
  messages: z.array(z.looseObject({ role: z.enum(["system", "user", "assistant"]), content: z.string() })).min(1),
  stream: z.literal(false, "only /api/v1/summaries/stream streams").optional(),
});

/** The document does not show the payload of a collection: here, name and query are required, a description is not. */
const collectionBody = z.looseObject({
  name: z.string().trim().min(1).max(100),
  query,
  description: z.string().max(500).optional(),
});

/**
 * The document does not show the fields of an article: here they are those of the intelligence API, with names of
 * entities and `published_at`.
 */
function articleJson({ id, title, summary, url, source, published, primary, secondary }: SampleArticle) {
  const entities = [...primary, ...secondary].flatMap((one) => {
    const entity = entityById(one);
    return entity
      ? [{ id: one, name: entity.name, type: entityTypes[entity.kind].display, symbol: entity.symbol }]
      : [];
  });
  const published_at = new Date(published).toISOString();
  return { id, title, summary, url, source: { name: source }, published_at, entities };
}

/** `total` counts all matches, not only those that the limit lets through. */
function searchNews(call: ServiceCall): GatewayResult {
  const { query: asked, limit = 10 } = readJson(call, searchBody);
  const hits = search(asked, call.now);
  return found({ query: asked, articles: hits.slice(0, limit).map(articleJson), total: hits.length });
}

function listTrending(call: ServiceCall): GatewayResult {
  const entities = trendingFor(call).map(({ entity: { id, name, kind, symbol }, count, average, score }) => {
    return { id, name, type: entityTypes[kind].display, symbol, raw_count: count, moving_average: average, score };
  });
  return found({ entities });
}

/** Answers a question as the news service does, about the articles with these IDs if there are any. */
function answerTo(question: string, { now, origin }: ServiceCall, injected: number[] = []) {
  const { text, articles } = generateAnswer(conversationOf(question, injected), { now, origin, directUrls: true });
  const linked = articles.filter(({ url }) => text.includes(`(${url})`)).length;
  return { text, articles: articles.slice(0, Math.max(5, linked)).map(articleJson) };
}

function summarize(call: ServiceCall): GatewayResult {
  const { query: asked } = readJson(call, summaryBody);
  const { text, articles } = answerTo(`Summary: ${asked}`, call);
  return found({ query: asked, summary: text, articles, model: models[0]?.id });
}

/** The reply of a model that has no news of its own: the articles that the prompt quotes are all that it knows. */
function completionFor(prompts: string[], call: ServiceCall): string {
  const prompt = prompts.at(-1) ?? "";
  const command = sentenceFor(prompt);
  if (command !== undefined) return command;
  const quoted = quotedIn(prompt);
  if (quoted.length === 0) return chatReply(prompts);
  const order = prompt.trim().split("\n\n").at(-1) ?? "";
  return answerTo(order, call, quoted).text;
}

function complete(call: ServiceCall): GatewayResult {
  const { model = "bellwether-large", messages } = readJson(call, chatBody);
  if (!models.some((one) => one.id === model)) {
    throw new ServiceError(400, "unknown_model", `There is no model "${model}"; see GET /api/v1/models.`);
  }
  const questions = messages.flatMap(({ role, content }) => (role === "user" ? [content] : []));
  if (questions.length === 0) throw invalid("messages: there is no user message to answer.");
  const text = completionFor(questions, call);
  const digest = createHash("sha256")
    .update(`${questions.join("/")}${call.now}`)
    .digest("hex");
  const choice = { index: 0, message: { role: "assistant", content: text }, finish_reason: "stop" };
  return found({ id: `chat_${digest.slice(0, 24)}`, object: "chat.completion", model, choices: [choice] });
}

function listInsightChannels({ now }: ServiceCall): GatewayResult {
  const recent = recentArticles(now);
  const list = channels.map(({ id, name, description, stages }) => {
    return { id, name, description, article_count: recent.filter((article) => passes(article, stages)).length };
  });
  return found({ channels: list });
}

interface Collection {
  id: string;
  name: string;
  description: string;
  query: string;
  created_at: string;
}

const firstCollections: Omit<Collection, "created_at">[] = [
  {
    id: "6b1f0c52-8f1e-4a57-9a35-0c3c2f1d7e10",
    name: "Chip deals",
    description: "Mergers and stakes among chipmakers and their suppliers",
    query: "chip merger",
  },
  {
    id: "f0d3a91e-6c7b-4f58-b2e9-1a4c8e07d635",
    name: "Gold desk",
    description: "Gold, the mines that dig it and the rates that move it",
    query: "gold",
  },
];

/** The endpoints of collections; each key has its own, which last as long as the sandbox. */
function collectionEndpoints(started: number): GatewayEndpoint[] {
  const collections = new Map<GatewayAccount, Collection[]>();
  const created_at = new Date(started - 30 * 86_400_000).toISOString();

  function listOf(account: GatewayAccount): Collection[] {
    const list = collections.get(account) ?? firstCollections.map((one) => ({ ...one, created_at }));
    collections.set(account, list);
    return list;
  }

  function find(parameter: PathParameters, account: GatewayAccount): Collection {
    const known = listOf(account).find(({ id }) => id === parameter("id"));
    if (!known) throw new ServiceError(404, "not_found", "There is no collection with this ID.");
    return known;
  }

  function create(call: ServiceCall, account: GatewayAccount): GatewayResult {
    const { name, query: runs, description = "" } = readJson(call, collectionBody);
    const list = listOf(account);
    const created = { id: randomUUID(), name, description, query: runs, created_at: new Date(call.now).toISOString() };
    list.push(created);
    return { status: 201, data: created };
  }

  function execute({ now }: ServiceCall, collection: Collection): GatewayResult {
    const hits = search(collection.query, now);
    const articles = hits.slice(0, 20).map(articleJson);
    const executed_at = new Date(now).toISOString();
    return found({ collection_id: collection.id, executed_at, articles, total: hits.length });
  }

  const path = "/api/v1/collections";
  const one = `${path}/:id`;
  return [
    { method: "POST", path, credits: 0, run: (call, _, account) => create(call, account) },
    { method: "GET", path, credits: 0, run: (_call, _, account) => found({ collections: listOf(account) }) },
    { method: "GET", path: one, credits: 0, run: (_call, parameter, account) => found(find(parameter, account)) },
    {
      method: "POST",
      path: `${one}/execute`,
      credits: 1,
      run: (call, parameter, account) => execute(call, find(parameter, account)),
    },
  ];
}

function showOwner(account: GatewayAccount): GatewayResult {
  const plan = account.isTest ? "test" : "developer";
  const who = { name: "Harbour Desk", email: "desk@harbour.example", organisation: "Harbour News" };
  return found({ id: "usr_harbour_desk", ...who, plan, credits: account.credits() });
}

function endpointsOf(started: number): GatewayEndpoint[] {
  return [
    { method: "POST", path: "/api/v1/search", credits: 1, run: searchNews },
    { method: "GET", path: "/api/v1/trending/entities", credits: 1, run: listTrending },
    { method: "POST", path: "/api/v1/summaries", credits: 5, run: summarize },
    {
      method: "POST",
      path: "/api/v1/summaries/stream",
      credits: 5,
      run: (call) => answerTo(`Summary: ${readJson(call, summaryBody).query}`, call),
    },
    { method: "POST", path: "/api/v1/chat/completions", credits: 1, run: complete },
    { method: "GET", path: "/api/v1/models", credits: 0, run: () => found({ models }) },
    { method: "GET", path: "/api/v1/insight-channels", credits: 0, run: listInsightChannels },
    ...collectionEndpoints(started),
    { method: "GET", path: "/api/v1/me", credits: 0, run: (_call, _, account) => showOwner(account) },
    { method: "GET", path: "/api/v1/usage", credits: 0, run: ({ now }, _, account) => found(account.usage(now)) },
  ];
}

function readKey(call: ServiceCall): string | undefined {
  const bearer = bearerToken(call);
  const other = [call.headers["x-api-key"]].flat()[0];
  if (bearer !== undefined && other !== undefined && bearer !== other) {
    throw new ServiceError(401, "invalid_api_key", "Authorization and X-API-Key carry different keys.");
  }
  return bearer ?? other;
}

/** The developer gateway. The document shows no statuses, and of the codes `insufficient_credits` alone. */
export function createGateway(options: { liveCredits?: number; wordDelayMs?: number; started: number }): Service {
  const { liveCredits = 25, wordDelayMs = 40, started } = options;
  const accountOf = createAccounts(liveCredits, started);
  const endpoints = endpointsOf(started);

  function run(call: ServiceCall, account: GatewayAccount): { result: GatewayResult; cost: number } {
    const { route, parameter } = findRoute(endpoints, call);
    account.require(route.credits);
    const result = route.run(call, parameter, account);
    return { result, cost: account.pay(route.path, route.credits) };
  }

  return {
    answer(call) {
      const account = accountOf(readKey(call));
      const { isExceeded, ...rate_limit } = account.count(call.now);
      const headers = {
        "X-RateLimit-Limit": String(rate_limit.limit),
        "X-RateLimit-Remaining": String(rate_limit.remaining),
        "X-RateLimit-Reset": String(rate_limit.reset),
      };
      try {
        if (isExceeded) {
          const seconds = Math.max(1, Math.ceil(rate_limit.reset - call.now / 1000));
          const retry = { "Retry-After": String(seconds) };
          throw new ServiceError(429, "rate_limit_exceeded", "Too many requests.", retry);
        }
        const { result, cost } = run(call, account);
        const credits = { credits_used: cost, credits_remaining: account.credits().remaining };
        const meta = { request_id: `req_${randomUUID()}`, ...credits, rate_limit };
        if ("text" in result) return streamSummary({ ...result, meta, headers, wordDelayMs });
        return { status: result.status, json: { data: result.data, meta }, headers };
      } catch (error) {
        if (error instanceof ServiceError) Object.assign(error.headers, headers);
        throw error;
      }
    },
    errorBody: (code, message) => ({ error: { code, message } }),
  };
}

interface StreamedSummary {
  text: string;
  articles: unknown[];
  meta: unknown;
  headers: Record<string, string>;
  wordDelayMs: number;
}

/**
 * Streams a summary. The document does not show the names of the events: here they are `summary.sources`,
 * `summary.delta` and `summary.done`, each with JSON.
 */
function streamSummary({ text, articles, meta, headers, wordDelayMs }: StreamedSummary): ServiceReply {
  return {
    status: 200,
    headers,
    async stream(events) {
      await events.send("summary.sources", JSON.stringify({ articles }));
      for (const part of splitIntoParts(text)) {
        if (events.gone.aborted) return;
        await events.send("summary.delta", JSON.stringify({ text: part }));
        await events.pause(wordDelayMs);
      }
      await events.send("summary.done", JSON.stringify({ meta }));
    },
  };
}
