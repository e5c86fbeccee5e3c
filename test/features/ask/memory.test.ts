import { describe, expect, it } from "vitest";

import type { GenerateEvent, GenerateRequest } from "../../../src/apis/intelligence/generate.ts";
import { ask } from "../../../src/features/ask/commands.ts";
import type { Conversation } from "../../../src/features/ask/conversation.ts";
import { createQuestionQueue } from "../../../src/features/ask/queue.ts";
import { conversationMigrations, conversationSchema, createMemory } from "../../../src/features/ask/memory.ts";
import type { Message } from "../../../src/features/feature.ts";
import { Stopped } from "../../../src/slack/incoming/request.ts";
import { asking, memory, now, services, wordsOf } from "../../support/builders.ts";
import { settled } from "../../support/clock.ts";

const inThread = { surface: "mention", thread: "50.1" } as const;

/** A bot whose answers end when the test says so. */
function gated(limits = { answersAtOnce: 20, questionsPerMinute: 20 }) {
  const ends: PromiseWithResolvers<void>[] = [];
  const sent: GenerateRequest[] = [];
  const conversations = memory<Conversation>();
  async function* generate(request: GenerateRequest): AsyncGenerator<GenerateEvent> {
    const end = Promise.withResolvers<void>();
    ends.push(end);
    sent.push(request);
    await end.promise;
    yield { type: "text", text: `Answer ${ends.indexOf(end)}` };
  }
  const to = services({ conversations, queue: createQuestionQueue(limits, () => now), intelligence: { generate } });
  async function start(text: string, about: Parameters<typeof asking>[1] = {}) {
    return (await ask.run(asking(text, { ...inThread, ...about }), to)) as AsyncGenerator<Message>;
  }
  function says(...asked: Parameters<typeof start>) {
    const states: Message[] = [];
    const work = (async () => {
      for await (const state of await start(...asked)) states.push(state);
    })();
    work.catch(() => undefined);
    return { states, work };
  }
  return { ends, sent, conversations, start, says };
}

describe("two questions at once", () => {
  it("in one thread are answered in order, the second with the first one's answer before it", async () => {
    const { ends, sent, says, conversations } = gated();
    const [first, second] = [says("One?"), says("Two?", { user: "U2" })];
    await settled();
    expect(ends).toHaveLength(1);
    expect(second.states.map(({ text, progress }) => [text, progress])).toEqual([
      [expect.stringContaining("in the queue"), true],
    ]);
    expect(wordsOf(second.states[0] ?? { text: "" })).toMatch(/<@U2>.*Stop$/s);
    ends[0]?.resolve();
    await first.work;
    await settled();
    expect(sent[1]?.messages.map(({ content }) => ("text" in content ? content.text : ""))).toEqual([
      "One?",
      "Answer 0",
      "Two?",
    ]);
    ends[1]?.resolve();
    await second.work;
    expect((await conversations.get("T1 C1 50.1"))?.turns).toHaveLength(2);
  });

  it("where the first began the thread are answered in order as well", async () => {
    const { ends, sent, says } = gated();
    const posted = Promise.withResolvers<{ channel: string; ts: string }>();
    const first = says("One?", { surface: "slash", thread: undefined, posted: posted.promise });
    await settled();
    posted.resolve({ channel: "C1", ts: "50.1" });
    await settled();
    const second = says("Two?", { user: "U2" });
    await settled();
    expect(ends).toHaveLength(1);
    expect(second.states.map(({ text }) => text)).toEqual([expect.stringContaining("in the queue")]);
    ends[0]?.resolve();
    await first.work;
    await settled();
    expect(sent[1]?.messages).toHaveLength(3);
    ends[1]?.resolve();
    await second.work;
  });

  it("in two threads do not wait for each other", async () => {
    const { ends, says } = gated();
    const both = [says("One?"), says("Two?", { thread: "51.1" })];
    await settled();
    expect(ends).toHaveLength(2);
    for (const end of ends) end.resolve();
    await Promise.all(both.map(({ work }) => work));
  });

  it("let the second go on where the first fails, is stopped or is left", async () => {
    const { ends, says } = gated();
    const ending = new AbortController();
    const first = says("One?", { signal: ending.signal });
    const second = says("Two?");
    await settled();
    ending.abort(new Stopped("enough"));
    await expect(first.work).rejects.toThrow("enough");
    await settled();
    expect(ends).toHaveLength(2);
    ends[1]?.reject(new Error("down"));
    await expect(second.work).rejects.toThrow("down");
    const third = says("Three?");
    await settled();
    ends[2]?.resolve();
    await third.work;
  });

  it("leave no place taken by one that nobody reads to its end", async () => {
    const { ends, start, says } = gated({ answersAtOnce: 1, questionsPerMinute: 20 });
    const first = says("One?");
    await settled();
    const left = await start("Two?", { thread: "51.1" });
    expect((await left.next()).value).toMatchObject({ progress: true });
    await left.return(undefined);
    ends[0]?.resolve();
    await first.work;
    const last = says("Three?");
    await settled();
    ends[1]?.resolve();
    await last.work;
    expect(ends).toHaveLength(2);
  });
});

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
    expect(told).toEqual(["conversation.unsaved"]);
    expect(await kept.change(undefined, (latest) => latest)).toBe(false);
  });

  it("is read as it was written by an earlier version", () => {
    const said = (text: string) => ({ role: "user" as const, content: { type: "text", text } });
    const list = (title: string) => ({ title, count: 1, messages: [said(title)] });
    const before = {
      turns: [{ messages: [said("why?")], open: "stop-1", heardTo: "50.2" }],
      standing: { ...list("newer"), key: "k", earlier: [list("older")] },
      frame: { isOnly: true },
    };
    const [migrate] = conversationMigrations;
    expect(conversationSchema.parse(migrate?.(before))).toEqual({
      turns: [{ messages: [said("why?")], unanswered: "stop-1", readUpTo: "50.2" }],
      articles: [list("older"), { ...list("newer"), key: "k" }],
      scope: { isOnly: true },
    });
  });
});
