import { AsyncLocalStorage } from "node:async_hooks";

import { describe, expect, it } from "vitest";

import { type EditMethod, createEditBudget, editMessage } from "../../../src/slack/answer/edit-budget.ts";
import { showGrowingMessage } from "../../../src/slack/answer/growing-message.ts";
import { createPoster } from "../../../src/slack/delivery/post.ts";
import type { CallOutcome } from "../../../src/slack/answer/method-limit.ts";
import { SlackRefused } from "../../../src/slack/delivery/refusal.ts";
import { context, markdown, section } from "../../../src/slack/text/blocks.ts";
import type { Message } from "../../../src/slack/text/message.ts";
import { createWorkspaces } from "../../../src/slack/workspaces/workspaces.ts";
import { createClock } from "../../support/clock.ts";
import { type Limit, createSlack } from "../../support/slack.ts";
import { mean, simulate, tokenMs, tokens } from "./simulated.ts";

describe.each<Limit>(["window", "bucket"])("answers that grow at the same time, with the limit as a %s", (limit) => {
  // The mean staleness that the bench shows, and some.
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

  it("120: what is learnt costs one refusal at most, and last states come as fast as the limit lets them", async () => {
    const { clock, slack, all } = simulate({ answers: 120, limit });
    const shown = await clock.until(all);
    // More than is documented is tried after a busy minute.
    expect(slack.refusals).toBeLessThanOrEqual(limit === "window" ? 1 : 0);
    expect(shown.map(({ last }) => last)).toEqual(shown.map(() => tokens));
    // 120 last states at 50 a minute.
    expect(Math.max(...shown.map(({ tail }) => tail))).toBeLessThan(125_000);
  });

  it.each([20, 50])("%i show their first words at once after a sign of work", async (answers) => {
    const { clock, slack, all } = simulate({ answers, limit, thinkingMs: 3_000 });
    const shown = await clock.until(all);
    expect(slack.refusals).toBe(0);
    expect(Math.max(...shown.map(({ first }) => first))).toBeLessThan(1_500);
    expect(Math.max(...shown.map(({ tail }) => tail))).toBeLessThanOrEqual(300);
  });

  it("are refused once at most over many minutes of answers that come and go", async () => {
    const { clock, slack, workspace } = simulate({ answers: 0, limit });
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
        answers.push(showGrowingMessage(states(5 + ((index * 7) % 60)), place, workspace));
        await clock.advance(5_000);
      }
    }
    await clock.until(Promise.all(answers));
    expect(slack.refusals).toBeLessThanOrEqual(limit === "window" ? 1 : 0);
    expect(slack.count("chat.update")).toBeGreaterThan(250);
  });
});

/** Lanes whose edits take 80 ms and are remembered. */
function setUp() {
  const clock = createClock();
  const budget = createEditBudget(clock);
  const edits: { name: string; at: number }[] = [];
  const start = clock.now();
  /** Asks for one edit of an answer; resolves when it is over. */
  const open = (name: string) => {
    const lane = budget.open();
    const edit = async (urgency: "last" | "first" | "fresher", since = clock.now(), outcome: CallOutcome = {}) => {
      const by: EditMethod = await lane.turn(() => ({ by: "edit", urgency, since }));
      edits.push({ name, at: clock.now() - start });
      await clock.sleep(80);
      lane.done(by, outcome);
    };
    return { ...lane, edit };
  };
  return { clock, edits, open };
}

describe("an edit budget", () => {
  it("serves last states first, then first words, then who has waited longest", async () => {
    const { clock, edits, open } = setUp();
    void open("held").edit("last", clock.now(), { retryAfterMs: 5_000 });
    await clock.advance(1_000);
    void open("late").edit("fresher");
    void open("early").edit("fresher", clock.now() - 500);
    void open("first").edit("first");
    void open("last").edit("last");
    await clock.advance(60_000);
    expect(edits.map(({ name }) => name)).toEqual(["held", "last", "first", "early", "late"]);
  });

  it("lets every lane wait as long as Slack asks, then goes on", async () => {
    const { clock, edits, open } = setUp();
    void open("a").edit("last", clock.now(), { retryAfterMs: 30_000 });
    await clock.advance(100);
    void open("b").edit("last");
    await clock.advance(29_900);
    expect(edits.map(({ name }) => name)).toEqual(["a"]);
    await clock.advance(200);
    expect(edits.map(({ name }) => name)).toEqual(["a", "b"]);
  });

  it("counts no edit that was not sent", async () => {
    const { clock, edits, open } = setUp();
    const lane = open("a");
    for (let count = 0; count < 60; count++) {
      void lane.edit("last", clock.now(), { isFree: true });
      await clock.advance(100);
    }
    expect(edits.length).toBe(60);
  });

  it("uses only edits that no answer keeps if more answers are open than a minute has edits", async () => {
    const { clock, edits, open } = setUp();
    const lanes = Array.from({ length: 70 }, (_, index) => open(`${index}`));
    expect(lanes.slice(0, 40).map(({ keepEdit }) => keepEdit())).not.toContain(false);
    for (const lane of lanes) void lane.edit("fresher");
    await clock.advance(60_000);
    expect(edits.length).toBe(10);
  });

  it("keeps no more edits for last states than there are, and each of those stays kept", async () => {
    const { clock, open } = setUp();
    await clock.until(Promise.all(Array.from({ length: 4 }, (_, index) => open(`${index}`).edit("last"))));
    const lanes = Array.from({ length: 70 }, (_, index) => open(`${index}`));
    const keeping = () => lanes.filter(({ keepEdit }) => keepEdit()).length;
    // Those that have just ended still keep theirs until they close.
    expect(keeping()).toBe(42);
    expect(keeping()).toBe(42);
  });

  it("forgets an answer that has ended", async () => {
    const { clock, edits, open } = setUp();
    for (let index = 0; index < 500; index++) {
      const lane = open(`${index}`);
      const edited = lane.edit("last");
      await clock.advance(40);
      lane.close();
      await clock.until(edited);
      await clock.advance(61_000);
    }
    expect(edits.length).toBe(500);
    expect(clock.pending()).toBe(0);
  });
});

describe.each([50, 70])("%i answers at once that say what they do before their words", (answers) => {
  it.each([
    ["in channels of their own, over five seconds", 5_000, answers],
    ["in five channels, at once", 1_000, 5],
  ])("have their last words at once, %s", async (_, spreadMs, channels) => {
    const clock = createClock();
    const slack = createSlack(clock, { limit: "window" });
    const workspace = createWorkspaces(clock)("T1", slack.call);
    const signs = ["Reading…", "Thinking…", "Searching: oil", "Searching: gold"];
    const show = async (index: number): Promise<number> => {
      await clock.sleep((index * spreadMs) / answers);
      let endedAt = 0;
      async function* states(): AsyncGenerator<Message> {
        for (const text of signs) {
          yield { text, blocks: [context(text)], progress: true };
          await clock.sleep(1_000);
        }
        for (let token = 1; token <= tokens; token++) {
          yield { text: String(token), blocks: [markdown(String(token))] };
          await clock.sleep(tokenMs);
        }
        endedAt = clock.now();
      }
      await showGrowingMessage(states(), { channel: `C${index % channels}` }, workspace);
      return clock.now() - endedAt;
    };
    const tails = await clock.until(Promise.all(Array.from({ length: answers }, (__, index) => show(index))));
    // What is posted whole waits for its turn in its channel: one post a second.
    const postsMs = (1_000 * Math.max(0, answers - 50)) / channels;
    expect(Math.max(...tails)).toBeLessThanOrEqual(500 + postsMs);
    expect(slack.messages.map(({ text }) => text)).toEqual(slack.messages.map(() => String(tokens)));
    expect([slack.messages.length, slack.refusals]).toEqual([answers, 0]);
  });
});

it("signs of work are taken away no faster than Slack lets them be, and the words of all come", async () => {
  const { clock, slack, all } = simulate({ answers: 130, limit: "window", thinkingMs: 3_000 });
  // Where it is shown, Slack's status line is the sign of work.
  slack.outage = { code: "missing_scope", methods: ["assistant.threads.setStatus"] };
  const shown = await clock.until(all);
  expect(shown.map(({ last }) => last)).toEqual(shown.map(() => tokens));
  expect(slack.count("chat.delete")).toBeGreaterThan(40);
  // What is learnt of Slack's limit of edits may cost one.
  expect(slack.refusals).toBeLessThanOrEqual(1);
});

describe("a limit that others use up", () => {
  it("is found by refusals, which hold everything and are got over", async () => {
    const { clock, slack, workspace } = simulate({ answers: 0, limit: "none" });
    async function* states(): AsyncGenerator<Message> {
      for (let token = 1; token <= 100; token++) {
        yield { text: String(token) };
        await clock.sleep(tokenMs);
      }
    }
    const all = Promise.all(["C1", "C2", "C3"].map((channel) => showGrowingMessage(states(), { channel }, workspace)));
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
    expect(Math.max(...means)).toBeLessThan(2 * mean(means));
    expect(slack.refusals).toBe(0);
  });
});

describe("an edit of a message that is no answer", () => {
  async function setUpMessage() {
    const clock = createClock();
    const slack = createSlack(clock, { limit: "window" });
    const poster = createPoster(slack.call, clock);
    const editBudget = createEditBudget(clock);
    const posted = await clock.until(poster.post({ channel: "C1" }, () => ({ text: "old" })));
    const replace = (message: Message) => editMessage({ editBudget, poster }, posted, message);
    const edit = (text = "new") => replace({ text });
    const texts = () => slack.messages.map(({ text }) => text);
    return { clock, slack, edit, replace, texts };
  }

  it("is made plainer until Slack takes it", async () => {
    const { clock, slack, replace } = await setUpMessage();
    const message = { text: "words", blocks: [section("chart")], fallbackBlocks: [section("table")] };
    const shown = () => slack.messages.map(({ blocks }) => blocks);
    slack.fail("chat.update", "invalid_blocks");
    await clock.until(replace(message));
    expect(shown()).toEqual([[section("table")]]);
    slack.fail("chat.update", "invalid_blocks", "invalid_blocks");
    await clock.until(replace(message));
    expect([slack.messages.map(({ text }) => text), shown()]).toEqual([["words"], [[]]]);
  });

  it.each(["message_not_found", "invalid_blocks", "internal_error"])("is not tried again after %s", async (code) => {
    const { clock, slack, edit } = await setUpMessage();
    slack.fail("chat.update", code);
    await expect(clock.until(edit())).rejects.toMatchObject({ code });
    expect(slack.count("chat.update")).toBe(1);
  });

  it("goes out at once if no answer grows, as many as the limit takes", async () => {
    const { clock, slack, edit } = await setUpMessage();
    const start = clock.now();
    const all = Promise.all(Array.from({ length: 70 }, (_, index) => edit(String(index))));
    await clock.advance(200);
    expect(slack.count("chat.update")).toBe(50);
    await clock.until(all);
    expect(clock.now() - start).toBeLessThan(61_000);
    expect(slack.refusals).toBe(0);
    expect(clock.pending()).toBe(0);
  });

  it("gives way to answers, and is not forgotten while those go on and on", async () => {
    const { clock, slack, workspace, run } = simulate({ answers: 0, limit: "window" });
    const waits: number[] = [];
    const answers: Promise<unknown>[] = [];
    const edits: Promise<void>[] = [];
    async function editOnce(): Promise<void> {
      const since = clock.now();
      await workspace.editBudget.editOther(async () => {
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

  it("takes away no more from an answer than it can spare", async () => {
    const { clock, slack, workspace, run } = simulate({ answers: 0, limit: "window" });
    const answer = run(0, 1);
    await clock.advance(1_000);
    const all = Promise.all(Array.from({ length: 40 }, () => workspace.editBudget.editOther(async () => ({}))));
    const { tail, last, mean: staleness } = await clock.until(answer);
    expect(last).toBe(tokens);
    expect(tail).toBeLessThanOrEqual(300);
    expect(staleness).toBeLessThan(900);
    await clock.until(all);
    expect(slack.refusals).toBe(0);
  });

  it("is done in the context of its asker, whoever gave it its turn", async () => {
    const asker = new AsyncLocalStorage<string>();
    const clock = createClock();
    const budget = createEditBudget(clock);
    const askers: unknown[] = [];
    const edits = Array.from({ length: 90 }, (_, at) =>
      asker.run(`asker ${at}`, () => budget.editOther(async () => (askers.push(asker.getStore()), {}))),
    );
    await clock.until(Promise.all(edits));
    expect(askers).toEqual(edits.map((_, at) => `asker ${at}`));
  });
});
