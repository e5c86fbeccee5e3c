import { describe, expect, it } from "vitest";
import { alertKind } from "../../src/features/alerts/alert.ts";
import { createChannelFeature } from "../../src/features/subscriptions/channels.ts";
import { desk as alertDesk } from "./alerts/desk.ts";
import { trend } from "./alerts/setting.ts";
import { problemsOf } from "./slack-limits.ts";
import { minute, start } from "./subscriptions-desk.ts";
import { setUp } from "./subscriptions-lost.ts";
import { asking, buttonsOf } from "../support/builders.ts";

describe("a place that is lost", () => {
  it.each([
    ["archived", "The channel was archived."],
    ["deleted", "The channel was deleted."],
    [
      "removed",
      "I was taken out of it. In a channel, type `/invite @Bellwether`; a group direct message takes no app later: choose another place with *Change*.",
    ],
  ] as const)("%s: what goes there pauses, and its maker is told once what to do", async (change, problem) => {
    const { add, read, posts, letterTo, change: hear } = setUp();
    await add();
    await hear(change);
    await hear(change);
    expect(await read()).toMatchObject({
      state: "paused",
      problem,
      changed: [{ by: "Bellwether", what: "paused" }, {}],
    });
    expect(posts.map(({ channel }) => channel)).toEqual(["U1"]);
    expect(posts[0]?.message.text).toBe(
      `I paused your feed 1, gold, in <#C1>. ${problem.replaceAll(/[`*]/g, "")}\nWhen I can post there again, it goes on by itself, and what waits to be posted comes then.`,
    );
    expect(problemsOf(letterTo("U1")).filter((each) => !each.endsWith("with <#C1>"))).toEqual([]);
  });

  it("tells each maker of all that is theirs in one message, with a way to see them", async () => {
    const { add, posts, letterTo, change } = setUp();
    await add({ word: "gold" });
    await add({ word: "oil & gas" });
    await add({ word: "tin", maker: "U2" });
    await add({ word: "zinc", channel: "C2" });
    await change("archived");
    expect(posts.map(({ channel }) => channel)).toEqual(["U1", "U2"]);
    expect(posts[0]?.message.text).toContain(
      "I paused 2 feeds of yours in <#C1>. The channel was archived.\n• Feed 1, gold\n• Feed 2, oil &amp; gas",
    );
    expect(buttonsOf(letterTo("U1"))).toEqual({ "My feeds": "feeds list" });
    expect(buttonsOf(letterTo("U2"))).toEqual({ Resume: "feeds resume 3" });
  });

  it("leaves alone what somebody has paused, also when it is back", async () => {
    const { add, read, posts, acts, to, change } = setUp();
    await add();
    await acts.pause("1", asking(""), to);
    await change("archived");
    await change("unarchived");
    expect(await read()).toMatchObject({ state: "paused" });
    expect(posts).toEqual([]);
  });

  it("goes on by itself from its next time, with what was pending, and says so in its history", async () => {
    const { add, read, posts, state, change } = setUp();
    await add({ pending: "a post" });
    await change("archived");
    state.now += 90 * minute;
    await change("unarchived");
    expect(await read()).toMatchObject({
      state: "active",
      nextRun: start + 120 * minute,
      pending: "a post again",
      changed: [{ by: "Bellwether", what: "resumed" }, { what: "paused" }, { what: "added" }],
    });
    expect(await read()).not.toMatchObject({ problem: expect.anything() });
    expect(posts).toHaveLength(1);
  });

  it("may come and go as often as it likes", async () => {
    const { add, read, posts, change, state } = setUp();
    await add();
    for (let round = 0; round < 3; round++) {
      await change("archived");
      state.now += minute;
      await change("unarchived");
      state.now += minute;
    }
    expect((await read()).state).toBe("active");
    expect(posts).toHaveLength(3);
  });

  it("that it was put out of waits until it is let in again, not until the channel is unarchived", async () => {
    const { add, read, change } = setUp();
    await add();
    await change("removed");
    await change("unarchived");
    expect((await read()).state).toBe("paused");
    await change("joined");
    expect((await read()).state).toBe("active");
  });

  it("does not concern what goes elsewhere", async () => {
    const { add, read, posts, change } = setUp();
    await add();
    await change("archived", { team: "T2", channel: "C1" });
    await change("archived", { team: "T1", channel: "C2" });
    expect((await read()).state).toBe("active");
    expect(posts).toEqual([]);
  });
});

describe("a channel that goes by another ID", () => {
  it("is followed by what goes there, with the messages that stand in it", async () => {
    const desk = alertDesk();
    await desk.add();
    await desk.later([trend("BASF", { score: 9 })]);
    const keeper = createChannelFeature([alertKind]);
    await keeper.channelChanged?.({ team: "T1", channel: "C1" }, { newId: "G9" }, desk.services);
    await keeper.channelChanged?.({ team: "T1", channel: "C1" }, { newId: "G9" }, desk.services);
    const { channel, incidents, changed } = await desk.read();
    expect([channel, incidents[0]?.posted?.channel]).toEqual(["G9", "G9"]);
    expect(changed.map(({ by, what }) => `${by} ${what}`)).toEqual([
      "Bellwether moved with its channel, which has a new ID",
      "U1 added",
    ]);
    await desk.later([trend("BASF", { score: 90, mentions: 400 })]);
    expect(desk.stands.at(-1)?.to).toMatchObject({ channel: "G9", thread: "1.0" });
  });
});
