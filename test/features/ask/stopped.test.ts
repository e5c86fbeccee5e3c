import { describe, expect, it } from "vitest";

import { Unavailable } from "../../../src/apis/errors.ts";
import type { GenerateEvent, GenerateRequest } from "../../../src/apis/intelligence/generate.ts";
import { ask } from "../../../src/features/ask/commands.ts";
import type { Conversation } from "../../../src/features/ask/conversation.ts";
import type { Message } from "../../../src/features/feature.ts";
import { Stopped } from "../../../src/slack/incoming/request.ts";
import { buttonsOf, statesOf, wordsOf } from "../../support/answers.ts";
import { asking, memory, askServices } from "../../support/builders.ts";
import { createClock } from "../../support/clock.ts";
import { afterOn, hanging, says, slowly } from "../../support/slow-source.ts";

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
  const to = askServices({ conversations, after: afterOn(clock), intelligence: { generate } });
  const request = asking("Why?", { surface: "mention", thread: "50.1", signal: ending.signal });
  const work = statesOf(ask.run(request, to));
  return { clock, conversations, ending, sent, work };
}

/** An answer that says this and then nothing. */
const falteringAfter = (text: string) =>
  answering(async function* (clock) {
    yield* slowly(clock, [10, says(text)]) as AsyncGenerator<GenerateEvent>;
    yield* hanging();
  });

const last = ({ states }: { states: Message[] }) => states.at(-1) ?? { text: "" };

describe("an answer of which nothing comes", () => {
  it("says so after ten seconds, with a way to stop, and is given up after ninety", async () => {
    const { clock, sent, work } = answering(hanging);
    const { states, error } = await clock.until(work);
    expect(states.map(wordsOf)).toEqual(["Thinking…\nStop", ":hourglass_flowing_sand: Still waiting…\nStop"]);
    expect(states.map(({ progress }) => progress)).toEqual([true, true]);
    expect(states[1]?.text).toBe("Still waiting…");
    expect(error).toBeInstanceOf(Unavailable);
    expect(error).toMatchObject({ reason: "timeout" });
    expect(sent[0]?.signal?.aborted).toBe(true);
  });

  it("keeps the words that it has, and its thread remembers them", async () => {
    const { clock, conversations, work } = falteringAfter("Half an ");
    const { states, error } = await clock.until(work);
    expect(states.map(wordsOf)).toEqual([
      "Half an \nStop",
      "Half an \n:hourglass_flowing_sand: Still waiting…\nStop",
      "Half an \nWritten by AI",
    ]);
    expect(error).toMatchObject({ reason: "timeout" });
    expect(JSON.stringify(await conversations.get("T1 C1 50.1"))).toContain("Half an ");
  });
});

describe("an answer that is stopped", () => {
  it("ends at once with what is written, closed, and the upstream request is called off", async () => {
    const { clock, conversations, ending, sent, work } = falteringAfter("Half **an");
    await clock.advance(20);
    ending.abort(new Stopped("enough"));
    const answer = await work;
    expect(answer.error).toBeInstanceOf(Stopped);
    expect(wordsOf(last(answer))).toBe("Half **an**\nWritten by AI");
    expect(buttonsOf(last(answer))).toEqual({});
    expect(sent[0]?.signal?.aborted).toBe(true);
    expect(JSON.stringify(await conversations.get("T1 C1 50.1"))).toContain("Half **an");
    expect(clock.pending()).toBe(0);
  });

  it.each([
    ["Gold **rose", "Gold **rose**"],
    ["Gold rose 3% [Reuters](https://a.exa", "Gold rose 3%"],
    ["Gold `f(", "Gold `f(`"],
    ["```\nf(", "```\nf(\n```"],
  ])("ends without what it had only begun: %j", async (written, kept) => {
    const { clock, ending, work } = falteringAfter(written);
    await clock.advance(20);
    ending.abort(new Stopped("enough"));
    expect(wordsOf(last(await work)).replace(/\s*Written by AI$/, "")).toBe(kept);
  });

  it("leaves only the question to remember if it had no words yet", async () => {
    const { clock, conversations, ending, work } = answering(hanging);
    await clock.advance(20);
    ending.abort(new Stopped("enough"));
    expect(await work).toMatchObject({ states: [], error: expect.any(Stopped) });
    expect((await conversations.get("T1 C1 50.1"))?.turns).toMatchObject([
      { messages: [{ role: "user", content: { text: "Why?" } }], unanswered: expect.any(String) },
    ]);
  });
});
