import type { webApi } from "@slack/bolt";

import { refusalOf } from "./refusal.ts";

/** Calls a method of Slack's Web API with one workspace's bot token; rejects with SlackRefused only. */
export type Call = (method: string, options: Record<string, unknown>) => Promise<Record<string, unknown>>;

/** Options for every Web API client of ours: no hidden retries (they post twice), no queue that waits for a 429. */
export function clientOptions(
  apiUrl: string,
  fetch: typeof globalThis.fetch = globalThis.fetch,
): webApi.WebClientOptions {
  return {
    slackApiUrl: apiUrl,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    timeout: 10_000,
    allowAbsoluteUrls: false,
    fetch,
  };
}

/** A Call on a shared client: the token travels with each call, so that no workspace ever uses another one's. */
export function callWith(client: webApi.WebClient, token: string): Call {
  return async (method, options) => {
    try {
      return { ...(await client.apiCall(method, { ...options, token })) };
    } catch (error) {
      throw refusalOf(method, error);
    }
  };
}

/** The Call of a workspace with its token. */
export type Calls = (team: string, token: string | undefined) => Call;

/** One Call per workspace for as long as its token is the same, so that it keeps its lanes. */
export function createCalls(client: webApi.WebClient): Calls {
  const calls = new Map<string, { token: string; call: Call }>();
  return (team, token = "") => {
    const known = calls.get(team);
    if (known?.token === token) return known.call;
    const call = callWith(client, token);
    calls.set(team, { token, call });
    return call;
  };
}
