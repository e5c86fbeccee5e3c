import { OutOfCredits, UnexpectedAnswer } from "../../../apis/errors.ts";
import type { Gateway, SummaryEvent } from "../../../apis/gateway/client.ts";
import { prices } from "../../../apis/gateway/client.ts";
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
  function costOf(told: Pick<Credits, "used"> & { test?: boolean }, operation: Paid): number {
    return isTest || told.test ? 0 : (told.used ?? prices[operation]);
  }

  /** What is told, else the documented price, and the balance, which is free to ask for. */
  async function billOf(told: Credits | undefined, operation: Paid): Promise<Credits> {
    if (isTest || told?.test) return { ...told, test: true };
    const used = told?.used ?? prices[operation];
    return { ...told, test: false, used, remaining: told?.remaining ?? (await balanceOf(gateway)) };
  }

  async function metered<T extends { credits: Credits }>(spender: Spender, operation: Paid, call: () => Promise<T>) {
    const entry = await ledger.open(spender, operation);
    const result = await call().catch(async (error: unknown) => {
      const bill = billIn(error);
      await entry.close(bill && costOf(bill, operation));
      throw await withBalance(error, gateway);
    });
    await entry.close(costOf(result.credits, operation));
    return { ...result, credits: await billOf(result.credits, operation) };
  }

  async function* meteredStream(spender: Spender, query: string, signal?: AbortSignal): AsyncGenerator<SummaryEvent> {
    const operation = "streamSummary";
    const entry = await ledger.open(spender, operation);
    let told: Credits | undefined;
    let hasText = false;
    let failure: { bill: Pick<Credits, "used"> | undefined } | undefined;
    try {
      for await (const event of gateway.streamSummary(query, signal)) {
        if (event.type === "credits") told = event.credits;
        hasText ||= event.type === "text";
        yield event;
      }
    } catch (error) {
      failure = { bill: billIn(error) };
      throw await withBalance(error, gateway);
    } finally {
      // Whoever leaves early pays all the same; only what failed before its first words gives the credits back.
      const isFree = failure && !failure.bill && !hasText && (told?.used ?? 0) === 0;
      await entry.close(isFree ? undefined : costOf(told ?? failure?.bill ?? {}, operation));
    }
    const isWhole = told?.test || (told?.used !== undefined && told.remaining !== undefined);
    if (!isWhole) yield { type: "credits", credits: await billOf(told, operation) };
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

/** Of an answer that is paid for, though nobody can read it. */
function billIn(error: unknown): UnexpectedAnswer["bill"] {
  return error instanceof UnexpectedAnswer ? error.bill : undefined;
}

/** Longest time that the balance may take. */
const balanceMs = 3_000;

async function balanceOf(gateway: Gateway): Promise<number | undefined> {
  try {
    return (await gateway.me(AbortSignal.timeout(balanceMs))).credits.remaining;
  } catch {
    return undefined;
  }
}

/** Whoever has too few credits is told how many; the gateway need not say it in its refusal. */
async function withBalance(error: unknown, gateway: Gateway): Promise<unknown> {
  if (!(error instanceof OutOfCredits) || error.remaining !== undefined) return error;
  const { api, operation, status, requestId } = error;
  const remaining = await balanceOf(gateway);
  if (remaining === undefined) return error;
  return new OutOfCredits({ api, operation, status, requestId, cause: error, remaining });
}
