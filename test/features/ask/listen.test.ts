import { describe, expect, it } from "vitest";

import { Unavailable } from "../../../src/apis/errors.ts";
import type { GenerateEvent, GenerateRequest } from "../../../src/apis/intelligence/generate.ts";
import { isReadable, listened } from "../../../src/apis/listen.ts";
import { ask } from "../../../src/features/ask/commands.ts";
import type { Conversation } from "../../../src/features/ask/conversation.ts";
import type { Message } from "../../../src/features/feature.ts";
import { Stopped } from "../../../src/slack/incoming/request.ts";
import { asking, buttonsOf, memory, services, statesOf, wordsOf } from "../../support/builders.ts";
import { createClock, settled } from "../../support/clock.ts";

type Event = GenerateEvent | Error;
const says = (text: string): GenerateEvent => ({ type: "text", text });

/** A source that gives each event after its time, and ends only when it is told to. */
async function* slowly(clock: ReturnType<typeof createClock>, ...events: [ms: number, event: Event][]) {
  for (const [ms, event] of events) {
    await clock.sleep(ms);
    if (event instanceof Error) throw event;
    yield event;
  }
}

async function* hanging(): AsyncGenerator<never> {
  await new Promise(() => undefined);
  yield* [];
}

const tooLong = () => new Error("too long");
const afterOn =
  (clock: ReturnType<typeof createClock>) =>
  (ms: number, call: () => void): (() => void) =>
    clock.after(ms, call);

describe("listening", () => {
  function hear(events: (clock: ReturnType<typeof createClock>) => AsyncIterable<Event>) {
    const clock = createClock();
    const began = clock.now();
    const ending = new AbortController();
    const heard: [ms: number, what: string][] = [];
    const work = (async () => {
      try {
        for await (const event of listened(() => events(clock), {
          after: afterOn(clock),
          signal: ending.signal,
          tooLong,
          isLife: (one) => one instanceof Error || one.type !== "text" || isReadable(one.text),
        })) {
          heard.push([clock.now() - began, event instanceof Error || event.type !== "text" ? "silence" : event.text]);
        }
        heard.push([clock.now() - began, "end"]);
      } catch (error) {
        heard.push([clock.now() - began, String(error)]);
      }
    })();
    return { clock, work, heard, ending };
  }

  it("tells of a second without a beginning, and of ten at any time", async () => {
    const { clock, work, heard } = hear((its) =>
      slowly(its, [1_500, says("a")], [5_000, says("b")], [12_000, says("c")]),
    );
    await clock.until(work);
    expect(heard).toEqual([
      [1_000, "silence"],
      [1_500, "a"],
      [6_500, "b"],
      [16_500, "silence"],
      [18_500, "c"],
      [18_500, "end"],
    ]);
    expect(clock.pending()).toBe(0);
  });

  it("takes what has nothing to read in it for silence, and passes it on", async () => {
    const blanks = Array.from({ length: 30 }, (): [number, Event] => [4_000, says("\u200b\n")]);
    const { clock, work, heard } = hear((its) => slowly(its, [500, says("a")], ...blanks));
    await clock.until(work);
    expect(heard.filter(([, what]) => what !== "\u200b\n")).toEqual([
      [500, "a"],
      [10_500, "silence"],
      [90_500, "Error: too long"],
    ]);
    expect(heard.length).toBeGreaterThan(20);
    expect(clock.pending()).toBe(1);
  });

  it("gives up after ninety seconds, also where the source takes no notice", async () => {
    const { clock, work, heard } = hear(hanging);
    await clock.until(work);
    expect(heard).toEqual([
      [1_000, "silence"],
      [10_000, "silence"],
      [90_000, "Error: too long"],
    ]);
    expect(clock.pending()).toBe(0);
  });

  it("ends at once when it is told to, with the reason, also where the source takes no notice", async () => {
    const { clock, work, heard, ending } = hear(hanging);
    await clock.advance(500);
    ending.abort(new Stopped("enough"));
    await work;
    expect(heard).toEqual([[500, "Stopped: enough"]]);
    expect(clock.pending()).toBe(0);
  });

  it("passes on what the source fails with", async () => {
    const { clock, work, heard } = hear((its) => slowly(its, [10, says("a")], [10, new Error("cut")]));
    await clock.until(work);
    expect(heard).toEqual([
      [10, "a"],
      [20, "Error: cut"],
    ]);
  });

  it("tells the source when nobody listens any more", async () => {
    let isOver = false;
    let told: AbortSignal | undefined;
    async function* source() {
      try {
        yield says("a");
        yield says("b");
      } finally {
        isOver = true;
      }
    }
    const clock = createClock();
    const open = (signal: AbortSignal) => {
      told = signal;
      return source();
    };
    for await (const _ of listened(open, { after: afterOn(clock), signal: new AbortController().signal, tooLong })) {
      expect(told?.aborted).toBe(false);
      break;
    }
    await settled();
    expect(isOver).toBe(true);
    expect(told?.aborted).toBe(true);
  });
});

/** An answer on a clock, as its reader sees it. */
function answering(events: (clock: ReturnType<typeof createClock>) => AsyncIterable<GenerateEvent>) {
  const clock = createClock();
  const conversations = memory<Conversation>();
  const ending = new AbortController();
  const sent: GenerateRequest[] = [];
  const generate = (request: GenerateRequest) => {
    sent.push(request);
    return events(clock);
  };
  const to = services({ conversations, after: afterOn(clock), intelligence: { generate } });
  const request = asking("Why?", { surface: "mention", thread: "50.1", signal: ending.signal });
  const work = statesOf(ask.run(request, to));
  return { clock, conversations, ending, sent, work };
}

const last = ({ states }: { states: Message[] }) => states.at(-1) ?? { text: "" };

describe("an upstream that says nothing", () => {
  it("is told of after ten seconds, with a way to stop, and given up after ninety", async () => {
    const { clock, sent, work } = answering(hanging);
    const { states, error } = await clock.until(work);
    expect(states.map(wordsOf)).toEqual([
      "Thinking…\nStop",
      ":hourglass_flowing_sand: Still waiting for the news service…\nStop",
    ]);
    expect(states.map(({ progress }) => progress)).toEqual([true, true]);
    expect(states[1]?.text).toBe("Still waiting for the news service…");
    expect(error).toBeInstanceOf(Unavailable);
    expect(error).toMatchObject({ reason: "timeout" });
    expect(sent[0]?.signal?.aborted).toBe(true);
  });

  it("in the middle leaves what is written, which the thread remembers", async () => {
    const { clock, conversations, work } = answering(async function* (its) {
      yield* slowly(its, [10, says("Half an ")]) as AsyncGenerator<GenerateEvent>;
      yield* hanging();
    });
    const { states, error } = await clock.until(work);
    expect(states.map(wordsOf)).toEqual([
      "Half an \nStop",
      "Half an \n:hourglass_flowing_sand: Still waiting for the news service…\nStop",
      "Half an ",
    ]);
    expect(error).toMatchObject({ reason: "timeout" });
    expect(JSON.stringify(await conversations.get("T1 C1 50.1"))).toContain("Half an ");
  });
});

describe("an answer that is stopped", () => {
  it("ends at once with what is written, closed, and the upstream request is called off", async () => {
    const { clock, conversations, ending, sent, work } = answering(async function* (its) {
      yield* slowly(its, [10, says("Half **an")]) as AsyncGenerator<GenerateEvent>;
      yield* hanging();
    });
    await clock.advance(20);
    ending.abort(new Stopped("enough"));
    const answer = await work;
    expect(answer.error).toBeInstanceOf(Stopped);
    expect(wordsOf(last(answer))).toBe("Half **an**");
    expect(buttonsOf(last(answer))).toEqual({});
    expect(sent[0]?.signal?.aborted).toBe(true);
    expect(JSON.stringify(await conversations.get("T1 C1 50.1"))).toContain("Half **an");
    expect(clock.pending()).toBe(0);
  });

  it.each([
    ["Gold rose (", "Gold rose"],
    ["Gold rose 3% ([Reuters](https://a.exa", "Gold rose 3%"],
    ["Gold **rose (", "Gold **rose**"],
    ["Gold rose **(", "Gold rose"],
    ["Gold rose “", "Gold rose"],
    ["Gold rose [", "Gold rose"],
    ["Gold rose.\n\n- (", "Gold rose."],
    ["Gold rose (again) [1]", "Gold rose (again) [1]"],
    ["Es hieß „Gold“", "Es hieß „Gold“"],
    ["Gold `f(", "Gold `f(`"],
    ["```\nf(", "```\nf(\n```"],
  ])("ends without what it had only begun: %j", async (written, kept) => {
    const { clock, ending, work } = answering(async function* (its) {
      yield* slowly(its, [10, says(written)]) as AsyncGenerator<GenerateEvent>;
      yield* hanging();
    });
    await clock.advance(20);
    ending.abort(new Stopped("enough"));
    expect(wordsOf(last(await work)).trimEnd()).toBe(kept);
  });

  it("before its first word leaves the question alone to remember", async () => {
    const { clock, conversations, ending, work } = answering(hanging);
    await clock.advance(20);
    ending.abort(new Stopped("enough"));
    expect(await work).toMatchObject({ states: [], error: expect.any(Stopped) });
    expect((await conversations.get("T1 C1 50.1"))?.turns).toMatchObject([
      { messages: [{ role: "user", content: { text: "Why?" } }], unanswered: expect.any(String) },
    ]);
  });
});

describe("a state that grows", () => {
  it("is made only where it is read", async () => {
    const { clock, work } = answering(async function* () {
      for (let word = 0; word < 1_000; word++) yield says(`word${word} `);
    });
    const { states } = await clock.until(work);
    expect(states).toHaveLength(1_001);
    const growing = states.slice(0, -1).map((state) => Object.getOwnPropertyDescriptor(state, "text"));
    expect(growing.every((text) => text?.get !== undefined)).toBe(true);
    expect(states[499]?.text).toMatch(/word499$/);
  });
});
