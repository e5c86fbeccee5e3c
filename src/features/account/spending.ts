import { z } from "zod";
import { UnexpectedAnswer, UsageError } from "../../apis/errors.ts";
import { type Gateway, type PaidCall, type SummaryEvent, endpoints } from "../../apis/gateway/client.ts";
import type { Credits } from "../../apis/gateway/schema.ts";
import { capHint } from "./view.ts";
import type { Configured } from "../feature.ts";
import { type Log, describe } from "../../log.ts";
import { dayOf, nextMidnight } from "../../schedule/zone.ts";
import type { Collection } from "../../store/collection.ts";
import { createKeyQueue } from "../../store/key-queue.ts";

/** Who pays for a call; without a user it counts for the workspace alone. */
interface Spender {
  team: string;
  user?: string | undefined;
}

/** What was spent, and in how many calls. */
export interface CreditCount {
  credits: number;
  calls: number;
}

/** What one workspace spent in a day, or in several together. */
export interface Spent {
  total: CreditCount;
  /** By the user's ID. */
  people: Record<string, CreditCount>;
}

const creditCount = z.object({ credits: z.number(), calls: z.number() });

/** A stored day. */
export const spentSchema: z.ZodType<Spent> = z.object({
  total: creditCount,
  people: z.record(z.string(), creditCount),
});

/** How long a day's record is kept. */
export const spentLifeMs = 35 * 24 * 60 * 60_000;

export interface SpendingReport {
  today: Spent;
  /** The last seven days, with today. */
  week: Spent;
  /** Credits a day; there is no cap where it is missing. */
  cap: number | undefined;
}

/** Counts what is spent on the gateway, and keeps to the cap of each workspace. */
export interface Spending {
  /**
   * The gateway for one who asks: what costs credits rejects with a UsageError at the cap, before it is asked for, and is
   * counted when it has been paid for.
   */
  gatewayFor(spender: Spender): Gateway;
  /** Whether something is being paid for, and has yet to be counted, in a workspace that fits. */
  isPaying: (fits: (team: string) => boolean) => boolean;
  report(team: string): Promise<SpendingReport>;
}

export interface SpendingOptions {
  gateway: Gateway;
  /** A key of the test kind pays nothing, so no cap holds it. */
  isTest: boolean;
  /** One record for each workspace and day. */
  days: Collection<Spent>;
  /** Credits that a workspace may spend in a day. */
  cap?: number | undefined;
  /** Where a day begins and ends. */
  zone: string;
  configured: Configured;
  /** Told of each call that was paid for. */
  onSpent?: ((operation: string, credits: number) => void) | undefined;
  now: () => number;
  log: Pick<Log, "error">;
}

/** Builds what counts the credits. */
export function createSpending(options: SpendingOptions): Spending {
  const { gateway, isTest, zone, now } = options;
  const cap = isTest ? undefined : options.cap;
  const days = createDays(options);
  const paying = new Set<{ team: string }>();

  /** Holds the price back until it is known what the call really cost; the result takes that, or nothing if it failed. */
  async function begin({ team, user }: Spender, operation: PaidCall): Promise<(credits?: number) => Promise<void>> {
    const key = dayKey(team, dayOf(now(), zone));
    const price = endpoints[operation].credits;
    const held = cap === undefined ? 0 : price;
    if (cap !== undefined) {
      await days.enqueue(key, async () => {
        const left = Math.max(0, cap - (await days.spent(key)));
        const resetAt = nextMidnight(now(), zone);
        if (left < price) throw new UsageError(capHint({ ...options, cap, left, price, operation, resetAt }));
        days.hold(key, held);
      });
    }
    const payment = { team };
    paying.add(payment);
    return async (credits) => {
      days.hold(key, -held);
      if (credits !== undefined) options.onSpent?.(operation, credits);
      if (credits !== undefined) await days.add(key, user, { credits, calls: 1 });
      paying.delete(payment);
    };
  }

  const costOf = (operation: PaidCall, { used, test }: Partial<Credits>) =>
    isTest || test === true ? 0 : (used ?? endpoints[operation].credits);

  /** What the gateway says, else the documented price, and the balance, which is free to ask for. */
  async function billOf(operation: PaidCall, credits: Credits | undefined): Promise<Credits> {
    if (isTest || credits?.test === true) return { ...credits, test: true };
    const remaining = credits?.remaining ?? (await readBalance(gateway));
    return { ...credits, test: false, used: credits?.used ?? endpoints[operation].credits, remaining };
  }

  async function metered<T extends { credits: Credits }>(
    spender: Spender,
    operation: PaidCall,
    call: () => Promise<T>,
  ) {
    const end = await begin(spender, operation);
    const result = await call().catch(async (error: unknown) => {
      await end(isPaidFailure(error) ? costOf(operation, {}) : undefined);
      throw error;
    });
    await end(costOf(operation, result.credits));
    return { ...result, credits: await billOf(operation, result.credits) };
  }

  async function* meteredStream(spender: Spender, query: string, signal?: AbortSignal): AsyncGenerator<SummaryEvent> {
    const operation = "streamSummary";
    const end = await begin(spender, operation);
    let credits: Credits | undefined;
    // A reader who leaves early pays all the same; only a stream that fails before its first words is free.
    let isFree = false;
    let hasText = false;
    try {
      for await (const event of gateway.streamSummary(query, signal)) {
        if (event.type === "credits") ({ credits } = event);
        hasText ||= event.type === "text";
        yield event;
      }
    } catch (error) {
      isFree = !isPaidFailure(error) && !hasText && (credits?.used ?? 0) === 0;
      // What breaks off says what it cost.
      if (hasText && credits?.used === undefined) yield { type: "credits", credits: await billOf(operation, credits) };
      throw error;
    } finally {
      await end(isFree ? undefined : costOf(operation, credits ?? {}));
    }
    const isWhole = credits?.test === true || (credits?.used !== undefined && credits.remaining !== undefined);
    if (!isWhole) yield { type: "credits", credits: await billOf(operation, credits) };
  }

  // The type asks for every call that has a price, so that none is made unmetered.
  const paidCallsFor = (spender: Spender): Pick<Gateway, PaidCall> => ({
    search: (...about) => metered(spender, "search", () => gateway.search(...about)),
    trending: (...about) => metered(spender, "trending", () => gateway.trending(...about)),
    summary: (...about) => metered(spender, "summary", () => gateway.summary(...about)),
    streamSummary: (query, signal) => meteredStream(spender, query, signal),
    chat: (...about) => metered(spender, "chat", () => gateway.chat(...about)),
    runCollection: (...about) => metered(spender, "runCollection", () => gateway.runCollection(...about)),
  });

  return {
    gatewayFor: (spender) => ({ ...gateway, ...paidCallsFor(spender) }),
    isPaying: (fits) => [...paying].some(({ team }) => fits(team)),
    async report(team) {
      const today = dayOf(now(), zone);
      const week = await options.days.getMany(daysUpTo(today, 7).map((day) => dayKey(team, day)));
      return {
        today: week.get(dayKey(team, today)) ?? nothingSpent,
        week: sumOfSpent(week.values()),
        cap,
      };
    },
  };
}

/** What each day has spent: in the store, and held back for calls under way. */
function createDays({ days, log }: Pick<SpendingOptions, "days" | "log">) {
  const enqueue = createKeyQueue();
  const held = new Map<string, number>();

  return {
    enqueue,
    /** Credits, with what is held back; a store that cannot be read stops nobody. */
    async spent(key: string): Promise<number> {
      const saved = await days.get(key).catch((error: unknown) => {
        log.error("spending.unread", { error: describe(error) });
        return undefined;
      });
      return (saved?.total.credits ?? 0) + (held.get(key) ?? 0);
    },
    hold(key: string, credits: number): void {
      const sum = (held.get(key) ?? 0) + credits;
      if (sum === 0) held.delete(key);
      else held.set(key, sum);
    },
    /** What was paid for is shown, also where it cannot be saved. */
    async add(key: string, user: string | undefined, spent: CreditCount): Promise<void> {
      await enqueue(key, async () => {
        const { total, people } = (await days.get(key)) ?? nothingSpent;
        const person = user !== undefined && { [user]: sumOfCounts(people[user], spent) };
        await days.set(key, { total: sumOfCounts(total, spent), people: { ...people, ...person } });
      }).catch((error: unknown) => log.error("spending.unsaved", { error: describe(error) }));
    },
  };
}

/** Nothing yet. */
export const nothingSpent: Spent = { total: { credits: 0, calls: 0 }, people: {} };

/** Several days as one. */
function sumOfSpent(all: Iterable<Spent>): Spent {
  let total = nothingSpent.total;
  const people = new Map<string, CreditCount>();
  for (const one of all) {
    total = sumOfCounts(total, one.total);
    for (const [user, count] of Object.entries(one.people)) people.set(user, sumOfCounts(people.get(user), count));
  }
  return { total, people: Object.fromEntries(people) };
}

function sumOfCounts(one: CreditCount | undefined, other: CreditCount): CreditCount {
  return { credits: (one?.credits ?? 0) + other.credits, calls: (one?.calls ?? 0) + other.calls };
}

function dayKey(team: string, day: string): string {
  return `${team} ${day}`;
}

/** A day and those before it, `count` in all, the newest first; days are written as `2026-11-21`. */
function daysUpTo(day: string, count: number): string[] {
  const noon = Date.parse(`${day}T12:00:00Z`);
  return Array.from({ length: count }, (_, ago) => new Date(noon - ago * dayMs).toISOString().slice(0, 10));
}

const dayMs = 24 * 60 * 60_000;

/** The gateway has answered, with nothing that it calls an error: it has done its work, although it cannot be read. */
function isPaidFailure(error: unknown): boolean {
  return error instanceof UnexpectedAnswer && error.status === undefined && error.said === undefined;
}

/** Longest time that the balance may take. */
const balanceMs = 3_000;

async function readBalance(gateway: Pick<Gateway, "me">): Promise<number | undefined> {
  try {
    return (await gateway.me(AbortSignal.timeout(balanceMs))).credits.remaining;
  } catch {
    return undefined;
  }
}
