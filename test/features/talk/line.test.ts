import { describe, expect, it } from "vitest";

import { followWords, lostWords } from "../../../src/features/talk/line.ts";

const understood = { source: 'entity "BASF SE"', name: "BASF SE", unknown: [] };
const subject = { names: ["BASF"] };

describe("a wish as a command", () => {
  it("has no time if the one that was said is no schedule, so that the card asks for it", () => {
    expect(followWords({ act: "digest", subject, when: "every blue moon" }, understood)).toBe('entity "BASF SE"');
    expect(followWords({ act: "digest", subject, when: "weekdays at 7" }, understood)).toBe(
      'entity "BASF SE" weekdays at 7',
    );
  });

  it("leaves out what it has no words for, which the card says", () => {
    const details = { subject, without: ["Japan"], outlets: ["Reuters"] };
    expect(lostWords({ act: "alert", ...details })).toEqual(["not “Japan”", "only “Reuters”"]);
    expect(lostWords({ act: "digest", ...details, span: "for 2 weeks" })).toEqual(["not “Japan”", "for 2 weeks"]);
    expect(lostWords({ act: "digest", subject, when: "weekdays at 7", max: 5 })).toEqual([]);
  });
});
