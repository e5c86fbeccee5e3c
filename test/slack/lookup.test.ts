import { describe, expect, it } from "vitest";

import { type Sought, createLookup } from "../../src/slack/lookup.ts";
import { SlackRefused } from "../../src/slack/refusal.ts";
import type { Call } from "../../src/slack/web.ts";
import { createClock } from "../support/clock.ts";

/** A Slack whose histories hold messages with keys, a page at a time. */
function setUp(pageSize = 200) {
  const clock = createClock();
  const start = clock.now();
  const standing: { channel: string; thread?: string; ts: string; key: string }[] = [];
  const calls: { method: string; options: Record<string, unknown>; at: number }[] = [];
  const faults: SlackRefused[] = [];

  const call: Call = async (method, options) => {
    await clock.sleep(40);
    calls.push({ method, options, at: clock.now() - start });
    const fault = faults.shift();
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

  /** How much our clock is ahead of Slack's. */
  const ahead = { ms: 0 };
  const lookup = createLookup(call, { ...clock, now: () => clock.now() + ahead.ms });
  const find = (key: string, more: Partial<Sought> = {}) =>
    lookup.find({ channel: "C1", key, since: start, sentAt: start, looks: 6, ...more });
  const stand = (key: string, more: { channel?: string; thread?: string; after?: number } = {}) => {
    const { after = 0, ...place } = more;
    const ts = ((start + after) / 1_000 + standing.length / 1_000_000).toFixed(6);
    standing.push({ channel: "C1", ts, key, ...place });
  };
  return { clock, ahead, start, calls, faults, lookup, find, stand };
}

describe("looking for posts", () => {
  it("finds all that are sought in a channel with one read of it", async () => {
    const { clock, calls, find, stand } = setUp();
    for (let index = 0; index < 50; index++) if (index % 2 === 0) stand(`key ${index}`);
    const sought = Array.from({ length: 50 }, (_, index) => find(`key ${index}`));
    const found = await clock.until(Promise.all(sought));
    expect(found.filter(Boolean).length).toBe(25);
    expect(found[0]).toMatchObject({ channel: "C1" });
    expect(calls.length).toBe(1);
  });

  it("answers one after the other from the same read, too, also for what was sent a little earlier", async () => {
    const { clock, start, calls, find, stand } = setUp();
    stand("one");
    stand("two", { after: -300_000 });
    expect(await clock.until(find("one"))).toBeDefined();
    expect(await clock.until(find("two", { since: start - 301_000 }))).toBeDefined();
    expect(await clock.until(find("three"))).toBeUndefined();
    expect(calls.length).toBe(1);
  });

  it("reads again for what was sent after the read began, and not before it can stand there", async () => {
    const { clock, start, calls, find, stand } = setUp();
    await clock.until(find("one"));
    stand("two");
    const sentAt = clock.now();
    expect(await clock.until(find("two", { sentAt }))).toBeDefined();
    expect(calls.length).toBe(2);
    expect((calls[1]?.at ?? 0) + start).toBeGreaterThanOrEqual(sentAt + 1_500);
  });

  it("finds what was sent by a clock that was hours ahead, without waiting for that hour", async () => {
    const { clock, start, calls, find, stand } = setUp();
    const at = start + 2 * 3_600_000;
    stand("one");
    expect(await clock.until(find("one", { since: at, sentAt: at }))).toBeDefined();
    expect(calls[0]?.at).toBeLessThan(5_000);
  });

  it("does not trust a read of before the clock was set back", async () => {
    const { clock, ahead, find, stand } = setUp();
    ahead.ms = 3_600_000;
    await clock.until(find("one"));
    ahead.ms = 0;
    stand("two");
    expect(await clock.until(find("two", { since: clock.now(), sentAt: clock.now() }))).toBeDefined();
  });

  it("turns the pages where much was said since", async () => {
    const { clock, calls, find, stand } = setUp(100);
    stand("first");
    for (let index = 0; index < 450; index++) stand(`other ${index}`);
    expect(await clock.until(find("first"))).toBeDefined();
    expect(calls.length).toBe(5);
  });

  it("does not say that it is not there where it did not read that far", async () => {
    const { clock, find, stand } = setUp(1);
    stand("first");
    for (let index = 0; index < 40; index++) stand(`other ${index}`);
    await expect(clock.until(find("first"))).rejects.toMatchObject({ reaction: "unsure" });
    expect(await clock.until(find("other 39"))).toBeDefined();
  });

  it("reads a thread where it was sent to one", async () => {
    const { clock, calls, find, stand } = setUp();
    stand("below", { thread: "1.5" });
    expect(await clock.until(find("below", { thread: "1.5" }))).toBeDefined();
    expect(await clock.until(find("below"))).toBeUndefined();
    expect(calls.map(({ method }) => method)).toEqual(["conversations.replies", "conversations.history"]);
  });

  it("finds what went to a person in their direct messages, whose channel is asked for once", async () => {
    const { clock, calls, find, stand } = setUp();
    stand("hello", { channel: "D1" });
    expect(await clock.until(find("hello", { channel: "U1" }))).toMatchObject({ channel: "D1" });
    await clock.until(find("again", { channel: "U1", sentAt: clock.now() }));
    expect(calls.map(({ method }) => method)).toEqual([
      "conversations.open",
      "conversations.history",
      "conversations.history",
    ]);
  });

  it("knows where a person's messages are from what was posted there before", async () => {
    const { clock, calls, lookup, find } = setUp();
    lookup.met("U1", "D7");
    await clock.until(find("hello", { channel: "U1" }));
    expect(calls).toMatchObject([{ method: "conversations.history", options: { channel: "D7" } }]);
  });

  it("reads no more threads than leaves some for people who wait", async () => {
    const { clock, calls, find } = setUp();
    const all = Array.from({ length: 90 }, (_, index) => find("key", { thread: `${index}.5` }));
    await clock.until(Promise.all(all));
    const times = calls.map(({ at }) => at);
    const busiest = Math.max(...times.map((at) => times.filter((other) => other >= at && other < at + 60_000).length));
    expect(busiest).toBeLessThanOrEqual(60);
    expect(Math.max(...times)).toBeGreaterThan(110_000);
  });

  it("reads channels at once, however many threads wait to be read", async () => {
    const { clock, calls, find } = setUp();
    const all = Array.from({ length: 90 }, (_, index) => find("key", { thread: `${index}.5` }));
    await clock.advance(10_000);
    const { length } = calls;
    await clock.until(find("key", { channel: "C2" }));
    expect(calls.slice(length).map(({ method }) => method)).toContain("conversations.history");
    expect(calls.length).toBeLessThan(length + 5);
    await clock.until(Promise.all(all));
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

  it("does not wait for ever where all that Slack takes is under way", async () => {
    const { clock, start, calls, faults, find } = setUp();
    faults.push(new SlackRefused("conversations.open", "ratelimited", { retryAfterMs: 1_000 }));
    await clock.until(find("key", { channel: "U0" }));
    await clock.advance(61_000);
    await clock.until(Promise.all(Array.from({ length: 70 }, (_, index) => find("key", { channel: `U${index + 1}` }))));
    expect(calls.filter(({ method }) => method === "conversations.open")).toHaveLength(72);
    expect(clock.now() - start).toBeLessThan(5 * 60_000);
  });

  it("looks again while Slack is out of order, then says so", async () => {
    const { clock, calls, faults, find, stand } = setUp();
    stand("one");
    const broken = () => new SlackRefused("conversations.history", "http_500", { reaction: "look" });
    faults.push(broken(), broken());
    expect(await clock.until(find("one"))).toBeDefined();
    faults.push(...Array.from({ length: 20 }, broken));
    await expect(clock.until(find("two", { sentAt: clock.now() }))).rejects.toMatchObject({ code: "http_500" });
    expect(calls.length).toBe(9);
  });

  it("does not look again where it may not", async () => {
    const { clock, calls, faults, find } = setUp();
    faults.push(new SlackRefused("conversations.history", "missing_scope"));
    await expect(clock.until(find("one"))).rejects.toMatchObject({ code: "missing_scope" });
    expect(calls.length).toBe(1);
  });
});
