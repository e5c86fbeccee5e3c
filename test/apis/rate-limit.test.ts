import { afterEach, describe, expect, it } from "vitest";
import { createGateway } from "../../src/apis/gateway/client.ts";
import type { Gateway } from "../../src/apis/gateway/client.ts";
import { createHttp } from "../../src/apis/http.ts";
import { createRateLimiter, readRateLimit, readRetryAt } from "../../src/apis/rate-limit.ts";
import { startSandbox } from "../../local/sandbox/server.ts";
import { assert, boolean, integer, property, record } from "../support/property.ts";
import { json, startUpstream, stream } from "../support/upstream.ts";
import type { Answerer, Upstream } from "../support/upstream.ts";
import { collect, createJumpingClock, failure, NOW } from "./line.ts";

const SECOND = 1_000;
const seconds = (ms: number) => (NOW + ms) / SECOND;

describe("an answer's rate limit", () => {
  it.each([
    [
      "its envelope, whatever the headers say",
      { "x-ratelimit-reset": "7" },
      { rate_limit: { reset: seconds(42_000) } },
    ],
    ["a header in seconds to go", { "x-ratelimit-reset": "42" }, {}],
    ["a header in epoch seconds", { "x-ratelimit-reset": String(seconds(42_000)) }, {}],
    ["a header in epoch milliseconds", { "x-ratelimit-reset": String(NOW + 42_000) }, {}],
  ])("is full again at the time in %s", (_, headers, meta) => {
    expect(readRateLimit(headers, { meta }, NOW).resetAt).toBe(NOW + 42_000);
  });

  it.each<[Record<string, string>, number, number | undefined]>([
    [{ "retry-after": "4" }, 503, NOW + 4_000],
    [{ "retry-after": new Date(NOW + 9_000).toUTCString() }, 503, NOW + 9_000],
    [{ "retry-after": "soon" }, 503, undefined],
    [{ "x-ratelimit-reset": "30" }, 429, NOW + 30_000],
    [{ "x-ratelimit-reset": "30" }, 503, undefined],
    [{ "x-ratelimit-reset": String(seconds(-5_000)) }, 429, undefined],
  ])("says with %j and status %i when to come back", (headers, status, at) => {
    expect(readRetryAt(headers, status, NOW)).toBe(at);
  });
});

describe("a rate limiter", () => {
  it("lets as many go as the documents say, and again as many after a minute", () => {
    const limiter = createRateLimiter(3);
    const taken = [0, 0, 0, 0].map(() => limiter.take(NOW));
    expect(taken).toEqual([undefined, undefined, undefined, NOW + 60_000]);
    expect(limiter.take(NOW + 59_999)).toBe(NOW + 60_000);
    expect(limiter.take(NOW + 60_000)).toBeUndefined();
  });

  it("holds nothing back where no limit is known", () => {
    const limiter = createRateLimiter();
    for (let call = 0; call < 10_000; call += 1) expect(limiter.take(NOW)).toBeUndefined();
    limiter.learn({ remaining: 0, resetAt: NOW + 5_000 }, NOW);
    expect(limiter.take(NOW)).toBe(NOW + 6_000);
  });

  it("takes a service that says nothing of a limit for one that has none", () => {
    const limiter = createRateLimiter(1);
    limiter.take(NOW);
    limiter.learn({}, NOW);
    for (let call = 0; call < 10; call += 1) expect(limiter.take(NOW)).toBeUndefined();
  });

  it("goes by what answers say, in whatever order they come", () => {
    const limiter = createRateLimiter(1_000);
    for (let call = 0; call < 4; call += 1) limiter.take(NOW);
    for (const remaining of [1, 4, 2, 3]) limiter.learn({ limit: 5, remaining, resetAt: NOW + 30_000 }, NOW);
    expect([limiter.take(NOW), limiter.take(NOW)]).toEqual([undefined, NOW + 31_000]);
    limiter.learn({ limit: 5, remaining: 4, resetAt: NOW + 90_000 }, NOW + 31_000);
    expect(limiter.take(NOW + 31_000)).toBeUndefined();
  });

  it("believes no answer about a window that is over, and none that would hold everything back for hours", () => {
    const limiter = createRateLimiter(5);
    limiter.take(NOW);
    limiter.learn({ remaining: 0, resetAt: NOW - 1 }, NOW);
    expect(limiter.take(NOW)).toBeUndefined();
    limiter.learn({ remaining: 0, resetAt: NOW + 2 * 60 * 60_000 }, NOW);
    expect(limiter.take(NOW)).toBe(NOW + 60_000);
  });

  it("never overdraws a service that counts by the minute", () => {
    const act = record({
      ms: integer({ min: 0, max: 30_000 }),
      calls: integer({ min: 0, max: 9 }),
      isRoundedUp: boolean(),
    });
    assert(
      property(integer({ min: 1, max: 12 }), integer({ min: 0, max: 12 }), act, act, act, (limit, others, ...acts) => {
        const limiter = createRateLimiter(1_000);
        let now = NOW;
        let opened = Number.NEGATIVE_INFINITY;
        let used = 0;
        for (const { ms, calls, isRoundedUp } of acts) {
          now += ms;
          for (let call = 0; call < calls; call += 1) {
            if (limiter.take(now) !== undefined) continue;
            // Others with the same key have asked before.
            if (now >= opened + 60_000) [opened, used] = [now, Math.min(others, limit - 1)];
            used += 1;
            expect(used).toBeLessThanOrEqual(limit);
            const reset = (opened + 60_000) / SECOND;
            const resetAt = (isRoundedUp ? Math.ceil(reset) : Math.floor(reset)) * SECOND;
            limiter.learn({ limit, remaining: limit - used, resetAt }, now);
          }
        }
      }),
    );
  });
});

let upstream: Upstream | undefined;
afterEach(() => upstream?.close());

async function gatewayTo(...answerers: Answerer[]): Promise<{ client: Gateway; waits: number[] }> {
  upstream = await startUpstream(...answerers);
  const { clock, waits } = createJumpingClock();
  return {
    client: createGateway({ http: createHttp({ api: "gateway", baseUrl: upstream.url, clock }), key: "k" }),
    waits,
  };
}

const headers = (remaining: number, ms: number) => ({
  "x-ratelimit-limit": "1000",
  "x-ratelimit-remaining": String(remaining),
  "x-ratelimit-reset": String(seconds(ms)),
});
const spent = headers(0, 60_000);
const refused = { name: "Unavailable", reason: "limit", retryAt: NOW + 61_000 };

describe("the gateway's rate limit", () => {
  it.each<[string, Answerer]>([
    ["an answer", json({ data: [] }, 200, spent)],
    ["an envelope", json({ data: [], meta: { rate_limit: { remaining: 0, reset: seconds(60_000) } } })],
    ["a refusal", json({ error: { code: "not_found" } }, 404, spent)],
    ["a failure", json({}, 503, spent)],
    [
      "a stream",
      (exchange) => {
        for (const [name, value] of Object.entries(spent)) exchange.response.setHeader(name, value);
        return stream(["data: All calm.\n\n"])(exchange);
      },
    ],
  ])("is learnt from %s, and nothing more is sent while it is used up", async (kind, answer) => {
    const { client } = await gatewayTo(answer);
    if (kind === "a stream") await collect(client.streamSummary("oil"));
    else await client.models().catch(() => undefined);
    const calls = [client.me(), client.search("oil"), client.runCollection("1"), collect(client.streamSummary("oil"))];
    for (const call of calls) expect(await failure(call)).toMatchObject(refused);
    expect(upstream?.requests).toHaveLength(1);
  });

  it("is waited for where the reset is near", async () => {
    const near = json({ articles: [] }, 200, headers(0, 4_000));
    const { client, waits } = await gatewayTo(near, json({ articles: [] }, 200, headers(999, 64_000)));
    await client.search("oil");
    await client.search("oil");
    expect(waits).toEqual([5_000]);
    expect(upstream?.requests).toHaveLength(2);
  });

  it("is not used up for the other calls because one of them was refused", async () => {
    const { client } = await gatewayTo(json({}, 429, { "retry-after": "60" }), json({ data: [] }));
    expect(await failure(client.models())).toMatchObject({ status: 429, retryAt: NOW + 60_000 });
    expect((await client.collections()).collections).toEqual([]);
  });

  it("of the sandbox is never overdrawn by more calls at once than it allows", async () => {
    const sandbox = await startSandbox({ wordDelayMs: 0 });
    try {
      const http = createHttp({ api: "gateway", baseUrl: sandbox.gatewayUrl });
      const client = createGateway({ http, key: sandbox.gatewayKey });
      const outcomes = await Promise.allSettled(Array.from({ length: 1_100 }, () => client.models()));
      const errors = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
      expect(errors).toHaveLength(100);
      for (const error of errors) expect(error).toMatchObject({ name: "Unavailable", reason: "limit" });
      expect(new Set(sandbox.requests.map(({ status }) => status))).toEqual(new Set([200]));
    } finally {
      await sandbox.close();
    }
  });
});
