import { describe, expect, it } from "vitest";

import { UsageError } from "../../src/apis/errors.ts";
import { createGate } from "../../src/features/chat/gate.ts";
import { Stopped } from "../../src/slack/request.ts";
import { settled } from "../support/clock.ts";
import { setUp, visiting } from "./gate-visitors.ts";

const wordsOf = (error: unknown) => (error instanceof UsageError ? error.message : `no hint: ${String(error)}`);

describe("a question", () => {
  it("has its turn at once where there is room, and says nothing of a line", async () => {
    const { ask } = setUp({ answersAtOnce: 2 });
    for (const visit of [await ask("U1"), await ask("U1")]) {
      expect(visit).toMatchObject({ positions: [], leave: expect.any(Function) });
    }
  });

  it("waits where there is none, is told each time that it has moved, and has its turn in the end", async () => {
    const { ask } = setUp();
    const first = await ask("U1");
    const second = await ask("U2");
    const third = await ask("U3");
    expect([second.positions, third.positions]).toEqual([[1], [2]]);
    first.leave?.();
    await settled();
    expect(second.leave).toBeDefined();
    expect(third).toMatchObject({ positions: [2, 1] });
    second.leave?.();
    await settled();
    expect(third.leave).toBeDefined();
    expect(third.positions).toEqual([2, 1]);
  });

  it("does not wait for those of another workspace", async () => {
    const { ask } = setUp();
    await ask("U1", { team: "T1" });
    expect((await ask("U1", { team: "T2" })).leave).toBeDefined();
  });

  it("gives its place to one alone, however often it leaves", async () => {
    const { ask } = setUp();
    const [first, second, third] = [await ask("U1"), await ask("U2"), await ask("U3")];
    first.leave?.();
    first.leave?.();
    await settled();
    expect(second.leave).toBeDefined();
    expect(third.leave).toBeUndefined();
    second.leave?.();
    third.leave?.();
    await settled();
    third.leave?.();
    const next = await ask("U4");
    expect(next.leave).toBeDefined();
    first.leave?.();
    expect((await ask("U5")).positions).toEqual([1]);
  });

  it("is not asked before somebody waits for it", async () => {
    const { gate, ask } = setUp();
    void gate.enter({ team: "T1", user: "U1", signal: new AbortController().signal });
    expect((await ask("U2")).leave).toBeDefined();
  });
});

describe("a person with many questions", () => {
  it("holds up nobody's first for more than one of them", async () => {
    const { ask } = setUp();
    const running = await ask("A");
    const many = [];
    for (let index = 0; index < 9; index++) many.push(await ask("A"));
    const other = await ask("B");
    expect(other.positions).toEqual([2]);
    expect(many.map(({ positions }) => positions.at(-1))).toEqual([1, 3, 4, 5, 6, 7, 8, 9, 10]);
    running.leave?.();
    await settled();
    expect(other.positions).toEqual([2, 1]);
    many[0]?.leave?.();
    await settled();
    expect(other.leave).toBeDefined();
  });

  it("takes turns with the others, and whoever comes later stands behind those who wait", async () => {
    const { ask } = setUp();
    let running = await ask("A");
    const names = ["A1", "A2", "A3", "B1", "B2"];
    const visits = new Map<string, Awaited<ReturnType<typeof ask>>>();
    for (const name of names) visits.set(name, await ask(name.slice(0, 1)));
    const order: string[] = [];
    for (let turn = 0; turn < 6; turn++) {
      running.leave?.();
      await settled();
      for (const [name, visit] of visits) {
        if (!visit.leave) continue;
        order.push(name);
        visits.delete(name);
        running = visit;
      }
      if (turn === 0) visits.set("C1", await ask("C"));
    }
    expect(order).toEqual(["A1", "B1", "A2", "C1", "B2", "A3"]);
  });
});

describe("the questions of one thread", () => {
  const thread = "T1 C1 100.1";

  it("are answered one after the other, in order, though there is room", async () => {
    const { ask } = setUp({ answersAtOnce: 5 });
    const first = await ask("U1", { thread });
    const second = await ask("U2", { thread });
    const third = await ask("U1", { thread });
    const elsewhere = await ask("U3", { thread: "T1 C1 200.2" });
    expect([second.positions, third.positions, elsewhere.positions]).toEqual([[1], [2], []]);
    first.leave?.();
    await settled();
    expect(second.leave).toBeDefined();
    expect(third.leave).toBeUndefined();
    second.leave?.();
    await settled();
    expect(third.leave).toBeDefined();
  });

  it("keep nobody waiting who asks elsewhere", async () => {
    const { ask } = setUp({ answersAtOnce: 2 });
    await ask("U1", { thread });
    const blocked = await ask("U2", { thread });
    const other = await ask("U3");
    expect(other.leave).toBeDefined();
    const waiting = await ask("U4");
    other.leave?.();
    await settled();
    expect(waiting.leave).toBeDefined();
    expect(blocked.leave).toBeUndefined();
  });

  it("keep their order also where the later one is of somebody who has waited for longer", async () => {
    const { ask } = setUp({ answersAtOnce: 2 });
    await ask("U1", { thread });
    const other = await ask("U2");
    await ask("A", { thread });
    const first = await ask("B", { thread: "T1 C1 200.2" });
    const second = await ask("A", { thread: "T1 C1 200.2" });
    other.leave?.();
    await settled();
    expect(first.leave).toBeDefined();
    expect(second.leave).toBeUndefined();
  });

  it("go on behind one that is stopped while it waits", async () => {
    const { ask } = setUp({ answersAtOnce: 2 });
    const first = await ask("U1", { thread });
    const second = await ask("U2", { thread });
    const third = await ask("U3", { thread });
    second.stop(new Stopped());
    await settled();
    expect(third).toMatchObject({ positions: [2, 1] });
    expect(third.leave).toBeUndefined();
    first.leave?.();
    await settled();
    expect(third.leave).toBeDefined();
  });
});

describe("a question that is stopped", () => {
  it("leaves the line at once, with the reason that it was given", async () => {
    const { ask } = setUp();
    await ask("U1");
    const stopped = await ask("U2");
    const last = await ask("U3");
    const reason = new Stopped();
    stopped.stop(reason);
    await settled();
    expect(stopped.error).toBe(reason);
    expect(last.positions).toEqual([2, 1]);
  });

  it("never enters where it was stopped before, and counts for nothing", async () => {
    const { gate, ask } = setUp({ questionsPerMinute: 1 });
    const reason = new Stopped();
    const entering = gate.enter({ team: "T1", user: "U1", signal: AbortSignal.abort(reason) });
    await expect(entering.next()).rejects.toBe(reason);
    expect((await ask("U1")).leave).toBeDefined();
  });

  it("gives its place away also where its turn has come and nobody has looked", async () => {
    const { gate, ask } = setUp();
    const first = await ask("U1");
    const ending = new AbortController();
    const unread = gate.enter({ team: "T1", user: "U2", signal: ending.signal });
    await unread.next();
    const last = await ask("U3");
    first.leave?.();
    await settled();
    expect(last.leave).toBeUndefined();
    const reason = new Stopped();
    ending.abort(reason);
    await settled();
    expect(last.leave).toBeDefined();
    await expect(unread.next()).rejects.toBe(reason);
  });

  it("gives its place away where its reader goes without a word", async () => {
    const { gate, ask } = setUp();
    const first = await ask("U1");
    const left = gate.enter({ team: "T1", user: "U2", signal: new AbortController().signal });
    await left.next();
    const last = await ask("U3");
    await left.return(() => undefined);
    first.leave?.();
    await settled();
    expect(last.leave).toBeDefined();
  });

  it("keeps its place once it is being answered, until the answer has ended", async () => {
    const { ask } = setUp();
    const first = await ask("U1");
    const next = await ask("U2");
    first.stop(new Stopped());
    await settled();
    expect(first.error).toBeUndefined();
    expect(next.leave).toBeUndefined();
    first.leave?.();
    await settled();
    expect(next.leave).toBeDefined();
  });
});

describe("the questions of a person in a minute", () => {
  it("are as many as is allowed, and the next one is told when it can be asked", async () => {
    const { clock, ask } = setUp({ answersAtOnce: 100, questionsPerMinute: 2 });
    expect((await ask("U1")).leave).toBeDefined();
    clock.now += 20_500;
    expect((await ask("U1")).leave).toBeDefined();
    const refused = await ask("U1");
    expect(wordsOf(refused.error)).toBe(
      "You can ask me 2 questions a minute, so that I have time for everybody. Ask again in 40 seconds.",
    );
    clock.now += 39_499;
    expect(wordsOf((await ask("U1")).error)).toMatch(/Ask again in 1 second\.$/);
    clock.now += 1;
    expect((await ask("U1")).leave).toBeDefined();
    expect(wordsOf((await ask("U1")).error)).toMatch(/Ask again in 21 seconds\.$/);
  });

  it("count no longer where the clock is set back", async () => {
    const { clock, ask } = setUp({ answersAtOnce: 100, questionsPerMinute: 1 });
    expect((await ask("U1")).leave).toBeDefined();
    clock.now -= 3_600_000;
    expect((await ask("U1")).leave).toBeDefined();
    expect(wordsOf((await ask("U1")).error)).toMatch(/Ask again in 60 seconds\.$/);
  });

  it("are counted for each person in each workspace", async () => {
    const { ask } = setUp({ answersAtOnce: 100, questionsPerMinute: 1 });
    expect((await ask("U1")).leave).toBeDefined();
    expect((await ask("U2")).leave).toBeDefined();
    expect((await ask("U1", { team: "T2" })).leave).toBeDefined();
    expect(wordsOf((await ask("U1")).error)).toMatch(/^You can ask me 1 question a minute/);
  });
});

describe("the line", () => {
  it("holds a hundred, and tells who comes then to ask later, without counting that question", async () => {
    const { ask } = setUp({ questionsPerMinute: 1 });
    const first = await ask("U0");
    const waiting = [];
    for (let index = 1; index <= 100; index++) waiting.push(await ask(`U${index}`));
    expect(waiting.at(-1)?.positions).toEqual([100]);
    const refused = await ask("U101");
    expect(wordsOf(refused.error)).toBe(
      "100 questions are waiting for me here already, and the line gets no longer. Ask again in a minute.",
    );
    expect(waiting.at(-1)?.positions).toEqual([100]);
    expect((await ask("U101", { team: "T2" })).leave).toBeDefined();
    first.leave?.();
    await settled();
    expect((await ask("U101")).positions).toEqual([100]);
  });

  it("does not turn away anybody for whom there is room, however many wait for a busy thread", async () => {
    const { ask } = setUp({ answersAtOnce: 2 });
    for (let index = 0; index <= 100; index++) await ask(`U${index}`, { thread: "T1 C1 100.1" });
    expect((await ask("U101")).leave).toBeDefined();
    expect(wordsOf((await ask("U102")).error)).toMatch(/^100 questions are waiting/);
  });

  it("moves within a moment, though it is full and everybody hears of it", async () => {
    const gate = createGate({ answersAtOnce: 20, questionsPerMinute: 1_000 }, () => 0);
    const visits = Array.from({ length: 120 }, (_, index) => visiting(gate, { team: "T1", user: `U${index % 7}` }));
    await settled();
    for (const [index, visit] of visits.slice(0, 100).entries()) {
      visit.leave?.();
      await settled();
      expect(visits.filter(({ leave }) => leave)).toHaveLength(20 + index + 1);
    }
    expect(visits.every(({ leave, error }) => leave && !error)).toBe(true);
    expect(visits.flatMap(({ positions }) => positions).length).toBeLessThanOrEqual(100 * 101);
  });
});
