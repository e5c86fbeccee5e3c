import { describe, expect, it } from "vitest";

import { createForwarding } from "../../src/slack/forwarding.ts";
import * as fc from "../support/property.ts";

describe("a channel that goes by another ID", () => {
  const at = (channel: string, team = "T1") => ({ team, channel });

  it("is found from each that it went by, in its own workspace alone", () => {
    const forwarding = createForwarding();
    forwarding.add(at("C1"), "C2");
    forwarding.add(at("C2"), "G3");
    expect([at("C1"), at("C2"), at("G3"), at("C4"), at("C1", "T2")].map((place) => forwarding.now(place))).toEqual([
      "G3",
      "G3",
      "G3",
      "C4",
      "C1",
    ]);
  });

  it("is found however often it changes, also back, and where Slack tells it twice", () => {
    const id = fc.constantFrom("C1", "C2", "C3", "C4");
    fc.assert(
      fc.property(fc.array(fc.tuple(id, id), { minLength: 1 }), (renames) => {
        const forwarding = createForwarding();
        for (const [from, to] of renames) forwarding.add(at(from), to);
        const [from, to] = renames.at(-1) ?? [];
        expect(forwarding.now(at(from ?? ""))).toBe(to);
        expect(forwarding.now(at(to ?? ""))).toBe(to);
      }),
    );
  });
});
