import { describe, expect, it } from "vitest";

import { Unavailable } from "../../src/apis/errors.ts";
import { wordsOf } from "../support/builders.ts";
import { desk } from "./alerts-desk.ts";
import { trend } from "./alerts-setting.ts";

const basf = trend("BASF", { score: 2 });
const down = new Unavailable({ api: "intelligence", operation: "trending" });

describe("the message of a rise", () => {
  it("says that nobody knows once its source has failed for a while, and what is so when it answers again", async () => {
    const { add, later, fail, stands, restart } = desk();
    await add();
    for (let minutes = 0; minutes < 10; minutes++) await later([basf]);
    const before = stands[0]?.edits.length ?? 0;
    const edits = () => stands[0]?.edits.slice(before).map((edit) => wordsOf(edit)) ?? [];
    fail.read = () => down;
    for (let minutes = 0; minutes < 14; minutes++) await later([]);
    expect(edits()).toEqual([]);
    for (let minutes = 0; minutes < 20; minutes++) await later([]);
    expect(edits()).toEqual([
      expect.stringMatching(/^BASF was rising\n[^]*Not known since <!date[^>]*>\. The news service could not/),
    ]);
    restart();
    delete fail.read;
    await later([basf]);
    expect(stands).toHaveLength(1);
    expect(edits()[1]).toMatch(/^BASF is still rising\n(?![^]*Not known)/);
  });
});
