import { describe, expect, it } from "vitest";

import { desk as alertDesk, titlesOf } from "./alerts/desk.ts";
import { trend } from "./alerts/setting.ts";
import { articles, desk as digestDesk, minute, storiesIn } from "./digests-desk.ts";

const everyMinute = { pattern: "* * * * *", zone: "UTC", words: "every minute" };

describe("a workspace that takes the bot out", () => {
  it("gets no digest: nothing is read, tried or logged, and they go on when it installs the bot again", async () => {
    const { add, tick, posts, state, read } = digestDesk();
    await add({ schedule: everyMinute });
    state.articles = articles(2);
    state.isInstalled = false;
    for (let count = 0; count < 3; count++) {
      await tick();
      state.now += minute;
    }
    expect([state.reads, state.tries, state.log]).toEqual([0, 0, []]);
    expect([(await read()).state, (await read()).problem]).toEqual(["active", undefined]);
    state.isInstalled = true;
    await tick();
    expect(posts.map(storiesIn)).toEqual([[1, 2]]);
  });

  it("gets none either of what is under way when it does so", async () => {
    const { add, tick, posts, state, fail } = digestDesk();
    for (const channel of ["C1", "C2", "C3"]) {
      for (const id of [501, 502, 503]) await add({ channel, source: { kind: "channel", id, name: `Wire ${id}` } });
    }
    state.articles = articles(2);
    fail.read = () => {
      state.isInstalled = false;
      return undefined;
    };
    await tick();
    const { reads } = state;
    expect(posts).toEqual([]);
    await tick();
    expect([state.reads, state.tries, state.log]).toEqual([reads, 0, []]);
    delete fail.read;
    state.isInstalled = true;
    await tick();
    expect(posts.map((post) => post.channel).toSorted()).toEqual(["C1", "C2", "C3"]);
  });

  it("gets no alert: nothing is read, posted or logged, and they go on when it installs the bot again", async () => {
    const { add, later, stands, state, read } = alertDesk();
    await add();
    state.isInstalled = false;
    for (let count = 0; count < 3; count++) await later([trend("BASF", { score: 2 })]);
    expect([state.reads, stands, state.log]).toEqual([0, [], []]);
    expect([(await read()).state, (await read()).problem]).toEqual(["active", undefined]);
    state.isInstalled = true;
    await later([trend("BASF", { score: 2 })]);
    await later([trend("BASF", { score: 2 })]);
    expect(titlesOf(stands)).toHaveLength(1);
  });

  it("gets none either of what is written down already, and reads nothing for it", async () => {
    const { add, later, stands, state, fail } = alertDesk();
    await add();
    fail.read = () => {
      state.isInstalled = false;
      return undefined;
    };
    await later([trend("BASF", { score: 2 })]);
    await later([trend("BASF", { score: 2 })]);
    expect([state.reads, stands, state.log]).toEqual([1, [], []]);
    delete fail.read;
    state.isInstalled = true;
    await later([trend("BASF", { score: 2 })]);
    expect(stands).toHaveLength(1);
  });
});
