import { beforeEach, describe, expect, it } from "vitest";
import { alerts } from "../../../src/features/alerts/commands.ts";
import { desk as postingDesk, watching } from "./desk.ts";
import { trend } from "./setting.ts";
import { desk as alertDesk, saved, say } from "./talk.ts";
import { type Services, answerOf, asking, hintOf, newsChannel } from "../../support/builders.ts";

let to: Services;
beforeEach(() => {
  to = alertDesk(undefined, { intelligence: { channel: async (id) => newsChannel({ id }) } });
});

describe("an alert that moves", () => {
  it("goes on elsewhere, which its history says", async () => {
    await say("add company hourly", to, { channel: "C0A" });
    const message = await say("edit 1 --in C0B", to);
    expect(message.text).toMatch(/^Alert 1 goes on in #?\S*C0B/);
    const { channel, changed } = await saved(to);
    expect([channel, changed[0]?.what]).toEqual(["C0B", "edited: --in C0B"]);
  });

  it("stays where it is told to go where it is", async () => {
    await say("add company hourly", to, { channel: "C0A" });
    await say("edit 1 eager --in C0A", to);
    const { channel, changed } = await saved(to);
    expect([channel, changed[0]?.what]).toEqual(["C0A", "edited: eager"]);
  });

  it("goes where its mover may send it, and beside none that brings the same", async () => {
    await say("add company hourly", to, { channel: "C0A" });
    await say("add company hourly", to, { channel: "C0B" });
    expect(await hintOf(alerts, asking("edit 1 --in C0B"), to)).toBe("Alert 2 brings the same there already.");
    const strange = {
      ...to,
      slackChannels: { ...to.slackChannels, isIn: async (_: unknown, channel: string) => channel === "C0A" },
    };
    expect(await hintOf(alerts, asking("edit 1 --in C0C"), strange)).toContain("Only members of <#C0C>");
  });

  it("is taken to direct messages by whoever asked for it, and by nobody else", async () => {
    await say("add company hourly", to, { channel: "C0A" });
    const other = asking("edit 1 --in me", { user: "U2", channel: "C0A" });
    expect(await hintOf(alerts, other, to)).toContain("Only whoever asked for it");
    await say("edit 1 --in me", to);
    expect((await saved(to)).channel).toBe("U1");
  });

  it("takes a new baseline there, and leaves the messages elsewhere as they are", async () => {
    const desk = postingDesk();
    await desk.add();
    await desk.later([]);
    await desk.later([trend("BASF", { score: 9 })]);
    await answerOf(alerts, asking("edit 1 --in C0B"), desk.services);
    await desk.later([trend("BASF", { score: 90, mentions: 400 })]);
    expect(desk.rewrites(0)).toEqual([]);
    await desk.later([trend("BASF", { score: 900, mentions: 4_000 })]);
    const there = desk.posts.filter(({ channel }) => channel === "C0B").map(({ message }) => message.text);
    expect(there[0]).toMatch(/^BASF is rising further/);
    expect(desk.rewrites(0)).toEqual([]);
    expect(desk.posts.filter(({ channel, thread }) => channel === "C1" && thread)).toEqual([]);
  });
});

describe("a workspace that takes the bot out", () => {
  it("gets no alert: nothing is read, posted or logged, and they go on when it installs the bot again", async () => {
    const { later, posts, state, read } = await watching();
    state.isInstalled = false;
    for (let count = 0; count < 3; count++) await later([trend("BASF", { score: 2 })]);
    expect([state.reads, posts, state.log]).toEqual([0, [], []]);
    expect([(await read()).state, (await read()).problem]).toEqual(["active", undefined]);
    state.isInstalled = true;
    await later([trend("BASF", { score: 2 })]);
    await later([trend("BASF", { score: 2 })]);
    expect(posts).toHaveLength(1);
  });

  it("gets none either of what is written down already, and reads nothing for it", async () => {
    const { later, posts, state, fail } = await watching();
    fail.read = () => {
      state.isInstalled = false;
      return undefined;
    };
    await later([trend("BASF", { score: 2 })]);
    await later([trend("BASF", { score: 2 })]);
    expect([state.reads, posts, state.log]).toEqual([1, [], []]);
    delete fail.read;
    state.isInstalled = true;
    await later([trend("BASF", { score: 2 })]);
    expect(posts).toHaveLength(1);
  });
});
