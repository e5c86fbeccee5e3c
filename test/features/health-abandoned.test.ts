import { describe, expect, it } from "vitest";

import { type Standing, abandoned, unknown } from "../../src/features/account/health/rule.ts";
import { now as start } from "../support/builders.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

describe("what nothing reads any more", () => {
  const failing: Standing = {
    ...unknown({ api: "intelligence", source: "Gold wire" }),
    told: ["failing"],
    since: start - hour,
    failures: 7,
    failedAt: start,
    finds: 20,
  };

  it("is let go of after an hour, with a line, as if it had never been read", () => {
    expect(abandoned(failing, start - day, start + hour)).toBeUndefined();
    expect(abandoned(failing, start - day, start + hour + minute)).toEqual({
      standing: unknown(failing),
      notice: { kind: "left", api: "intelligence", source: "Gold wire", since: start - hour },
    });
  });

  it("is not let go of because nobody watched", () => {
    expect(abandoned(failing, start + 9 * hour, start + 10 * hour)).toBeUndefined();
  });

  it("is not let go of where nothing is wrong with it", () => {
    expect(abandoned({ ...failing, told: [] }, start - day, start + 10 * day)).toBeUndefined();
  });

  it("is a silent source only after longer than any digest waits for its next time", () => {
    const quiet: Standing = { ...failing, told: ["quiet"], failedAt: undefined, okAt: start };
    expect(abandoned(quiet, start - day, start + 32 * day)).toBeUndefined();
    expect(abandoned(quiet, start - day, start + 41 * day)?.notice.kind).toBe("left");
  });
});
