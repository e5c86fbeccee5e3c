import { describe, expect, it } from "vitest";

import { digestSchema } from "../../../src/features/digests/digest.ts";
import { now } from "../../support/builders.ts";

/** As version 2 of the export wrote it, with fields that are no more. */
const stored = {
  team: "T1",
  number: 3,
  source: { kind: "trending", type: "Company", exclude: ["BASF"] },
  schedule: { pattern: "0 9 * * *", zone: "Europe/London", words: "daily at 09:00" },
  channel: "U1",
  group: ["Ana", "Ben"],
  maker: "U1",
  state: "paused",
  stranded: "access",
  untold: { sentAt: now, about: ["digest 3"] },
  nextRun: now,
  silentUntil: now,
  look: { isCompact: true, isThreaded: true, hasLead: true, empty: 5, colour: "red" },
  isTravelling: true,
  last: { at: now, fresh: 3, postedAt: now },
  stirredAt: now,
  quiet: { runs: 2, since: now },
  pending: { key: "k", since: now, list: "l", counts: { found: 5, fresh: 3, since: now }, tries: 1, sentAt: now },
  changed: [{ by: "U1", at: now, what: "added" }],
};

describe("a digest that an earlier version stored", () => {
  it("loads with all that somebody chose and all that is under way; fields that are no more are dropped", () => {
    const { group: _group, isTravelling: _travelling, stirredAt: _stirred, ...kept } = stored;
    const { colour: _colour, ...look } = stored.look;
    expect(digestSchema.parse(stored)).toEqual({ ...kept, look, stranded: "removed", untold: { sentAt: now } });
  });
});
