import type { Gateway } from "../../../apis/gateway/client.ts";
import { dayOf, nextMidnight } from "../../../schedule/zone.ts";
import { type LedgerOptions, createLedger, keyOf } from "./ledger.ts";
import { createMeter } from "./meter.ts";
import { type Caps, type Spender, type Spent, daysUpTo, nothing, together } from "./rule.ts";

/** How long a day's record is kept. */
export const spentLifeMs = 35 * 24 * 60 * 60_000;

/** What a workspace spent, and what it may spend. */
export interface SpendingReport {
  today: Spent;
  /** The last seven days, with today. */
  week: Spent;
  caps: Caps;
  /** When a new day begins, in epoch milliseconds. */
  resetAt: number;
  zone: string;
}

/** Who spent the gateway's credits on what; keeps to the caps. */
export interface Spending {
  /**
   * The gateway for one who asks: what costs credits rejects with a UsageError at a cap, before it is asked for, and is
   * written down when it has been paid for.
   */
  gatewayFor(spender: Spender): Gateway;
  report(team: string): Promise<SpendingReport>;
}

export interface SpendingOptions extends LedgerOptions {
  gateway: Gateway;
  /** A key of the test kind pays nothing, so no cap holds it. */
  isTest: boolean;
}

/** Measures what is spent, one record a workspace and day. */
export function createSpending(options: SpendingOptions): Spending {
  const { gateway, isTest, days, zone, now } = options;
  const caps = isTest ? {} : options.caps;
  const ledger = createLedger({ ...options, caps });

  return {
    gatewayFor: createMeter({ gateway, isTest, ledger }),
    async report(team) {
      const today = dayOf(now(), zone);
      const keys = daysUpTo(today, 7).map((day) => keyOf(team, day));
      await ledger.written(keyOf(team, today));
      const week = await days.getMany(keys);
      return {
        today: week.get(keyOf(team, today)) ?? nothing,
        week: together(week.values()),
        caps,
        resetAt: nextMidnight(now(), zone),
        zone,
      };
    },
  };
}
