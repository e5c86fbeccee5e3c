import { UsageError } from "../../../apis/errors.ts";
import { prices } from "../../../apis/gateway/client.ts";
import { type Log, describe } from "../../../log.ts";
import { dayOf, nextMidnight } from "../../../schedule/zone.ts";
import type { Collection } from "../../../store/collection.ts";
import { createTurns } from "../../../store/turns.ts";
import { type Caps, type Spender, type Spent, exceeded, nothing, spentBy, standings, together } from "./rule.ts";
import { type Free, capHint } from "./view.ts";

/** Calls of the gateway that cost credits. */
export type Paid = "search" | "trending" | "summary" | "streamSummary" | "chat" | "runCollection";

export interface LedgerOptions {
  days: Collection<Spent>;
  caps: Caps;
  /** Where a day begins and ends. */
  zone: string;
  configured: Free;
  now: () => number;
  log: Pick<Log, "error">;
}

/** The key of what a workspace spent in a day. */
export function keyOf(team: string, day: string): string {
  return `${team} ${day}`;
}

/** A call under way: its price is held back until it is known what it really cost. */
interface Entry {
  /** Credits; nothing where the call failed. */
  close(credits?: number): Promise<void>;
}

/** Writes down what calls cost, and lets none begin that a cap does not allow. */
export interface Ledger {
  /** Rejects with a UsageError at a cap. */
  open(spender: Spender, operation: Paid): Promise<Entry>;
  /** Resolves when what is known of a day is written, as far as that is possible. */
  written(key: string): Promise<void>;
}

/** Builds the ledger; calls that begin at the same time count against a cap one after the other. */
export function createLedger(options: LedgerOptions): Ledger {
  const { caps, zone, configured, now } = options;
  const inTurn = createTurns();
  const records = createRecords(options);
  const hasCaps = Object.values(caps).some((cap) => cap !== undefined);

  async function admit(key: string, spender: Spender, operation: Paid): Promise<Spent> {
    const price = prices[operation];
    const cap = exceeded(standings(caps, await records.soFar(key), spender), price);
    if (cap) {
      const resetAt = nextMidnight(now(), zone);
      throw new UsageError(capHint({ ...cap, price, operation, resetAt, zone, configured }));
    }
    const held = spentBy(spender, { credits: price, calls: 0 });
    records.of(key).held.add(held);
    return held;
  }

  return {
    async open(spender, operation) {
      const key = keyOf(spender.team, dayOf(now(), zone));
      const held = hasCaps ? await inTurn(key, () => admit(key, spender, operation)) : undefined;
      return {
        async close(credits) {
          const record = records.of(key);
          if (held) record.held.delete(held);
          const spent = credits === undefined ? nothing : spentBy(spender, { credits, calls: 1 });
          record.unsaved = together([record.unsaved, spent]);
          await inTurn(key, () => records.save(key));
        },
      };
    },
    written: (key) => inTurn(key, () => records.save(key)),
  };
}

/** What the store does not know yet of one workspace and day. */
interface Unwritten {
  /** Prices of calls under way. */
  held: Set<Spent>;
  unsaved: Spent;
}

function createRecords({ days, log }: Pick<LedgerOptions, "days" | "log">) {
  const unwritten = new Map<string, Unwritten>();

  function of(key: string): Unwritten {
    const record = unwritten.get(key) ?? { held: new Set(), unsaved: nothing };
    unwritten.set(key, record);
    return record;
  }

  return {
    of,
    /** With what is under way, and what could not be saved. */
    async soFar(key: string): Promise<Spent> {
      const saved = await days.get(key).catch((error: unknown) => {
        log.error("spending.unread", { error: describe(error) });
        return undefined;
      });
      const { held, unsaved } = of(key);
      return together([saved ?? nothing, unsaved, ...held]);
    },
    async save(key: string): Promise<void> {
      const record = of(key);
      const { unsaved } = record;
      if (unsaved.total.calls > 0) {
        record.unsaved = nothing;
        try {
          await days.set(key, together([(await days.get(key)) ?? nothing, unsaved]));
        } catch (error) {
          // Kept for the next time: what was paid for must count, and no answer may fail for it.
          record.unsaved = together([record.unsaved, unsaved]);
          log.error("spending.unsaved", { error: describe(error) });
        }
      }
      if (record.held.size === 0 && record.unsaved.total.calls === 0) unwritten.delete(key);
    },
  };
}
