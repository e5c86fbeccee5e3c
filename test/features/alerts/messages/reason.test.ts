import { describe, expect, it } from "vitest";

import { reasonOf } from "../../../../src/features/alerts/messages/reason.ts";

const named = (titles: string[]) => titles.map((title) => ({ title }));
const name = "Novalith Semiconductor";

describe("the reason of a spike", () => {
  it("is the headline that shares most with the others, without the name that it begins with", () => {
    const titles = [
      "Ardenne shares jump as a record year ends",
      "Novalith agrees to buy Ardenne in a record deal",
      "Takeover of Ardenne: Novalith says the deal will close by summer",
      "Chip makers lead the market",
    ];
    expect(reasonOf(named(titles), name)).toBe("agrees to buy Ardenne in a record deal");
  });

  it.each([
    ["Novalith Semiconductor: profit forecast is cut", "profit forecast is cut"],
    ["NOVALITH’s profit forecast is cut", "profit forecast is cut"],
    ["Novalithic profit forecast is cut", "Novalithic profit forecast is cut"],
    ["Novalith profit forecast", "Novalith profit forecast"],
  ])("of %s is “%s”", (title, reason) => {
    expect(reasonOf(named([title, "Why the profit forecast fell"]), name)).toBe(reason);
  });

  it("is left out where the headlines disagree, or there is one alone", () => {
    const titles = ["Chip rule is softened", "Novalith names a finance director", "A new plant opens in Dresden"];
    expect(reasonOf(named(titles), name)).toBeUndefined();
    expect(reasonOf(named(titles.slice(0, 1)), name)).toBeUndefined();
    expect(reasonOf([], name)).toBeUndefined();
  });

  it("is not that they all name the entity", () => {
    expect(reasonOf(named(["Novalith Semiconductor rises", "Novalith Semiconductor falls"]), name)).toBeUndefined();
  });

  it("is cut at a word", () => {
    const title = "Regulators in four countries open a joint investigation into the pricing of lithography services";
    const reason = reasonOf(named([title, "Joint investigation of regulators into pricing"]), name) ?? "";
    expect(reason.length).toBeLessThanOrEqual(60);
    expect(reason).toMatch(/^Regulators in four countries open a joint \w+…$/);
  });
});
