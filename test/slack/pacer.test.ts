import { describe, expect, it } from "vitest";

import type { Message } from "../../src/slack/text/message.ts";
import { type Outcome, createPacer } from "../../src/slack/pacer.ts";
import { createPoster } from "../../src/slack/delivery/post.ts";
import { SlackRefused } from "../../src/slack/delivery/refusal.ts";
import { showStates } from "../../src/slack/stream.ts";
import { createClock } from "../support/clock.ts";
import { type Limit, createSlack } from "../support/slack.ts";
import { mean, simulate, tokenMs, tokens } from "./pacer-simulated.ts";

describe.each<Limit>(["window", "bucket"])("answers that grow at the same time, with the limit as a %s", (limit) => {
  // The mean staleness that the best pacer known to us reaches in the window model, and some.
  it.each([
    [1, 600],
    [5, 2_600],
    [20, 9_000],
    [50, 14_000],
  ])("%i: no call is refused, every last state stands at once, nobody is left behind", async (answers, stalest) => {
    const { clock, slack, all } = simulate({ answers, limit });
    const shown = await clock.until(all);
    expect(slack.refusals).toBe(0);
    expect(shown.map(({ last }) => last)).toEqual(shown.map(() => tokens));
    expect(Math.max(...shown.map(({ tail }) => tail))).toBeLessThanOrEqual(300);
    const average = mean(shown.map((answer) => answer.mean));
    expect(average).toBeLessThan(stalest);
    expect(Math.max(...shown.map((answer) => answer.mean))).toBeLessThan(3 * average);
    expect(clock.pending()).toBe(0);
  });

  it("120: no call is refused, and last states come as fast as the limit lets them", async () => {
    const { clock, slack, all } = simulate({ answers: 120, limit });
    const shown = await clock.until(all);
    expect(slack.refusals).toBe(0);
    expect(shown.map(({ last }) => last)).toEqual(shown.map(() => tokens));
    // 120 last states at 50 a minute.
    expect(Math.max(...shown.map(({ tail }) => tail))).toBeLessThan(125_000);
  });

  it("shows first words before it freshens others", async () => {
    const { clock, slack, all } = simulate({ answers: 20, limit, thinkingMs: 3_000 });
    const shown = await clock.until(all);
    expect(slack.refusals).toBe(0);
    expect(Math.max(...shown.map(({ first }) => first))).toBeLessThan(1_500);
  });

  it("is never refused over many minutes of answers that come and go", async () => {
    const { clock, slack, pacer } = simulate({ answers: 0, limit });
    const poster = createPoster(slack.call, clock);
    const answers: Promise<unknown>[] = [];
    async function* states(count: number): AsyncGenerator<Message> {
      for (let token = 1; token <= count; token++) {
        yield { text: String(token) };
        await clock.sleep(700);
      }
    }
    for (let minute = 0; minute < 8; minute++) {
      for (let index = 0; index < 12; index++) {
        const place = { channel: `C${index}` };
        answers.push(showStates(states(5 + ((index * 7) % 60)), place, { poster, pacer, timer: clock }));
        await clock.advance(5_000);
      }
    }
    await clock.until(Promise.all(answers));
    expect(slack.refusals).toBe(0);
    expect(slack.count("chat.update")).toBeGreaterThan(250);
  });
});

/** A lane whose edits take 80 ms and are remembered. */
function setUp(perMinute?: number) {
  const clock = createClock();
  const pacer = createPacer(clock, { ...(perMinute && { perMinute }) });
  const edits: { name: string; at: number }[] = [];
  const start = clock.now();
  const open = (name: string, outcome: Outcome = {}) => {
    let next = outcome;
    return pacer.open(async () => {
      edits.push({ name, at: clock.now() - start });
      await clock.sleep(80);
      const given = next;
      next = {};
      return given;
    });
  };
  return { clock, edits, open };
}

describe("a pacer", () => {
  it("has one edit of a lane under way at a time, and then the next that is wanted", async () => {
    const { clock, edits, open } = setUp();
    const lane = open("a");
    lane.want("last", clock.now());
    lane.want("last", clock.now());
    await clock.advance(79);
    expect(edits.length).toBe(1);
    lane.want("last", clock.now());
    await clock.advance(10_000);
    expect(edits.map(({ at }) => at)).toEqual([0, 80]);
  });

  it("serves last states first, then first words, then who has waited longest", async () => {
    const { clock, edits, open } = setUp();
    open("held", { retryAfterMs: 5_000 }).want("last", clock.now());
    await clock.advance(1_000);
    open("late").want("fresher", clock.now());
    open("early").want("fresher", clock.now() - 500);
    open("first").want("first", clock.now());
    open("last").want("last", clock.now());
    await clock.advance(60_000);
    expect(edits.map(({ name }) => name)).toEqual(["held", "last", "first", "early", "late"]);
  });

  it("lets every lane wait as long as Slack asks, then goes on", async () => {
    const { clock, edits, open } = setUp();
    open("a", { retryAfterMs: 30_000 }).want("last", clock.now());
    await clock.advance(100);
    open("b").want("last", clock.now());
    await clock.advance(29_900);
    expect(edits.map(({ name }) => name)).toEqual(["a"]);
    await clock.advance(200);
    expect(edits.map(({ name }) => name)).toEqual(["a", "b"]);
  });

  it("counts no edit that was not sent", async () => {
    const { clock, edits, open } = setUp(3);
    const lane = open("free", { isFree: true });
    lane.want("last", clock.now());
    await clock.advance(100);
    const paid = open("paid");
    for (let round = 0; round < 5; round++) {
      paid.want("last", clock.now());
      await clock.advance(100);
    }
    expect(edits.length).toBe(4);
  });

  it("still freshens a little where more answers are open than a minute has edits", async () => {
    const { clock, edits, open } = setUp();
    for (let index = 0; index < 70; index++) open(`${index}`).want("fresher", clock.now());
    await clock.advance(60_000);
    expect(edits.length).toBeGreaterThan(1);
    expect(edits.length).toBeLessThanOrEqual(5);
  });

  it("forgets a lane that is closed, also while its edit is under way", async () => {
    const { clock, edits, open } = setUp(2);
    for (let index = 0; index < 500; index++) {
      const lane = open(`${index}`);
      lane.want("last", clock.now());
      await clock.advance(index % 2 ? 40 : 200);
      if (index % 2) lane.want("last", clock.now());
      lane.close();
      lane.want("last", clock.now());
      await clock.advance(61_000);
    }
    expect(edits.length).toBe(500);
    expect(clock.pending()).toBe(0);
  });
});

describe("a limit that others use up", () => {
  it("is found by refusals, which hold everything and are got over", async () => {
    const clock = createClock();
    const slack = createSlack(clock);
    const pacer = createPacer(clock);
    const poster = createPoster(slack.call, clock);
    async function* states(): AsyncGenerator<Message> {
      for (let token = 1; token <= 100; token++) {
        yield { text: String(token) };
        await clock.sleep(tokenMs);
      }
    }
    const all = Promise.all(
      ["C1", "C2", "C3"].map((channel) => showStates(states(), { channel }, { poster, pacer, timer: clock })),
    );
    await clock.advance(2_000);
    const before = slack.count("chat.update");
    slack.fail("chat.update", new SlackRefused("chat.update", "ratelimited", { retryAfterMs: 20_000 }));
    await clock.advance(18_000);
    // Those that were under way when the refusal came may still arrive.
    expect(slack.count("chat.update") - before).toBeLessThanOrEqual(3);
    await clock.until(all);
    expect(slack.messages.map(({ text }) => text)).toEqual(["100", "100", "100"]);
    expect(clock.pending()).toBe(0);
  });
});
