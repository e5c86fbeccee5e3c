import { randomUUID } from "node:crypto";
import { type Account, createAccounts } from "./accounts.ts";
import { createCollections } from "./collections.ts";
import { type Answer, bearerOf, type Call, Refusal, type Service } from "./http.ts";
import { gatewayNews } from "./gateway-news.ts";
import { findRoute, type Parameters, type Place } from "./route.ts";

/** The keys that are accepted: a test key, which costs nothing, and a live key with a small balance. */
export const GATEWAY_KEYS = {
  test: "svc_test_b7c41e0a93f2sandbox",
  live: "svc_live_2d90e6f8c15bsandbox",
};

/** What an endpoint gives: the `data` of the envelope, or the text and the articles of a stream. */
export type Outcome = { status: number; data: unknown } | { parts: string[]; articles: unknown[]; delay: number };

/** One row of the document's endpoint table. */
export interface Endpoint extends Place {
  credits: number;
  run(call: Call, parameter: Parameters, account: Account): Outcome;
}

function keyOf(call: Call): string | undefined {
  const bearer = bearerOf(call.headers);
  const other = call.headers["x-api-key"];
  const single = Array.isArray(other) ? other[0] : other;
  if (bearer !== undefined && single !== undefined && bearer !== single) {
    throw new Refusal(401, "invalid_api_key", "Authorization and X-API-Key carry different keys.");
  }
  return bearer ?? single;
}

function found(data: unknown): Outcome {
  return { status: 200, data };
}

function who(account: Account): Outcome {
  const { used, balance } = account.credits();
  return found({
    id: "usr_harbour_desk",
    name: "Harbour Desk",
    email: "desk@harbour.example",
    organisation: "Harbour News",
    plan: account.test ? "test" : "developer",
    credits: { used, remaining: balance },
  });
}

/** The names of the events are not shown: `summary.sources`, `summary.delta` and `summary.done`, each with JSON. */
function streamed(
  outcome: Extract<Outcome, { parts: string[] }>,
  meta: unknown,
  headers: Record<string, string>,
): Answer {
  return {
    status: 200,
    headers,
    async events(stream) {
      await stream.send("summary.sources", JSON.stringify({ articles: outcome.articles }));
      for (const text of outcome.parts) {
        if (stream.gone.aborted) return;
        await stream.send("summary.delta", JSON.stringify({ text }));
        await stream.pause(outcome.delay);
      }
      await stream.send("summary.done", JSON.stringify({ meta }));
    },
  };
}

/** The developer gateway. The codes besides `insufficient_credits` and the statuses are not shown in the document. */
export function createGateway(options: { liveCredits: number; wordDelayMs: number; started: number }): Service {
  const accounts = createAccounts(GATEWAY_KEYS, options);
  const endpoints: Endpoint[] = [
    ...gatewayNews(options.wordDelayMs),
    ...createCollections(options.started),
    { method: "GET", path: "/api/v1/me", credits: 0, run: (_call, _parameter, account) => who(account) },
    {
      method: "GET",
      path: "/api/v1/usage",
      credits: 0,
      run: (call, _parameter, account) => found(account.usage(call.now)),
    },
  ];
  const charge = (call: Call, account: Account): { outcome: Outcome; cost: number } => {
    const { route: endpoint, parameter } = findRoute(endpoints, call);
    account.require(endpoint.credits);
    const outcome = endpoint.run(call, parameter, account);
    return { outcome, cost: account.pay(endpoint.path, endpoint.credits) };
  };
  return {
    answer(call) {
      const account = accounts.find(keyOf(call));
      const rate = account.count(call.now);
      const headers = accounts.headers(rate);
      try {
        if (rate.exceeded) {
          const seconds = String(Math.max(1, Math.ceil(rate.reset - call.now / 1000)));
          throw new Refusal(429, "rate_limit_exceeded", "Too many requests.").with({ "Retry-After": seconds });
        }
        const { outcome, cost } = charge(call, account);
        const { limit, remaining, reset } = rate;
        const meta = {
          request_id: `req_${randomUUID()}`,
          credits_used: cost,
          credits_remaining: account.credits().balance,
          rate_limit: { limit, remaining, reset },
        };
        if ("parts" in outcome) return streamed(outcome, meta, headers);
        return { status: outcome.status, json: { data: outcome.data, meta }, headers };
      } catch (error) {
        throw error instanceof Refusal ? error.with(headers) : error;
      }
    },
    problem: (_status, code, message) => ({ error: { code, message } }),
  };
}
