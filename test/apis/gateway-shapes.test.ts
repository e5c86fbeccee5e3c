import nock from "nock";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { UnexpectedAnswer } from "../../src/apis/errors.ts";
import { createGateway } from "../../src/apis/gateway/client.ts";
import type { Gateway } from "../../src/apis/gateway/client.ts";
import { createHttp } from "../../src/apis/http.ts";
import { allAsked } from "../support/wire.ts";

const BASE = "https://gateway.example";
const warnings: unknown[] = [];

function gateway(): Gateway {
  const http = createHttp({ api: "gateway", baseUrl: BASE, clock: { wait: () => Promise.resolve() } });
  const log = { warn: (event: string, fields = {}) => void warnings.push([event, fields]) };
  return createGateway({ http, key: "svc_live_1", log });
}

const api = () => nock(`${BASE}/api/v1`);

// The shapes of these answers are not documented; each row is one that a service might well have.
describe("the gateway client reads", () => {
  beforeAll(() => nock.disableNetConnect());
  afterEach(() => {
    warnings.length = 0;
    allAsked();
  });
  afterAll(() => nock.enableNetConnect());

  it.each([
    ["a list", { data: ["m-1"] }],
    ["a list without its envelope", ["m-1"]],
    ["a list in an object", { data: { models: [{ model: "m-1" }] } }],
    ["a list a provider", { data: { openmind: [{ id: "m-1" }], others: [] } }],
    ["an object with a model a name", { data: { models: { "m-1": { name: "m-1" } } } }],
    ["a list of objects in an object", { object: "list", data: [{ id: "m-1", name: "m-1" }] }],
  ])("models that come as %s", async (_, body) => {
    api().get("/models").reply(200, body);
    expect((await gateway().models()).models).toEqual([
      { id: "m-1", name: "m-1", contextWindow: undefined, isDefault: false },
    ]);
  });

  it.each([
    ["the first choice", { choices: [{ message: { content: " Calm. " } }, { message: { content: "Storm." } }] }],
    ["the text of a choice", { choices: [{ text: "Calm." }] }],
    ["a text", { text: "Calm." }],
    ["a content", { content: "Calm." }],
    ["a message with a content", { message: { role: "assistant", content: "Calm." } }],
    ["a message", { message: "Calm." }],
    ["a completion", { completion: "Calm." }],
    ["a response beside a message", { message: "Success", response: "Calm." }],
    ["a message with a content beside the state of the request", { message: { content: "Calm." }, response: "stop" }],
    ["content in parts", { content: [{ text: "Ca" }, { type: "image" }, "lm."] }],
    ["bare text", "Calm."],
  ])("a reply that is %s", async (_, data) => {
    api().post("/chat/completions").reply(200, { data });
    expect(await gateway().chat({ messages: [{ role: "user", content: "?" }] })).toMatchObject({ text: "Calm." });
  });

  it.each([
    ["IDs in one tier", { primary_entities: [4, "5"] }],
    ["records in one list", { entities: [{ id: 4, name: "Oil" }, { entity_id: "5" }, { name: "nobody" }, null] }],
  ])("an article's entities that come as %s", async (_, entities) => {
    const article = { title: "Oil", url: "https://a.example/1", ...entities };
    api()
      .post("/search")
      .reply(200, { data: { articles: [article] } });
    expect((await gateway().search("oil")).articles[0]?.entities.primary).toEqual([4, 5]);
  });

  it("the exact conversation into the request, with a model only where one is asked for", async () => {
    const messages = [
      { role: "system" as const, content: "Be short." },
      { role: "user" as const, content: "Why?" },
    ];
    api().post("/chat/completions", { messages }).reply(200, { text: "So." });
    api().post("/chat/completions", { model: "m-1", messages }).reply(200, { text: "So.", model: "m-1" });
    expect((await gateway().chat({ messages })).model).toBeUndefined();
    expect((await gateway().chat({ model: "m-1", messages })).model).toBe("m-1");
  });

  it.each([
    ["an executive summary", { executive_summary: "Calm." }],
    ["paragraphs", { summary: ["Calm.", "No wind."] }],
    ["a result with a text", { result: { text: "Calm." } }],
  ])("a summary that comes as %s", async (_, data) => {
    api().post("/summaries").reply(200, { data });
    expect((await gateway().summary("oil")).text).toMatch(/^Calm\.(\n\nNo wind\.)?$/);
  });

  it("insight channels that are names alone", async () => {
    api()
      .get("/insight-channels")
      .reply(200, { data: ["Energy", { slug: "metals", title: "Metals" }] });
    const { channels } = await gateway().insightChannels();
    expect(channels.map(({ id, name }) => [id, name])).toEqual([
      ["Energy", "Energy"],
      ["metals", "Metals"],
    ]);
  });

  it("figures under names in the other style", async () => {
    api()
      .get("/usage")
      .reply(200, { data: { totalRequests: 9, creditsUsed: 4, byEndpoint: { search: { requestCount: 2 } } } });
    api()
      .get("/me")
      .reply(200, { data: { displayName: "Desk", creditsRemaining: 31 } });
    expect((await gateway().usage()).usage).toMatchObject({
      requests: 9,
      spent: 4,
      endpoints: [{ endpoint: "search", requests: 2 }],
    });
    expect(await gateway().me()).toMatchObject({ name: "Desk", credits: { remaining: 31 } });
  });

  it("collections under other names, and counts those that it cannot read", async () => {
    const found = [{ uuid: "u", label: "L", q: "oil", created: "2026-11-20" }, { collectionId: 7 }, { name: "no ID" }];
    api().get("/collections").reply(200, { data: found });
    expect((await gateway().collections()).collections).toEqual([
      { id: "u", name: "L", description: undefined, query: "oil", created: Date.UTC(2026, 10, 20) },
      { id: "7", name: "Collection 7", description: undefined, query: undefined, created: undefined },
    ]);
    expect(warnings).toEqual([["gateway.dropped", { operation: "collections", dropped: 1 }]]);
  });

  it("no more into a new collection's request than was given", async () => {
    api().post("/collections", { name: "N" }).reply(201, { id: 5 });
    const { collection } = await gateway().createCollection({ name: "N" });
    expect(collection).toMatchObject({ id: "5", name: "N", query: undefined });
  });

  it("a collection's ID as one part of an address", async () => {
    api().get("/collections/a%2Fb%3Fc").reply(200, { id: "a/b?c", name: "N" });
    expect((await gateway().collection("a/b?c")).collection.id).toBe("a/b?c");
  });

  const article = { title: "T", url: "https://a.example/" };
  it.each([
    ["a bare list", [article], 1],
    ["a list beside its total", { articles: [article], total: 9 }, 9],
    ["a result", { status: "done", result: { articles: [article], count: "3" } }, 3],
    ["results in results", { results: { items: [article] } }, 1],
  ])("an execution that gives %s", async (_, data, total) => {
    api().post("/collections/1/execute").reply(200, { data });
    const found = await gateway().runCollection("1");
    expect(found.articles.map(({ title }) => title)).toEqual(["T"]);
    expect(found.total).toBe(total);
  });

  it.each([
    ["a bare list", [article], 1],
    ["a list under another name", { query: "oil", results: [article], total: 12 }, 12],
    ["a list one object deeper", { result: { items: [article], total_count: "3" } }, 3],
  ])("a search that gives %s", async (_, data, total) => {
    api().post("/search").reply(200, { data });
    const found = await gateway().search("oil");
    expect(found).toMatchObject({ query: "oil", total });
    expect(found.articles.map(({ title }) => title)).toEqual(["T"]);
  });

  it.each([{ articles: [] }, [], { articles: null, total: 0 }, { total: 0 }])(
    "a search that found nothing, told by %j",
    async (data) => {
      api().post("/search").reply(200, { data });
      expect(await gateway().search("oil")).toMatchObject({ articles: [], total: 0 });
    },
  );

  it("an execution that found nothing", async () => {
    api()
      .post("/collections/1/execute")
      .reply(200, { data: { articles: [] } });
    expect(await gateway().runCollection("1")).toMatchObject({ articles: [], total: 0 });
  });

  it("an execution with articles that it cannot read as what is left, and counts them", async () => {
    api()
      .post("/collections/1/execute")
      .reply(200, { data: [article, { title: "no address" }] });
    expect((await gateway().runCollection("1")).articles).toHaveLength(1);
    expect(warnings).toEqual([["gateway.dropped", { operation: "run collection", dropped: 1 }]]);
  });

  it.each([
    ["sums alone", { credits_used: 4 }, { spent: 4, requests: undefined, endpoints: [] }],
    ["a list", { usage: [{ path: "/a", count: "2" }] }, { endpoints: [{ endpoint: "/a", requests: 2 }] }],
    [
      "sums in an object",
      { usage: { total_requests: 10, credits_used: 20 } },
      { requests: 10, spent: 20, endpoints: [] },
    ],
    [
      "sums and endpoints in an object",
      { usage: { requests: 10, byEndpoint: { search: 7 } } },
      { requests: 10, endpoints: [{ endpoint: "search", requests: 7 }] },
    ],
    [
      "endpoints in an object",
      { usage: { search: 7, summaries: 2 }, total_requests: 9 },
      {
        requests: 9,
        endpoints: [
          { endpoint: "search", requests: 7 },
          { endpoint: "summaries", requests: 2 },
        ],
      },
    ],
    ["a period", { requests: 0, period: { from: 0, to: 1795161600 } }, { start: 0, end: 1795161600000, requests: 0 }],
  ])("statistics that are %s", async (_, data, expected) => {
    api().get("/usage").reply(200, { data });
    expect((await gateway().usage()).usage).toMatchObject(expected);
  });

  it.each<[string, (client: Gateway) => Promise<unknown>]>([
    ["models", (client) => client.models()],
    ["collections", (client) => client.collections()],
    ["collections/1", (client) => client.collection("1")],
    ["insight-channels", (client) => client.insightChannels()],
    ["usage", (client) => client.usage()],
  ])("nothing into %s of another format", async (path, ask) => {
    api()
      .get(`/${path}`)
      .reply(200, { data: { pages: [1] } });
    const outcome = await ask(gateway()).catch((error: unknown) => error);
    expect(outcome).toBeInstanceOf(UnexpectedAnswer);
  });

  it.each([{ pages: [] }, { articles: null }, { articles: [1] }, "queued", null])(
    "nothing into an execution that gives %j",
    async (data) => {
      api().post("/collections/1/execute").reply(200, { data });
      await expect(gateway().runCollection("1")).rejects.toBeInstanceOf(UnexpectedAnswer);
    },
  );

  it.each([{ pages: [] }, { articles: null }, { articles: null, total: 4 }, { articles: [1] }, "queued", null])(
    "nothing into a search that gives %j",
    async (data) => {
      api().post("/search").reply(200, { data });
      await expect(gateway().search("oil")).rejects.toBeInstanceOf(UnexpectedAnswer);
    },
  );

  it("an answer that says of itself that it is no success as what it says", async () => {
    api().post("/search").reply(200, { success: false, message: "The index is being rebuilt." });
    await expect(gateway().search("oil")).rejects.toMatchObject({
      name: "UnexpectedAnswer",
      said: "The index is being rebuilt.",
    });
  });

  it.each([{ pages: [] }, {}, { page: 1, next: { id: "x" } }])("nothing into models that come as %j", async (data) => {
    api().get("/models").reply(200, { data });
    await expect(gateway().models()).rejects.toBeInstanceOf(UnexpectedAnswer);
  });

  it.each<[string, (client: Gateway) => Promise<unknown>]>([
    ["chat/completions", (client) => client.chat({ messages: [{ role: "user", content: "?" }] })],
    ["collections", (client) => client.createCollection({ name: "N" })],
    ["collections/1/execute", (client) => client.runCollection("1")],
  ])("never sends %s twice", async (path, ask) => {
    api().post(`/${path}`).reply(503, {});
    await expect(ask(gateway())).rejects.toMatchObject({ name: "Unavailable", status: 503 });
  });
});
