import { beforeEach, describe, expect, it } from "vitest";

import { alerts } from "../../src/features/alerts/commands.ts";
import { digests } from "../../src/features/digests/commands.ts";
import type { Ask, Services } from "../../src/features/feature.ts";
import { answerOf, article, asking, hintOf, newsChannel, now } from "../support/builders.ts";
import { desk as alertDesk, saved, say } from "./alerts/talk.ts";
import { desk as postingDesk } from "./alerts/desk.ts";
import { trend } from "./alerts/setting.ts";
import { articles, desk as digestDesk, storiesIn } from "./digests-desk.ts";

let to: Services;
beforeEach(() => {
  to = alertDesk(undefined, { intelligence: { channel: async (id) => newsChannel({ id }) } });
});

const line = (text: string, about: Partial<Ask> = {}) => answerOf(digests, asking(text, about), to);
const digest = async () => (await to.digests.get({ team: "T1", number: 1 })) ?? expect.fail("no digest");

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
    const strange = { ...to, places: { ...to.places, isIn: async (_: unknown, channel: string) => channel === "C0A" } };
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
    const editsThere = () => desk.stands.filter((each) => each.to.channel === "C1").flatMap(({ edits }) => edits);
    expect(editsThere()).toEqual([]);
    await desk.later([trend("BASF", { score: 900, mentions: 4_000 })]);
    const there = desk.stands.filter((each) => each.to.channel === "C0B").map(({ message }) => message.text);
    expect(there[0]).toMatch(/^BASF is rising further/);
    expect(editsThere()).toEqual([]);
    expect(desk.stands.filter((each) => each.to.channel === "C1" && each.to.thread)).toEqual([]);
  });
});

describe("a digest that moves", () => {
  it("goes on elsewhere, with its time or without", async () => {
    await line("add channel 501 daily at 9:00", { channel: "C0A" });
    expect((await line("edit 1 --in C0B")).text).toMatch(/^Digest 1 goes on in /);
    expect((await line("edit 1 hourly --in C0C")).text).toMatch(/^Digest 1 now comes hourly, in /);
    const { channel, changed } = await digest();
    expect([channel, changed[0]?.what]).toEqual(["C0C", expect.stringMatching(/^edited: hourly \S+ --in C0C$/)]);
  });

  it("begins there with the newest, instead of everything that the place has not seen", async () => {
    const desk = digestDesk();
    desk.state.articles = articles(30);
    await desk.add();
    await desk.tick();
    await answerOf(digests, asking("edit 1 --in C0B"), desk.services());
    desk.state.now += 25 * 60 * 60_000;
    desk.state.articles = [
      article({ id: 99, title: "Story 99", url: "https://news.example.com/99", published: now }),
      ...articles(30),
    ];
    await desk.tick();
    const [, second] = desk.posts;
    expect(second?.channel).toBe("C0B");
    expect(second && storiesIn(second)).toHaveLength(5);
  });

  it("is not brought twice to a place", async () => {
    await line("add channel 501 daily at 9:00", { channel: "C0A" });
    await line("add channel 501 daily at 9:00", { channel: "C0B" });
    expect(await hintOf(digests, asking("edit 2 --in C0A"), to)).toBe("Digest 1 brings the same there already.");
  });
});
