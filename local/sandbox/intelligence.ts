import { randomBytes } from "node:crypto";
import { z } from "zod";
import { bearerToken } from "../http.ts";
import { generateAnswer, type GeneratedAnswer } from "./answer.ts";
import { channelById, channels, passes, stageBody } from "./channels.ts";
import { generateBody, readConversation } from "./conversation.ts";
import { entityById, entityTypes, type SampleEntity } from "./entities.ts";
import { recentArticles, type SampleArticle } from "./news.ts";
import type { NewsSearch } from "./retrieval.ts";
import {
  type EventWriter,
  findRoute,
  isSameSecret,
  ok,
  readInteger,
  readJson,
  readLimit,
  type Service,
  type ServiceCall,
  ServiceError,
  type ServiceReply,
  type ServiceRoute,
} from "./service.ts";
import { trendingFor } from "./trending.ts";
import { splitIntoParts } from "./writing.ts";

/** The login that is accepted. The document does not show its fields: here, user name and password are required. */
export const intelligenceLogin = { username: "desk@harbour.example", password: "slack-tide-at-noon" };

const loginBody = z.looseObject({ username: z.string().min(1), password: z.string().min(1) });

const userId = 7301;
const maxTokens = 1000;

/** An article as JSON. The document does not show `id` or the form of `published`: here, it is ISO 8601 in UTC. */
function articleJson({ primary, secondary, tertiary, published, ...article }: SampleArticle) {
  const tiers = { primary_entities: primary, secondary_entities: secondary, tertiary_entities: tertiary };
  return { ...article, language: "en", published: new Date(published).toISOString(), ...tiers };
}

function entityJson({ id, name, kind, exchange, symbol, metadata }: SampleEntity) {
  const { code, display } = entityTypes[kind];
  return { id, name, type: code, type_display: display, exchange, symbol, metadata };
}

function listTrending(call: ServiceCall): ServiceReply {
  return ok(
    trendingFor(call).map(({ entity, count, average, score }) => ({
      name: entity.name,
      type: entityTypes[entity.kind].code,
      type_display: entityTypes[entity.kind].display,
      raw_count: count,
      moving_average: average,
      deltaPrimeStdDevDifferenceDelta: score,
    })),
  );
}

const showChannel: ServiceRoute["run"] = (_call, parameter) => {
  const id = readInteger(parameter("channelId"), "channel_id");
  const channel = channelById(id);
  if (!channel) throw new ServiceError(404, "not_found", `There is no channel ${id}.`);
  return ok(channel);
};

/** Queries the news. The document does not show the number of articles: here it is the newest 100, or `limit` of them. */
function queryNews(call: ServiceCall): ServiceReply {
  const stages = readJson(call, z.array(stageBody));
  const limit = readLimit(call.query, { usual: 100, max: 500 });
  const found = recentArticles(call.now).filter((article) => passes(article, stages));
  return ok(found.slice(0, limit).map(articleJson));
}

/** Lists entities by ID. The document does not say what happens to unknown IDs: here they are left out. */
const listEntities: ServiceRoute["run"] = (_call, parameter) => {
  const texts = parameter("entityIds").split(",");
  const ids = new Set(texts.map((text) => readInteger(text.trim(), "entity_ids")));
  return ok([...ids].flatMap((id) => entityById(id) ?? []).map(entityJson));
};

/** Another user's data is refused; the document does not show how. */
function ownData(run: ServiceRoute["run"]): ServiceRoute["run"] {
  return (call, parameter) => {
    if (parameter("userId") === String(userId)) return run(call, parameter);
    throw new ServiceError(403, "forbidden", "The token belongs to another user.");
  };
}

/** POST /generative/generate. A complete answer holds the whole conversation: the request's messages, then new ones. */
function generate(call: ServiceCall, wordDelayMs: number): ServiceReply {
  const body = readJson(call, generateBody);
  const { now, origin } = call;
  const directUrls = body.useDirectArticleURL ?? false;
  const answer = generateAnswer(readConversation(body), { now, origin, directUrls });
  if (body.streaming) {
    return { status: 200, stream: (events) => streamAnswer(events, answer, wordDelayMs) };
  }
  const added = answer.searches.flatMap((search) => [callMessage(search), resultMessage(search)]);
  return ok({ messages: [...body.messages, ...added, textMessage(answer.text)] });
}

function callMessage({ call }: NewsSearch) {
  const text = `Searching the news for ${String(call.args["query"])}`;
  return { role: "assistant", content: { type: "text", text, metadata: { tool_calls: [call] } } };
}

function resultMessage({ call, articles }: NewsSearch) {
  const articleIds = articles.map((article) => article.id);
  return { role: "tool", content: { type: "svc_news", articleIds, metadata: { tool_call_id: call.id } } };
}

const textMessage = (text: string) => ({ role: "assistant", content: { type: "text", text } });

/** The time that a search takes, in words of the stream. */
const searchInWords = 10;

async function streamAnswer(events: EventWriter, { searches, text }: GeneratedAnswer, delayMs: number): Promise<void> {
  const send = (type: string, message: unknown) => events.send("message", JSON.stringify({ type, message }));
  for (const search of searches) {
    await send("tool_start", callMessage(search));
    await events.pause(delayMs * searchInWords);
    await send("tool_finish", resultMessage(search));
  }
  for (const piece of splitIntoParts(text)) {
    if (events.gone.aborted) return;
    await send("ai_part", textMessage(piece));
    await events.pause(delayMs);
  }
}

/** Access tokens and when they expire. */
function createTokens(lifetimeMs: number) {
  const expiries = new Map<string, number>();
  return {
    issue(now: number): { token: string; expires: number } {
      const [oldest] = expiries.keys();
      if (expiries.size >= maxTokens && oldest !== undefined) expiries.delete(oldest);
      const token = randomBytes(24).toString("base64url");
      expiries.set(token, now + lifetimeMs);
      return { token, expires: now + lifetimeMs };
    },
    check(token: string | undefined, now: number): void {
      const expires = expiries.get(token ?? "");
      if (expires === undefined) throw new ServiceError(401, "unauthorized", "A valid access token is required.");
      if (now > expires) throw new ServiceError(401, "unauthorized", "The access token has expired.");
    },
  };
}

/** The news intelligence API. Errors are `{error: text}` at every endpoint, as the document shows for the generative one. */
export function createIntelligence({ tokenLifetimeMs = 3_600_000, wordDelayMs = 40 } = {}): Service {
  const tokens = createTokens(tokenLifetimeMs);
  const login = (call: ServiceCall) => {
    const { username, password } = readJson(call, loginBody);
    if (username !== intelligenceLogin.username || !isSameSecret(password, intelligenceLogin.password)) {
      throw new ServiceError(401, "unauthorized", "The user name or the password is wrong.");
    }
    return ok({ ...tokens.issue(call.now), userId });
  };
  const routes: ServiceRoute[] = [
    { method: "POST", path: "/auth/login", run: login },
    { method: "GET", path: "/analytics/trending/entity", run: listTrending },
    { method: "GET", path: "/channel/user/:userId", run: ownData(() => ok(channels)) },
    { method: "GET", path: "/channel/id/:channelId", run: showChannel },
    { method: "POST", path: "/news/user/:userId/query", run: ownData(queryNews) },
    { method: "GET", path: "/entity/ids/:entityIds", run: listEntities },
    { method: "POST", path: "/generative/generate", run: (call) => generate(call, wordDelayMs) },
  ];
  return {
    answer(call) {
      if (call.path !== "/auth/login") tokens.check(bearerToken(call), call.now);
      const { route, parameter } = findRoute(routes, call);
      return route.run(call, parameter);
    },
    errorBody: (_code, message) => ({ error: message }),
  };
}
