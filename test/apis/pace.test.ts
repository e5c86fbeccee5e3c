import { describe, expect, it } from "vitest";
import { rateLimit } from "../../src/apis/answer.ts";
import type { Headers, RateLimit } from "../../src/apis/answer.ts";
import { Unavailable } from "../../src/apis/errors.ts";
import { createPace, learned, renewed, untold, verdict } from "../../src/apis/pace.ts";
import type { Budget, Pace } from "../../src/apis/pace.ts";
import { createClock } from "../support/clock.ts";
import type { FakeClock } from "../support/clock.ts";
import { assert, asyncProperty, integer, record } from "../support/property.ts";

const SECOND = 1_000;
const HOUR = 60 * 60_000;

interface Service {
  limit: number;
  windowMs: number;
  latencyMs: number;
}

/** A service that counts requests in windows, which follow each other from the first request on. */
function createService(clock: FakeClock, { limit, windowMs, latencyMs }: Service) {
  let opened = Number.NEGATIVE_INFINITY;
  let used = 0;
  const seen = { taken: 0, refused: 0, together: 0, most: 0 };

  function count(): RateLimit {
    if (clock.now() >= opened + windowMs) {
      opened = clock.now();
      used = 0;
    }
    used += 1;
    if (used > limit) seen.refused += 1;
    else seen.taken += 1;
    // Rounded down, as the worse of the two ways.
    const resetAt = Math.floor((opened + windowMs) / SECOND) * SECOND;
    return { limit, remaining: Math.max(0, limit - used), resetAt };
  }

  return {
    seen,
    ask: async (pace: Pace): Promise<void> => {
      const rate = count();
      seen.together += 1;
      seen.most = Math.max(seen.most, seen.together);
      await clock.sleep(latencyMs);
      seen.together -= 1;
      pace.learn(rate);
    },
  };
}

function paceOn(clock: FakeClock): Pace {
  return createPace("gateway", { now: () => clock.now(), wait: (ms, signal) => waitOn(clock, ms, signal) });
}

function waitOn(clock: FakeClock, ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(ms, resolve);
    signal?.addEventListener("abort", () => {
      cancel();
      reject(new Error("interrupted"));
    });
  });
}

function start(service: Service) {
  const clock = createClock();
  const pace = paceOn(clock);
  const { seen, ask } = createService(clock, service);
  const call = (signal?: AbortSignal) => pace.run({ operation: "search", signal }, () => ask(pace));
  const calls = (number: number) => Promise.allSettled(Array.from({ length: number }, () => call()));
  return { clock, pace, seen, call, calls };
}

function refusals(outcomes: PromiseSettledResult<unknown>[]): unknown[] {
  return outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
}

describe("5,000 calls at once", () => {
  it("use the whole budget, provoke no refusal, and the rest learn when to come back", async () => {
    const { clock, seen, calls } = start({ limit: 1_000, windowMs: 60_000, latencyMs: 200 });
    const begun = clock.now();
    const refused = refusals(await clock.until(calls(5_000)));
    expect(seen).toMatchObject({ taken: 1_000, refused: 0 });
    expect(refused).toHaveLength(4_000);
    for (const error of refused) expect(error).toBeInstanceOf(Unavailable);
    const retryAt = begun + 61 * SECOND;
    expect(refused[0]).toMatchObject({ api: "gateway", operation: "search", reason: "limit", retryAt });
    expect(clock.now()).toBeLessThan(begun + 10 * SECOND);
    await clock.advance(retryAt - clock.now());
    expect(refusals(await clock.until(calls(1_000)))).toEqual([]);
    expect(seen).toMatchObject({ taken: 2_000, refused: 0 });
  });

  it("wait for a reset that is near, and go on in the next window", async () => {
    const { clock, seen, calls } = start({ limit: 1_000, windowMs: 8 * SECOND, latencyMs: 100 });
    const refused = refusals(await clock.until(calls(5_000)));
    expect(seen).toMatchObject({ taken: 2_000, refused: 0 });
    expect(refused).toHaveLength(3_000);
    expect(clock.pending()).toBe(0);
  });

  it("go no more than fifty at a time before the first answer", async () => {
    const { clock, seen, calls } = start({ limit: 1_000, windowMs: 60_000, latencyMs: 200 });
    const all = calls(500);
    await clock.advance(199);
    expect(seen).toMatchObject({ together: 50, taken: 50 });
    expect(refusals(await clock.until(all))).toEqual([]);
    expect(seen.most).toBe(499);
  });

  it("give up after ten seconds where no answer comes at all", async () => {
    const { clock, calls } = start({ limit: 1_000, windowMs: 60_000, latencyMs: 40 * SECOND });
    const begun = clock.now();
    const outcomes = calls(60);
    await clock.advance(10 * SECOND);
    await clock.advance(40 * SECOND);
    const refused = refusals(await outcomes);
    expect(refused).toHaveLength(10);
    expect(refused[0]).toMatchObject({ reason: "limit", retryAt: undefined });
    expect(clock.now()).toBe(begun + 50 * SECOND);
  });
});

describe("whatever the service's limit, window and speed", () => {
  it("no call has to be refused by it, and every call ends", async () => {
    const services = record({
      limit: integer({ min: 50, max: 200 }),
      windowMs: integer({ min: 1_500, max: 20_000 }),
      latencyMs: integer({ min: 0, max: 3_000 }),
    });
    await assert(
      asyncProperty(services, integer({ min: 1, max: 400 }), async (service, number) => {
        const { clock, seen, calls } = start(service);
        const first = calls(number);
        await clock.advance(service.windowMs / 2);
        const outcomes = await clock.until(Promise.all([first, calls(number)]));
        expect(seen.refused).toBe(0);
        expect(seen.taken + refusals(outcomes.flat()).length).toBe(2 * number);
        expect(clock.pending()).toBe(0);
      }),
      { numRuns: 40 },
    );
  });
});

describe("a reset", () => {
  const window = 60 * SECOND;
  const dated = (time: number) => new Date(time).toUTCString();
  const ways: Record<string, (resetAt: number, now: number) => Headers> = {
    "told in seconds to go": (resetAt, now) => ({ "x-ratelimit-reset": String(Math.ceil((resetAt - now) / SECOND)) }),
    "told in milliseconds": (resetAt) => ({ "x-ratelimit-reset": String(resetAt) }),
    "told by a clock two minutes behind": (resetAt, now) => ({
      "x-ratelimit-reset": String(Math.ceil(resetAt / SECOND) - 120),
      date: dated(now - 120 * SECOND),
    }),
    "told by a clock two minutes ahead": (resetAt, now) => ({
      "x-ratelimit-reset": String(Math.ceil(resetAt / SECOND) + 120),
      date: dated(now + 120 * SECOND),
    }),
  };

  it.each(Object.entries(ways))("%s is kept: no call has to be refused by the service", async (_, told) => {
    const clock = createClock();
    const pace = paceOn(clock);
    const end = clock.now() + window;
    let taken = 0;
    const ask = async (ms: number) => {
      taken += 1;
      const remaining = 100 - taken;
      const headers = {
        ...told(end, clock.now()),
        "x-ratelimit-limit": "100",
        "x-ratelimit-remaining": String(remaining),
      };
      await clock.sleep(ms);
      pace.learn(rateLimit(headers, undefined, clock.now()));
    };
    // The answers take turns in being slow, so that they come in another order than they were counted.
    const calls = Array.from({ length: 400 }, (__, turn) =>
      pace.run({ operation: "search" }, () => ask(20 + (turn % 7) * 150)),
    );
    const refused = refusals(await clock.until(Promise.allSettled(calls)));
    expect({ taken, refused: refused.length }).toEqual({ taken: 100, refused: 300 });
    for (const error of refused) {
      const retryAt = error instanceof Unavailable ? error.retryAt : undefined;
      expect(Math.abs((retryAt ?? 0) - end)).toBeLessThanOrEqual(4 * SECOND);
    }
  });
});

describe("a caller in the queue", () => {
  const slow = { limit: 50, windowMs: 8 * SECOND, latencyMs: 100 };

  it("leaves it with its own reason when it gives up, and nobody else is held up", async () => {
    const { clock, seen, call, calls } = start(slow);
    await clock.until(calls(50));
    const leaving = new AbortController();
    const left = call(leaving.signal);
    const stayed = call();
    leaving.abort("enough");
    await expect(left).rejects.toBe("enough");
    await clock.until(stayed);
    expect(seen).toMatchObject({ taken: 51, refused: 0 });
  });

  it("is not begun when it has given up before", async () => {
    const { seen, call } = start(slow);
    await expect(call(AbortSignal.abort("gone"))).rejects.toBe("gone");
    expect(seen.taken).toBe(0);
  });

  it("leaves no timer behind when it was the last one", async () => {
    const { clock, call, calls } = start(slow);
    await clock.until(calls(50));
    const leaving = new AbortController();
    const left = call(leaving.signal);
    expect(clock.pending()).toBe(1);
    leaving.abort("enough");
    await expect(left).rejects.toBe("enough");
    expect(clock.pending()).toBe(0);
  });
});

describe("a call that fails", () => {
  it("frees its place", async () => {
    const clock = createClock();
    const pace = paceOn(clock);
    const fail = () => pace.run({ operation: "search" }, () => Promise.reject(new Error("no line")));
    const outcomes = await clock.until(Promise.allSettled(Array.from({ length: 200 }, fail)));
    expect(refusals(outcomes).map(String)).toEqual(outcomes.map(() => "Error: no line"));
  });
});

const NOW = 1_000_000;
const budget: Budget = { limit: 100, remaining: 40, resetAt: NOW + 5_000 };

describe("the budget", () => {
  it.each<[string, RateLimit, Partial<Budget>]>([
    ["fewer in the same window", { remaining: 39, resetAt: NOW + 5_000 }, { remaining: 39 }],
    ["more in the same window, from an answer that was overtaken", { remaining: 41, resetAt: NOW + 5_000 }, {}],
    ["a later window", { remaining: 99, resetAt: NOW + 65_000 }, { remaining: 99, resetAt: NOW + 65_000 }],
    [
      "fewer, with a reset told a little later",
      { remaining: 39, resetAt: NOW + 6_000 },
      { remaining: 39, resetAt: NOW + 6_000 },
    ],
    ["fewer, with an earlier reset that is still to come", { remaining: 39, resetAt: NOW + 2_000 }, { remaining: 39 }],
    ["an earlier window", { remaining: 3, resetAt: NOW - 500 }, {}],
    ["another limit in an earlier window", { limit: 60, remaining: 3, resetAt: NOW - 500 }, { limit: 60 }],
    ["a window that is over", { remaining: 3, resetAt: NOW - 1_000 }, {}],
    ["another limit", { limit: 60, remaining: 40, resetAt: NOW + 5_000 }, { limit: 60 }],
    ["fewer without a reset", { remaining: 39 }, { remaining: 39 }],
    ["nothing", {}, {}],
  ])("takes in %s", (_, rate, change) => {
    expect(learned(budget, rate, NOW)).toEqual({ ...budget, ...change });
  });

  it("takes the first word on it as it is", () => {
    expect(learned(untold, { limit: 9, remaining: 200 }, NOW)).toEqual({
      limit: 9,
      remaining: 200,
      resetAt: undefined,
    });
  });

  it("is whole again one second after the reset, which is told in whole seconds", () => {
    expect(renewed(budget, NOW + 5_999)).toBe(budget);
    expect(renewed(budget, NOW + 6_000)).toEqual({ limit: 100, remaining: 100, resetAt: undefined });
    expect(renewed({ ...budget, limit: undefined }, NOW + 6_000)).toEqual(untold);
  });

  it.each<[Partial<Budget>, number, string]>([
    [{}, 39, "go"],
    [{}, 40, "hold"],
    [{ remaining: 0 }, 0, "spent"],
    [{ remaining: 0, resetAt: undefined }, 1, "hold"],
    [{ remaining: 0, resetAt: undefined }, 0, "go"],
  ])("with %j and %i underway says %s", (change, underway, expected) => {
    expect(verdict({ ...budget, ...change }, underway)).toBe(expected);
  });
});

describe("a reset that is years away", () => {
  it("does not keep the next call from going out", async () => {
    const clock = createClock();
    const pace = paceOn(clock);
    pace.learn({ limit: 1_000, remaining: 0, resetAt: clock.now() + 24 * 365 * HOUR });
    await expect(pace.run({ operation: "search" }, async () => "found")).resolves.toBe("found");
  });

  it("is believed where it is within the hour", async () => {
    const clock = createClock();
    const pace = paceOn(clock);
    pace.learn({ limit: 1_000, remaining: 0, resetAt: clock.now() + HOUR / 2 });
    await expect(pace.run({ operation: "search" }, async () => "found")).rejects.toBeInstanceOf(Unavailable);
  });
});
