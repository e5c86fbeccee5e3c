import type { webApi } from "@slack/bolt";

import type { Timer } from "../timer.ts";
import { SlackRefused, refusalOf } from "./refusal.ts";

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

/** Told of each call of the Web API and what came of it: `ok`, or Slack's code. */
export type OnCall = (method: string, outcome: string) => void;

/** A Call on a shared client: the token travels with each call, so that no workspace ever uses another one's. */
export function callWith(client: webApi.WebClient, token: string, onCall?: OnCall): Call {
  return async (method, options) => {
    try {
      const answer = { ...(await client.apiCall(method, { ...options, token })) };
      onCall?.(method, "ok");
      return answer;
    } catch (error) {
      const refused = refusalOf(method, error);
      onCall?.(method, refused.code);
      throw refused;
    }
  };
}

/** The Call of a workspace with its token. */
export type Calls = (team: string, token: string | undefined) => Call;

interface CallsOptions {
  onCall?: OnCall | undefined;
  /** Asked before each call: rejects if this process may not work for the workspace. */
  confirm?: ((team: string) => Promise<void>) | undefined;
}

/** One Call per workspace for as long as its token is the same, so that it keeps its queues. */
export function createCalls(client: webApi.WebClient, { onCall, confirm }: CallsOptions = {}) {
  const calls = new Map<string, { token: string; call: Call }>();
  const underway = new Map<string, number>();

  function guarded(team: string, call: Call): Call {
    if (!confirm) return call;
    return async (method, options) => {
      await confirm(team).catch((error: unknown) => {
        throw new SlackRefused(method, "not_served", { reaction: "final", cause: error });
      });
      underway.set(team, (underway.get(team) ?? 0) + 1);
      try {
        return await call(method, options);
      } finally {
        const left = (underway.get(team) ?? 1) - 1;
        if (left > 0) underway.set(team, left);
        else underway.delete(team);
      }
    };
  }

  return {
    callOf: (team: string, token = ""): Call => {
      const known = calls.get(team);
      if (known?.token === token) return known.call;
      const call = guarded(team, callWith(client, token, onCall));
      calls.set(team, { token, call });
      return call;
    },
    /** True if a call is under way for a workspace that fits; known if calls are asked for first. */
    isCalling: (fits: (team: string) => boolean): boolean => [...underway.keys()].some(fits),
  };
}

const longestWaitMs = 10_000;

/** The hosts of a `response_url` of Slack's and of GovSlack's. */
const slackHooks = ["https://hooks.slack.com", "https://hooks.slack-gov.com"];

interface FetchOptions {
  /** A `response_url` may lead there as well. */
  apiUrl: string;
  timer: Timer;
}

/**
 * The `fetch` for a `response_url`, as Bolt uses it, too: to Slack alone, wherever the address leads that came with a
 * request, and not on to where it redirects; it gives up after a while. A call with a limit of its own is one of the
 * Web API, which sees to all this by itself.
 */
export function createFetch({ apiUrl, timer }: FetchOptions, fetch = globalThis.fetch): typeof globalThis.fetch {
  const origins = [...slackHooks, new URL(apiUrl).origin];
  return async (input, init) => {
    if (init?.signal) return fetch(input, init);
    const { origin } = new URL(input instanceof Request ? input.url : input);
    if (!origins.includes(origin)) throw new Error("the response_url does not lead to Slack");
    const late = new AbortController();
    const cancel = timer.after(longestWaitMs, () => late.abort(new Error(`no answer in ${longestWaitMs / 1000} s`)));
    try {
      return await fetch(input, { ...init, redirect: "manual", signal: late.signal });
    } finally {
      cancel();
    }
  };
}
