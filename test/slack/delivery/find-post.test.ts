import { describe, expect, it } from "vitest";

import { type SoughtPost, createPostFinder } from "../../../src/slack/delivery/find-post.ts";
import { createReads } from "../../../src/slack/delivery/reads.ts";
import { SlackRefused } from "../../../src/slack/delivery/refusal.ts";
import type { Call } from "../../../src/slack/delivery/web-api.ts";
import { createClock } from "../../support/clock.ts";

/** A Slack whose histories hold messages with keys, a page at a time. */
function setUp(pageSize = 200) {
  const clock = createClock();
  const start = clock.now();
  const standing: { channel: string; thread?: string; ts: string; key: string }[] = [];
  const calls: { method: string; options: Record<string, unknown>; at: number }[] = [];
  const faults: SlackRefused[] = [];
  let refuse: () => SlackRefused | undefined = () => faults.shift();

  const call: Call = async (method, options) => {
    await clock.sleep(40);
    calls.push({ method, options, at: clock.now() - start });
    const fault = refuse();
    if (fault) throw fault;
    if (method === "conversations.open") return { channel: { id: `D${String(options["users"]).slice(1)}` } };
    const own = standing
      .filter(({ channel, thread }) => channel === options["channel"] && thread === options["ts"])
      .filter(({ ts }) => Number(ts) > Number(options["oldest"]))
      .toReversed();
    const from = Number(options["cursor"] ?? 0);
    const page = own.slice(from, from + pageSize);
    const more = from + pageSize < own.length;
    return {
      messages: page.map(({ ts, key }) => ({ ts, metadata: { event_payload: { key } } })),
      has_more: more,
      response_metadata: { next_cursor: more ? String(from + pageSize) : "" },
    };
  };

  const finder = createPostFinder(createReads(call, clock), clock);
  const find = (key: string, more: Partial<SoughtPost> = {}) =>
    finder({ channel: "C1", key, since: start, until: clock.now() + 60_000, ...more });
  const stand = (key: string, more: { channel?: string; thread?: string; after?: number } = {}) => {
    const { after = 0, ...place } = more;
    const ts = ((start + after) / 1_000 + standing.length / 1_000_000).toFixed(6);
    standing.push({ channel: "C1", ts, key, ...place });
  };
  return { clock, start, calls, faults, find, stand, refuse: (next: typeof refuse) => void (refuse = next) };
}

describe("looking for posts", () => {
  it("finds all that are sought in a channel at the same time with a few reads of it", async () => {
    const { clock, start, calls, find, stand } = setUp();
    for (let index = 0; index < 50; index += 2) stand(`key ${index}`, { after: index * -10_000 });
    const sought = Array.from({ length: 50 }, (_, index) => find(`key ${index}`, { since: start - index * 10_000 }));
    const found = await clock.until(Promise.all(sought));
    expect(found.filter(Boolean).length).toBe(25);
    expect(found[0]).toMatchObject({ channel: "C1" });
    expect(calls.length).toBeLessThanOrEqual(4);
  });

  it("reads no sooner than a call can have arrived, and again for each that comes later", async () => {
    const { clock, calls, find, stand } = setUp();
    expect(await clock.until(find("one"))).toBeUndefined();
    expect(calls[0]?.at).toBeGreaterThanOrEqual(1_500);
    stand("one");
    expect(await clock.until(find("one"))).toBeDefined();
    expect(calls.length).toBe(2);
  });

  it("finds what was sent by a clock that was hours ahead, without waiting for that hour", async () => {
    const { clock, start, calls, find, stand } = setUp();
    stand("one");
    expect(await clock.until(find("one", { since: start + 2 * 3_600_000 }))).toBeDefined();
    expect(calls[0]?.at).toBeLessThan(5_000);
  });

  it("turns the pages if much was said since", async () => {
    const { clock, calls, find, stand } = setUp(100);
    stand("first");
    for (let index = 0; index < 450; index++) stand(`other ${index}`);
    expect(await clock.until(find("first"))).toBeDefined();
    expect(calls.length).toBe(5);
  });

  it("does not say that a post is missing if it did not read that far", async () => {
    const { clock, find, stand } = setUp(1);
    stand("first");
    for (let index = 0; index < 40; index++) stand(`other ${index}`);
    await expect(clock.until(find("first"))).rejects.toMatchObject({ reaction: "unsure" });
    expect(await clock.until(find("other 39"))).toBeDefined();
  });

  it("reads no more threads than leaves some for people who wait, and channels meanwhile", async () => {
    const { clock, calls, find } = setUp();
    const threads = Promise.all(Array.from({ length: 90 }, (_, index) => find("key", { thread: `${index}.5` })));
    await clock.advance(10_000);
    const { length } = calls;
    await clock.until(find("key", { channel: "C2" }));
    expect(calls.length).toBeLessThan(length + 5);
    expect(calls.slice(length).map(({ method }) => method)).toContain("conversations.history");
    await clock.until(threads);
    const times = calls.map(({ at }) => at);
    const busiest = Math.max(...times.map((at) => times.filter((other) => other >= at && other < at + 60_000).length));
    expect(busiest).toBeLessThanOrEqual(35);
  });

  it("reads nothing for as long as Slack asks", async () => {
    const { clock, calls, faults, find } = setUp();
    faults.push(new SlackRefused("conversations.history", "ratelimited", { retryAfterMs: 20_000 }));
    const all = Array.from({ length: 20 }, (_, index) => find("key", { channel: `C${index}` }));
    await clock.until(Promise.all(all));
    const times = calls.map(({ at }) => at);
    expect(times.length).toBe(21);
    expect(times.filter((at) => at > (times[2] ?? 0) && at < 20_000)).toEqual([]);
  });

  it("reads on if Slack takes one read a minute, of 15 messages, and is refused once", async () => {
    const { clock, calls, find, stand, refuse } = setUp(15);
    let readAt = Number.NEGATIVE_INFINITY;
    let refused = 0;
    refuse(() => {
      const retryAfterMs = readAt + 60_000 - clock.now();
      if (retryAfterMs > 0) {
        refused += 1;
        return new SlackRefused("conversations.history", "ratelimited", { retryAfterMs });
      }
      readAt = clock.now();
      return undefined;
    });
    stand("sought");
    for (let index = 0; index < 60; index++) stand(`later ${index}`, { after: 1_000 });
    expect(await clock.until(find("sought"))).toMatchObject({ channel: "C1" });
    expect([calls.length, refused]).toEqual([6, 1]);
    expect(await clock.until(find("another"))).toBeUndefined();
    expect([calls.length, refused]).toEqual([11, 1]);
  });
});
