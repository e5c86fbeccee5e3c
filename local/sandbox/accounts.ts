import { Refusal, sameSecret } from "./http.ts";

const LIMIT = 1000;
const WINDOW_MS = 60_000;

/** A test key never runs out, so it always shows the same balance. */
const TEST_BALANCE = 10_000;

export interface Rate {
  limit: number;
  remaining: number;
  /** Unix seconds. */
  reset: number;
  exceeded: boolean;
}

/** One API key: its credits, its window of the rate limit, and what it was used for. */
export interface Account {
  test: boolean;
  credits(): { used: number; balance: number };
  /** Throws `insufficient_credits` where the balance is too low. */
  require(credits: number): void;
  /** Books one request and tells what it cost. */
  pay(endpoint: string, credits: number): number;
  /** Counts one request against the rate limit; windows follow each other from the first request on. */
  count(now: number): Rate;
  usage(now: number): unknown;
}

function createWindow() {
  let opened = Number.NEGATIVE_INFINITY;
  let used = 0;
  return (now: number): Rate => {
    if (now >= opened + WINDOW_MS) {
      opened = now;
      used = 0;
    }
    used += 1;
    const reset = Math.ceil((opened + WINDOW_MS) / 1000);
    return { limit: LIMIT, remaining: Math.max(0, LIMIT - used), reset, exceeded: used > LIMIT };
  };
}

function createAccount(test: boolean, start: number, started: number): Account {
  let used = 0;
  const booked = new Map<string, { requests: number; credits: number }>();
  return {
    test,
    credits: () => ({ used, balance: test ? TEST_BALANCE : start - used }),
    require(credits) {
      if (test || credits <= start - used) return;
      const message = `This request costs ${credits} credits and ${start - used} are left.`;
      throw new Refusal(402, "insufficient_credits", message);
    },
    pay(endpoint, credits) {
      const cost = test ? 0 : credits;
      used += cost;
      const before = booked.get(endpoint) ?? { requests: 0, credits: 0 };
      booked.set(endpoint, { requests: before.requests + 1, credits: before.credits + cost });
      return cost;
    },
    count: createWindow(),
    usage(now) {
      const rows = [...booked].map(([endpoint, sums]) => ({ endpoint, ...sums }));
      return {
        period: { start: new Date(started).toISOString(), end: new Date(now).toISOString() },
        total_requests: rows.reduce((sum, row) => sum + row.requests, 0),
        credits_used: used,
        by_endpoint: rows,
      };
    },
  };
}

/** The accounts of the two keys. */
export function createAccounts(
  keys: { test: string; live: string },
  options: { liveCredits: number; started: number },
) {
  const accounts = [
    { key: keys.test, account: createAccount(true, TEST_BALANCE, options.started) },
    { key: keys.live, account: createAccount(false, options.liveCredits, options.started) },
  ];
  return {
    /** The account of a key; 401 where there is none. */
    find(key: string | undefined): Account {
      const found = accounts.find((one) => sameSecret(key ?? "", one.key));
      if (!found) throw new Refusal(401, "invalid_api_key", "The API key is missing or not valid.");
      return found.account;
    },
    headers: (rate: Rate) => ({
      "X-RateLimit-Limit": String(rate.limit),
      "X-RateLimit-Remaining": String(rate.remaining),
      "X-RateLimit-Reset": String(rate.reset),
    }),
  };
}
