import { randomUUID } from "node:crypto";

import { z } from "zod";
import { Unavailable, UnexpectedAnswer, UsageError } from "../../apis/errors.ts";
import { type Gateway, type PaidCall, type SummaryEvent, endpoints } from "../../apis/gateway/client.ts";
import type { Credits } from "../../apis/gateway/schema.ts";
import { capHint, uncountedHint } from "./view.ts";
import { StepRequired } from "../failure.ts";
import type { Configured } from "../feature.ts";
import { type Log, describe } from "../../log.ts";
import { dayOf, nextMidnight } from "../../schedule/zone.ts";
import type { Collection } from "../../store/collection.ts";
import { createKeyQueue } from "../../store/key-queue.ts";

/** The workspace and the person that pay for a call; without a user it counts for the workspace alone. */
interface Spender {
  team: string;
  user?: string | undefined;
}

const amount = z.number().nonnegative().catch(0);

/** Credits spent, and the number of calls they were spent on. */
const creditCount = z.object({ credits: amount, calls: amount });
export type CreditCount = z.infer<typeof creditCount>;

/** A stored day: what one workspace spent. */
export const spentSchema = z.object({
  total: creditCount,
  /** By the user's ID. */
  people: z.record(z.string(), creditCount),
  /** Credits reserved for calls whose cost isn't known yet, by the call; those that a crash cut off stay, as spent. */
  reserved: z.record(z.string(), amount).optional(),
});
export type SpentDay = z.infer<typeof spentSchema>;

/** The credits of one workspace in a day, or summed over several days. */
export type Spent = Omit<SpentDay, "reserved">;

/** The time for which a day's record is kept. */
export const spentLifeMs = 35 * 24 * 60 * 60_000;

export interface SpendingReport {
  today: Spent;
  /** The last seven days, with today. */
  week: Spent;
  /** Credits a day; there is no cap if it is missing. */
  cap: number | undefined;
}

/** Counts what is spent on the gateway, and keeps to the cap of each workspace. */
export type Spending = ReturnType<typeof createSpending>;

export interface SpendingOptions {
  gateway: Gateway;
  /** A key of the test kind pays nothing, so no cap holds it. */
  isTest: boolean;
  /** One record for each workspace and day. */
  days: Collection<SpentDay>;
  /** Credits that a workspace may spend in a day. */
  cap?: number | undefined;
  /** The zone in which a day begins and ends. */
  zone: string;
  configured: Configured;
  /** Told of each call that was paid for. */
  onSpent?: ((operation: string, credits: number) => void) | undefined;
  now: () => number;
  log: Pick<Log, "error">;
}

export function createSpending(options: SpendingOptions) {
  const { gateway, isTest, zone, now, log } = options;
  const cap = isTest ? undefined : options.cap;
  const enqueue = createKeyQueue();
  const paying = new Set<{ team: string }>();

  /** Changes a day's record, one change after the other; rejects, with nothing changed, if the cap forbids it or it can't be written. */
  const save = (key: string, change: (day: SpentDay) => SpentDay): Promise<void> =>
    enqueue(key, async () => options.days.set(key, change((await options.days.get(key)) ?? nothingSpent)));

  /** Counts what a call cost and ends its reservation, in one write; if that fails, the reservation stays counted. */
  async function settle(key: string, { reservation = "", user, credits }: Settlement): Promise<void> {
    if (reservation === "" && credits === undefined) return;
    const settled = ({ reserved, ...day }: SpentDay): SpentDay => {
      const { [reservation]: _, ...others } = reserved ?? {};
      const rest = { ...day, ...(Object.keys(others).length > 0 && { reserved: others }) };
      if (credits === undefined) return rest;
      const spent = { credits, calls: 1 };
      const person = user !== undefined && { [user]: sumOfCounts(day.people[user], spent) };
      return { ...rest, total: sumOfCounts(day.total, spent), people: { ...day.people, ...person } };
    };
    await save(key, settled).catch((error: unknown) => {
      log.error("spending.save.failed", { error: describe(error) });
    });
  }

  /** Reserves the price until it is known what the call really cost; the result takes that, or nothing if it was free. */
  async function begin({ team, user }: Spender, operation: PaidCall): Promise<(credits?: number) => Promise<void>> {
    const key = dayKey(team, dayOf(now(), zone));
    const price = endpoints[operation].credits;
    const reservation = cap === undefined ? undefined : randomUUID();
    const payment = { team };
    paying.add(payment);
    try {
      if (reservation !== undefined) await save(key, reserve);
    } catch (error) {
      paying.delete(payment);
      if (error instanceof UsageError) throw error;
      // After a crash nobody would know of a call that isn't written down, so it isn't made.
      log.error("spending.reserve.failed", { error: describe(error) });
      throw new StepRequired(uncountedHint(options.configured));
    }
    return async (credits) => {
      await settle(key, { reservation, user, credits });
      paying.delete(payment);
      if (credits !== undefined) options.onSpent?.(operation, credits);
    };

    function reserve(day: SpentDay): SpentDay {
      if (cap === undefined || reservation === undefined) return day;
      const left = Math.max(0, cap - shownDay(day).total.credits);
      const resetAt = nextMidnight(now(), zone);
      if (left < price) throw new UsageError(capHint({ ...options, cap, left, price, operation, resetAt }));
      return { ...day, reserved: { ...day.reserved, [reservation]: price } };
    }
  }

  /** The bill of the gateway, or else the documented price. */
  function billOf(operation: PaidCall, credits?: Credits): Credits & { used: number } {
    if (isTest || credits?.test === true) return { ...credits, test: true, used: 0 };
    return { ...credits, test: false, used: credits?.used ?? endpoints[operation].credits };
  }

  async function metered<T extends { credits: Credits }>(
    spender: Spender,
    operation: PaidCall,
    signal: AbortSignal | undefined,
    call: () => Promise<T>,
  ) {
    signal?.throwIfAborted();
    const end = await begin(spender, operation);
    const result = await call().catch(async (error: unknown) => {
      await end(isPaidFailure(error, signal) ? billOf(operation).used : undefined);
      throw error;
    });
    const bill = billOf(operation, result.credits);
    await end(bill.used);
    return { ...result, credits: bill };
  }

  async function* meteredStream(spender: Spender, query: string, signal?: AbortSignal): AsyncGenerator<SummaryEvent> {
    const operation = "streamSummary";
    signal?.throwIfAborted();
    const end = await begin(spender, operation);
    let credits: Credits | undefined;
    // A reader who leaves early pays all the same; only a stream that fails before its first words is free.
    let isFree = false;
    let hasText = false;
    try {
      for await (const event of gateway.streamSummary(query, signal)) {
        if (event.type === "credits") credits = event.credits;
        hasText ||= event.type === "text";
        yield event;
      }
    } catch (error) {
      isFree = !isPaidFailure(error, signal) && !hasText && (credits?.used ?? 0) === 0;
      // An answer that breaks off still reports its cost.
      if (hasText && credits?.used === undefined) yield { type: "credits", credits: billOf(operation, credits) };
      throw error;
    } finally {
      await end(isFree ? undefined : billOf(operation, credits).used);
    }
    if (credits?.used === undefined) yield { type: "credits", credits: billOf(operation, credits) };
  }

  // The type asks for every call that has a price, so that none is made unmetered.
  const paidCallsFor = (spender: Spender): Pick<Gateway, PaidCall> => ({
    search: (query, about) => metered(spender, "search", about?.signal, () => gateway.search(query, about)),
    trending: (signal) => metered(spender, "trending", signal, () => gateway.trending(signal)),
    summary: (query, signal) => metered(spender, "summary", signal, () => gateway.summary(query, signal)),
    streamSummary: (query, signal) => meteredStream(spender, query, signal),
    chat: (about) => metered(spender, "chat", about.signal, () => gateway.chat(about)),
    runCollection: (id, signal) => metered(spender, "runCollection", signal, () => gateway.runCollection(id, signal)),
  });

  return {
    /**
     * The gateway for one who asks: what costs credits rejects with a UsageError at the cap, before it is asked for, and
     * is counted when it has been paid for.
     */
    gatewayFor: (spender: Spender): Gateway => ({ ...gateway, ...paidCallsFor(spender) }),
    /** True if something is being paid for, and has yet to be counted, in a workspace that fits. */
    isPaying: (fits: (team: string) => boolean) => [...paying].some(({ team }) => fits(team)),
    async report(team: string): Promise<SpendingReport> {
      const today = dayOf(now(), zone);
      const keys = daysUpTo(today, 7).map((day) => dayKey(team, day));
      const stored = await options.days.getMany(keys);
      const week = keys.map((key) => shownDay(stored.get(key) ?? nothingSpent));
      return { today: week[0] ?? nothingSpent, week: sumOfSpent(week), cap };
    },
  };
}

/** The outcome of a reservation: the credits that the call cost, or nothing if it was free. */
interface Settlement {
  /** There is none if no cap is set. */
  reservation: string | undefined;
  user: string | undefined;
  credits: number | undefined;
}

/** Nothing yet. */
export const nothingSpent: Spent = { total: { credits: 0, calls: 0 }, people: {} };

/** A day with its reservations counted as spent: they are until it is known that they were not. */
function shownDay({ total, people, reserved = {} }: SpentDay): Spent {
  const credits = Object.values(reserved).reduce((sum, price) => sum + price, total.credits);
  return { total: { ...total, credits }, people };
}

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

/**
 * True if a call that failed counts as paid: the gateway has answered, with nothing that it calls an error, or it was still
 * at work when we stopped waiting.
 */
function isPaidFailure(error: unknown, signal?: AbortSignal): boolean {
  if (signal?.aborted === true) return true;
  if (error instanceof Unavailable) return error.reason === "timeout";
  return error instanceof UnexpectedAnswer && error.status === undefined && error.said === undefined;
}
