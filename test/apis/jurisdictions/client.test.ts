import nock from "nock";
import { afterEach, describe, expect, it } from "vitest";
import { createHttp } from "../../../src/apis/http.ts";
import { createJurisdictions } from "../../../src/apis/jurisdictions/client.ts";
import { expectAllRequested, interceptHttp, wire } from "../../support/wire.ts";

const warnings: unknown[] = [];
const log = { warn: (event: string, fields = {}) => void warnings.push([event, fields]) };

function answering(body: nock.Body) {
  nock("https://regulators.example", { reqheaders: { authorization: "Bearer jur-key" } })
    .get("/api/jurisdictions/lookup")
    .reply(200, body);
  const http = createHttp({ api: "jurisdictions", baseUrl: "https://regulators.example" });
  return createJurisdictions({ http, key: "jur-key", log });
}

interceptHttp();

describe("the jurisdiction client", () => {
  afterEach(() => {
    warnings.length = 0;
    expectAllRequested();
  });

  it("reads the recorded look-up", async () => {
    expect(await answering(wire("lookup.json")).lookup()).toEqual({
      regions: [
        {
          id: "7f0c3a52-6f0e-4a53-9f38-0d5f7d2b7a01",
          originalId: 1,
          name: "North Sea",
          jurisdictions: [
            {
              id: "c2a4b7de-14c1-4f0f-8f0e-5f4b8d8f1b02",
              originalId: 11,
              name: "Westmark",
              agencyChannel: 601,
              jurisdictionChannel: 602,
              agencyCount: 2,
              contributorCount: 3,
              sourceCount: 7,
            },
          ],
        },
      ],
      totals: { jurisdictions: 1, agencies: 2, contributors: 3, sources: 7 },
    });
    expect(warnings).toEqual([]);
  });

  it.each([
    ["without totals", (whole: { regions: unknown }) => ({ regions: whole.regions })],
    ["in an envelope", (whole: object) => ({ data: whole })],
  ])("reads a look-up that comes %s", async (_, change) => {
    const body = change(JSON.parse(wire("lookup.json")));
    const { regions, totals } = await answering(JSON.stringify(body)).lookup();
    expect(regions.map(({ name }) => name)).toEqual(["North Sea"]);
    expect(totals.jurisdictions).toBe(1);
  });

  it.each([0, -1, null])("knows no channel that is told as %j", async (channel) => {
    const body = JSON.parse(wire("lookup.json"));
    Object.assign(body.regions[0].jurisdictions[0], { agencychannel: channel, jurisdictionchannel: channel });
    const { regions } = await answering(JSON.stringify(body)).lookup();
    const [place] = regions[0]?.jurisdictions ?? [];
    expect(place).toMatchObject({ agencyChannel: undefined, jurisdictionChannel: undefined });
  });

  it("drops and counts what it cannot read in a list, and keeps what is missing from a record apart", async () => {
    const rows = [{ id: 5, name: "Tide Office" }, { id: "", name: "Harbour Court" }, { id: "a3" }];
    nock("https://regulators.example").get("/api/jurisdictions/j/agencies").reply(200, rows);
    const http = createHttp({ api: "jurisdictions", baseUrl: "https://regulators.example" });
    const agencies = await createJurisdictions({ http, key: "jur-key", log }).agencies("j");
    const missing = { jurisdiction: undefined, region: undefined };
    expect(agencies).toEqual([{ id: "5", name: "Tide Office", ...missing }]);
    expect(warnings).toEqual([["jurisdictions.dropped", { operation: "agencies", dropped: 2 }]]);
  });

  it("does not take an address at which nothing lies for a matter of the reader's", async () => {
    const service = nock("https://regulators.example");
    service.get("/api/regions").reply(404);
    service.get("/api/jurisdictions/j/contributors").reply(404);
    const http = createHttp({ api: "jurisdictions", baseUrl: "https://regulators.example" });
    const database = createJurisdictions({ http, key: "jur-key" });
    await expect(database.regions()).rejects.toMatchObject({ name: "UnexpectedAnswer", status: 404 });
    await expect(database.contributors("j")).rejects.toMatchObject({ name: "UsageError" });
  });

  it("has an empty list if an answer has no content", async () => {
    nock("https://regulators.example").get("/api/contributors/c/sources").reply(204);
    const http = createHttp({ api: "jurisdictions", baseUrl: "https://regulators.example" });
    expect(await createJurisdictions({ http, key: "jur-key" }).sources("c")).toEqual([]);
  });
});
