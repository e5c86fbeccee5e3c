import { describe, expect, it } from "vitest";

import { searchRelation } from "../../src/features/subscriptions/overlap.ts";
import { asking } from "../support/builders.ts";
import * as fc from "../support/property.ts";
import { feedDesk } from "./subscriptions-desk.ts";

describe("searches", () => {
  it.each([
    ["gold", "Gold", "same"],
    ["gold mining", "mining  gold", "same"],
    ["gold", "gold mining", "part"],
    ["gold mining", "gold", "whole"],
    ['"bank of england"', "“Bank of England”", "same"],
    ['"bank of england"', "bank of england", undefined],
    ["gold", "golden", undefined],
    ["gold", "", undefined],
  ])("%s and %s: %s", (one, other, relation) => {
    expect(searchRelation(one, other)).toBe(relation);
  });

  it("relate to each other in one way, whichever comes first", () => {
    const query = fc.array(fc.constantFrom("gold", "oil", '"bank of england"', "tin"), { maxLength: 4 });
    const turned = { same: "same", part: "whole", whole: "part" } as const;
    fc.assert(
      fc.property(query, query, (one, other) => {
        const relation = searchRelation(one.join(" "), other.join(" "));
        expect(searchRelation(other.join(" "), one.join(" "))).toBe(relation && turned[relation]);
      }),
    );
  });
});

describe("adding what overlaps", () => {
  it("names what brings the same or more or less, the same first, with its place and time", async () => {
    const { add, acts, to } = feedDesk();
    const narrow = await add({ word: "gold mining" });
    const own = await add({ word: "gold" });
    await add({ word: "gold", channel: "U1" });
    await add({ word: "silver" });
    expect(await acts.notes(own, asking(""), to)).toEqual([
      "Feed 3 brings the same in a direct message, hourly.",
      "Feed 1 brings a part of it (gold mining) in <#C1>, hourly.",
    ]);
    await acts.pause("3", asking(""), to);
    expect(await acts.notes(narrow, asking(""), to)).toEqual([
      "Feed 2 brings all of it and more (gold) in <#C1>, hourly.",
      "Feed 3 brings all of it and more (gold) in a direct message, hourly, but is paused.",
    ]);
  });

  it("keeps to itself what comes to others, and what is removed", async () => {
    const { add, acts, to } = feedDesk();
    const own = await add();
    await add({ channel: "C2", maker: "U2" });
    await add({ channel: "U2", maker: "U2" });
    await add({ channel: "C3" });
    await acts.remove("4", asking(""), to);
    expect(await acts.notes(own, asking(""), to)).toEqual([]);
  });

  it("names three and counts the rest", async () => {
    const { add, acts, to } = feedDesk();
    const own = await add();
    for (const channel of ["C2", "C3", "C4", "C5", "C6"]) await add({ channel });
    const lines = await acts.notes(own, asking(""), to);
    expect(lines).toHaveLength(4);
    expect(lines.at(-1)).toBe("2 more overlap with it.");
  });
});
