import { describe, expect, it } from "vitest";

import { Interrupted } from "../../src/features/failure.ts";
import { SlackRefused } from "../../src/slack/delivery/refusal.ts";
import { desk, titlesOf } from "./alerts-desk.ts";
import { trend } from "./alerts-setting.ts";

const basf = trend("BASF", { score: 2 });
const refusal = (code: string) => new SlackRefused("chat.postMessage", code);
const crash = new Error("the process ends here");

describe("a process that ends", () => {
  it("before the post loses nothing", async () => {
    const { add, later, restart, fail, stands } = desk();
    await add();
    fail.refuse = () => crash;
    await later([basf]);
    delete fail.refuse;
    restart();
    await later([basf]);
    await later([basf]);
    expect(titlesOf(stands)).toEqual(["BASF is still rising"]);
  });

  it("while the message waits for its turn loses nothing, and that is no problem of the place", async () => {
    const { add, later, restart, fail, stands, read } = desk();
    await add();
    fail.before = () => new Interrupted("I am being restarted.");
    await later([basf]);
    expect(await read()).toMatchObject({ problem: undefined, pending: [{ tries: 0 }] });
    delete fail.before;
    restart();
    await later([basf]);
    expect(stands).toHaveLength(1);
  });

  it("after the post, before that is written down, repeats nothing", async () => {
    const { add, later, restart, fail, stands, read } = desk();
    await add();
    fail.cut = () => crash;
    await later([basf]);
    delete fail.cut;
    restart();
    await later([basf]);
    await later([basf]);
    expect(titlesOf(stands)).toEqual(["BASF is rising"]);
    expect(await read()).toMatchObject({ pending: [], episodes: [{ posted: { channel: "C1", ts: "1.0" } }] });
  });

  it("at any write of a course leaves each message once", async () => {
    const trends = [
      [basf],
      [basf],
      [trend("BASF", { score: 4 })],
      [trend("BASF", { score: 4 }), trend("Shell")],
      [],
      [],
      [],
      [],
    ];
    const whole = await courseCutAt(Number.POSITIVE_INFINITY, trends);
    expect(whole.titles).toHaveLength(5);
    for (let write = 1; write <= whole.writes; write++) {
      const { titles } = await courseCutAt(write, trends);
      expect([write, titles.toSorted()]).toEqual([write, whole.titles.toSorted()]);
    }
  });
});

/** A course in which the process ends at a write to the store and starts anew, once. */
async function courseCutAt(cut: number, trends: ReturnType<typeof trend>[][]) {
  const { add, later, restart, records, stands } = desk();
  await add();
  const set = records.set.bind(records);
  let writes = 0;
  let isOver = false;
  records.set = async (...about) => {
    if (++writes === cut) isOver = true;
    if (isOver) throw new Error("the process has ended");
    await set(...about);
  };
  for (const each of trends) {
    await later(each);
    if (!isOver) continue;
    isOver = false;
    restart();
    // What was true at that minute still is when the bot is back.
    await later(each, 30_001);
  }
  for (let minutes = 0; minutes < 4; minutes++) await later([]);
  return {
    writes,
    titles: stands.map(({ message }) => message.text.split("\n")[0]?.replace(/ (?:since )?2026.*/, "") ?? ""),
  };
}

describe("a place that fails", () => {
  it("for a while gets the message at the next tick, once", async () => {
    const { add, later, fail, stands, read } = desk();
    await add();
    fail.refuse = () => refusal("ratelimited");
    await later([basf]);
    expect(await read()).toMatchObject({ problem: "Slack did not take the last message.", pending: [{ tries: 1 }] });
    await later([basf]);
    delete fail.refuse;
    await later([basf]);
    await later([basf]);
    expect(stands).toHaveLength(1);
    expect(await read()).toMatchObject({ problem: undefined, pending: [] });
  });

  it("for longer is asked less and less often, for a day, and what was given up stays to be read", async () => {
    const { add, later, fail, read } = desk();
    let tries = 0;
    await add();
    fail.refuse = () => {
      tries++;
      return refusal("ratelimited");
    };
    for (let minutes = 0; minutes < 16; minutes++) await later([basf]);
    expect(tries).toBe(5);
    for (let hours = 0; hours < 30; hours++) await later([basf], 60 * 60_000);
    expect(tries).toBe(30);
    const { problem, pending, state } = await read();
    expect([pending, state]).toEqual([[], "active"]);
    expect(problem).toContain("is not tried again");
  });

  it("where nobody can say whether the message stands gets it at most once", async () => {
    const { add, later, fail, stands, read } = desk();
    let looks = 0;
    await add();
    fail.cut = () => refusal("internal_error");
    fail.look = () => {
      looks++;
      return refusal("internal_error");
    };
    for (let minutes = 0; minutes < 8; minutes++) await later([basf]);
    expect([stands.length, looks]).toEqual([1, 3]);
    expect(await read()).toMatchObject({ state: "active", pending: [{ tries: 4 }] });
    fail.look = () => new SlackRefused("conversations.history", "missing_scope", { reaction: "unsure" });
    await later([basf], 60 * 60_000);
    const { pending, problem } = await read();
    expect([stands.length, pending]).toEqual([1, []]);
    expect(problem).toContain("Slack did not say whether it took the last message");
  });

  it("that is gone pauses the alert, whose maker is to be told; what waited comes when it is resumed", async () => {
    const { add, later, fail, stands, read, services } = desk();
    const name = await add();
    fail.refuse = ({ channel }) => (channel === "C1" ? refusal("is_archived") : undefined);
    await later([basf]);
    await later([basf]);
    expect(stands).toEqual([]);
    expect(await read()).toMatchObject({
      state: "paused",
      untold: true,
      problem: "The channel is archived.",
      pending: [{ kind: "rise" }],
    });
    delete fail.refuse;
    await services.alerts.update(name, (current) => ({ ...current, state: "active" }));
    await later([basf]);
    expect(stands.map(({ to }) => to.channel)).toEqual(["C1"]);
  });

  it("holds up no other place", async () => {
    const { add, later, fail, stands } = desk();
    await add();
    await add({ channel: "C2" });
    fail.refuse = ({ channel }) => (channel === "C1" ? refusal("ratelimited") : undefined);
    await later([basf]);
    expect(stands.map(({ to }) => to.channel)).toEqual(["C2"]);
  });

  it("that takes its time does not hold up the next look", async () => {
    const { add, later, services, state, stands } = desk();
    await add();
    const slow = Promise.withResolvers<void>();
    const post = services.post.bind(services);
    services.post = async (...about) => {
      await slow.promise;
      return post(...about);
    };
    services.after = (_, call) => {
      call();
      return () => undefined;
    };
    await later([basf]);
    await later([basf]);
    expect(state.reads).toBe(2);
    slow.resolve();
    await expect.poll(() => stands.length).toBe(1);
    await later([basf]);
    expect(stands).toHaveLength(1);
  });

  it("that lost the store's word gets nothing that is not written down", async () => {
    const { add, later, records, stands } = desk();
    await add();
    const set = records.set.bind(records);
    records.set = () => Promise.reject(new Error("the disk is full"));
    await later([basf]);
    expect(stands).toEqual([]);
    records.set = set;
    await later([basf]);
    expect(stands).toHaveLength(1);
  });

  it("that cannot write down what it found asks for it less and less often", async () => {
    const { add, later, records, state } = desk();
    await add({ schedule: { pattern: "*/15 * * * *", zone: "UTC", words: "every 15 minutes" } });
    records.set = () => Promise.reject(new Error("the disk is full"));
    for (let minutes = 1; minutes < 15; minutes++) await later([basf]);
    expect(state.reads).toBe(4);
  });

  it("knows that its store is full, and asks for nothing before there is room", async () => {
    const { add, later, services, state, stands } = desk();
    await add();
    const trouble: { now: "full" | undefined } = { now: "full" };
    const update = services.alerts.update.bind(services.alerts);
    services.health.store = () => trouble.now;
    services.alerts.update = () => Promise.reject(new Error("the disk is full"));
    for (let minutes = 1; minutes < 15; minutes++) await later([basf]);
    expect([state.reads, stands]).toEqual([0, []]);
    services.alerts.update = update;
    await later([basf]);
    expect([state.reads, stands.length]).toEqual([1, 1]);
  });
});
