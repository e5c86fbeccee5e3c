import { describe, expect, it } from "vitest";

import { answersUnasked, threads } from "../../../src/features/ask/threads.ts";
import { answerOf, buttonsOf, hintOf, wordsOf } from "../../support/answers.ts";
import { asking, followingIn, memory, now, services } from "../../support/builders.ts";

const own = { isOwn: true };
const others = { isOwn: false };
const chosen = (choice: "on" | "off") => ({ choice, by: "U1", at: now });

describe("whether the bot answers without a mention", () => {
  it.each([
    ["a thread that a question to it began", own, undefined, true],
    ["a thread that it was called into", others, undefined, false],
    ["a thread below an answer of its own", undefined, undefined, true],
    ["any thread, where the channel chose so", others, chosen("on"), true],
    ["no thread, where the channel chose so", own, chosen("off"), false],
  ])("in %s", (_, mark, setting, expected) => {
    expect(answersUnasked(mark, setting)).toBe(expected);
  });
});

const thread = { team: "T1", channel: "C1", thread: "3.5", isAnswering: false };

describe("a thread", () => {
  it("is ours where a question began it and the bot has answered", async () => {
    const following = followingIn();
    await following.enter(thread, true);
    expect(await following.isOurs(thread)).toBe(true);
    expect(await followingIn({ hasConversation: async () => false }).isOurs(thread)).toBe(false);
  });

  it("is ours while the first answer is under way, unless people began it", async () => {
    const following = followingIn({ hasConversation: async () => false });
    await following.enter(thread, true);
    expect(await following.isOurs({ ...thread, isAnswering: true })).toBe(true);
    const other = { ...thread, thread: "4.5" };
    await following.enter(other, false);
    expect(await following.isOurs({ ...other, isAnswering: true })).toBe(false);
  });

  it("that the bot is called into stays with those who began it, however often they call it", async () => {
    let hasAnswered = false;
    const following = followingIn({ hasConversation: async () => hasAnswered });
    await following.enter(thread, false);
    hasAnswered = true;
    await following.enter(thread, false);
    expect(await following.isOurs(thread)).toBe(false);
    expect(await following.isOurs({ ...thread, thread: "4.5" })).toBe(true);
  });

  it("is not ours where the store is out of order, and what is asked goes on", async () => {
    const lines: string[] = [];
    const down = () => Promise.reject(new Error("disk full"));
    const following = followingIn({
      marks: { ...memory(), get: down },
      log: { warn: (event, fields) => void lines.push(`${event} ${JSON.stringify(fields)}`) },
    });
    await following.enter(thread, true);
    expect(await following.isOurs(thread)).toBe(false);
    expect(lines).toEqual([expect.stringContaining("disk full"), expect.stringContaining("disk full")]);
  });
});

describe("threads", () => {
  it("says what is in force, and offers what is not", async () => {
    const message = await answerOf(threads, asking(""), services());
    expect(message.text).toContain("threads that started with a question to me");
    expect(buttonsOf(message)).toEqual({ "In all my threads": "threads on", "When mentioned": "threads off" });
  });

  it.each([
    ["on", /every thread I’ve answered in/, true],
    ["OFF ", /only when I’m mentioned/, false],
  ])("%s is chosen for a channel, by somebody", async (text, words, isOurs) => {
    const following = followingIn();
    const to = services({ following });
    const message = await answerOf(threads, asking(text, { user: "U7" }), to);
    expect(message.text).toMatch(words);
    expect(wordsOf(message)).toContain("<@U7> chose so");
    expect(await following.isOurs(thread)).toBe(isOurs);
    expect(await following.isOurs({ ...thread, channel: "C2" })).toBe(true);
    const again = await answerOf(threads, asking("", { user: "U8" }), to);
    expect(again.text).toBe(message.text);
  });

  it.each([
    ["off here", {}, /Type `threads on`/],
    ["sometimes", {}, /Type `threads on`/],
    ["off", { channel: "D1" }, /You needn’t mention me/],
    ["off", { channel: "U1" }, /You needn’t mention me/],
  ])("%s is explained with %j", async (text, about, hint) => {
    expect(await hintOf(threads, asking(text, about))).toMatch(hint);
  });
});
