import { describe, expect, it } from "vitest";

import { feedback } from "../../../src/features/ask/feedback.ts";
import { answerOf, hintOf } from "../../support/answers.ts";
import { asking } from "../../support/builders.ts";
import { routesOn } from "../../support/features.ts";
import { feedbackRow } from "../../../src/features/question/feedback.ts";

const key = "0b0a3b6e-5d0c-4a57-9f3e-1a2b3c4d5e6f";

function setUp() {
  const logged: unknown[] = [];
  return { logged, to: { log: { info: (_: string, fields?: object) => void logged.push(fields) } } };
}

describe("feedback on an answer", () => {
  it("is given by buttons that hold the command’s words, and logged", async () => {
    const { logged, to } = setUp();
    const row = JSON.stringify(feedbackRow(key));
    const values = [...row.matchAll(/"value":"([^"]+)"/g)].map(([, value = ""]) => value);
    expect(values).toEqual([`feedback good ${key}`, `feedback bad ${key}`]);
    for (const value of values) {
      expect(routesOn().find(value, "button").name).toBe("feedback");
      await answerOf(feedback, asking(value.replace("feedback ", ""), { surface: "button", thread: "50.1" }), to);
    }
    const asked = { team: "T1", user: "U1", channel: "C1", thread: "50.1", answer: key };
    expect(logged).toEqual([
      { ...asked, isGood: true },
      { ...asked, isGood: false },
    ]);
  });

  it("is a question if it is said in words, and points to the buttons if it is typed", async () => {
    const { logged, to } = setUp();
    expect(routesOn().find("feedback from readers on oil?", "mention").name).toBe("ask");
    expect(await hintOf(feedback, asking("was good"), to)).toContain("press one of the buttons");
    expect(logged).toEqual([]);
  });
});
