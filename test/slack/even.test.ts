import { describe, expect, it } from "vitest";

import { flock } from "../../bench/course.ts";
import { ours } from "../../bench/editors.ts";
import { race } from "../../bench/virtual.ts";
import { evenGaps } from "../../src/slack/even.ts";
import type { Message } from "../../src/slack/text/message.ts";
import { assert, integer, property } from "../support/property.ts";
import { place, setUp } from "./native-shown.ts";
import { growing, says, shownIn, talk } from "./showing.ts";

const whole = "word ".repeat(300).trim();
const states = growing(whole, 300);

/** Answers that begin within a second, and when each of them was first seen. */
async function crowd(answers: number, where: object = place) {
  const { clock, slack, show } = setUp("window");
  const firsts: number[] = [];
  const seen = new Set<string>();
  const startOf = (index: number) => (index * 1_000) / answers;
  const start = clock.now();
  const look = ({ channel }: { channel: string }) => {
    if (seen.has(channel)) return;
    seen.add(channel);
    firsts.push(clock.now() - start - startOf(Number(channel.slice(1))));
  };
  slack.onEdit = look;
  slack.onPost = () => look(slack.messages.at(-1) ?? { channel: "" });
  const run = async (index: number) => {
    await clock.sleep(startOf(index));
    await show(talk(clock, states, 80), { ...where, channel: `C${index}` });
  };
  await clock.until(Promise.all(Array.from({ length: answers }, (_, index) => run(index))));
  return { slack, firsts, clock };
}

describe("the first words of answers that begin together", () => {
  it("wait for more where streams are too few for all, and never for long", async () => {
    const { slack, firsts, clock } = await crowd(50);
    expect(firsts.length).toBe(50);
    expect(Math.max(...firsts)).toBeLessThanOrEqual(1_200);
    expect(firsts.filter((ms) => ms > 500).length).toBeGreaterThanOrEqual(20);
    expect(shownIn(slack)).toEqual(slack.messages.map(() => whole));
    expect(clock.pending()).toBe(0);
  });

  it.each([1, 5, 20])("come at once where %i begin", async (answers) => {
    const { firsts } = await crowd(answers);
    expect(Math.max(...firsts)).toBeLessThan(100);
  });

  it("come at once where there are no streams beside", async () => {
    const { firsts } = await crowd(50, { thread: undefined });
    expect(Math.max(...firsts)).toBeLessThan(100);
  });

  it("wait neither for an answer that is whole nor for one that is called off", async () => {
    const { clock, slack, show } = setUp("window");
    const calledOff = new AbortController();
    const all = Array.from({ length: 30 }, (_, index) =>
      show(talk(clock, states, 80), { ...place, channel: `C${index}` }),
    );
    async function* short(): AsyncGenerator<Message> {
      yield says("no");
    }
    const since = clock.now();
    await clock.until(show(short(), { channel: "C99" }));
    expect(clock.now() - since).toBeLessThan(300);
    const work = show(talk(clock, states, 80), { channel: "C98" }, calledOff.signal);
    await clock.advance(200);
    calledOff.abort(new Error("stopped"));
    await expect(clock.until(work)).rejects.toThrow("stopped");
    expect(clock.now() - since).toBeLessThan(500);
    expect(slack.messages.filter(({ channel }) => channel === "C98")).toEqual([]);
    await clock.until(Promise.all(all));
    expect(clock.pending()).toBe(0);
  });
});

describe("fifty answers by streams and edits", () => {
  it.each([
    ["a window", { limit: "window", pace: "strict", rehearsals: 0 }, 7_700],
    ["a window that is known", { limit: "window", pace: "strict", rehearsals: 3 }, 7_700],
    ["a bucket, boldly", { limit: "bucket", pace: "bold", rehearsals: 0 }, 5_200],
    ["a bucket that is known, boldly", { limit: "bucket", pace: "bold", rehearsals: 3 }, 5_200],
  ] as const)("leave nobody behind, with the limit as %s", async (_, { limit, pace, rehearsals }, stalest) => {
    const figures = await race({
      make: (clock, call) => ours(clock, call, { native: true, pace }),
      scripts: flock(50, 600, 25),
      limit,
      rehearsals,
    });
    expect(figures.mean).toBeLessThan(stalest);
    expect(figures.worstMean / figures.mean).toBeLessThan(1.5);
    expect(figures.firstWorst).toBeLessThanOrEqual(1_200);
    expect(figures.tailWorst).toBeLessThanOrEqual(500);
    expect(figures.refused).toBe(0);
    expect(figures.exact).toBe(50);
  });
});

describe("how old unseen words get at least", () => {
  it("is nothing where all answers are of one kind", () => {
    const lifeMs = 24_000;
    expect(evenGaps({ natives: 50, edits: 0, calls: 0, lifeMs })).toEqual({ edit: 0, append: 0 });
    expect(evenGaps({ natives: 0, edits: 50, calls: 0, lifeMs })).toEqual({ edit: 0, append: 0 });
  });

  it("is next to nothing where edits are plenty", () => {
    const { edit, append } = evenGaps({ natives: 14, edits: 6, calls: 44, lifeMs: 24_000 });
    expect(edit).toBe(0);
    expect(append).toBeLessThan(2_400);
  });

  it("is never more than an answer lasts", () => {
    const count = integer({ min: 0, max: 200 });
    const calls = integer({ min: -100, max: 500 });
    const life = integer({ min: 1, max: 600_000 });
    assert(
      property(count, count, calls, life, (natives, edits, some, lifeMs) => {
        const { edit, append } = evenGaps({ natives, edits, calls: some, lifeMs });
        for (const gap of [edit, append]) {
          expect(gap).toBeGreaterThanOrEqual(0);
          expect(gap).toBeLessThanOrEqual(lifeMs);
        }
      }),
    );
  });
});
