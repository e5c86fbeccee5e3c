import { isRecord, readIdentifier } from "./fields.ts";

export type HttpHeaders = Record<string, string | string[] | undefined>;

/** How many requests a key has left, as an answer says it; `resetAt` in epoch milliseconds. */
export interface RateLimit {
  limit?: number | undefined;
  remaining?: number | undefined;
  resetAt?: number | undefined;
}

/** The value of a header that may come once, several times or not at all. */
export function header(headers: HttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** Reads the envelope's `rate_limit`, else X-RateLimit-*, of an answer that came at `now`. */
export function readRateLimit(headers: HttpHeaders, body: unknown, now: number): RateLimit {
  const meta = isRecord(body) ? body["meta"] : undefined;
  const enclosed = isRecord(meta) && isRecord(meta["rate_limit"]) ? meta["rate_limit"] : {};
  const read = (name: string) => readIdentifier(enclosed[name] ?? header(headers, `x-ratelimit-${name}`));
  const reset = read("reset");
  // The envelope's reset is documented in epoch seconds; the format of the header is not shown.
  const resetAt =
    reset === undefined ? undefined : reset < 1e9 ? now + reset * 1000 : reset < 1e11 ? reset * 1000 : reset;
  return { limit: read("limit"), remaining: read("remaining"), resetAt };
}

/** When upstream wants to be asked again, in epoch milliseconds: by Retry-After, or by the reset of a used-up limit. */
export function readRetryAt(headers: HttpHeaders, status: number, now: number): number | undefined {
  const after = header(headers, "retry-after")?.trim();
  if (after !== undefined && /^\d{1,9}$/.test(after)) return now + Number(after) * 1000;
  const date = Date.parse(after ?? "");
  if (!Number.isNaN(date)) return date;
  const { resetAt } = readRateLimit(headers, undefined, now);
  return status === 429 && resetAt !== undefined && resetAt > now ? resetAt : undefined;
}

const MINUTE = 60_000;
/** A reset that is farther away is a mistake: taken at its word, nothing would ever be asked again. */
const LONGEST_WINDOW = 60 * MINUTE;
/** The reset is given in whole seconds; whether rounded up or down is not shown. */
const ROUNDING = 1_000;

/** Counts the requests of one key, so that none is sent that the service would refuse. */
export interface RateLimiter {
  /** Takes one request of what is left; where nothing is, the result is the time at which there is again. */
  take(now: number): number | undefined;
  /** Takes in what an answer says. */
  learn(rate: RateLimit, now: number): void;
}

/** Builds the limiter; `perMinute` holds until the first answer says what is true, which may be that there is no limit. */
export function createRateLimiter(perMinute = Number.POSITIVE_INFINITY): RateLimiter {
  let limit = perMinute;
  let left = limit;
  let renewedAt = 0;
  let isKnown = false;

  return {
    take(now) {
      if (now >= renewedAt) {
        left = limit;
        renewedAt = now + MINUTE;
      }
      if (left < 1) return renewedAt;
      left -= 1;
      return undefined;
    },
    learn({ limit: newLimit, remaining, resetAt }, now) {
      const saysNothing = newLimit === undefined && remaining === undefined;
      if (saysNothing && !isKnown) limit = left = Number.POSITIVE_INFINITY;
      isKnown = true;
      if (newLimit !== undefined && newLimit !== limit) {
        left += Number.isFinite(limit) ? newLimit - limit : 0;
        limit = newLimit;
      }
      if (remaining === undefined || (resetAt !== undefined && resetAt <= now)) return;
      const reset = resetAt !== undefined && resetAt <= now + LONGEST_WINDOW ? resetAt + ROUNDING : renewedAt;
      // Answers come in any order, and none of them knows of the requests that are still on their way.
      left = reset > renewedAt + 2 * ROUNDING ? remaining : Math.min(left, remaining);
      renewedAt = reset;
    },
  };
}
