import { describe, expect, it } from "vitest";

import { UsageError } from "../../../src/apis/errors.ts";
import { type QueueLimits, createQuestionQueue } from "../../../src/features/ask/queue.ts";
import type { Message } from "../../../src/features/feature.ts";
import { Stopped } from "../../../src/slack/incoming/request.ts";
import { wordsOf } from "../../support/answers.ts";
import { asking } from "../../support/builders.ts";
import { createClock, settled } from "../../support/clock.ts";
import * as fc from "../../support/property.ts";

/** What became of a question so far. */
interface Visit {
  user: string;
  thread: string | undefined;
  /** What was shown while it waited. */
  shown: Message[];
  isServed: boolean;
  isApart: boolean | undefined;
  isOver: boolean;
  error?: unknown;
  /** Ends its answer. */
  end: () => Promise<void>;
  stop: (reason?: Error) => Promise<void>;
}

/** A queue with a clock that a test moves. */
function setUp(limits: Partial<QueueLimits> = {}) {
  const clock = createClock();
  const queue = createQuestionQueue({ answersAtOnce: 1, questionsPerMinute: 1_000, ...limits }, clock);
  const order: Visit[] = [];

  async function ask(user: string, about: Parameters<typeof asking>[1] = {}): Promise<Visit> {
    const ending = new AbortController();
    const ended = Promise.withResolvers<void>();
    const visit: Visit = {
      user,
      thread: about.thread,
      shown: [],
      isServed: false,
      isApart: undefined,
      isOver: false,
      end: async () => {
        visit.isOver = true;
        ended.resolve();
        await settled();
      },
      stop: async (reason = new Stopped()) => {
        visit.isOver ||= !visit.isServed;
        ending.abort(reason);
        await settled();
      },
    };
    const question = asking("why?", { user, signal: ending.signal, ...about });
    const states = queue.answer(question, async function* (isApart): AsyncGenerator<Message> {
      Object.assign(visit, { isServed: true, isApart });
      order.push(visit);
      await ended.promise;
      yield { text: "answer" };
    });
    void (async () => {
      try {
        for await (const state of states) if (!visit.isServed) visit.shown.push(state);
      } catch (error) {
        visit.error = error;
      }
    })();
    await settled();
    return visit;
  }
  return { clock, queue, ask, order };
}

const hintOf = ({ error }: Visit) => (error instanceof UsageError ? error.message : `no hint: ${String(error)}`);

describe("a question", () => {
  it("says once that it waits if there is no room, with a way to stop, and is answered in the end", async () => {
    const { ask } = setUp();
    const [first, second, third] = [await ask("U1"), await ask("U2"), await ask("U3")];
    expect(second.shown).toMatchObject([{ text: expect.stringMatching(/in the queue/), progress: true }]);
    expect(wordsOf(second.shown[0] ?? { text: "" })).toMatch(/<@U2>.*Stop$/s);
    await first.end();
    expect([second.isServed, third.isServed]).toEqual([true, false]);
    await second.end();
    expect(third.isServed).toBe(true);
    expect(third.shown).toHaveLength(1);
  });
});

describe("the questions of one thread", () => {
  const thread = "100.1";

  it("are answered one after the other, in order, though there is room", async () => {
    const { ask } = setUp({ answersAtOnce: 5 });
    const first = await ask("U1", { thread });
    const second = await ask("U2", { thread });
    const third = await ask("U1", { thread });
    const elsewhere = await ask("U3", { thread: "200.2" });
    expect([second, third].map(({ shown }) => shown.length)).toEqual([1, 1]);
    expect(elsewhere).toMatchObject({ shown: [], isServed: true });
    await first.end();
    expect([second.isServed, second.isApart, third.isServed]).toEqual([true, true, false]);
    await second.end();
    expect(third.isServed).toBe(true);
    await third.end();
    expect(await ask("U1", { thread })).toMatchObject({ isServed: true, isApart: false });
  });

  it("wait for the answer that starts their thread, too", async () => {
    const { ask } = setUp({ answersAtOnce: 5 });
    const posted = Promise.withResolvers<{ channel: string; ts: string }>();
    const first = await ask("U1", { thread: undefined, posted: posted.promise });
    posted.resolve({ channel: "C1", ts: thread });
    await settled();
    const second = await ask("U2", { thread });
    expect(second.isServed).toBe(false);
    await first.end();
    expect(second.isServed).toBe(true);
  });

  it("wait for each other outside the threads of a direct message, as do replies in the thread that one of them began", async () => {
    const { ask } = setUp({ answersAtOnce: 5 });
    const direct = { surface: "direct", channel: "D1", isThreadNew: true } as const;
    const first = await ask("U1", { ...direct, thread: "1.1" });
    const next = await ask("U1", { ...direct, thread: "2.1" });
    const reply = await ask("U1", { ...direct, thread: "1.1", isThreadNew: false });
    expect([first, next, reply].map(({ isServed }) => isServed)).toEqual([true, false, false]);
    await first.end();
    expect([next, reply].map(({ isServed, isApart }) => [isServed, isApart])).toEqual([
      [true, false],
      [true, true],
    ]);
    await Promise.all([next.end(), reply.end()]);
  });

  it("say that they wait only below the answer that they wait for, or not at all", async () => {
    const { ask } = setUp({ answersAtOnce: 9 });
    const posted = Promise.withResolvers<{ channel: string; ts: string }>();
    const first = await ask("U1", { thread, posted: posted.promise });
    const second = await ask("U2", { thread, posted: new Promise(() => {}) });
    const third = await ask("U3", { thread });
    expect([second.shown, third.shown]).toEqual([[], []]);
    posted.resolve({ channel: "C1", ts: "100.2" });
    await settled();
    expect([second.shown.length, third.shown.length]).toEqual([1, 0]);
    await first.end();
    await second.end();
    expect(third).toMatchObject({ isServed: true, shown: [] });
  });
});

describe("a question that is stopped", () => {
  it("leaves the queue at once, with the reason that it was given", async () => {
    const { ask } = setUp();
    const first = await ask("U1");
    const stopped = await ask("U2");
    const last = await ask("U3");
    const reason = new Stopped();
    await stopped.stop(reason);
    expect(stopped.error).toBe(reason);
    await first.end();
    expect([stopped.isServed, last.isServed]).toEqual([false, true]);
  });

  it("never enters if it was stopped before, and isn’t counted", async () => {
    const { queue, ask } = setUp({ questionsPerMinute: 1 });
    const reason = new Stopped();
    const entering = queue.answer(asking("why?", { signal: AbortSignal.abort(reason) }), async function* () {});
    await expect(entering.next()).rejects.toBe(reason);
    expect((await ask("U1")).isServed).toBe(true);
  });

  it("keeps its place once it is being answered, until the answer has ended", async () => {
    const { ask } = setUp();
    const first = await ask("U1");
    const next = await ask("U2");
    await first.stop();
    expect([first.error, next.isServed]).toEqual([undefined, false]);
    await first.end();
    expect(next.isServed).toBe(true);
  });
});

describe("the questions of a person in a minute", () => {
  it("are limited; whoever asks more is told when to ask again", async () => {
    const { clock, ask } = setUp({ answersAtOnce: 100, questionsPerMinute: 2 });
    expect((await ask("U1")).isServed).toBe(true);
    await clock.advance(20_500);
    expect((await ask("U1")).isServed).toBe(true);
    expect(hintOf(await ask("U1"))).toBe("You can ask 2 questions a minute. Ask again in 40 seconds.");
    await clock.advance(39_500);
    expect((await ask("U1")).isServed).toBe(true);
    expect(hintOf(await ask("U1"))).toMatch(/Ask again in 21 seconds\.$/);
  });

  it("are counted for each person in each workspace", async () => {
    const { ask } = setUp({ answersAtOnce: 100, questionsPerMinute: 1 });
    expect((await ask("U1")).isServed).toBe(true);
    expect((await ask("U2")).isServed).toBe(true);
    expect((await ask("U1", { team: "T2" })).isServed).toBe(true);
    expect(hintOf(await ask("U1"))).toMatch(/^You can ask 1 question a minute/);
  });
});

describe("the queue", () => {
  it("holds a hundred, and tells the next asker to ask later, without counting that question", async () => {
    const { ask } = setUp({ questionsPerMinute: 1 });
    const first = await ask("U0");
    for (let index = 1; index <= 100; index++) await ask(`U${index}`);
    expect(hintOf(await ask("U101"))).toBe("100 questions are waiting already. Ask again in a minute.");
    expect((await ask("U101", { team: "T2" })).isServed).toBe(true);
    await first.end();
    expect((await ask("U101")).shown).toHaveLength(1);
  });
});

const people = ["A", "B", "C", "D"];

/** Somebody asks, or one of those who are there stops or has been answered. */
const event = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      user: fc.constantFrom(...people),
      thread: fc.constantFrom(undefined, undefined, "1.5", "2.5"),
    }),
  },
  { weight: 2, arbitrary: fc.record({ ends: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ stops: fc.nat() }) },
);

type Event = { user: string; thread: string | undefined } | { ends: number } | { stops: number };

const isServed = ({ isServed: served, isOver }: Visit) => served && !isOver;
const isWaiting = ({ isServed: served, isOver }: Visit) => !served && !isOver;

function world(answersAtOnce: number) {
  const { ask, order } = setUp({ answersAtOnce });
  const visits: Visit[] = [];
  const pick = (among: Visit[], at: number) => among[at % Math.max(1, among.length)];
  return {
    visits,
    order,
    happen: async (what: Event): Promise<void> => {
      if ("user" in what)
        visits.push(await ask(what.user, { thread: what.thread, posted: Promise.resolve(undefined) }));
      else if ("ends" in what) await pick(visits.filter(isServed), what.ends)?.end();
      else await pick(visits.filter(isWaiting), what.stops)?.stop();
    },
    /** Lets every answer end, one after the other, until nothing can happen any more. */
    drain: async (): Promise<void> => {
      for (let next = visits.find(isServed); next; next = visits.find(isServed)) await next.end();
    },
  };
}

const everyCourse = (check: (atOnce: number, events: Event[]) => Promise<void>) =>
  fc.assert(fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.array(event, { maxLength: 40 }), check), {
    numRuns: 150,
  });

describe("the queue, whatever happens,", () => {
  it("never serves more than is allowed nor two of one thread, and nobody waits who could be served", async () => {
    await everyCourse(async (atOnce, events) => {
      const { happen, visits } = world(atOnce);
      for (const each of events) {
        await happen(each);
        const served = visits.filter(isServed);
        const busy = served.map(({ thread }) => thread).filter((thread) => thread !== undefined);
        expect(served.length).toBeLessThanOrEqual(atOnce);
        expect(new Set(busy).size).toBe(busy.length);
        const ready = visits.filter(isWaiting).filter(({ thread }) => !thread || !busy.includes(thread));
        expect(served.length < atOnce ? ready : []).toEqual([]);
      }
    });
  });

  it("serves everybody who stays, those of one thread in their order", async () => {
    await everyCourse(async (atOnce, events) => {
      const { happen, drain, visits, order } = world(atOnce);
      for (const each of events) await happen(each);
      await drain();
      expect(visits.filter(isWaiting)).toEqual([]);
      for (const thread of ["1.5", "2.5"]) {
        const turns = order.filter((visit) => visit.thread === thread).map((visit) => visits.indexOf(visit));
        expect(turns).toEqual(turns.toSorted((one, other) => one - other));
      }
    });
  });

  it("lets nobody outside threads be passed twice by one person, nor by their own later questions", async () => {
    await everyCourse(async (atOnce, events) => {
      const { happen, visits, order } = world(atOnce);
      const passed = new Map<Visit, Map<string, number>>();
      for (const each of [...events, ...events.map((_, ends) => ({ ends }))]) {
        const firsts = people.flatMap((user) => visits.filter(isWaiting).find((visit) => visit.user === user) ?? []);
        const before = order.length;
        await happen(each);
        const turns = order.slice(before);
        for (const first of firsts.filter(({ thread }) => !thread).filter((visit) => !turns.includes(visit))) {
          const counts = passed.get(first) ?? new Map<string, number>();
          passed.set(first, counts);
          for (const { user } of turns) counts.set(user, (counts.get(user) ?? 0) + 1);
          for (const [user, count] of counts) expect(count, `${user} before ${first.user}`).toBeLessThan(2);
          expect(counts.has(first.user)).toBe(false);
        }
      }
    });
  });
});
