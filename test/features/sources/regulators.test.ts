import { describe, expect, it } from "vitest";

import { Unavailable } from "../../../src/apis/errors.ts";
import type { Jurisdictions } from "../../../src/apis/jurisdictions/client.ts";
import { createRegulators } from "../../../src/features/sources/regulators.ts";

const hourMs = 60 * 60_000;
const start = 1_000 * hourMs;
const broken = new Unavailable({ api: "jurisdictions", operation: "agencies", status: 500 });

const us = { id: "us", name: "US federal", agencyChannel: 501, jurisdictionChannel: 601 };
const ca = { id: "ca", name: "Canada federal", agencyCount: 1, contributorCount: 0 };

function database(api: Partial<Jurisdictions> = {}) {
  const clock = { now: start };
  const calls: string[] = [];
  const called = <T>(name: string, value: T) => {
    calls.push(name);
    return value;
  };
  const whole: Jurisdictions = {
    lookup: async () =>
      called("lookup", {
        regions: [{ id: "na", name: "North America", jurisdictions: [us, ca] }],
        totals: { jurisdictions: 2 },
      }),
    regions: () => expect.fail("unasked"),
    jurisdictions: () => expect.fail("unasked"),
    agencies: async (id) =>
      called(
        `agencies ${id}`,
        id === "us"
          ? [
              { id: "a-1", name: "Securities and Exchange Commission" },
              { id: "a-2", name: "Board of Governors of the Federal Reserve System" },
            ]
          : [{ id: "a-3", name: "Office of the Superintendent of Financial Institutions" }],
      ),
    contributors: async (id) =>
      called(`contributors ${id}`, [
        { id: `c-${id}`, name: id === "us" ? "Securities and Exchange Commission" : "Canada Gazette" },
      ]),
    sources: async (id) => called(`sources ${id}`, [{ id: `s-${id}`, name: "Press releases" }]),
    ...api,
  };
  const intelligence = { channel: () => expect.fail("unasked"), articles: () => expect.fail("unasked") };
  const warnings: string[] = [];
  const log = { warn: (event: string) => void warnings.push(event) };
  return {
    calls,
    clock,
    warnings,
    api: whole,
    regulators: createRegulators({ jurisdictions: whole, intelligence, log, now: () => clock.now }),
  };
}

describe("names of regulators", () => {
  it("are all read once, and again on the next day", async () => {
    const { regulators, calls, clock } = database();
    await Promise.all([regulators.learn(), regulators.learn()]);
    const all = [
      "lookup",
      "agencies us",
      "contributors us",
      "agencies ca",
      "contributors ca",
      "sources c-us",
      "sources c-ca",
    ];
    expect(calls.toSorted()).toEqual(all.toSorted());
    clock.now = start + 19 * hourMs;
    await regulators.learn();
    // Jurisdictions alone are looked up again: that is one request.
    expect(calls.slice(all.length)).toEqual(["lookup"]);
    clock.now = start + 24 * hourMs;
    await regulators.learn();
    expect(calls.slice(all.length + 1).toSorted()).toEqual(all.toSorted());
  });

  it.each([
    ["securities and exchange commission", "a-1"],
    ["the SEC", "a-1"],
    ["Federal Reserve", "a-2"],
    ["fed", "a-2"],
    ["superintendent", "a-3"],
    ["Gazette", "c-ca"],
  ])("find the one that has the name, a part of it, or the initials: %s", async (words, id) => {
    const { regulators } = database();
    await regulators.learn();
    expect(regulators.search(words).found.map((each) => each.id)).toEqual([id]);
  });

  it("find every record of the same name, and similar spellings", async () => {
    const { regulators } = database();
    await regulators.learn();
    const press = regulators.search("press releases");
    expect(press).toMatchObject({ fit: "exact", found: [{ kind: "source" }, { kind: "source" }] });
    expect(regulators.get("a-2")).toMatchObject({ kind: "agency", place: { name: "US federal" } });
    expect(press.found[0]).toMatchObject({ place: { name: "US federal", region: { name: "North America" } } });
    expect(regulators.search("Canada Gazete")).toMatchObject({ fit: "alike", found: [{ id: "c-ca" }] });
    expect(regulators.search("zzzz").found).toEqual([]);
  });

  it("that can be read are found while others can’t; those are read again some minutes later", async () => {
    let isBroken = true;
    const { regulators, clock, calls, warnings } = database({
      contributors: async () => {
        if (isBroken) throw broken;
        return [{ id: "c", name: "Federal Register" }];
      },
    });
    await regulators.learn();
    expect(regulators.search("SEC").found).toMatchObject([{ id: "a-1" }]);
    expect(warnings).toEqual(["jurisdictions.names.failed"]);
    const before = calls.length;
    isBroken = false;
    await regulators.learn();
    expect(regulators.search("Federal Register").fit).toBe("alike");
    clock.now = start + 2 * hourMs;
    await regulators.learn();
    expect(regulators.search("Federal Register").fit).toBe("exact");
    expect(calls.slice(before)).toEqual(["lookup", "sources c"]);
  });

  it("stay known while a later reading fails, and go when the database drops them", async () => {
    const { regulators, clock, api } = database();
    await regulators.learn();
    const whole = { ...api };
    clock.now = start + 24 * hourMs;
    api.agencies = () => Promise.reject(broken);
    await regulators.learn();
    expect(regulators.search("SEC").found).toMatchObject([{ id: "a-1" }]);
    clock.now = start + 25 * hourMs;
    api.agencies = (id) => whole.agencies(id).then(([, ...others]) => others);
    await regulators.learn();
    expect(regulators.search("SEC").found).toMatchObject([{ kind: "contributor" }]);
  });

  it("are not learnt if the database does not answer at all", async () => {
    const { regulators } = database({ lookup: () => Promise.reject(broken) });
    await expect(regulators.learn()).rejects.toBe(broken);
    await expect(regulators.learn()).rejects.toBe(broken);
  });
});
