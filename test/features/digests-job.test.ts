import { describe, expect, it } from "vitest";

import { Unavailable } from "../../src/apis/errors.ts";
import { postDigests } from "../../src/features/digests/job.ts";
import { type Digest, isDigestDue as isDue, isSameDigest as isSame } from "../../src/features/digests/digest.ts";
import { createSubscriptions } from "../../src/features/subscriptions/store.ts";
import type { Message, Services } from "../../src/features/feature.ts";
import { SlackRefused } from "../../src/slack/delivery/refusal.ts";
import { memory, now as start, services, wordsOf } from "../support/builders.ts";
import { noted } from "../../src/features/subscriptions/model.ts";
import { articles, day, desk, minute, storiesIn } from "./digests-desk.ts";

describe("a digest that is due", () => {
  it("posts the newest five at first and says so, and from then on only what is new", async () => {
    const { add, tick, posts, state } = desk();
    await add();
    state.articles = articles(23);
    await tick();
    expect(posts.map(storiesIn)).toEqual([[1, 2, 3, 4, 5]]);
    expect(wordsOf(posts[0]?.message ?? { text: "" })).toContain("First digest: the newest 5 of 23 articles");
    expect(posts[0]?.message.text).toMatch(/^Digest: Gold wire\nFirst digest/);
    state.now += day;
    state.articles = [...articles(2, 101), ...articles(23)];
    await tick();
    expect(posts.map(storiesIn)[1]).toEqual([101, 102]);
    expect(wordsOf(posts[1]?.message ?? { text: "" })).toContain("*2 new* since");
  });

  it("comes once, at its time, and again at the next", async () => {
    const { add, tick, posts, state, read } = desk();
    await add({ nextRun: start + minute });
    state.articles = articles(1);
    await tick();
    expect(posts).toEqual([]);
    state.now += minute;
    await tick();
    await tick();
    expect(posts).toHaveLength(1);
    expect(await read()).toMatchObject({ nextRun: start + day, last: { at: start + minute, fresh: 1 } });
  });

  it("comes once also where two ticks do the same work at once", async () => {
    const { add, tick, posts, state, fail } = desk();
    await add();
    state.articles = articles(2);
    await Promise.all([tick(), tick(), tick()]);
    expect(posts).toHaveLength(1);
    state.now += day;
    state.articles = articles(4);
    fail.post = () => new SlackRefused("chat.postMessage", "ratelimited");
    await tick();
    delete fail.post;
    state.now += minute;
    await Promise.all([tick(), tick(), tick()]);
    expect(posts.map(storiesIn)).toEqual([
      [1, 2],
      [3, 4],
    ]);
  });

  it("posts nothing where nothing is new, and writes that down", async () => {
    const { add, tick, posts, state, read } = desk();
    await add();
    state.articles = articles(3);
    await tick();
    state.now += day;
    await tick();
    expect(posts).toHaveLength(1);
    expect(await read()).toMatchObject({ last: { at: start + day, fresh: 0 }, nextRun: start + 2 * day });
  });

  it("shows an article once in a channel, whatever brings it", async () => {
    const { add, tick, posts, state } = desk();
    await add();
    await add({ source: { kind: "channel", id: 502, name: "Metals" } });
    await add({ channel: "C2" });
    state.articles = articles(3);
    await tick();
    expect(posts.map((post) => `${post.channel} ${storiesIn(post).length}`).toSorted()).toEqual(["C1 3", "C2 3"]);
  });

  it("that was missed many times while the bot was down comes once, and says that it is late", async () => {
    const { add, tick, posts, state, restart } = desk();
    await add({ schedule: { pattern: "*/5 * * * *", zone: "UTC", words: "every 5 minutes" } });
    state.articles = articles(2);
    state.now += 3 * day;
    restart();
    await tick();
    await tick();
    state.now += minute;
    await tick();
    expect(posts).toHaveLength(1);
    expect(wordsOf(posts[0]?.message ?? { text: "" })).toContain("_Late: it was due");
  });

  it("that is paused, removed or not due is left alone", async () => {
    const { add, tick, posts, state, digests } = desk();
    const { team, number } = await add();
    await digests.update({ team, number }, (current) => ({ ...current, state: "paused" }));
    state.articles = articles(2);
    await tick();
    await digests.update({ team, number }, (current) => ({ ...current, state: "removed" }));
    await tick();
    expect([posts.length, state.reads]).toEqual([0, 0]);
  });

  it("that is paused while its source is read is not posted, and loses nothing", async () => {
    const { add, tick, posts, state, fail, digests, read } = desk();
    const name = await add();
    let pausing: Promise<unknown> | undefined;
    fail.read = () => {
      pausing = digests.update(name, (current) => ({ ...current, state: "paused" }));
      return undefined;
    };
    state.articles = articles(2);
    await tick();
    await pausing;
    expect(posts).toEqual([]);
    delete fail.read;
    await digests.update(name, (current) => ({ ...current, state: "active" }));
    await tick();
    expect(posts.map(storiesIn)).toEqual([[1, 2]]);
    expect((await read()).pending).toBeUndefined();
  });

  it("asks for credits in the name of whoever subscribed", async () => {
    const spenders: unknown[] = [];
    const search = { kind: "search", query: "gold" } as const;
    const digests = createSubscriptions<Digest>({ records: memory(), numbers: memory(), isSame, isDue });
    const free = services({
      gateway: {
        search: async () => ({
          query: "gold",
          articles: articles(1),
          total: 1,
          credits: { used: 1, remaining: 41, test: false },
        }),
      },
    });
    const posted: Message[] = [];
    const all: Services = {
      ...free,
      digests,
      configured: { ...free.configured, intelligence: false },
      spending: {
        ...free.spending,
        gatewayFor(spender) {
          spenders.push(spender);
          return free.gateway;
        },
      },
      async post(to, message) {
        posted.push(message);
        return { channel: to.channel, ts: "1.0" };
      },
    };
    const schedule = { pattern: "0 9 * * *", zone: "UTC", words: "daily at 09:00" };
    await digests.add({ team: "T1", source: search, schedule, channel: "C1", maker: "U7", nextRun: start }, start);
    await postDigests.run(all);
    expect(spenders).toEqual([{ team: "T1", user: "U7" }]);
    expect(posted.map(wordsOf)[0]).toContain("1 credit used, 41 left");
  });
});

describe("a source that fails", () => {
  const down = () => new Unavailable({ api: "intelligence", operation: "articles" });

  const often = { pattern: "*/5 * * * *", zone: "UTC", words: "every 5 minutes" };

  it("is tried after one minute, two, four and so on, and what was promised comes when it answers, marked late", async () => {
    const { add, tick, posts, state, fail, read } = desk();
    await add();
    state.articles = articles(2);
    fail.read = down;
    const tried: number[] = [];
    for (let minutes = 0; minutes < 100; minutes++) {
      const before = state.reads;
      await tick();
      if (state.reads > before) tried.push(minutes);
      state.now += minute;
    }
    expect(tried).toEqual([0, 1, 3, 7, 15, 31, 61, 91]);
    expect(await read()).toMatchObject({ problem: "The news service could not be reached.", nextRun: start });
    delete fail.read;
    state.now += 21 * minute;
    await tick();
    expect(posts.map(storiesIn)).toEqual([[1, 2]]);
    expect(wordsOf(posts[0]?.message ?? { text: "" })).toContain("_Late: it was due");
    expect(await read()).toMatchObject({ problem: undefined, nextRun: start + day });
  });

  it("is tried at each time that was promised, and at once when the bot starts or somebody changes the digest", async () => {
    const on = desk();
    const { add, tick, state, fail, restart } = on;
    const name = await add({ schedule: often });
    fail.read = down;
    for (let minutes = 0; minutes < 60; minutes++) {
      await tick();
      state.now += minute;
    }
    expect(state.reads).toBe(3 + 11);
    await tick();
    await tick();
    expect(state.reads).toBe(15);
    restart();
    await tick();
    expect(state.reads).toBe(16);
    await on.digests.update(name, (current) => noted(current, { by: "U1", at: state.now, what: "changed" }));
    await tick();
    expect(state.reads).toBe(17);
  });

  it("that is back at the second try is forgotten", async () => {
    const { add, tick, posts, state, fail, read } = desk();
    await add();
    state.articles = articles(1);
    fail.read = down;
    await tick();
    delete fail.read;
    state.now += minute;
    await tick();
    expect(posts).toHaveLength(1);
    expect(await read()).toMatchObject({ problem: undefined });
  });

  it("holds up no other digest", async () => {
    const { add, tick, posts, state, fail } = desk();
    await add();
    await add({ channel: "C2", source: { kind: "channel", id: 502, name: "Metals" } });
    state.articles = articles(1);
    fail.read = () => (state.reads === 1 ? down() : undefined);
    await tick();
    expect(posts.map((post) => post.channel)).toEqual(["C2"]);
  });
});
