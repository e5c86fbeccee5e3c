import { describe, expect, it } from "vitest";

import { waitingView } from "../../src/features/chat/answer/view.ts";
import { createGate } from "../../src/features/chat/gate.ts";
import type { Message } from "../../src/features/feature.ts";
import { inTurn } from "../../src/features/turn.ts";
import { setUp } from "../slack/asking.ts";
import { services } from "../support/builders.ts";
import type { FakeClock } from "../support/clock.ts";

const answerMs = 12_000;

/** So many questions at once where one is answered at a time, twelve seconds each, on the real pace of edits. */
async function asked(questions: number) {
  const to = services({ gate: createGate({ answersAtOnce: 1, questionsPerMinute: 100 }, () => 0) });
  const began: string[] = [];
  const world = setUp({
    run(request, clock) {
      return inTurn({ ...request, text: "why?" }, to, async function* (): AsyncGenerator<Message> {
        began.push(request.user);
        for (let text = "", spent = 0; spent < answerMs; spent += 100) {
          await clock.sleep(100);
          yield { text: (text += "word ") };
        }
      });
    },
  });
  for (let number = 0; number < questions; number++)
    world.ask({ user: `U${number}`, channel: `C${number}`, thread: "1.0" });
  await world.clock.advance(1_000);
  const shown = (number: number) => world.slack.messages.find(({ channel }) => channel === `C${number}`)?.text ?? "";
  return { ...world, began, shown };
}

async function until(clock: FakeClock, isTrue: () => boolean): Promise<void> {
  for (let tries = 0; !isTrue() && tries < 200; tries++) await clock.advance(100);
}

describe("a line of questions", () => {
  it("says everybody's place at once, and the places near its head within nine seconds after each move", async () => {
    const { clock, shown, began } = await asked(10);
    const near = (first: number) => ["next", "1 question", "2 questions"].map((place, at) => [first + at, place]);
    const isShown = (first: number) => near(first).every(([at, place]) => shown(Number(at)).includes(String(place)));
    expect(isShown(1)).toBe(true);
    for (const first of [2, 3, 4]) {
      await clock.advance(answerMs - 9_000);
      await until(clock, () => began.length === first);
      await clock.advance(9_000);
      expect(isShown(first)).toBe(true);
    }
  });

  it("edits nothing of those far back for a step that tells them little", async () => {
    const { clock, slack, shown } = await asked(20);
    await clock.advance(2 * answerMs);
    expect([15, 16, 17, 18, 19].map(shown)).toEqual(Array(5).fill(expect.stringMatching(/^At least 10 questions/)));
    const edits = slack.calls.filter(({ method, options }) => method === "chat.update" && options["channel"] === "C19");
    expect(edits).toEqual([]);
  });
});

describe("a place in the line", () => {
  it.each([
    [1, "Your question is next."],
    [2, "1 question before yours. I answer them in turn."],
    [5, "4 questions before yours. I answer them in turn."],
    [6, "At least 5 questions before yours. I answer them in turn."],
    [10, "At least 5 questions before yours. I answer them in turn."],
    [11, "At least 10 questions before yours. I answer them in turn."],
    [101, "At least 50 questions before yours. I answer them in turn."],
  ])("%i is told as %j", (position, words) => {
    expect(waitingView(position, { asker: "U1", stopKey: "s" }).text).toBe(words);
  });
});
