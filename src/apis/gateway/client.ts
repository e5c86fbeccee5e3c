import type { Log } from "../../log.ts";
import type { Article } from "../article.ts";
import type { Http, KeyHeader } from "../call.ts";
import { createPace } from "../pace.ts";
import type { Pace } from "../pace.ts";
import { systemClock } from "../retry.ts";
import type { Clock } from "../retry.ts";
import { createAsk } from "./ask.ts";
import type { Ask, Line } from "./ask.ts";
import { createCollections } from "./collections/client.ts";
import type { Collections } from "./collections/client.ts";
import { createModels } from "./models/client.ts";
import type { Models } from "./models/client.ts";
import { foundSchema } from "./found.ts";
import { accountSchema, enveloped, usageSchema } from "./schema.ts";
import type { Credits, Usage } from "./schema.ts";
import { createSummaries } from "./summaries/client.ts";
import type { Summaries } from "./summaries/client.ts";
import { createTrending } from "./trending/client.ts";
import type { Trending } from "./trending/client.ts";

export type { SummaryEvent } from "./summaries/client.ts";

interface SearchResult {
  query: string;
  articles: Article[];
  total: number;
  credits: Credits;
}

interface AccountResult {
  name?: string | undefined;
  email?: string | undefined;
  credits: Credits;
}

interface News {
  /** 1 credit. */
  search(query: string, options?: { limit?: number; signal?: AbortSignal }): Promise<SearchResult>;
}

/** Who the key belongs to and what it was used for. */
interface Account {
  /** Free. */
  me(signal?: AbortSignal): Promise<AccountResult>;
  /** Free. */
  usage(signal?: AbortSignal): Promise<{ usage: Usage; credits: Credits }>;
}

/** All that the gateway offers to one key; every signal is honoured by throwing its reason. */
export interface Gateway extends News, Trending, Summaries, Account, Models, Collections {}

export interface GatewayOptions {
  http: Http;
  key: string;
  /** "authorization" where missing; the gateway documents both. */
  keyHeader?: KeyHeader | undefined;
  clock?: Partial<Pick<Clock, "now" | "wait">>;
  /** One of its own where missing; whatever else asks with this key has to keep the same. */
  pace?: Pace | undefined;
  log?: Pick<Log, "warn"> | undefined;
}

const ANSWERS = {
  search: enveloped(foundSchema),
  account: enveloped(accountSchema),
  usage: enveloped(usageSchema),
};

/** Builds the client for one key; all its callers share one pace. */
export function createGateway(options: GatewayOptions): Gateway {
  const { http, key, keyHeader, clock, log } = options;
  const pace = options.pace ?? createPace("gateway", { ...systemClock, ...clock });
  const line: Line = { http, key, keyHeader, pace, log };
  const ask = createAsk(line);
  return {
    ...createNews(line, ask),
    ...createTrending(ask),
    ...createSummaries(line, ask),
    ...createAccount(ask),
    ...createModels(ask),
    ...createCollections(ask, log),
  };
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
        schema: ANSWERS.search,
        signal,
      });
      const { dropped } = data;
      if (dropped > 0) line.log?.warn("gateway.dropped", { operation: "search", dropped });
      return { query: data.query ?? query, articles: data.articles, total: data.total, credits };
    },
  };
}

function createAccount(ask: Ask): Account {
  return {
    async me(signal) {
      const call = { operation: "me", method: "GET", path: "/api/v1/me", signal } as const;
      const { data, credits } = await ask.one({ ...call, schema: ANSWERS.account });
      const remaining = data.remaining ?? credits.remaining;
      return { name: data.name, email: data.email, credits: { ...credits, remaining } };
    },
    async usage(signal) {
      const call = { operation: "usage", method: "GET", path: "/api/v1/usage", signal } as const;
      const { data, credits } = await ask.one({ ...call, schema: ANSWERS.usage });
      return { usage: data, credits };
    },
  };
}
