import { describe, expect, it } from "vitest";

import type { Conversation } from "../../../src/features/ask/conversation.ts";
import { askedIn, createMemory } from "../../../src/features/ask/memory.ts";
import { asking, inThread, memory } from "../../support/builders.ts";
import { settled } from "../../support/clock.ts";

describe("what is known of a thread", () => {
  const turn = (text: string) => ({ messages: [{ role: "user" as const, content: { type: "text" as const, text } }] });

  it("loses no turn, however many are added at once", async () => {
    const records = memory<Conversation>();
    const slow = {
      ...records,
      get: async (key: string) => {
        const value = await records.get(key);
        await settled();
        return value;
      },
    };
    const kept = createMemory(slow, { error: () => undefined });
    const request = asking("x", inThread);
    const texts = Array.from({ length: 15 }, (_, index) => `${index}`);
    await Promise.all(texts.map((text) => kept.remember(request, { turn: turn(text) })));
    expect((await records.get("T1 C1 50.1"))?.turns).toEqual(texts.map(turn));
  });

  it("goes on being kept after the store has failed once, and the operator is told", async () => {
    const records = memory<Conversation>();
    const told: string[] = [];
    let failures = 1;
    const shaky = {
      ...records,
      set: async (key: string, value: Conversation) => {
        if (failures-- > 0) throw new Error("disk full");
        await records.set(key, value);
      },
    };
    const kept = createMemory(shaky, { error: (event) => told.push(event) });
    const thread = { team: "T1", channel: "C1", thread: "50.1" };
    const add = (text: string) => kept.change(thread, ({ turns }) => ({ turns: [...turns, turn(text)] }));
    expect(await Promise.all([add("lost"), add("kept")])).toEqual([false, true]);
    expect((await kept.recall(thread)).turns).toEqual([turn("kept")]);
    expect(told).toEqual(["conversation.save.failed"]);
    expect(await kept.change(undefined, (latest) => latest)).toBe(false);
  });

  it("goes on with a question outside the threads of a direct message, in a thread of its own", async () => {
    const records = memory<Conversation>();
    const kept = createMemory(records, { error: () => undefined });
    const asked = (thread: string, isThreadNew = true) =>
      asking("x", {
        surface: "direct",
        channel: "D1",
        thread,
        isThreadNew,
        posted: Promise.resolve({ channel: "D1", ts: `${thread}9` }),
      });
    const texts = async (thread: string, isThreadNew = true) =>
      (await kept.recall(askedIn(asked(thread, isThreadNew)))).turns.map(
        ({ messages }) => JSON.stringify(messages).match(/"text":"(\w+)"/)?.[1],
      );
    await kept.remember(asked("1.1"), { turn: turn("oil") });
    expect(await texts("2.1")).toEqual(["oil"]);
    await kept.begin(asked("2.1"), { question: { text: "gas" } });
    await kept.remember(asked("2.1"), { turn: turn("gas") });
    // A reply in a thread is the latest of the conversation, too.
    await kept.remember(asked("1.1", false), { turn: turn("tin") });
    expect(await texts("1.1", false)).toEqual(["oil", "tin"]);
    expect(await texts("2.1", false)).toEqual(["oil", "gas"]);
    expect(await texts("3.1")).toEqual(["oil", "tin"]);
    expect(await texts("3.1", false)).toEqual([]);
    await kept.startOver({ team: "T1", channel: "D1" });
    expect(await texts("4.1")).toEqual([]);
  });

  it("ends in a direct message half an hour after the last answer", async () => {
    const lives = new Map<string, number | undefined>();
    const records = memory<Conversation>();
    const watched: typeof records = {
      ...records,
      async set(key, value, options) {
        lives.set(key, options?.ttlMs);
        await records.set(key, value);
      },
    };
    const kept = createMemory(watched, { error: () => undefined });
    const posted = Promise.resolve({ channel: "D1", ts: "100.1" });
    const request = asking("x", { surface: "direct", channel: "D1", posted });
    await kept.remember(request, { turn: turn("oil") });
    await kept.remember(asking("x", inThread), { turn: turn("gas") });
    expect([...lives.values()]).toEqual([30 * 60_000, undefined, undefined]);
    expect((await kept.recall(askedIn(request))).turns).toEqual([turn("oil")]);
  });
});
