import type { Respond } from "./deliver.ts";

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
