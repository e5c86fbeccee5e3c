import { z } from "zod";

import { type Timer, steady } from "./timer.ts";
import { createBudget } from "./budget.ts";
import { rates } from "./text/limits.ts";
import type { Posted } from "./text/message.ts";
import { SlackRefused, refusalOf } from "./refusal.ts";
import type { Call } from "./web.ts";

/** A message of ours that may stand in Slack. */
export interface Sought {
  channel: string;
  thread?: string | undefined;
  /** What it carries. */
  key: string;
  /** When it was sent first and last, by our clock. */
  since: number;
  sentAt: number;
  /** How often, and until when, to look while Slack is out of order. */
  looks: number;
  until?: number;
}

/** Slack's history can lag behind its posts by a moment; while Slack is out of order, each look waits twice as long. */
const settleMs = 1_500;
const pauseMostMs = 15_000;
/** Our clock and Slack's may differ. */
const skewMs = 60_000;
/** How much further back a read goes, because what is sought next in the same place was mostly sent a little earlier. */
const marginMs = 10 * 60_000;
/** The same where the clock has been set back since, so that nobody knows when it was. */
const unknownMs = 24 * 60 * 60_000;
const pageSize = 200;
const pagesMost = 25;
const readsAtOnce = 3;
/** A read answers for what was sent before it, and is kept for that long. */
const readLifeMs = 120_000;

/** What stands in one place of Slack, as far as it is ours. */
interface Found {
  /** Timestamps by the keys of messages. */
  keys: Map<string, string>;
  /** Whether all of it was read. */
  isWhole: boolean;
}

interface Begun {
  oldest: number;
  startedAt: number | undefined;
}

interface Reading extends Begun {
  found: Promise<Found>;
}

/**
 * Finds messages in the histories of a workspace by the keys that they carry. All that are sought in one place at a time
 * are found by one read of it, and reads keep within a budget of their own.
 */
export function createLookup(call: Call, timer: Timer) {
  const paced = createPace(call, steady(timer));
  const addresses = createAddresses(paced);
  const readingFor = createReadings(paced, timer);

  async function look(sought: Sought): Promise<Posted | undefined> {
    const channel = await addresses.of(sought.channel);
    const { keys, isWhole } = await readingFor({ ...timely(sought, timer.now()), channel });
    const ts = keys.get(sought.key);
    if (ts !== undefined) return { channel, ts };
    if (!isWhole) throw new SlackRefused("conversations.history", "too_much_to_read", { reaction: "unsure" });
    return undefined;
  }

  return {
    /** Where a message stands, or nothing where it surely does not; rejects with SlackRefused where nobody can say. */
    async find(sought: Sought): Promise<Posted | undefined> {
      const now = timer.now();
      let pauseMs = timely(sought, now).sentAt + settleMs - now;
      for (let count = 1; ; count++) {
        await pause(timer, pauseMs);
        try {
          return await look(sought);
        } catch (error) {
          const refused = refusalOf("conversations.history", error);
          const isPassing = refused.reaction === "wait" || refused.reaction === "look";
          const isOver = count >= sought.looks || timer.now() >= (sought.until ?? Number.POSITIVE_INFINITY);
          if (!isPassing || isOver) throw refused;
          pauseMs = Math.max(Math.min(settleMs * 2 ** count, pauseMostMs), refused.retryAfterMs ?? 0);
        }
      }
    },
    /** Where what is addressed to a person has turned out to stand. */
    met: (address: string, channel: string) => addresses.met(address, channel),
  };
}

/** With its times where a clock that was ahead when it was sent cannot have put them. */
function timely(sought: Sought, now: number): Sought {
  const { since, sentAt } = sought;
  return { ...sought, since: since > now ? now - unknownMs : since, sentAt: Math.min(sentAt, now) };
}

/** The channels of people's direct messages: only there these have a history. */
function createAddresses(call: LookupCall) {
  const known = new Map<string, string>();
  return {
    met(address: string, channel: string): void {
      if (address !== channel) known.set(address, channel);
    },
    async of(address: string): Promise<string> {
      const channel = known.get(address);
      if (channel !== undefined || !/^[UW]/.test(address)) return channel ?? address;
      const { data } = opened.safeParse(await call("conversations.open", { users: address }));
      if (!data) throw new SlackRefused("conversations.open", "unreadable", { reaction: "look" });
      known.set(address, data.channel.id);
      return data.channel.id;
    },
  };
}

/** Reads places, and shares each read among those who seek something there that it can hold. */
function createReadings(call: LookupCall, timer: Timer) {
  const readings = new Map<string, Reading>();
  // Slack takes far fewer reads of threads than of channels: those that wait must not hold up the others.
  const inTurn = { thread: createSlots(readsAtOnce), channel: createSlots(readsAtOnce) };

  /** With each new reading a look at the two oldest: so there are never many more than are of use. */
  function forget(): void {
    const until = timer.now() - readLifeMs;
    let looks = 2;
    for (const [place, reading] of readings) {
      if (looks-- === 0) return;
      readings.delete(place);
      const isOld = reading.startedAt !== undefined && reading.startedAt < until;
      if (!isOld) readings.set(place, reading);
    }
  }

  /** One of before the clock was set back tells nothing of what came after. */
  function standing(place: string): Reading | undefined {
    const known = readings.get(place);
    return (known?.startedAt ?? 0) > timer.now() ? undefined : known;
  }

  return ({ channel, thread, since, sentAt }: Sought): Promise<Found> => {
    const place = `${channel} ${thread ?? ""}`;
    const known = standing(place);
    const isUseful = known?.startedAt === undefined || known.startedAt >= sentAt + settleMs;
    if (known && known.startedAt === undefined) known.oldest = Math.min(known.oldest, since - marginMs);
    if (known && isUseful && known.oldest <= since - skewMs) return known.found;
    forget();
    const reading: Begun = { oldest: since - marginMs, startedAt: undefined };
    const whole = Object.assign(reading, { found: inTurn[thread ? "thread" : "channel"](start) });
    readings.set(place, whole);
    return whole.found;

    async function start(): Promise<Found> {
      reading.startedAt = timer.now();
      try {
        return await read(call, { channel, thread, oldest: reading.oldest });
      } catch (error) {
        if (readings.get(place) === reading) readings.delete(place);
        throw error;
      }
    }
  };
}

async function pause(timer: Timer, ms: number): Promise<void> {
  if (ms > 0) await new Promise<void>((resolve) => timer.after(ms, resolve));
}

const opened = z.object({ channel: z.object({ id: z.string() }) });

/** Does so many things at a time, in the order of asking. */
function createSlots(most: number) {
  const waiting: (() => void)[] = [];
  let free = most;
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free++;
    }
  };
}

type Lookup = keyof typeof rates.lookups;
type LookupCall = (method: Lookup, options: Record<string, unknown>) => ReturnType<Call>;

/** Calls within a budget for each method, and holds a method for as long as Slack asks. */
function createPace(call: Call, timer: Timer): LookupCall {
  const budgets = new Map<Lookup, ReturnType<typeof createBudget>>();
  return async (method, options) => {
    const budget = budgets.get(method) ?? createBudget(timer, { perMinute: rates.lookups[method], pace: "bold" });
    budgets.set(method, budget);
    // Where all that Slack takes is under way, nobody knows how long that takes.
    for (let wait = budget.delay(0); wait > 0; wait = budget.delay(0)) {
      await pause(timer, Number.isFinite(wait) ? Math.ceil(wait) : settleMs);
    }
    budget.begin();
    try {
      const answer = await call(method, options);
      budget.end({});
      return answer;
    } catch (error) {
      const { reaction, retryAfterMs = 30_000 } = refusalOf(method, error);
      budget.end(reaction === "wait" ? { retryAfterMs } : {});
      throw error;
    }
  };
}

interface Range {
  channel: string;
  thread: string | undefined;
  oldest: number;
}

async function read(call: LookupCall, { channel, thread, oldest }: Range): Promise<Found> {
  const keys = new Map<string, string>();
  let cursor: string | undefined;
  for (let page = 1; page <= pagesMost; page++) {
    const answer = await call(thread ? "conversations.replies" : "conversations.history", {
      channel,
      ...(thread && { ts: thread }),
      oldest: (Math.max(0, oldest) / 1000).toFixed(6),
      include_all_metadata: true,
      limit: pageSize,
      ...(cursor && { cursor }),
    });
    for (const message of listOf(answer["messages"])) {
      const { data } = keyed.safeParse(message);
      if (data) keys.set(data.metadata.event_payload.key, data.ts);
    }
    cursor = paging.safeParse(answer).data?.response_metadata.next_cursor || undefined;
    if (!cursor) return { keys, isWhole: answer["has_more"] !== true };
  }
  return { keys, isWhole: false };
}

const paging = z.object({ response_metadata: z.object({ next_cursor: z.string() }) });

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

const keyed = z.object({
  ts: z.string(),
  metadata: z.object({ event_payload: z.object({ key: z.string() }) }),
});
