import nock from "nock";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { UnexpectedAnswer } from "../../src/apis/errors.ts";
import { createGateway } from "../../src/apis/gateway/client.ts";
import type { Gateway } from "../../src/apis/gateway/client.ts";
import { createHttp } from "../../src/apis/http.ts";
import { allAsked, wire } from "../support/wire.ts";

const BASE = "https://gateway.example";
const warnings: unknown[] = [];

function gateway(): Gateway {
  const http = createHttp({ api: "gateway", baseUrl: BASE, clock: { wait: () => Promise.resolve() } });
  const log = { warn: (event: string, fields = {}) => void warnings.push([event, fields]) };
  return createGateway({ http, key: "svc_live_1", log });
}

function answering(body: nock.Body, query: Record<string, string> = {}): Gateway {
  nock(`${BASE}/api/v1`).get("/trending/entities").query(query).reply(200, body);
  return gateway();
}

const ostmark = { name: "Ostmark Lithium", type: "Company", mentions: 214, average: undefined, score: 6.81 };

describe("the gateway's ranking", () => {
  beforeAll(() => nock.disableNetConnect());
  afterEach(() => {
    warnings.length = 0;
    allAsked();
  });
  afterAll(() => nock.enableNetConnect());

  it("is read under the likely names, in its own order, with the bill and without what cannot be read", async () => {
    const { entities, credits } = await answering(wire("gateway-trending.json")).trending();
    expect(entities).toEqual([
      ostmark,
      { name: "Bay of Fundy", type: "Region", mentions: 58, average: 12.25, score: undefined },
      { name: "Tidewater Power", type: "Company", mentions: 40, average: 22, score: undefined },
    ]);
    const rate = { limit: 1000, remaining: 987, resetAt: 4_102_444_800_000 };
    expect(credits).toEqual({ used: 1, remaining: 33, test: false, rate });
    expect(warnings).toEqual([["gateway.dropped", { operation: "trending", dropped: 1 }]]);
  });

  const documented = {
    name: "Ostmark Lithium",
    type_display: "Company",
    raw_count: 214,
    deltaPrimeStdDevDifferenceDelta: 6.81,
  };
  it.each([
    ["a bare list", [documented]],
    ["a list without its envelope, in an object", { entities: [documented] }],
    ["a list named trending", { data: { trending: [documented] } }],
    ["a list two objects deep", { data: { trending: { entities: [documented] } } }],
    ["one list a type", { data: { Company: [{ ...documented, type_display: undefined }], Region: [] } }],
  ])("is read from %s", async (_, body) => {
    expect((await answering(body).trending()).entities).toEqual([ostmark]);
  });

  it.each([
    ["an empty list", { data: [] }],
    ["an object with an empty list", { data: { entities: [] } }],
    ["no list for any type", { data: { Company: [], Region: [] } }],
  ])("may be empty: %s", async (_, body) => {
    expect((await answering(body).trending()).entities).toEqual([]);
  });

  it.each([
    ["another format", { data: { pages: [1] } }],
    ["text", { data: "soon" }],
    ["entities of which nothing can be read", { data: { entities: [{ label: "A" }, 5] } }],
    ["an object of objects", { data: { Company: { Ostmark: 214 } } }],
  ])("is not read from %s", async (_, body) => {
    await expect(answering(body).trending()).rejects.toBeInstanceOf(UnexpectedAnswer);
  });

  it("is asked for by type and number, encoded", async () => {
    const { entities } = await answering([], { type: "Oil & gas/π", limit: "8" }).trending({
      type: " Oil & gas/π ",
      limit: 8,
    });
    expect(entities).toEqual([]);
  });

  it.each([
    ["display name", "company"],
    ["display name in capitals", "COMPANY"],
    ["code", "org"],
  ])("keeps to the type that was asked for by its %s where the gateway does not", async (_, type) => {
    const list = [
      { name: "Bay", type: "GEO", type_display: "Region", count: 9 },
      { name: "Ostmark", type: "ORG", type_display: "Company", count: 8 },
    ];
    const { entities } = await answering(list, { type }).trending({ type });
    expect(entities.map(({ name }) => name)).toEqual(["Ostmark"]);
  });

  it("keeps to the number that was asked for where the gateway does not", async () => {
    const list = Array.from({ length: 30 }, (_, at) => ({ name: `N${at}`, type: "Topic", count: at }));
    const { entities } = await answering(list, { limit: "3" }).trending({ limit: 3 });
    expect(entities.map(({ name }) => name)).toEqual(["N0", "N1", "N2"]);
  });

  it("takes entities without a type for those that were asked for", async () => {
    const list = [{ name: "Ostmark", count: 8 }];
    expect((await answering(list, { type: "Company" }).trending({ type: "Company" })).entities).toMatchObject([
      { name: "Ostmark", type: "Company" },
    ]);
    expect((await answering(list).trending({ type: "  " })).entities).toMatchObject([{ type: "Entity" }]);
  });
});
