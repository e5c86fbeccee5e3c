import { describe, expect, it } from "vitest";

import { NotAllowed, Unavailable, UnexpectedAnswer } from "../../../src/apis/errors.ts";
import { findSource, sourceKey, sourceKindOf, sourceSchema } from "../../../src/features/sources/index.ts";
import { type Source, type SourceQuery, pickNamed } from "../../../src/features/sources/source.ts";
import { typeNamed } from "../../../src/features/sources/trending.ts";
import { wantedIn } from "../../../src/features/sources/typed.ts";
import { credits, newsChannel, sourceServices } from "../../support/builders.ts";

const lookup = {
  regions: [
    {
      id: "r-1",
      name: "Europe",
      jurisdictions: [
        { id: "j-1", name: "Germany", jurisdictionChannel: 7103, agencyChannel: 7104 },
        { id: "j-2", name: "Québec", agencyChannel: 7105 },
        { id: "j-3", name: "Nowhere" },
      ].map((each) => ({ ...each, agencyCount: 1, contributorCount: 0, sourceCount: 0 })),
    },
  ],
  totals: { jurisdictions: 3, agencies: 3, contributors: 0, sources: 0 },
};

function find(wanted: SourceQuery, channel = async (id: number) => newsChannel({ id, name: "Gold wire" })) {
  const deps = sourceServices({
    intelligence: {
      channel,
      channels: async () => [newsChannel({ id: 501, name: "Gold wire" }), newsChannel({ id: 502, name: "Gold & Co" })],
    },
    gateway: {
      collections: async () => ({ collections: [{ id: "c-1", name: "Gold desk" }], credits: credits() }),
      insightChannels: async () => ({ channels: [{ id: "i-1", name: "Chip policy" }], credits: credits() }),
    },
    jurisdictions: {
      lookup: async () => lookup,
      agencies: async (id) => [{ id: `a-${id}`, name: id === "j-2" ? "Revenu Québec" : "Deutsche Bundesbank" }],
      contributors: async () => [],
    },
  });
  return findSource(wanted, deps, { team: "T1", user: "U1", signal: new AbortController().signal });
}

const all: Source[] = [
  { kind: "search", query: '"bank of england" rates' },
  { kind: "channel", id: 501, name: "Gold wire" },
  { kind: "collection", id: "c-1", name: "Gold desk" },
  { kind: "jurisdiction", id: 7105, name: "Québec" },
  { kind: "jurisdiction", region: "r-1", name: "Europe" },
  { kind: "agency", id: "a-j-2", name: "Revenu Québec", place: "Québec", channel: 7105 },
  { kind: "insight", id: "i-1", name: "Chip policy" },
];

describe("a source", () => {
  it.each(all)("of the kind $kind is found again by what is typed for it, and stored as it is", async (source) => {
    const what = sourceKindOf(source).typed(source);
    expect(await find({ kind: source.kind, what })).toEqual(source);
    expect(sourceSchema.parse(source)).toEqual(source);
  });

  it.each<[SourceQuery, Partial<Source>]>([
    [{ kind: "channel", what: "gold WIRE" }, { id: 501 }],
    [{ kind: "channel", what: "co" }, { id: 502 }],
    [{ kind: "collection", what: "desk" }, { id: "c-1" }],
    [
      { kind: "jurisdiction", what: "Germany" },
      { id: 7103, name: "Germany" },
    ],
    [
      { kind: "jurisdiction", what: "quebec" },
      { id: 7105, name: "Québec" },
    ],
    [
      { kind: "jurisdiction", what: "j-2" },
      { id: 7105, name: "Québec" },
    ],
    [{ kind: "insight", what: "chip" }, { id: "i-1" }],
  ])("is found by its name, or by a part that no other has: %j", async (wanted, expected) => {
    expect(await find(wanted)).toMatchObject(expected);
  });

  it("is the one with exactly that name if names differ in marks alone", () => {
    const named = ["Gold, desk", "Gold desk 🚀"].map((name, at) => ({ id: at + 1, name }));
    expect(pickNamed(named, wantedIn('collection "Gold, desk"')?.what ?? "", "collection").id).toBe(1);
  });

  it.each<[SourceQuery, string | RegExp]>([
    [
      { kind: "channel", what: "Silver" },
      /news channel “Silver”\. These are available:\n• Gold wire\n• Gold &amp; Co$/,
    ],
    [{ kind: "channel", what: "Gold" }, /news channel “Gold”\. Did you mean one of these\?\n• Gold wire/],
    [{ kind: "collection", what: "Silver" }, /collection “Silver”\. These are available:\n• Gold desk$/],
    [
      { kind: "jurisdiction", what: "Nowhere" },
      "I couldn’t find the jurisdiction or region “Nowhere”. These are available:\n• Germany\n• Québec\n• Europe",
    ],
    [{ kind: "search", what: "a".repeat(501) }, /at most 500 characters/],
  ])("that does not exist gets an error with those that do: %j", async (wanted, expected) => {
    await expect(find(wanted)).rejects.toThrow(expected);
  });

  it("with an unknown number gets the same error, and other failures are passed on", async () => {
    const failing = (error: Error) => find({ kind: "channel", what: "9" }, () => Promise.reject(error));
    const missing = new UnexpectedAnswer({ api: "intelligence", operation: "channel", status: 404, detail: "none" });
    const refused = new NotAllowed({ api: "intelligence", operation: "channel", status: 403 });
    await expect(failing(missing)).rejects.toThrow(/news channel “9”\. These are available:\n• Gold wire/);
    await expect(failing(refused)).rejects.toThrow(/news channel “9”/);
    const down = new Unavailable({ api: "intelligence", operation: "channel" });
    await expect(failing(down)).rejects.toBe(down);
  });

  it("is the same as another one that brings the same articles", () => {
    const key = (source: Source) => sourceKey(source);
    expect(key({ kind: "search", query: " Bank of  England" })).toBe(key({ kind: "search", query: "bank of england" }));
    // A jurisdiction's channel is a channel, whatever somebody calls it.
    expect(key({ kind: "jurisdiction", id: 501, name: "X" })).toBe(key({ kind: "channel", id: 501, name: "Y" }));
    expect(key({ kind: "insight", id: "i-1", name: "Chip  policy" })).toBe(
      key({ kind: "search", query: "chip policy" }),
    );
    const ranking = { kind: "trending", type: "Companies", exclude: ["Shell", "BASF"] } as const;
    expect(key({ ...ranking, exclude: ["basf", "SHELL"] })).toBe(key({ ...ranking, exclude: [...ranking.exclude] }));
    expect(key({ kind: "trending" })).not.toBe(key({ kind: "trending", type: "Company" }));
  });
});

describe("a type of entities", () => {
  it("is spelt as the service spells it", () => {
    expect(typeNamed("persons", ["COMPANY", "Person of note", "PERSON"])).toBe("PERSON");
  });

  it.each(["company", "Companies", "person", "regions", "topic"])(
    "that every service has is accepted even if nothing of it trends: %s",
    (typed) => {
      expect(typeNamed(typed, ["Instrument"])).toBe(typed);
    },
  );

  it("that is unknown is refused with the known ones", () => {
    expect(() => typeNamed("persn", ["Company", "Topic"])).toThrow(/“persn”.*`company`, `topic`, or `all`/);
  });

  it.each(["all", "everything", "Any"])("is undefined if all are meant: %s", (typed) => {
    expect(typeNamed(typed, ["Company"])).toBeUndefined();
  });
});
