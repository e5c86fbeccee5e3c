import { randomBytes } from "node:crypto";
import { z } from "zod";
import { channels, passes, channelWith } from "./channels.ts";
import { type Entity, entityById, kindOf, TYPES } from "./entities.ts";
import { generativeAnswer } from "./generative.ts";
import {
  type Answer,
  bearerOf,
  type Call,
  integerIn,
  jsonBody,
  limitIn,
  Refusal,
  sameSecret,
  type Service,
} from "./http.ts";
import { type Article, recentArticles } from "./news.ts";
import { findRoute, type Parameters, type Route } from "./route.ts";
import { StageSchema } from "./thread.ts";
import { trending } from "./trending.ts";

/** The login request is not shown in the document: a user name and a password, both required. */
export const CREDENTIALS = { username: "desk@harbour.example", password: "slack-tide-at-noon" };

const LoginBody = z.looseObject({ username: z.string().min(1), password: z.string().min(1) });

const USER_ID = 7301;
const TOKENS_KEPT = 1000;

function ok(json: unknown): Answer {
  return { status: 200, json };
}

/** The article's own ID and the form of `published` are not shown: `id`, and ISO 8601 in UTC. */
function articleRecord(article: Article) {
  const { id, title, summary, url, source, primary, secondary, tertiary } = article;
  const published = new Date(article.published).toISOString();
  const tiers = { primary_entities: primary, secondary_entities: secondary, tertiary_entities: tertiary };
  return { id, title, summary, url, source, language: "en", published, ...tiers };
}

function entityRecord({ id, name, kind, exchange, symbol, metadata }: Entity) {
  const { code, display } = TYPES[kind];
  return { id, name, type: code, type_display: display, exchange, symbol, metadata };
}

/** The query parameters are not shown: `type` (a type's code or display name) and `limit`, 20 unless told. */
function trendingList(call: Call): Answer {
  const type = call.query.get("type");
  const kind = type === null ? undefined : kindOf(type);
  if (type !== null && !kind) throw new Refusal(400, "invalid_request", `There is no entity type "${type}".`);
  const trends = trending({ now: call.now, kind, limit: limitIn(call.query, 20, 100), surges: call.surges });
  return ok(
    trends.map(({ entity, count, average, score }) => ({
      name: entity.name,
      type: TYPES[entity.kind].code,
      type_display: TYPES[entity.kind].display,
      raw_count: count,
      moving_average: average,
      deltaPrimeStdDevDifferenceDelta: score,
    })),
  );
}

function channelById(_call: Call, parameter: Parameters): Answer {
  const id = integerIn(parameter("channelId"), "channel_id");
  const channel = channelWith(id);
  if (!channel) throw new Refusal(404, "not_found", `There is no channel ${id}.`);
  return ok(channel);
}

/** The number of articles is not shown: the newest 100, or `limit` of them. */
function newsQuery(call: Call): Answer {
  const stages = jsonBody(call, z.array(StageSchema));
  const limit = limitIn(call.query, 100, 500);
  const found = recentArticles(call.now).filter((article) => passes(article, stages));
  return ok(found.slice(0, limit).map(articleRecord));
}

/** What happens to unknown IDs is not shown: they are left out of the list. */
function entityList(_call: Call, parameter: Parameters): Answer {
  const ids = parameter("entityIds")
    .split(",")
    .map((text) => integerIn(text.trim(), "entity_ids"));
  return ok([...new Set(ids)].flatMap((id) => entityById(id) ?? []).map(entityRecord));
}

/** Another user's data is refused; the document does not show how. */
function ownData(run: Route["run"]): Route["run"] {
  return (call, parameter) => {
    if (parameter("userId") !== String(USER_ID)) {
      throw new Refusal(403, "forbidden", "The token belongs to another user.");
    }
    return run(call, parameter);
  };
}

const routes = (wordDelayMs: number): Route[] => [
  { method: "GET", path: "/analytics/trending/entity", run: trendingList },
  { method: "GET", path: "/channel/user/:userId", run: ownData(() => ok(channels)) },
  { method: "GET", path: "/channel/id/:channelId", run: channelById },
  { method: "POST", path: "/news/user/:userId/query", run: ownData(newsQuery) },
  { method: "GET", path: "/entity/ids/:entityIds", run: entityList },
  { method: "POST", path: "/generative/generate", run: (call) => generativeAnswer(call, wordDelayMs) },
];

/** Tokens and when they expire. */
function createTokens(lifetimeMs: number) {
  const expiries = new Map<string, number>();
  return {
    issue(now: number): { token: string; expires: number } {
      const oldest = expiries.keys().next();
      if (expiries.size >= TOKENS_KEPT && !oldest.done) expiries.delete(oldest.value);
      const token = randomBytes(24).toString("base64url");
      expiries.set(token, now + lifetimeMs);
      return { token, expires: now + lifetimeMs };
    },
    check(token: string | undefined, now: number): void {
      const expires = token === undefined ? undefined : expiries.get(token);
      if (expires === undefined) throw new Refusal(401, "unauthorized", "A valid access token is required.");
      if (now > expires) throw new Refusal(401, "unauthorized", "The access token has expired.");
    },
  };
}

/** The news intelligence API. Errors are `{error: text}` at every endpoint, as the document shows for the generative one. */
export function createIntelligence(options: { tokenLifetimeMs: number; wordDelayMs: number }): Service {
  const tokens = createTokens(options.tokenLifetimeMs);
  const login = (call: Call) => {
    const { username, password } = jsonBody(call, LoginBody);
    if (username !== CREDENTIALS.username || !sameSecret(password, CREDENTIALS.password)) {
      throw new Refusal(401, "unauthorized", "The user name or the password is wrong.");
    }
    return ok({ ...tokens.issue(call.now), userId: USER_ID });
  };
  const open: Route[] = [{ method: "POST", path: "/auth/login", run: login }];
  const behindToken = routes(options.wordDelayMs);
  return {
    answer(call) {
      const isLogin = call.path === "/auth/login";
      if (!isLogin) tokens.check(bearerOf(call.headers), call.now);
      const { route, parameter } = findRoute(isLogin ? open : behindToken, call);
      return route.run(call, parameter);
    },
    problem: (_status, _code, message) => ({ error: message }),
  };
}
