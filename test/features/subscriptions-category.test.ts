import { describe, expect, it } from "vitest";

import { typeNamed } from "../../src/features/sources/trending.ts";

describe("a type of entities", () => {
  it("is spelt as the service spells it", () => {
    expect(typeNamed("persons", ["COMPANY", "Person of note", "PERSON"])).toBe("PERSON");
  });

  it.each(["company", "Companies", "person", "regions", "topic"])(
    "that every service has is taken also in an hour in which nothing of it trends: %s",
    (typed) => {
      expect(typeNamed(typed, ["Instrument"])).toBe(typed);
    },
  );

  it("that nobody has heard of is refused, with those that there are", () => {
    expect(() => typeNamed("persn", ["Company", "Topic"])).toThrow(/“persn”.*`company`, `topic`, or `all`/);
  });

  it.each(["all", "everything", "Any"])("is none where all are meant: %s", (typed) => {
    expect(typeNamed(typed, ["Company"])).toBeUndefined();
  });
});
