import { describe, expect, it } from "vitest";

import { type ThreadMark, type ThreadSetting, threads } from "../../../src/features/ask/threads.ts";
import { answerOf, buttonsOf, hintOf, wordsOf } from "../../support/answers.ts";
import { asking, followingIn, memory, now } from "../../support/builders.ts";

const thread = { team: "T1", channel: "C1", thread: "3.5" };
const said = { ...thread, user: "U1", isRootOurs: false, isQuestion: false, isAnswering: false };
const to = (following = followingIn()) => ({ following, now: () => now });
const chosen = (choice: "on" | "off") => ({ choice, by: "U7", at: now });

describe("a reply without a mention in a thread that people began", () => {
  it("is answered if a question to the bot began the thread and the bot has answered", async () => {
    const following = followingIn();
    await following.enter(thread, true);
    expect(await following.decide(said)).toBe("answer");
    expect(await followingIn({ hasConversation: async () => false }).decide(said)).toBe("ignore");
  });

  it("is answered while the first answer is under way, unless the bot was called into the thread", async () => {
    const following = followingIn({ hasConversation: async () => false });
    await following.enter(thread, true);
    expect(await following.decide({ ...said, isAnswering: true })).toBe("answer");
    const other = { ...thread, thread: "4.5" };
    await following.enter(other, false);
    expect(await following.decide({ ...said, ...other, isQuestion: true, isAnswering: true })).toBe("ignore");
  });

  it("is left to people if the bot was called into their thread, unless the channel chose otherwise", async () => {
    let hasAnswered = false;
    const following = followingIn({ hasConversation: async () => hasAnswered });
    await following.enter(thread, false);
    hasAnswered = true;
    await following.enter(thread, false);
    await following.answered(thread, "U1");
    expect(await following.decide(said)).toBe("ignore");
    expect(await following.decide({ ...said, thread: "4.5" })).toBe("answer");
    await following.setChannel(thread, chosen("on"));
    expect(await following.decide(said)).toBe("answer");
  });

  it("is ignored if the store is out of order", async () => {
    const lines: string[] = [];
    const down = () => Promise.reject(new Error("disk full"));
    const following = followingIn({
      marks: { ...memory(), get: down },
      log: { warn: (event, fields) => void lines.push(`${event} ${JSON.stringify(fields)}`) },
    });
    await following.enter(thread, true);
    expect(await following.decide(said)).toBe("ignore");
    expect(lines).toEqual([expect.stringContaining("disk full"), expect.stringContaining("disk full")]);
  });
});

describe("a reply without a mention below a post of the bot’s own", () => {
  const below = { ...said, isRootOurs: true };
  const asked = { ...below, isQuestion: true };

  it("is answered if it is a question, even if nothing was asked there before", async () => {
    for (const hasConversation of [true, false]) {
      const following = followingIn({ hasConversation: async () => hasConversation });
      expect(await following.decide(asked)).toBe("answer");
      expect(await following.decide(below)).toBe("ignore");
    }
  });

  it("is answered within ten minutes of an answer to the same person, also after a restart", async () => {
    let time = now;
    const records = { marks: memory<ThreadMark>(), now: () => time };
    await followingIn(records).answered(thread, "U1");
    const following = followingIn(records);
    time += 10 * 60_000 - 1;
    expect(await following.decide(below)).toBe("answer");
    expect(await following.decide({ ...below, user: "U2" })).toBe("ignore");
    time += 1;
    expect(await following.decide(below)).toBe("ignore");
  });

  it("is left alone if the channel chose so, and an asker is told once a thread", async () => {
    const records = { marks: memory<ThreadMark>(), settings: memory<ThreadSetting>() };
    const following = followingIn(records);
    await following.setChannel(thread, chosen("off"));
    expect(await following.decide(below)).toBe("ignore");
    expect(await following.decide(asked)).toBe("tell");
    expect(await followingIn(records).decide({ ...asked, user: "U2" })).toBe("ignore");
    expect(await following.decide({ ...asked, thread: "4.5" })).toBe("tell");
  });

  it("is always answered if the channel chose so and the bot has answered", async () => {
    const following = followingIn();
    await following.setChannel(thread, chosen("on"));
    expect(await following.decide(below)).toBe("answer");
  });
});

describe("threads", () => {
  it("says which setting is in force, and offers the others", async () => {
    const message = await answerOf(threads, asking(""), to());
    expect(message.text).toContain("threads that started with a question to me");
    expect(buttonsOf(message)).toEqual({ "In all my threads": "threads on", "When mentioned": "threads off" });
  });

  it.each([
    ["on", /every thread I’ve answered in/, "answer"],
    ["OFF ", /only when I’m mentioned/, "ignore"],
  ])("%s is chosen for a channel, by somebody", async (text, words, decision) => {
    const following = followingIn();
    const here = to(following);
    const message = await answerOf(threads, asking(text, { user: "U7" }), here);
    expect(message.text).toMatch(words);
    expect(wordsOf(message)).toContain("<@U7> chose so");
    expect(await following.decide(said)).toBe(decision);
    expect(await following.decide({ ...said, channel: "C2" })).toBe("answer");
    const again = await answerOf(threads, asking("", { user: "U8" }), here);
    expect(again.text).toBe(message.text);
  });

  it.each([
    ["off here", {}, /Type `threads on`/],
    ["sometimes", {}, /Type `threads on`/],
    ["off", { channel: "D1" }, /You needn’t mention me/],
    ["off", { channel: "U1" }, /You needn’t mention me/],
  ])("%s is explained with %j", async (text, about, hint) => {
    expect(await hintOf(threads, asking(text, about), to())).toMatch(hint);
  });
});
