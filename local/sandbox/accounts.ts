import { isSameSecret, ServiceError } from "./service.ts";

/** The keys that are accepted: a test key, which costs nothing, and a live key with a small balance. */
export const gatewayKeys = { test: "svc_test_b7c41e0a93f2sandbox", live: "svc_live_2d90e6f8c15bsandbox" };

/** A test key never runs out, so it always shows the same balance. */
const testBalance = 10_000;

const requestsAMinute = 1000;
const minuteMs = 60_000;

/** The requests that a key has left in the current one-minute window. */
interface RequestWindow {
  limit: number;
  remaining: number;
  /** The end of the window, in Unix seconds. */
  reset: number;
  isExceeded: boolean;
}

/** One API key: its credits, its window of the rate limit, and its use so far. */
export interface GatewayAccount {
  isTest: boolean;
  credits(): { used: number; remaining: number };
  /** Throws `insufficient_credits` if the balance is too low. */
  require(credits: number): void;
  /** Books one request and returns its price in credits. */
  pay(endpoint: string, credits: number): number;
  /** Counts one request against the rate limit; windows follow each other from the first request on. */
  count(now: number): RequestWindow;
  usage(now: number): unknown;
}

function createAccount(isTest: boolean, balance: number, started: number): GatewayAccount {
  const booked = new Map<string, { requests: number; credits: number }>();
  let used = 0;
  let opened = Number.NEGATIVE_INFINITY;
  let requests = 0;
  return {
    isTest,
    credits: () => ({ used, remaining: balance - used }),
    require(credits) {
      if (isTest || credits <= balance - used) return;
      const message = `This request costs ${credits} credits and ${balance - used} are left.`;
      throw new ServiceError(402, "insufficient_credits", message);
    },
    pay(endpoint, credits) {
      const cost = isTest ? 0 : credits;
      used += cost;
      const before = booked.get(endpoint) ?? { requests: 0, credits: 0 };
      booked.set(endpoint, { requests: before.requests + 1, credits: before.credits + cost });
      return cost;
    },
    count(now) {
      if (now >= opened + minuteMs) {
        opened = now;
        requests = 0;
      }
      requests += 1;
      const remaining = Math.max(0, requestsAMinute - requests);
      const reset = Math.ceil((opened + minuteMs) / 1000);
      return { limit: requestsAMinute, remaining, reset, isExceeded: requests > requestsAMinute };
    },
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

/** Finds the account of a key; 401 if there is none. */
export function createAccounts(liveCredits: number, started: number): (key: string | undefined) => GatewayAccount {
  const test = createAccount(true, testBalance, started);
  const live = createAccount(false, liveCredits, started);
  return (key) => {
    if (isSameSecret(key, gatewayKeys.test)) return test;
    if (isSameSecret(key, gatewayKeys.live)) return live;
    throw new ServiceError(401, "invalid_api_key", "The API key is missing or not valid.");
  };
}
