import { describe, expect, it } from "vitest";

import { Interrupted } from "../../src/features/failure.ts";
import { SlackRefused } from "../../src/slack/delivery/refusal.ts";
import { articles, day, desk, minute, storiesIn } from "./digests-desk.ts";

describe("a place that fails", () => {
  const refusal = (code: string) => new SlackRefused("chat.postMessage", code);

  it("that is gone pauses the digest, whose maker is to be told; resumed, what waited comes", async () => {
    const { add, tick, posts, state, fail, read, digests } = desk();
    const name = await add();
    state.articles = articles(2);
    fail.post = (to) => (to.channel === "C1" ? refusal("is_archived") : undefined);
    await tick();
    state.now += day;
    await tick();
    expect(posts).toEqual([]);
    expect(await read()).toMatchObject({ state: "paused", untold: true, problem: "The channel is archived." });
    delete fail.post;
    await digests.update(name, (current) => ({ ...current, state: "active" }));
    await tick();
    expect(posts.map(storiesIn)).toEqual([[1, 2]]);
  });

  it("pauses the digest also where its maker cannot be told", async () => {
    const { add, tick, state, fail, read } = desk();
    await add();
    state.articles = articles(2);
    fail.post = () => refusal("channel_not_found");
    await tick();
    expect(await read()).toMatchObject({ state: "paused" });
  });

  it("is not to blame where the bot is being stopped: it comes when the bot is back", async () => {
    const { add, tick, posts, state, fail, read } = desk();
    await add();
    state.articles = articles(2);
    fail.before = () => new Interrupted("I am being restarted.");
    await tick();
    const waiting = await read();
    expect([waiting.problem, waiting.pending?.retryAt, waiting.pending?.sentAt]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    delete fail.before;
    await tick();
    expect(posts.map(storiesIn)).toEqual([[1, 2]]);
  });

  it("that is out of order for a while gets it at the next tick, once, without another read", async () => {
    const { add, tick, posts, state, fail } = desk();
    await add();
    state.articles = articles(2);
    fail.post = () => refusal("ratelimited");
    await tick();
    delete fail.post;
    state.now += minute;
    await tick();
    await tick();
    expect(posts.map(storiesIn)).toEqual([[1, 2]]);
    expect(state.reads).toBe(1);
  });

  it("that stays out of order is tried less and less often, and given up after a day, which is said", async () => {
    const { add, tick, state, fail, read } = desk();
    await add();
    state.articles = articles(2);
    fail.post = () => refusal("ratelimited");
    const tries: number[] = [];
    for (let minutes = 0; minutes < 240; minutes++) {
      const before = state.tries;
      await tick();
      if (state.tries > before) tries.push(minutes);
      state.now += minute;
    }
    expect(tries).toEqual([0, 1, 3, 7, 15, 31, 63, 123, 183]);
    let hours = 4;
    while ((await read()).pending && hours < 100) {
      hours++;
      state.now += 60 * minute;
      await tick();
    }
    expect([hours, (await read()).problem]).toEqual([25, "Slack did not take the last message."]);
  });

  it("of which Slack does not say whether it took a digest gets no second one", async () => {
    const { add, tick, posts, state, fail, read } = desk();
    await add();
    state.articles = articles(2);
    fail.after = () => new SlackRefused("chat.postMessage", "internal_error", { reaction: "unsure" });
    await tick();
    delete fail.after;
    state.now += minute;
    await tick();
    expect(posts).toHaveLength(1);
    expect((await read()).problem).toMatch(/^Slack did not say whether it took the last digest/);
  });
});

describe("a crash", () => {
  it("before the post loses nothing: it is posted when the bot is back, without a look for it", async () => {
    const { add, tick, posts, state, fail, restart, read, digests } = desk();
    const name = await add();
    state.articles = articles(2);
    fail.before = () => new Error("the process ends here");
    await tick();
    // Nothing of what follows a refusal is written down by a process that has ended.
    await digests.update(name, (current) => ({
      ...current,
      pending: current.pending && { ...current.pending, retryAt: undefined },
    }));
    delete fail.before;
    state.articles = [];
    restart();
    expect((await read()).pending?.sentAt).toBeUndefined();
    await tick();
    expect(posts.map(storiesIn)).toEqual([[1, 2]]);
    expect(state.looks).toBe(0);
  });

  it("after the post, before it is written down, repeats nothing: it is looked for first", async () => {
    const { add, tick, posts, state, records, restart } = desk();
    await add();
    state.articles = articles(2);
    const set = records.set.bind(records);
    records.set = async (key, value, options) => {
      if (value.last?.postedAt !== undefined) throw new Error("the disk is full");
      await set(key, value, options);
    };
    await tick();
    records.set = set;
    restart();
    await tick();
    expect([posts.length, state.looks]).toEqual([1, 1]);
    state.now += minute;
    await tick();
    expect(state.tries).toBe(2);
  });

  it("between the message that leads and its thread posts only what is missing", async () => {
    const { add, tick, posts, state, fail } = desk();
    await add({ look: { isThreaded: true } });
    state.articles = articles(2);
    fail.before = ({ thread }) => (thread ? new Error("the process ends here") : undefined);
    await tick();
    delete fail.before;
    state.now += minute;
    await tick();
    expect(posts.map(({ thread }) => thread)).toEqual([undefined, "1.0"]);
    expect(state.looks).toBe(0);
  });

  it("of the store leaves the subscription as it was, to be done at the next tick", async () => {
    const { add, tick, posts, state, records } = desk();
    await add();
    state.articles = articles(2);
    const set = records.set.bind(records);
    records.set = () => Promise.reject(new Error("the disk is full"));
    await tick();
    expect(posts).toEqual([]);
    expect(state.log.join("\n")).toContain("digest.failed");
    records.set = set;
    state.now += minute;
    await tick();
    expect(posts).toHaveLength(1);
  });
});
