import { describe, expect, it } from "vitest";

import { type Outcome, createPacer } from "../../src/slack/pacer.ts";
import { createClock } from "../support/clock.ts";
import { createSlack } from "../support/slack.ts";
import { mean, simulate, tokens } from "./pacer-simulated.ts";

describe("a workspace that has learnt how long answers last", () => {
  // A quarter more than what the limit lets anybody reach.
  it.each([
    [1, 330],
    [5, 1_500],
    [20, 6_000],
  ])("%i at once: fresher than before, and nothing is refused", async (answers, stalest) => {
    const { clock, slack, run } = simulate({ answers: 0, limit: "window" });
    const all = () => Promise.all(Array.from({ length: answers }, (_, index) => run(index, answers)));
    const first = await clock.until(all());
    for (let round = 0; round < 3; round++) {
      await clock.advance(300_000);
      slack.messages.length = 0;
      await clock.until(all());
    }
    await clock.advance(300_000);
    slack.messages.length = 0;
    const later = await clock.until(all());
    const average = mean(later.map((answer) => answer.mean));
    expect(average).toBeLessThan(stalest);
    expect(average).toBeLessThan(mean(first.map((answer) => answer.mean)));
    expect(Math.max(...later.map((answer) => answer.mean))).toBeLessThan(1.5 * average);
    expect(slack.refusals).toBe(0);
  });
});

describe("a workspace in which answers begin one after another", () => {
  it.each([
    [14, 3_000],
    [10, 4_000],
  ])("%i, one every %i ms: those that begin late are not left behind", async (answers, everyMs) => {
    const { clock, slack, run } = simulate({ answers: 0, limit: "window" });
    const all: ReturnType<typeof run>[] = [];
    for (let index = 0; index < answers; index++) {
      all.push(run(index, 1));
      await clock.advance(everyMs);
    }
    const means = (await clock.until(Promise.all(all))).map((answer) => answer.mean);
    expect(Math.max(...means)).toBeLessThan(1.5 * mean(means));
    expect(slack.refusals).toBe(0);
  });
});

describe("a bold pace", () => {
  it("is fresher where the limit refills evenly, and is not refused", async () => {
    const strict = simulate({ answers: 5, limit: "bucket" });
    const bold = simulate({ answers: 5, limit: "bucket", pace: "bold" });
    const careful = await strict.clock.until(strict.all);
    const daring = await bold.clock.until(bold.all);
    expect(bold.slack.refusals).toBe(0);
    expect(mean(daring.map((answer) => answer.mean))).toBeLessThan(0.8 * mean(careful.map((answer) => answer.mean)));
  });

  it("gives way for good at the first refusal", async () => {
    const { clock, slack, run } = simulate({ answers: 0, limit: "window", pace: "bold" });
    const all = () => Promise.all(Array.from({ length: 20 }, (_, index) => run(index, 20)));
    for (let round = 0; round < 4; round++) {
      slack.messages.length = 0;
      const shown = await clock.until(all());
      expect(shown.map(({ last }) => last)).toEqual(shown.map(() => tokens));
    }
    // Those that are under way when the first one comes back.
    expect(slack.refusals).toBeGreaterThan(0);
    expect(slack.refusals).toBeLessThanOrEqual(5);
  });
});

describe("edits that belong to no answer", () => {
  it("go out at once where no answer grows, as many as the limit takes", async () => {
    const clock = createClock();
    const slack = createSlack(clock, { limit: "window" });
    const pacer = createPacer(clock);
    const { ts } = await clock.until(slack.call("chat.postMessage", { channel: "C9", text: "0" }));
    const edit = async (): Promise<Outcome> => {
      await slack.call("chat.update", { ts, text: "1" });
      return {};
    };
    const start = clock.now();
    const all = Promise.all(Array.from({ length: 70 }, () => pacer.edit(edit)));
    await clock.advance(200);
    expect(slack.count("chat.update")).toBe(50);
    await clock.until(all);
    expect(clock.now() - start).toBeLessThan(61_000);
    expect(slack.refusals).toBe(0);
    expect(clock.pending()).toBe(0);
  });

  it("give way to answers, and are not forgotten while those go on and on", async () => {
    const { clock, slack, pacer, run } = simulate({ answers: 0, limit: "window" });
    const waits: number[] = [];
    const answers: Promise<unknown>[] = [];
    const edits: Promise<void>[] = [];
    async function editOnce(): Promise<void> {
      const since = clock.now();
      await pacer.edit(async () => {
        await clock.sleep(80);
        return {};
      });
      waits.push(clock.now() - since);
    }
    for (let round = 0; round < 6; round++) {
      for (let index = 0; index < 8; index++) answers.push(run(round * 8 + index, 8));
      edits.push(editOnce());
      await clock.advance(15_000);
    }
    await clock.until(Promise.all([...answers, ...edits]));
    expect(waits.length).toBe(6);
    expect(Math.max(...waits)).toBeLessThan(75_000);
    expect(slack.refusals).toBe(0);
    expect(clock.pending()).toBe(0);
  });

  it("take away no more from an answer than it can spare", async () => {
    const { clock, slack, pacer, run } = simulate({ answers: 0, limit: "window" });
    const answer = run(0, 1);
    await clock.advance(1_000);
    const all = Promise.all(Array.from({ length: 40 }, () => pacer.edit(async () => ({}))));
    const { tail, last, mean: staleness } = await clock.until(answer);
    expect(last).toBe(tokens);
    expect(tail).toBeLessThanOrEqual(300);
    expect(staleness).toBeLessThan(900);
    await clock.until(all);
    expect(slack.refusals).toBe(0);
  });
});
