import { describe, expect, it } from "vitest";

import { NotAllowed, Unavailable, UnexpectedAnswer, UsageError } from "../../../src/apis/errors.ts";
import type { Jurisdictions } from "../../../src/apis/jurisdictions/client.ts";
import { withHierarchy } from "../../../src/apis/jurisdictions/steps.ts";

const failure = { api: "jurisdictions", operation: "lookup" } as const;
const broken = new Unavailable({ ...failure, status: 500 });
const missing = new UnexpectedAnswer({ ...failure, status: 404, detail: "nothing at this address" });
const unreadable = new UnexpectedAnswer({ ...failure, detail: "a web page" });

const unasked = () => expect.fail("the test expects no such call");

function database(api: Partial<Jurisdictions>) {
  const warnings: string[] = [];
  const whole = {
    lookup: () => Promise.reject(broken),
    regions: async () => [
      { id: "r-1", name: "Europe" },
      { id: "r-2", name: "Asia" },
    ],
    jurisdictions: async (region: string) => [{ id: `${region}-j`, name: `In ${region}`, agencyChannel: 7 }],
    agencies: unasked,
    contributors: unasked,
    sources: unasked,
    ...api,
  };
  return { ...withHierarchy(whole, { warn: (event) => void warnings.push(event) }), warnings };
}

describe("the look-up", () => {
  it.each([broken, missing, unreadable])("comes from the hierarchy while its endpoint fails: %s", async (error) => {
    const to = database({ lookup: () => Promise.reject(error) });
    expect(await to.lookup()).toEqual({
      regions: [
        { id: "r-1", name: "Europe", jurisdictions: [{ id: "r-1-j", name: "In r-1", agencyChannel: 7 }] },
        { id: "r-2", name: "Asia", jurisdictions: [{ id: "r-2-j", name: "In r-2", agencyChannel: 7 }] },
      ],
      totals: { jurisdictions: 2 },
    });
    expect(to.warnings).toEqual(["jurisdictions.look-up.failed"]);
  });

  it("has the regions that can be read if others can’t", async () => {
    const to = database({
      jurisdictions: async (region) => {
        if (region === "r-1") throw new UsageError("does not have this region any more");
        return [{ id: "j", name: "Japan" }];
      },
    });
    expect((await to.lookup()).regions.map(({ name }) => name)).toEqual(["Asia"]);
    expect(to.warnings).toEqual(["jurisdictions.step.failed", "jurisdictions.look-up.failed"]);
  });

  it.each<Partial<Jurisdictions>>([
    { regions: () => Promise.reject(missing) },
    { jurisdictions: () => Promise.reject(unreadable) },
  ])("fails as its endpoint does if the hierarchy can’t be read either", async (api) => {
    await expect(database(api).lookup()).rejects.toBe(broken);
  });

  it.each([
    new NotAllowed({ ...failure, status: 401 }),
    new Unavailable({ ...failure, status: 429 }),
    new Unavailable({ ...failure, reason: "connection" }),
  ])("asks no other endpoint if that would fail as well: %s", async (error) => {
    const to = database({ lookup: () => Promise.reject(error), regions: unasked });
    await expect(to.lookup()).rejects.toBe(error);
  });

  it("is given up when the reader has gone", async () => {
    const gone = AbortSignal.abort(new Error("gone"));
    await expect(database({ regions: unasked }).lookup(gone)).rejects.toThrow("gone");
  });
});
