import { describe, expect, it } from "vitest";

import { isAbove, levelOf, ruleOf, sensitivities } from "../../../../src/features/alerts/detect/rule.ts";
import * as fc from "../../../support/property.ts";

describe("the three sensitivities", () => {
  it("fire the more often the more eager they are", () => {
    const figures = fc.record({
      mentions: fc.nat(30),
      average: fc.option(fc.double({ min: 0, max: 10, noNaN: true }), { nil: undefined }),
      score: fc.option(fc.double({ min: -3, max: 20, noNaN: true }), { nil: undefined }),
    });
    fc.assert(
      fc.property(figures, (about) => {
        const [quiet = 0, balanced = 0, eager = 0] = sensitivities.map((sensitivity) =>
          Number(isAbove(levelOf(about, ruleOf({ sensitivity })))),
        );
        expect(quiet).toBeLessThanOrEqual(balanced);
        expect(balanced).toBeLessThanOrEqual(eager);
      }),
    );
  });
});

describe("the level of an entity", () => {
  const rule = ruleOf({});

  it.each([
    ["far above", { score: 6, mentions: 4, average: 2 }, "far above"],
    ["above", { score: 3, mentions: 4, average: 2 }, "above"],
    ["held, where only the score is high", { score: 9, mentions: 3, average: 1 }, "between"],
    ["held, where it is no more than usual", { score: 9, mentions: 10, average: 9 }, "between"],
    ["held, between the floor and what leaves", { score: 2.1, mentions: 0, average: 5 }, "between"],
    ["below", { score: 2, mentions: 90, average: 1 }, "below"],
    ["below, with a negative score", { score: -4, mentions: 90, average: 1 }, "below"],
    ["far above, where none are usual", { score: 8, mentions: 5, average: 0 }, "far above"],
    ["held, where what is usual is unknown and the score not far above", { score: 5, mentions: 9 }, "between"],
    ["far above, where what is usual is unknown", { score: 7, mentions: 9 }, "far above"],
    ["above by its ratio, where there is no score", { mentions: 9, average: 3 }, "above"],
    [
      "above, where articles of an hour are counted",
      { score: 2.2, mentions: 4, average: 2, spanMs: 3_600_000 },
      "above",
    ],
    ["below by its ratio", { mentions: 9, average: 8 }, "below"],
    ["held, where nothing is known", { mentions: 900 }, "between"],
  ])("is %s", (_, figures, expected) => {
    expect(levelOf(figures, rule)).toBe(expected);
  });
});

describe("the rule of an alert", () => {
  it("has the numbers of its sensitivity, but for those that somebody set", () => {
    expect(ruleOf({ sensitivity: "quiet" })).toMatchObject({ name: "quiet", score: 5.4, fireAfterChecks: 2 });
    expect(ruleOf({ sensitivity: "eager", ratio: 9 })).toMatchObject({ name: "custom", ratio: 9, mentions: 3 });
  });
});
