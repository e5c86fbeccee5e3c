import nock from "nock";
import { afterEach, describe, expect, it } from "vitest";
import { Unavailable, UnexpectedAnswer } from "../../../src/apis/errors.ts";
import { createGateway, endpoints as documented } from "../../../src/apis/gateway/client.ts";
import type { Gateway } from "../../../src/apis/gateway/client.ts";
import { createHttp } from "../../../src/apis/http.ts";
import { describe as describeError } from "../../../src/log.ts";
import { startSandbox } from "../../../local/sandbox/server.ts";
import { expectAllRequested, interceptHttp, wire } from "../../support/wire.ts";
import { collect, failure } from "../line.ts";
import { endpoints } from "./endpoints.ts";

const BASE = "https://gateway.example";
const KEY = "svc_live_0a1b2c3d4e";
const warnings: unknown[] = [];

function gateway(key = KEY): Gateway {
  const http = createHttp({ api: "gateway", baseUrl: `${BASE}/`, clock: { wait: () => Promise.resolve() } });
  const log = { warn: (event: string, fields = {}) => void warnings.push([event, fields]) };
  return createGateway({ http, key, log });
}

function upstream(key = KEY): nock.Scope {
  return nock(`${BASE}/api/v1`, { reqheaders: { authorization: `Bearer ${key}` } });
}

const messages = [{ role: "user" as const, content: "Why?" }];
const article = { title: "T", url: "https://a.example/" };

interceptHttp();
afterEach(() => {
  warnings.length = 0;
  expectAllRequested();
});

describe("the gateway client", () => {
  it("sends no more than it was given", async () => {
    upstream().post("/search", { query: "oil" }).reply(200, wire("search.json"));
    upstream().post("/search", { query: "oil", limit: 5 }).reply(200, wire("search.json"));
    upstream().post("/chat/completions", { messages }).reply(200, { text: "So." });
    upstream().post("/chat/completions", { model: "m-1", messages }).reply(200, { text: "So.", model: "m-1" });
    upstream().post("/collections", { name: "N" }).reply(201, { id: 5 });
    upstream().get("/collections/a%2Fb%3Fc").reply(200, { id: "a/b?c", name: "N" });
    const client = gateway();
    expect(await client.search("oil")).toEqual(await client.search("oil", { limit: 5 }));
    expect((await client.chat({ messages })).model).toBeUndefined();
    expect((await client.chat({ model: "m-1", messages })).model).toBe("m-1");
    const { collection } = await client.createCollection({ name: "N" });
    expect(collection).toMatchObject({ id: "5", name: "N", query: undefined });
    expect((await client.collection("a/b?c")).collection.id).toBe("a/b?c");
  });

  it("tells of all articles that it reads", async () => {
    upstream()
      .post("/search")
      .reply(200, { articles: [article] });
    upstream()
      .post("/collections/5/execute")
      .reply(200, { articles: [article] });
    upstream()
      .post("/summaries")
      .reply(200, { summary: "So.", sources: [article] });
    const streamed = `event: text\ndata: {"text":"So."}\n\nevent: sources\ndata: ${JSON.stringify([article])}\n\n`;
    upstream().post("/summaries/stream").reply(200, streamed, { "content-type": "text/event-stream" });
    const read: string[] = [];
    const http = createHttp({ api: "gateway", baseUrl: `${BASE}/`, clock: { wait: () => Promise.resolve() } });
    const client = createGateway({ http, key: KEY, onRead: (all) => void read.push(...all.map(({ url }) => url)) });
    await client.search("oil");
    await client.runCollection("5");
    await client.summary("oil");
    await collect(client.streamSummary("oil"));
    expect(read).toEqual(Array.from({ length: 4 }, () => article.url));
  });

  it.each(Object.entries(endpoints))("calls the documented endpoint, and reads its answer: %s", async (name, row) => {
    const [method = "", path = ""] = new Map(Object.entries(documented)).get(name)?.path.split(" ") ?? [];
    const body = typeof row.recorded === "string" ? wire(row.recorded) : JSON.stringify(row.recorded);
    const type = { "content-type": body.startsWith("{") ? "application/json" : "text/event-stream" };
    nock(BASE).intercept(path.replace(":id", "31"), method).reply(200, body, type);
    expect(await row.ask(gateway(), "31")).toMatchObject(row.reads);
  });

  it("knows a test key by its beginning", async () => {
    upstream("svc_test_1").get("/me").reply(200, wire("me.json"));
    expect((await gateway("svc_test_1").me()).credits).toEqual({ used: undefined, remaining: 36, test: true });
  });

  it("reads an answer that comes without its envelope", async () => {
    upstream().post("/search").reply(200, { articles: [] });
    expect(await gateway().search("oil")).toEqual({
      query: "oil",
      articles: [],
      total: 0,
      credits: { used: undefined, remaining: undefined, test: false },
    });
  });

  it("says what is left when the balance is too low, and asks only once", async () => {
    const error = { code: "insufficient_credits", message: "too low" };
    upstream()
      .post("/summaries")
      .reply(400, { error, meta: { credits_remaining: 3 } });
    await expect(gateway().summary("oil")).rejects.toMatchObject({ name: "OutOfCredits", remaining: 3 });
  });

  it.each<[string, (client: Gateway) => Promise<unknown>]>([
    ["summaries", (client) => client.summary("oil")],
    ["chat/completions", (client) => client.chat({ messages })],
    ["collections", (client) => client.createCollection({ name: "N" })],
    ["collections/1/execute", (client) => client.runCollection("1")],
  ])("never sends %s twice", async (path, ask) => {
    upstream().post(`/${path}`).reply(503, {});
    await expect(ask(gateway())).rejects.toBeInstanceOf(Unavailable);
  });
});

function answering(endpoint: string, data: unknown): Gateway {
  const [method = "", path = ""] = endpoint.split(" ");
  upstream().intercept(path, method).reply(200, JSON.stringify({ data }));
  return gateway();
}

describe("an answer of which the document shows no field", () => {
  it.each<[string, (client: Gateway) => Promise<unknown>, unknown, object]>([
    ["POST /search", (client) => client.search("gas"), [article], { total: 1, articles: [{ title: "T" }] }],
    ["POST /summaries", (client) => client.summary("gas"), "All calm.", { text: "All calm.", articles: [] }],
    [
      "POST /chat/completions",
      (client) => client.chat({ messages }),
      { choices: [{ message: { content: " Calm. " } }, { message: {} }] },
      { text: "Calm." },
    ],
    [
      "GET /collections/31",
      (client) => client.collection("31"),
      { collection: { id: 1 } },
      { collection: { id: "1", name: "Collection 1" } },
    ],
    [
      "GET /me",
      (client) => client.me(),
      { user: { name: "Desk" }, credits: { balance: "31" } },
      { name: "Desk", credits: { remaining: 31 } },
    ],
    ["GET /usage", (client) => client.usage(), { credits_used: 4 }, { usage: { spent: 4, endpoints: [] } }],
  ])("is read from %s in a likely form", async (path, ask, data, expected) => {
    expect(await ask(answering(path, data))).toMatchObject(expected);
  });

  it.each<[string, (client: Gateway) => Promise<unknown>, unknown]>([
    ["POST /search", (client) => client.search("gas"), { articles: null, total: 4 }],
    ["GET /usage", (client) => client.usage(), { pages: [1] }],
  ])("is not read from %s in any other: that would look like nothing found", async (path, ask, data) => {
    await expect(ask(answering(path, data))).rejects.toBeInstanceOf(UnexpectedAnswer);
  });
});

it.each([
  [undefined, "authorization", `Bearer ${KEY}`],
  ["authorization", "authorization", `Bearer ${KEY}`],
  ["x-api-key", "x-api-key", KEY],
] as const)(
  "a key given as %s goes with calls and with streams, and stands in no error",
  async (keyHeader, name, value) => {
    const other = name === "x-api-key" ? "authorization" : "x-api-key";
    const service = () => nock(`${BASE}/api/v1`, { reqheaders: { [name]: value }, badheaders: [other] });
    const http = createHttp({ api: "gateway", baseUrl: BASE });
    const client = createGateway({ http, key: KEY, keyHeader });
    service().post("/summaries/stream").reply(200, wire("summary.sse"), { "content-type": "text/event-stream" });
    expect((await collect(client.streamSummary("oil"))).length).toBeGreaterThan(3);
    service()
      .get("/me")
      .reply(400, { error: { code: "odd", message: `${value} is odd` } }, { "x-request-id": KEY });
    const error = await failure(client.me());
    expect(describeError(error)).toContain("is odd");
    expect(describeError(error) + JSON.stringify(error)).not.toContain(KEY);
  },
);

describe("a list with elements that cannot be read", () => {
  it.each<[string, string, (client: Gateway) => Promise<unknown>, unknown[]]>([
    ["collections", "GET /collections", (client) => client.collections(), [{ id: 1 }, { name: "no ID" }]],
  ])("is what is left of it, and the log says so: %s", async (operation, endpoint, ask, data) => {
    await ask(answering(endpoint, data));
    expect(warnings).toEqual([["gateway.dropped", { operation, dropped: 1 }]]);
  });
});

describe("the gateway's ranking", () => {
  // Without any parameter: the document has none.
  const ranked = (body: nock.Body): Gateway => {
    nock(`${BASE}/api/v1`).get("/trending/entities").query({}).reply(200, body);
    return gateway();
  };

  it("is asked for without a parameter, as the document says, and read in its own order, with the bill and without what cannot be read", async () => {
    const { entities, credits } = await ranked(wire("gateway-trending.json")).trending();
    expect(entities).toEqual([
      { name: "Ostmark Lithium", type: "Company", mentions: 214, average: undefined, score: 6.81 },
      { name: "Bay of Fundy", type: "Region", mentions: 58, average: 12.25, score: undefined },
      { name: "Tidewater Power", type: "Company", mentions: 40, average: 22, score: undefined },
    ]);
    expect(credits).toEqual({ used: 1, remaining: 33, test: false });
    expect(warnings).toEqual([["gateway.dropped", { operation: "trending", dropped: 1 }]]);
  });
});

it("the documented prices are those that a live key is charged, and a test key is charged nothing", async () => {
  nock.enableNetConnect("127.0.0.1");
  const sandbox = await startSandbox({ wordDelayMs: 0 });
  const paid = async (key: string) => {
    const client = createGateway({ http: createHttp({ api: "gateway", baseUrl: sandbox.gatewayUrl }), key });
    const [first] = (await client.collections()).collections;
    const rows: [string, number | undefined][] = [];
    for (const [name, { ask }] of Object.entries(endpoints)) {
      rows.push([name, (await ask(client, first?.id ?? "")).credits.used]);
    }
    return Object.fromEntries(rows);
  };
  const prices = Object.fromEntries(Object.entries(documented).map(([name, { credits }]) => [name, credits]));
  try {
    expect(await paid(sandbox.liveKey)).toEqual(prices);
    expect(new Set(Object.values(await paid(sandbox.gatewayKey)))).toEqual(new Set([0]));
  } finally {
    await sandbox.close();
  }
});
