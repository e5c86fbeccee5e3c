import { OutOfCredits } from "../../../apis/errors.ts";
import type { Gateway, SummaryEvent } from "../../../apis/gateway/client.ts";
import { prices } from "../../../apis/gateway/prices.ts";
import type { Credits } from "../../../apis/gateway/schema.ts";
import type { Ledger, Paid } from "./ledger.ts";
import type { Spender } from "./rule.ts";

interface MeterOptions {
  gateway: Gateway;
  /** A key of the test kind pays nothing. */
  isTest: boolean;
  ledger: Ledger;
}

/** The gateway as one who asks may use it: each call that costs credits is in the ledger before and after. */
export function createMeter({ gateway, isTest, ledger }: MeterOptions): (spender: Spender) => Gateway {
  function costOf(told: Credits | undefined, operation: Paid): number {
    return isTest || told?.test ? 0 : (told?.used ?? prices[operation]);
  }

  async function metered<T extends { credits: Credits }>(spender: Spender, operation: Paid, call: () => Promise<T>) {
    const entry = await ledger.open(spender, operation);
    try {
      const result = await call();
      await entry.close(costOf(result.credits, operation));
      return result;
    } catch (error) {
      await entry.close();
      throw await withBalance(error, gateway);
    }
  }

  async function* meteredStream(spender: Spender, query: string, signal?: AbortSignal): AsyncGenerator<SummaryEvent> {
    const entry = await ledger.open(spender, "streamSummary");
    let told: Credits | undefined;
    let hasText = false;
    let hasFailed = false;
    try {
      for await (const event of gateway.streamSummary(query, signal)) {
        if (event.type === "credits") told = event.credits;
        hasText ||= event.type === "text";
        yield event;
      }
    } catch (error) {
      hasFailed = true;
      throw await withBalance(error, gateway);
    } finally {
      // Whoever leaves early pays all the same; only what failed before its first words gives the credits back.
      const isFree = hasFailed && !hasText && (told?.used ?? 0) === 0;
      await entry.close(isFree ? undefined : costOf(told, "streamSummary"));
    }
  }

  return (spender) => ({
    ...gateway,
    search: (...about) => metered(spender, "search", () => gateway.search(...about)),
    trending: (...about) => metered(spender, "trending", () => gateway.trending(...about)),
    summary: (...about) => metered(spender, "summary", () => gateway.summary(...about)),
    streamSummary: (query, signal) => meteredStream(spender, query, signal),
    chat: (...about) => metered(spender, "chat", () => gateway.chat(...about)),
    runCollection: (...about) => metered(spender, "runCollection", () => gateway.runCollection(...about)),
  });
}

/** Longest time that the balance may take. */
const balanceMs = 3_000;

/** Whoever has too few credits is told how many; the gateway need not say it in its refusal, and asking is free. */
async function withBalance(error: unknown, gateway: Gateway): Promise<unknown> {
  if (!(error instanceof OutOfCredits) || error.remaining !== undefined) return error;
  const { api, operation, status, requestId } = error;
  try {
    const { credits } = await gateway.me(AbortSignal.timeout(balanceMs));
    return new OutOfCredits({ api, operation, status, requestId, cause: error, remaining: credits.remaining });
  } catch {
    return error;
  }
}
