import { createHash } from "node:crypto";
import { z } from "zod";
import { channels, passes } from "./channels.ts";
import { entityById, kindOf, TYPES } from "./entities.ts";
import type { Endpoint, Outcome } from "./gateway.ts";
import { generate, partsOf, threadOf } from "./generation.ts";
import { type Call, jsonBody, limitIn, Refusal } from "./http.ts";
import { type Article, recentArticles } from "./news.ts";
import { search } from "./search.ts";
import { trending } from "./trending.ts";

const MODELS = [
  { id: "bellwether-large", name: "Bellwether Large", context_window: 200_000, default: true },
  { id: "bellwether-small", name: "Bellwether Small", context_window: 64_000, default: false },
];

const SearchBody = z.looseObject({
  query: z.string().trim().min(1).max(500),
  limit: z.int().min(1).max(100).optional(),
});

const SummaryBody = z.looseObject({ query: z.string().trim().min(1).max(500) });

/** The payload of a chat completion is not shown: messages of a role and a text, as is usual for such endpoints. */
const ChatBody = z.looseObject({
  model: z.string().min(1).optional(),
  messages: z.array(z.looseObject({ role: z.enum(["system", "user", "assistant"]), content: z.string() })).min(1),
  stream: z.literal(false, "only /api/v1/summaries/stream streams").optional(),
});

function found(data: unknown): Outcome {
  return { status: 200, data };
}

/** The fields of an article are not shown: those of the intelligence API, with names for the entities and `published_at`. */
export function articleRecord(article: Article) {
  const { id, title, summary, url, source } = article;
  const entities = [...article.primary, ...article.secondary].flatMap((one) => {
    const entity = entityById(one);
    return entity ? [{ id: one, name: entity.name, type: TYPES[entity.kind].display, symbol: entity.symbol }] : [];
  });
  return {
    id,
    title,
    summary,
    url,
    source: { name: source },
    published_at: new Date(article.published).toISOString(),
    entities,
  };
}

/** `total` counts all matches, not only those that the limit lets through. */
function searchNews(call: Call): Outcome {
  const { query, limit = 10 } = jsonBody(call, SearchBody);
  const hits = search(query, call.now);
  return found({ query, articles: hits.slice(0, limit).map(articleRecord), total: hits.length });
}

/** The type selector is not shown: `type`, without which all types are listed. */
function trendingEntities(call: Call): Outcome {
  const type = call.query.get("type");
  const kind = type === null ? undefined : kindOf(type);
  if (type !== null && !kind) throw new Refusal(400, "invalid_request", `There is no entity type "${type}".`);
  const trends = trending({ now: call.now, kind, limit: limitIn(call.query, 20, 100), surges: call.surges });
  const entities = trends.map(({ entity, count, average, score }) => ({
    id: entity.id,
    name: entity.name,
    type: TYPES[entity.kind].display,
    symbol: entity.symbol,
    raw_count: count,
    moving_average: average,
    score,
  }));
  return found({ entities });
}

function summarised(call: Call) {
  const { query } = jsonBody(call, SummaryBody);
  const { text, articles } = generate(threadOf([query]), { now: call.now, origin: call.origin, directUrls: true });
  return { query, text, articles: articles.slice(0, 5).map(articleRecord) };
}

function summaryOnce(call: Call): Outcome {
  const { query, text, articles } = summarised(call);
  return found({ query, summary: text, articles, model: MODELS[0]?.id });
}

function summaryStream(delay: number) {
  return (call: Call): Outcome => {
    const { text, articles } = summarised(call);
    return { parts: partsOf(text), articles, delay };
  };
}

/** Tokens are counted as four characters each, which is close enough for English. */
function tokensIn(text: string): number {
  return Math.ceil(text.length / 4);
}

function chat(call: Call): Outcome {
  const { model = "bellwether-large", messages } = jsonBody(call, ChatBody);
  if (!MODELS.some((one) => one.id === model)) {
    throw new Refusal(400, "unknown_model", `There is no model "${model}"; see GET /api/v1/models.`);
  }
  const questions = messages.flatMap(({ role, content }) => (role === "user" ? [content] : []));
  if (questions.length === 0)
    throw new Refusal(400, "invalid_request", "messages: there is no user message to answer.");
  const { text } = generate(threadOf(questions), { now: call.now, origin: call.origin, directUrls: true });
  const prompt = messages.reduce((sum, message) => sum + tokensIn(message.content), 0);
  const id = createHash("sha256")
    .update(`${questions.join("/")}${call.now}`)
    .digest("hex")
    .slice(0, 24);
  const usage = { prompt_tokens: prompt, completion_tokens: tokensIn(text), total_tokens: prompt + tokensIn(text) };
  const choice = { index: 0, message: { role: "assistant", content: text }, finish_reason: "stop" };
  return found({ id: `chat_${id}`, object: "chat.completion", model, choices: [choice], usage });
}

function insightChannels(call: Call): Outcome {
  const recent = recentArticles(call.now);
  const list = channels.map(({ id, name, description, stages }) => {
    const inside = recent.filter((article) => passes(article, stages));
    return { id, name, description, article_count: inside.length };
  });
  return found({ channels: list });
}

/** The endpoints of the gateway that read the news. */
export function gatewayNews(wordDelayMs: number): Endpoint[] {
  return [
    { method: "POST", path: "/api/v1/search", credits: 1, run: searchNews },
    { method: "GET", path: "/api/v1/trending/entities", credits: 1, run: trendingEntities },
    { method: "POST", path: "/api/v1/summaries", credits: 5, run: summaryOnce },
    { method: "POST", path: "/api/v1/summaries/stream", credits: 5, run: summaryStream(wordDelayMs) },
    { method: "POST", path: "/api/v1/chat/completions", credits: 1, run: chat },
    { method: "GET", path: "/api/v1/models", credits: 0, run: () => found({ models: MODELS }) },
    { method: "GET", path: "/api/v1/insight-channels", credits: 0, run: insightChannels },
  ];
}
