import { describe, expect, it } from "vitest";

import { createAllowance } from "../../src/slack/allowance.ts";
import { createLanes } from "../../src/slack/lanes.ts";
import { type FakeClock, createClock } from "../support/clock.ts";
import * as fc from "../support/property.ts";

const callMs = 80;

/** Lanes and an allowance, and posts that take a moment each. */
function setUp(perMinute = 300) {
  const clock = createClock();
  const start = clock.now();
  const allowance = createAllowance(clock, perMinute);
  const laneOf = createLanes(clock, allowance);
  const posted: { channel: string; name: string; at: number }[] = [];

  async function post(channel: string, isUnasked?: true, name = ""): Promise<void> {
    await laneOf(channel).turn({ isUnasked });
    allowance.begin();
    posted.push({ channel, name, at: clock.now() - start });
    await clock.sleep(callMs);
    allowance.end(channel, {});
    if (isUnasked) allowance.leave();
  }
  return { clock, allowance, laneOf, posted, post };
}

function channelsOf(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `C${index}`);
}

/** The most that came within any minute. */
function mostInAMinute(times: number[]): number {
  const sorted = times.toSorted((one, other) => one - other);
  return Math.max(...sorted.map((at, index) => sorted.slice(index).filter((other) => other < at + 60_000).length));
}

describe("posts that nobody waits for", () => {
  it("go into all channels together at the workspace's pace, in any minute", async () => {
    const { clock, posted, post } = setUp(300);
    const all = channelsOf(100).flatMap((channel) => Array.from({ length: 10 }, () => post(channel, true)));
    await clock.until(Promise.all(all));
    const times = posted.map(({ at }) => at);
    expect(mostInAMinute(times)).toBeLessThanOrEqual(300);
    const lastAt = Math.max(...times);
    expect(1_000 / (lastAt / 60_000)).toBeGreaterThan(300 * 0.95);
  });

  it("go out at once where they are few", async () => {
    const { clock, posted, post } = setUp(300);
    await clock.until(Promise.all(channelsOf(60).map((channel) => post(channel, true))));
    expect(Math.max(...posted.map(({ at }) => at))).toBeLessThan(6 * callMs);
  });

  it.each([
    [300, 10],
    [100_000, 90],
  ])("at %i a minute are never more than %i at a time, since each may have to be looked for", async (rate, most) => {
    const { clock, posted, post } = setUp(rate);
    await clock.until(Promise.all(channelsOf(400).map((channel) => post(channel, true))));
    const together = posted.map(({ at }) => posted.filter((other) => other.at >= at && other.at < at + callMs).length);
    expect(Math.max(...together)).toBe(most);
  });

  it("let those pass that people wait for, in their channel and in the workspace", async () => {
    const { clock, posted, post } = setUp(120);
    const scheduled = channelsOf(20).flatMap((channel) => Array.from({ length: 10 }, () => post(channel, true)));
    await clock.advance(20_000);
    const asked = clock.now();
    const first = posted.length;
    await clock.until(Promise.all([post("C1", undefined, "answer"), post("C1", undefined, "answer")]));
    expect(clock.now() - asked).toBeLessThan(1_000 + 2 * callMs);
    expect(posted.slice(first, first + 2).map(({ name }) => name)).toEqual(["answer", "answer"]);
    await clock.until(Promise.all(scheduled));
  });

  it("keep one a second in their channel", async () => {
    const { clock, posted, post } = setUp(100_000);
    await clock.until(Promise.all(Array.from({ length: 30 }, () => post("C1", true))));
    expect(posted.map(({ at }) => at).at(-1)).toBe(25_000);
  });

  it("are called off at once where the bot stops", async () => {
    const { clock, laneOf, posted, post } = setUp(100_000);
    await clock.until(Promise.all(Array.from({ length: 5 }, () => post("C1", true))));
    const stopping = new AbortController();
    const turn = laneOf("C1").turn({ isUnasked: true, signal: stopping.signal });
    stopping.abort(new Error("restarting"));
    await expect(turn).rejects.toThrow("restarting");
    await clock.until(post("C1", true));
    expect(posted.length).toBe(6);
    expect(clock.pending()).toBe(0);
  });
});

describe("a refusal of the pace", () => {
  it("in one channel holds no other", async () => {
    const { clock, allowance, posted, post } = setUp();
    allowance.begin();
    allowance.end("C1", { retryAfterMs: 30_000 });
    await clock.until(Promise.all(channelsOf(20).map((channel) => post(channel, true))));
    expect(Math.max(...posted.map(({ at }) => at))).toBeLessThan(2 * callMs);
  });

  it("in several channels at once holds what nobody waits for, and nothing else", async () => {
    const { clock, allowance, posted, post } = setUp();
    for (const channel of ["C1", "C2", "C3", "C4", "C5"]) {
      allowance.begin();
      allowance.end(channel, { retryAfterMs: 30_000 });
    }
    const held = post("C9", true, "scheduled");
    await clock.until(post("C9", undefined, "answer"));
    await clock.until(held);
    expect(posted.map(({ name, at }) => [name, at >= 30_000])).toEqual([
      ["answer", false],
      ["scheduled", true],
    ]);
  });

  it("in several channels, with posts taken in between, is a matter of these channels", async () => {
    const { clock, allowance, posted, post } = setUp();
    for (const channel of ["C1", "C2", "C3", "C4", "C5", "C6"]) {
      allowance.begin();
      allowance.end(channel, { retryAfterMs: 30_000 });
      await clock.until(post(`${channel}-other`));
    }
    const since = clock.now();
    await clock.until(post("C9", true));
    expect(clock.now() - since).toBe(callMs);
    expect(posted.length).toBe(7);
  });

  it("in several channels teaches how much Slack takes, for a while", async () => {
    const { clock, allowance, posted, post } = setUp(600);
    await clock.until(Promise.all(channelsOf(100).map((channel) => post(channel, true))));
    for (const channel of ["C1", "C2", "C3", "C4", "C5"]) {
      allowance.begin();
      allowance.end(channel, { retryAfterMs: 1_000 });
    }
    await clock.advance(120_000);
    posted.length = 0;
    await clock.until(Promise.all(channelsOf(100).flatMap((channel) => [1, 2, 3].map(() => post(channel, true)))));
    expect(mostInAMinute(posted.map(({ at }) => at))).toBeLessThanOrEqual(101);
  });
});

describe("lanes", () => {
  it("are forgotten when they have rested, at no cost that grows with their number", async () => {
    const { clock, laneOf, post } = setUp(1_000_000);
    const first = laneOf("C0");
    await clock.until(Promise.all(channelsOf(500).map((channel) => post(channel))));
    await clock.advance(60_000);
    for (const channel of channelsOf(500)) laneOf(`${channel}-new`);
    expect(laneOf("C0")).not.toBe(first);
  });

  it("of a channel that is busy stay as they are", async () => {
    const { clock, laneOf } = setUp();
    const busy = laneOf("busy");
    busy.hold(3_600_000);
    for (const channel of channelsOf(500)) laneOf(channel);
    await clock.advance(60_000);
    for (const channel of channelsOf(500)) laneOf(`${channel}-new`);
    expect(laneOf("busy")).toBe(busy);
  });
});

describe("whatever is posted when", () => {
  it("keeps every limit, and everything is posted", async () => {
    const wish = fc.record({
      channel: fc.integer({ min: 0, max: 8 }),
      isUnasked: fc.constantFrom<(true | undefined)[]>(true, undefined),
      at: fc.integer({ min: 0, max: 90_000 }),
    });
    const run = async (wishes: { channel: number; isUnasked: true | undefined; at: number }[]) => {
      const { clock, posted, post } = setUp(60);
      const later = (wished: (typeof wishes)[number], from: FakeClock) =>
        from.sleep(wished.at).then(() => post(`C${wished.channel}`, wished.isUnasked));
      await clock.until(Promise.all(wishes.map((wished) => later(wished, clock))));
      expect(posted.length).toBe(wishes.length);
      expect(clock.pending()).toBe(0);
      for (const { channel, at } of posted) {
        const near = posted.filter((other) => other.channel === channel && other.at >= at && other.at < at + 1_000);
        expect(near.length).toBeLessThanOrEqual(6);
      }
    };
    await fc.assert(fc.asyncProperty(fc.array(wish, { minLength: 1, maxLength: 80 }), run), { numRuns: 30 });
  });
});
