import { describe, expect, it } from "vitest";

import type { Conversation } from "../../src/features/chat/conversation.ts";
import { createMemories } from "../../src/features/chat/memory.ts";
import { asking, memory } from "../support/builders.ts";

function setUp(conversations = memory<Conversation>()) {
  const lines: string[] = [];
  const memories = createMemories(conversations, { error: (event) => void lines.push(event) });
  const thread = (root: string) => ({ team: "T1", channel: "C1", thread: root });
  const wordsIn = async (root: string) => JSON.stringify((await memories.recall(thread(root))).turns);
  return { conversations, memories, lines, thread, wordsIn };
}

const turn = (text: string) => ({ messages: [{ role: "user" as const, content: { type: "text" as const, text } }] });

describe("a thread that begins with another message", () => {
  it("is known there, also what was asked before and is answered after", async () => {
    const { conversations, memories, thread, wordsIn } = setUp();
    const ask = asking("why?");
    await memories.begin(ask, { question: { text: "why?" } });
    await memories.move(thread("100.1"), "200.1");
    await memories.remember(ask, { turn: turn("Answer") });
    await memories.move(thread("200.1"), "300.1");
    await memories.change(thread("100.1"), (latest) => ({ ...latest, turns: [...latest.turns, turn("More")] }));
    expect(JSON.parse(await wordsIn("300.1"))).toEqual([turn("Answer"), turn("More")]);
    const kept = await Promise.all(["100.1", "200.1"].map((root) => conversations.get(`T1 C1 ${root}`)));
    expect(kept).toEqual([undefined, undefined]);
  });

  it("joins what was said there meanwhile", async () => {
    const { memories, thread, wordsIn } = setUp();
    await memories.remember(asking("", { thread: "100.1" }), { turn: turn("One") });
    await memories.remember(asking("", { thread: "200.1" }), { turn: turn("Two") });
    await Promise.all([1, 2].map(() => memories.move(thread("100.1"), "200.1")));
    expect(JSON.parse(await wordsIn("200.1"))).toEqual([turn("One"), turn("Two")]);
  });

  it("is not the reader's worry where the store fails", async () => {
    const down = () => Promise.reject(new Error("disk full"));
    const { memories, lines, thread } = setUp({ ...memory<Conversation>(), get: down });
    await memories.move(thread("100.1"), "200.1");
    expect(lines).toEqual(["conversation.unsaved"]);
  });
});
