import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createGateway } from "../../src/apis/gateway/client.ts";
import type { Gateway } from "../../src/apis/gateway/client.ts";
import { prices } from "../../src/apis/gateway/prices.ts";
import type { Credits } from "../../src/apis/gateway/schema.ts";
import { createHttp } from "../../src/apis/http.ts";
import { startSandbox } from "../../src/sandbox/server.ts";
import { sandboxWorld, wireWorld } from "../support/wire.ts";
import type { World } from "../support/wire.ts";
import { collect } from "./line.ts";

describe.each([
  ["recorded answers", wireWorld],
  ["the sandbox", sandboxWorld],
])("the gateway over %s", (_, start) => {
  let world: World;
  let gateway: World["clients"]["gateway"];
  beforeAll(async () => {
    world = await start();
    ({ gateway } = world.clients);
  });
  afterAll(() => world.stop());

  it("ranks trending entities, of all types and of one, with the bill", async () => {
    const { entities, credits } = await gateway.trending();
    expect(entities.length).toBeGreaterThan(2);
    expect(new Set(entities.map(({ type }) => type)).size).toBeGreaterThan(1);
    for (const { name, mentions, average = 0, score = 0 } of entities) {
      expect(name).not.toBe("");
      expect([mentions, average, score].every(Number.isFinite)).toBe(true);
    }
    expect(credits.used).toBeTypeOf("number");
    const companies = await gateway.trending({ type: "company", limit: 2 });
    expect(companies.entities.map(({ type }) => type)).toEqual(["Company", "Company"]);
  });

  it("tells the state of the rate limit beside the bill", async () => {
    const { rate } = (await gateway.trending()).credits;
    expect(rate).toMatchObject({ limit: 1_000, remaining: expect.any(Number) });
    expect(rate?.resetAt).toBeGreaterThan(Date.now());
  });

  it("lists its language models, free of charge", async () => {
    const { models, credits } = await gateway.models();
    expect(models.length).toBeGreaterThan(1);
    for (const { id, name } of models) expect(id.length * name.length).toBeGreaterThan(0);
    expect(models.filter(({ isDefault }) => isDefault)).toHaveLength(1);
    expect(models[0]?.contextWindow).toBeGreaterThan(1_000);
    expect(credits.used).toBe(0);
  });

  it("replies to a conversation, with the model that wrote it and the bill", async () => {
    const messages = [
      { role: "system", content: "Be short." },
      { role: "user", content: "What is new in shipping?" },
    ] as const;
    const { models } = await gateway.models();
    const model = models.find(({ isDefault }) => isDefault)?.id;
    const reply = await gateway.chat({ messages: [...messages] });
    expect(reply.text.length).toBeGreaterThan(10);
    expect(reply.model).toBe(model);
    expect(reply.credits.used).toBeTypeOf("number");
    const chosen = await gateway.chat({ model, messages: [...messages] });
    expect(chosen.text.length).toBeGreaterThan(10);
  });

  it("lists collections, each of which can be read by its ID", async () => {
    const { collections, credits } = await gateway.collections();
    expect(collections.length).toBeGreaterThan(1);
    for (const { id, name, query } of collections) {
      expect([typeof id, typeof name, typeof query]).toEqual(["string", "string", "string"]);
    }
    const [first] = collections;
    if (first === undefined) throw new Error("no collection");
    const { collection } = await gateway.collection(first.id);
    expect(collection).toMatchObject({ id: first.id, name: first.name, query: first.query });
    expect(Number.isFinite(collection.created)).toBe(true);
    expect(credits.used).toBe(0);
  });

  it("creates a collection under the name and with the query that it was given", async () => {
    const { collection, credits } = await gateway.createCollection({ name: "Ports", query: "port" });
    expect(collection).toMatchObject({ name: "Ports", query: "port" });
    expect(collection.id).not.toBe("");
    expect(credits.used).toBe(0);
  });

  it("executes a collection, with the articles and the bill", async () => {
    const [first] = (await gateway.collections()).collections;
    const { articles, total, credits } = await gateway.runCollection(first?.id ?? "");
    expect(articles.length).toBeGreaterThan(0);
    for (const { title, url } of articles) {
      expect(title).not.toBe("");
      expect(url).toMatch(/^https?:\/\//);
    }
    expect(total).toBeGreaterThanOrEqual(articles.length);
    expect(credits.remaining).toBeTypeOf("number");
  });

  it("says that a collection does not exist", async () => {
    const error = { name: "UnexpectedAnswer", status: 404, said: expect.stringContaining("collection") };
    await expect(gateway.collection("nowhere/0")).rejects.toMatchObject({ ...error, operation: "collection" });
    await expect(gateway.runCollection("nowhere/0")).rejects.toMatchObject({ ...error, operation: "run collection" });
  });

  it("lists insight channels", async () => {
    const { channels } = await gateway.insightChannels();
    expect(channels.length).toBeGreaterThan(1);
    for (const { id, name } of channels) {
      expect(id).toBeTypeOf("string");
      expect(name).not.toBe("");
    }
    expect(channels[0]?.articleCount).toBeTypeOf("number");
    expect(channels.some(({ description = "" }) => description !== "")).toBe(true);
  });

  it("tells what the key was used for", async () => {
    await gateway.search("lithium");
    const { usage, credits } = await gateway.usage();
    const { start: from = 0, end = 0, requests = 0, endpoints } = usage;
    expect(from).toBeLessThanOrEqual(end);
    expect(requests).toBeGreaterThan(0);
    expect(usage.spent).toBeTypeOf("number");
    expect(endpoints.find(({ endpoint }) => endpoint === "/api/v1/search")?.requests).toBeGreaterThan(0);
    expect(credits.remaining).toBeTypeOf("number");
  });
});

describe("the documented prices", () => {
  const messages = [{ role: "user" as const, content: "What is new in shipping?" }];
  // In the order of the table, with a live key of the sandbox, which is charged as the document says.
  const calls: Record<keyof Gateway, (gateway: Gateway) => Promise<{ credits: Credits }>> = {
    search: (gateway) => gateway.search("shipping"),
    trending: (gateway) => gateway.trending(),
    summary: (gateway) => gateway.summary("shipping"),
    streamSummary: async (gateway) => {
      const bill = (await collect(gateway.streamSummary("shipping"))).at(-1);
      return bill?.type === "credits" ? bill : expect.fail("no bill at the end of the stream");
    },
    chat: (gateway) => gateway.chat({ messages }),
    models: (gateway) => gateway.models(),
    createCollection: (gateway) => gateway.createCollection({ name: "Ports", query: "port" }),
    collections: (gateway) => gateway.collections(),
    collection: async (gateway) => gateway.collection(await firstCollection(gateway)),
    runCollection: async (gateway) => gateway.runCollection(await firstCollection(gateway)),
    insightChannels: (gateway) => gateway.insightChannels(),
    me: (gateway) => gateway.me(),
    usage: (gateway) => gateway.usage(),
  };
  const firstCollection = async (gateway: Gateway) => (await gateway.collections()).collections[0]?.id ?? "";

  it("are those that a live key is charged, and a test key is charged nothing", async () => {
    const sandbox = await startSandbox({ wordDelayMs: 0 });
    const paid = async (key: string) => {
      const gateway = createGateway({ http: createHttp({ api: "gateway", baseUrl: sandbox.gatewayUrl }), key });
      const rows: [string, number | undefined][] = [];
      for (const [name, call] of Object.entries(calls)) rows.push([name, (await call(gateway)).credits.used]);
      return Object.fromEntries(rows);
    };
    try {
      expect(await paid(sandbox.liveKey)).toEqual(prices);
      expect(new Set(Object.values(await paid(sandbox.gatewayKey)))).toEqual(new Set([0]));
    } finally {
      await sandbox.close();
    }
  });
});
