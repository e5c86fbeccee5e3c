import { describe, expect, it } from "vitest";

import { context } from "../../../src/slack/text/blocks.ts";
import type { Message, Reply } from "../../../src/slack/text/message.ts";
import { statesOf } from "../../../src/slack/answer/answer.ts";
import { type FakeClock, createClock } from "../../support/clock.ts";

const explain = (error: unknown, last?: Message): Message => ({
  text: `${last ? `${last.text} + ` : ""}${error instanceof Error ? error.message : String(error)}`,
});

function setUp({ working = "Searching…" } = {}) {
  const clock = createClock();
  const ending = new AbortController();
  const statesFrom = (run: () => Reply | Promise<Reply>) =>
    statesOf(run, { explain, working: () => working, signal: ending.signal, timer: clock });
  return { clock, ending, statesFrom };
}

async function textsOf(states: AsyncIterable<Message>): Promise<string[]> {
  const texts: string[] = [];
  for await (const { text } of states) texts.push(text);
  return texts;
}

/** A reply that grows, or fails, after a while; its second state comes a second later. */
async function* slowly(clock: FakeClock, ms: number, error?: Error): AsyncGenerator<Message> {
  await clock.sleep(ms);
  if (error) throw error;
  yield { text: "a" };
  await clock.sleep(1_000);
  yield { text: "ab" };
}

async function* replies(...messages: (Message | Error)[]): AsyncGenerator<Message> {
  for (const message of messages) {
    if (message instanceof Error) throw message;
    yield message;
  }
}

describe("the states of a reply", () => {
  it("are one private state where it is finished", async () => {
    const { clock, statesFrom } = setUp();
    const states = statesFrom(async () => ({ text: "done" }));
    expect(await clock.until(states.next())).toEqual({ done: false, value: { text: "done", private: true } });
    expect(await clock.until(states.next())).toMatchObject({ done: true });
  });

  it("are those of a reply that grows", async () => {
    const { statesFrom } = setUp();
    expect(await textsOf(statesFrom(() => replies({ text: "a" }, { text: "ab" })))).toEqual(["a", "ab"]);
  });

  it.each<[string, () => Reply | Promise<Reply>, string[]]>([
    ["throws", () => Promise.reject(new Error("no")), ["no"]],
    [
      "throws at once",
      () => {
        throw new Error("no");
      },
      ["no"],
    ],
    ["throws while it grows", () => replies({ text: "a" }, new Error("cut")), ["a", "a + cut"]],
    ["throws while it works", () => replies({ text: "…", progress: true }, new Error("cut")), ["…", "cut"]],
    ["never says anything", () => replies(), ["the answer ended before it began"]],
    ["only works", () => replies({ text: "…", progress: true }), ["…", "the answer ended before it began"]],
  ])("end with an explanation where it %s", async (_, run, expected) => {
    const { statesFrom } = setUp();
    expect(await textsOf(statesFrom(run))).toEqual(expected);
  });

  it("end with the reason where they are told to end, also where the source takes no notice", async () => {
    const { clock, ending, statesFrom } = setUp();
    let isReturned = false;
    const deaf: Reply = {
      [Symbol.asyncIterator]() {
        let count = 0;
        return {
          next: () => (count++ === 0 ? Promise.resolve({ value: { text: "a" }, done: false }) : new Promise(() => {})),
          return: async () => {
            isReturned = true;
            return { value: undefined, done: true };
          },
        };
      },
    };
    const texts = textsOf(statesFrom(() => deaf));
    await clock.advance(5_000);
    ending.abort(new Error("restarting"));
    expect(await clock.until(texts)).toEqual(["a", "a + restarting"]);
    expect(isReturned).toBe(true);
    expect(clock.pending()).toBe(0);
  });

  it("leave a source that is told to end the time for an end of its own", async () => {
    const { clock, ending, statesFrom } = setUp();
    const log: string[] = [];
    async function* source(): AsyncGenerator<Message> {
      try {
        yield { text: "a" };
        await new Promise((_, reject) => ending.signal.addEventListener("abort", () => reject(new Error("mine"))));
      } finally {
        await clock.sleep(300);
        log.push("saved");
      }
    }
    const texts = textsOf(statesFrom(source));
    await clock.advance(1);
    ending.abort(new Error("restarting"));
    const shown = await clock.until(texts);
    expect(shown).toEqual(["a", "a + mine"]);
    expect(log).toEqual(["saved"]);
  });

  it("end at once where the end was before the beginning", async () => {
    const { ending, statesFrom } = setUp();
    ending.abort(new Error("restarting"));
    let isAsked = false;
    const run = () => {
      isAsked = true;
      return { text: "a" };
    };
    expect(await textsOf(statesFrom(run))).toEqual(["restarting"]);
    expect(isAsked).toBe(false);
  });

  it("do not go on for ever with a source that goes on for ever", async () => {
    const { clock, ending, statesFrom } = setUp();
    async function* endless(): AsyncGenerator<Message> {
      for (let count = 0; ; count++) {
        yield { text: String(count) };
        await clock.sleep(100);
      }
    }
    const texts = textsOf(statesFrom(endless));
    await clock.advance(250);
    ending.abort(new Error("restarting"));
    expect((await clock.until(texts)).at(-1)).toMatch(/^\d \+ restarting$/);
  });
});

describe("patience", () => {
  it("says what is going on after a moment, to the asker alone while nobody knows whether the reply grows", async () => {
    const { clock, statesFrom } = setUp();
    const states = statesFrom(async () => {
      await clock.sleep(2_000);
      return { text: "done" };
    });
    const first = states.next();
    await clock.advance(699);
    const start = clock.now();
    const { value } = await clock.until(first);
    expect(value).toEqual({ text: "Searching…", blocks: [context("Searching…")], progress: true, private: true });
    expect(clock.now() - start).toBe(1);
    expect(await clock.until(textsOf(states))).toEqual(["done"]);
    expect(clock.pending()).toBe(0);
  });

  it("says it to everybody where the reply grows", async () => {
    const { clock, statesFrom } = setUp();
    const states = statesFrom(() => slowly(clock, 2_000));
    const { value } = await clock.until(states.next());
    expect(value).toEqual({ text: "Searching…", blocks: [context("Searching…")], progress: true });
    expect(await clock.until(textsOf(states))).toEqual(["a", "ab"]);
  });

  it("is no part of what an explanation goes below", async () => {
    const { clock, statesFrom } = setUp();
    const texts = textsOf(statesFrom(() => slowly(clock, 2_000, new Error("down"))));
    expect(await clock.until(texts)).toEqual(["Searching…", "down"]);
  });

  it("says nothing where the answer is quick, nor between its states, and leaves no timer", async () => {
    const { clock, statesFrom } = setUp();
    const finished = statesFrom(async () => {
      await clock.sleep(600);
      return { text: "done" };
    });
    expect(await clock.until(textsOf(finished))).toEqual(["done"]);
    expect(await clock.until(textsOf(statesFrom(() => slowly(clock, 600))))).toEqual(["a", "ab"]);
    expect(clock.pending()).toBe(0);
  });

  it("shows no empty sign of work", async () => {
    const { clock, statesFrom } = setUp({ working: "" });
    expect(await clock.until(textsOf(statesFrom(() => slowly(clock, 2_000))))).toEqual(["a", "ab"]);
  });

  it("ends its source where nobody waits any more", async () => {
    const { clock, statesFrom } = setUp();
    let isEnded = false;
    async function* slow(): AsyncGenerator<Message> {
      try {
        await clock.sleep(2_000);
        yield { text: "done" };
      } finally {
        isEnded = true;
      }
    }
    const states = statesFrom(slow);
    await clock.until(states.next());
    await states.return(undefined);
    await clock.advance(3_000);
    expect(isEnded).toBe(true);
  });
});
