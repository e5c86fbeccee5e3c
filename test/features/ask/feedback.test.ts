import { describe, expect, it } from "vitest";

import { type Feedback, feedback, feedbackSchema } from "../../../src/features/ask/feedback.ts";
import { answerOf, hintOf } from "../../support/answers.ts";
import { asking, readerServices, memory, now } from "../../support/builders.ts";
import { routesOn } from "../../support/features.ts";
import { feedbackRow } from "../../../src/features/question/feedback.ts";

function setUp() {
  const kept = memory<Feedback>();
  return { kept, to: { ...readerServices(), feedback: kept } };
}

async function all(kept: ReturnType<typeof memory<Feedback>>): Promise<[string, Feedback][]> {
  const found: [string, Feedback][] = [];
  for await (const entry of kept.entries()) found.push(entry);
  return found;
}
const key = "0b0a3b6e-5d0c-4a57-9f3e-1a2b3c4d5e6f";

describe("feedback on an answer", () => {
  it("is the last opinion of each person", async () => {
    const { kept, to } = setUp();
    for (const word of ["good", "bad", "good", "bad"]) {
      await answerOf(feedback, asking(`${word} ${key}`, { surface: "button", thread: "50.1" }), to);
    }
    await answerOf(feedback, asking(`good ${key}`, { surface: "button", user: "U2" }), to);
    await answerOf(feedback, asking("good other", { surface: "button" }), to);
    expect(await all(kept)).toEqual([
      [`T1 ${key} U1`, { isGood: false, at: now, channel: "C1", thread: "50.1" }],
      [`T1 ${key} U2`, { isGood: true, at: now, channel: "C1", thread: undefined }],
      ["T1 other U1", { isGood: true, at: now, channel: "C1", thread: undefined }],
    ]);
    const stored: unknown = JSON.parse(JSON.stringify((await all(kept))[0]?.[1]));
    expect(feedbackSchema.parse(stored)).toEqual(stored);
  });

  it("is given by buttons that hold the command’s words", () => {
    const row = JSON.stringify(feedbackRow(key));
    const values = [...row.matchAll(/"value":"([^"]+)"/g)].map(([, value = ""]) => value);
    expect(values).toEqual([`feedback good ${key}`, `feedback bad ${key}`]);
    for (const value of values) expect(routesOn().find(value, "button").name).toBe("feedback");
  });

  it("is a question if it is said in words, and points to the buttons if it is typed", async () => {
    const { kept, to } = setUp();
    expect(routesOn().find("feedback from readers on oil?", "mention").name).toBe("ask");
    expect(await hintOf(feedback, asking("was good"), to)).toContain("press one of the buttons");
    expect(await all(kept)).toEqual([]);
  });
});
