import type { Timer } from "./timer.ts";

const patienceMs = 10_000;

/** Where a `response_url` of Slack's leads, and one of GovSlack's. */
const slackHooks = ["https://hooks.slack.com", "https://hooks.slack-gov.com"];

interface FetchOptions {
  /** A `response_url` may lead there as well. */
  apiUrl: string;
  timer: Timer;
}

/**
 * The `fetch` for a `response_url`, as Bolt uses it, too: to Slack alone, wherever the address leads that came with a
 * request, and not on to where that redirects; it gives up after a while. What has a limit of its own is a call of the
 * Web API, which sees to all this by itself.
 */
export function createFetch({ apiUrl, timer }: FetchOptions, fetch = globalThis.fetch): typeof globalThis.fetch {
  const origins = [...slackHooks, new URL(apiUrl).origin];
  return async (input, init) => {
    if (init?.signal) return fetch(input, init);
    const { origin } = new URL(input instanceof Request ? input.url : input);
    if (!origins.includes(origin)) throw new Error("the response_url does not lead to Slack");
    const late = new AbortController();
    const cancel = timer.after(patienceMs, () => late.abort(new Error(`no answer in ${patienceMs / 1000} s`)));
    try {
      return await fetch(input, { ...init, redirect: "manual", signal: late.signal });
    } finally {
      cancel();
    }
  };
}
