import { describe, expect, it } from "vitest";

import { type Waiting, createChannelQueue } from "../../../src/slack/delivery/channel-queue.ts";
import { createClock } from "../../support/clock.ts";
import * as fc from "../../support/property.ts";

const callMs = 80;
const background: Waiting = { isBackground: true };

/** A queue, and posts that take a moment each. */
function setUp() {
  const clock = createClock();
  const start = clock.now();
  const queue = createChannelQueue(clock);
  const posted: { channel: string; name: string; at: number }[] = [];
  const post = (channel: string, waiting: Waiting = {}, name = "") =>
    queue.run(channel, waiting, async () => {
      posted.push({ channel, name, at: clock.now() - start });
      await clock.sleep(callMs);
    });
  const times = () => posted.map(({ at }) => at);
  const names = () => posted.map(({ name }) => name);
  return { clock, queue, posted, post, times, names };
}

function channelsOf(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `C${index}`);
}

/** The most that came within so much time. */
function mostWithin(times: number[], ms: number): number {
  return Math.max(...times.map((at) => times.filter((other) => other >= at && other < at + ms).length));
}

describe("the queue of a channel", () => {
  it("lets a burst pass, then one post a second, whoever waits for it", async () => {
    const { clock, post, times } = setUp();
    await clock.until(Promise.all([...channelsOf(6).map(() => post("C1")), post("C1", background)]));
    expect(times()).toEqual([0, 0, 0, 0, 0, 1_000, 2_000]);
  });

  it("lets pass first who waits for an answer, then what has nothing to say yet, then what nobody waits for", async () => {
    const { clock, post, names } = setUp();
    await clock.until(Promise.all(channelsOf(5).map(() => post("C1"))));
    let isEmpty = true;
    const all = [
      post("C1", background, "digest"),
      post("C1", { canWait: () => true }, "sign"),
      post("C1", { canWait: () => isEmpty }, "words"),
      post("C1", {}, "one"),
    ];
    await clock.until(Promise.race(all));
    isEmpty = false;
    await clock.until(Promise.all(all));
    expect(names().slice(5)).toEqual(["one", "words", "sign", "digest"]);
  });

  it("gives up a turn at once if it is called off, and lets the next ones pass", async () => {
    const { clock, post, times, names } = setUp();
    await clock.until(Promise.all(channelsOf(5).map(() => post("C1"))));
    const stopping = new AbortController();
    const called = [{}, background].map((waiting) => post("C1", { ...waiting, signal: stopping.signal }, "called off"));
    const refused = Promise.allSettled(called);
    const behind = post("C1", background, "behind");
    const before = clock.now();
    stopping.abort(new Error("restarting"));
    const reason: unknown = expect.objectContaining({ message: "restarting" });
    expect(await clock.until(refused)).toEqual(called.map(() => ({ status: "rejected", reason })));
    expect(clock.now()).toBe(before);
    await clock.until(behind);
    expect([names().at(-1), times().at(-1)]).toEqual(["behind", 1_000]);
    expect(clock.pending()).toBe(0);
    await expect(post("C1", { signal: stopping.signal })).rejects.toThrow("restarting");
  });
});

describe("posts that nobody waits for", () => {
  it("go into all channels together at the workspace's pace", async () => {
    const { clock, post, times } = setUp();
    const all = channelsOf(100).flatMap((channel) => Array.from({ length: 10 }, () => post(channel, background)));
    await clock.until(Promise.all(all));
    expect(mostWithin(times(), 60_000)).toBeLessThanOrEqual(300);
    expect(1_000 / ((times().at(-1) ?? 0) / 60_000)).toBeGreaterThan(300 * 0.97);
  });

  it("are never more than ten at a time, since each may have to be looked for", async () => {
    const { clock, queue } = setUp();
    let underway = 0;
    const most: number[] = [];
    const slow = channelsOf(40).map((channel) =>
      queue.run(channel, background, async () => {
        most.push(++underway);
        await clock.sleep(10_000);
        underway--;
      }),
    );
    await clock.until(Promise.all(slow));
    expect(Math.max(...most)).toBe(10);
  });

  it("hold up nobody who waits", async () => {
    const { clock, posted, post } = setUp();
    const scheduled = channelsOf(200).map((channel) => post(channel, background));
    await clock.advance(10_000);
    const asked = clock.now();
    const first = posted.length;
    await clock.until(Promise.all([post("C150", {}, "answer"), post("C150", {}, "answer")]));
    expect(clock.now() - asked).toBe(callMs);
    expect(posted.slice(first, first + 2).map(({ name }) => name)).toEqual(["answer", "answer"]);
    await clock.until(Promise.all(scheduled));
  });

  it("give up their slot if they fail", async () => {
    const { clock, queue, post } = setUp();
    const fail = () => Promise.reject(new Error("the disk is full"));
    const failed = channelsOf(60).map((channel) => queue.run(channel, background, fail));
    expect(await clock.until(Promise.allSettled(failed))).toHaveLength(60);
    await clock.until(post("C1", background));
  });
});

describe("a hold", () => {
  /** When posts go out after Slack asked to wait for 30 s in one channel after the other. */
  async function goOut(held: string[], gapMs = 0): Promise<Record<string, number>> {
    const { clock, queue, post, posted } = setUp();
    for (const [index, channel] of held.entries()) {
      if (index > 0) await clock.advance(gapMs);
      queue.hold(channel, 30_000);
    }
    await clock.until(Promise.all([post("C1"), post("C2", background), post("C3")]));
    return Object.fromEntries(posted.map(({ channel, at }) => [channel, at]));
  }

  it("lets nothing pass in its channel until it is over, however often Slack asks for it, and all others", async () => {
    expect(await goOut(["C1"])).toEqual({ C1: 30_000, C2: 0, C3: 0 });
    expect(await goOut(["C1", "C1"])).toEqual({ C1: 30_000, C2: 0, C3: 0 });
  });

  it("lets nothing pass in the workspace if Slack soon asks the same for another channel", async () => {
    expect(await goOut(["C1", "C2"])).toEqual({ C1: 30_000, C2: 30_000, C3: 30_000 });
  });

  it("is its channel's alone if the other one is long past", async () => {
    expect(await goOut(["C1", "C2"], 60_000)).toEqual({ C1: 60_000, C2: 90_000, C3: 60_000 });
  });

  it("is never ended by a shorter one", async () => {
    const { clock, queue, post, times } = setUp();
    queue.hold("C1", 30_000);
    queue.hold("C1", 1_000);
    await clock.until(post("C1"));
    expect(times()).toEqual([30_000]);
  });
});

describe("whatever is posted when", () => {
  it("keeps every limit, and everything is posted", async () => {
    const wish = fc.record({
      channel: fc.integer({ min: 0, max: 8 }),
      isBackground: fc.constantFrom<(true | undefined)[]>(true, undefined),
      at: fc.integer({ min: 0, max: 90_000 }),
    });
    const run = async (wishes: { channel: number; isBackground: true | undefined; at: number }[]) => {
      const { clock, posted, post } = setUp();
      const later = async ({ at, channel, isBackground }: (typeof wishes)[number]) => {
        await clock.sleep(at);
        await post(`C${channel}`, { isBackground });
      };
      await clock.until(Promise.all(wishes.map(later)));
      expect(posted.length).toBe(wishes.length);
      expect(clock.pending()).toBe(0);
      for (const own of Map.groupBy(posted, ({ channel }) => channel).values()) {
        const times = own.map(({ at }) => at);
        for (const seconds of [1, 10, 60]) expect(mostWithin(times, seconds * 1_000)).toBeLessThanOrEqual(5 + seconds);
      }
    };
    await fc.assert(fc.asyncProperty(fc.array(wish, { minLength: 1, maxLength: 80 }), run), { numRuns: 30 });
  });
});
