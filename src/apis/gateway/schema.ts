import { z } from "zod";
import type { RateLimit } from "../answer.ts";
import { looseList, maybe, quantity, renamed, text, timestamp } from "../loose.ts";
import { firstOf, isRecord } from "../values.ts";

/** What a call has cost and what is left, where the gateway says it. */
export interface Credits {
  used?: number | undefined;
  remaining?: number | undefined;
  /** True for keys of the test kind, which cost nothing. */
  test: boolean;
  /** The key's rate limit, where the answer tells of it. */
  rate?: RateLimit | undefined;
}

/** An answer's payload with the bill beside it. */
export interface Enveloped<T> {
  data: T;
  used: number | undefined;
  remaining: number | undefined;
}

/** A number of credits, requests or articles, where one can be read. */
export const count: z.ZodType<number | undefined> = maybe(quantity);

/** Takes an answer out of its envelope; one that comes without is read as it is. */
export function enveloped<T>(data: z.ZodType<T>): z.ZodType<Enveloped<T>> {
  return z.compile(
    z.preprocess(
      (raw) => {
        const record = isRecord(raw) ? raw : {};
        const meta = isRecord(record["meta"]) ? record["meta"] : {};
        const payload = Object.hasOwn(record, "data") ? record["data"] : raw;
        return { data: payload, used: meta["credits_used"], remaining: meta["credits_remaining"] };
      },
      z.object({ data, used: count, remaining: count }),
    ),
  );
}

export interface Account {
  name: string | undefined;
  email: string | undefined;
  remaining: number | undefined;
}

/** Upstream's possible names of each field. */
export const ACCOUNT_NAMES = {
  name: ["name", "full_name", "display_name", "username", "fullName", "displayName"],
  remaining: ["credits_remaining", "credits", "balance", "credit_balance", "creditsRemaining", "creditBalance"],
  /** Where the credits are an object. */
  balance: ["remaining", "balance", "credits_remaining", "available", "creditsRemaining"],
};

/** The user record is not shown: it may lie at the top or under `user`, the balance under several names. */
export const accountSchema: z.ZodType<Account> = z.preprocess(
  (raw) => {
    if (!isRecord(raw)) return raw;
    const user = isRecord(raw["user"]) ? { ...raw, ...raw["user"] } : raw;
    return {
      name: firstOf(user, ACCOUNT_NAMES.name),
      email: user["email"],
      remaining: balance(firstOf({ ...user, ...raw }, ACCOUNT_NAMES.remaining)),
    };
  },
  z.object({ name: maybe(text(200)), email: maybe(text(320)), remaining: count }),
);

function balance(value: unknown): unknown {
  return isRecord(value) ? firstOf(value, ACCOUNT_NAMES.balance) : value;
}

/** What a key was used for; times in epoch milliseconds. */
export interface Usage {
  start?: number | undefined;
  end?: number | undefined;
  requests?: number | undefined;
  /** Credits. */
  spent?: number | undefined;
  endpoints: EndpointUsage[];
}

interface EndpointUsage {
  endpoint: string;
  requests?: number | undefined;
  spent?: number | undefined;
}

const REQUESTS = ["requests", "total_requests", "request_count", "calls", "count", "totalRequests", "requestCount"];
const SPENT = ["credits_used", "total_credits", "credits", "cost", "creditsUsed", "totalCredits"];

/** Upstream's possible names of each field. */
export const ENDPOINT_NAMES = {
  endpoint: ["endpoint", "path", "name", "operation"],
  requests: REQUESTS,
  spent: SPENT,
};

const endpointSchema: z.ZodType<EndpointUsage> = renamed(
  ENDPOINT_NAMES,
  z.object({ endpoint: text(200), requests: count, spent: count }),
);

/** Upstream's possible names of each field. */
export const USAGE_NAMES = {
  start: ["start", "from", "period_start", "since", "periodStart"],
  end: ["end", "to", "period_end", "until", "periodEnd"],
  requests: ["total_requests", "requests", "request_count", "calls", "totalRequests", "requestCount"],
  spent: ["credits_used", "total_credits", "total_credits_used", "credits", "creditsUsed", "totalCredits"],
  endpoints: ["by_endpoint", "endpoints", "breakdown", "usage", "byEndpoint"],
};

/** The statistics are not shown: sums at the top, a period, and one entry per endpoint in a list or by its name. */
export const usageSchema: z.ZodType<Usage> = z.preprocess(
  (outer) => {
    if (!isRecord(outer)) return outer;
    const raw = withSums(outer);
    const period = isRecord(raw["period"]) ? { ...raw, ...raw["period"] } : raw;
    return {
      start: firstOf(period, USAGE_NAMES.start),
      end: firstOf(period, USAGE_NAMES.end),
      requests: firstOf(raw, USAGE_NAMES.requests),
      spent: firstOf(raw, USAGE_NAMES.spent),
      endpoints: entriesIn(firstOf(raw, USAGE_NAMES.endpoints)),
    };
  },
  z
    .object({
      start: maybe(timestamp),
      end: maybe(timestamp),
      requests: count,
      spent: count,
      endpoints: looseList(endpointSchema).transform(({ items }) => items),
    })
    .refine(
      ({ requests, spent, endpoints }) => requests !== undefined || spent !== undefined || endpoints.length > 0,
      "no figure could be read",
    ),
);

/** The sums may be in an object of their own, which has one of their names and is no list of endpoints. */
function withSums({ usage, ...rest }: Record<string, unknown>): Record<string, unknown> {
  if (!isRecord(usage)) return { ...rest, usage };
  const hasSums = [...USAGE_NAMES.requests, ...USAGE_NAMES.spent].some((name) => usage[name] != null);
  return hasSums ? { ...rest, ...usage } : { ...rest, usage };
}

function entriesIn(raw: unknown): unknown[] {
  if (Array.isArray(raw)) return raw;
  if (!isRecord(raw)) return [];
  return Object.entries(raw).map(([endpoint, value]) =>
    isRecord(value) ? { endpoint, ...value } : { endpoint, requests: value },
  );
}
