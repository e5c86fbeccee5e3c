import type { Respond } from "./deliver.ts";
import type { Timer } from "./pacer.ts";

/** Slack takes nothing there any more. */
export const respondLifeMs = 30 * 60_000;
const patienceMs = 10_000;

/** Answers at a `response_url` that was written down; what it rejects with never says the address, which is a secret. */
export function respondAt(address: string, fetch: typeof globalThis.fetch = globalThis.fetch): Respond {
  return async (body) => {
    const response = await fetch(address, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(patienceMs),
    }).catch(() => undefined);
    if (!response?.ok) throw new Error(`the response_url said ${response?.status ?? "nothing"}`);
  };
}

/** The same `fetch`, which gives up where nobody else sets it a limit: Bolt sets none where it uses a `response_url`. */
export function patient(fetch: typeof globalThis.fetch, timer: Timer): typeof globalThis.fetch {
  return async (input, init) => {
    if (init?.signal) return fetch(input, init);
    const late = new AbortController();
    const cancel = timer.after(patienceMs, () => late.abort(new Error(`no answer in ${patienceMs / 1000} s`)));
    try {
      return await fetch(input, { ...init, signal: late.signal });
    } finally {
      cancel();
    }
  };
}
