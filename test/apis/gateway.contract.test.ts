import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sandboxWorld, wireWorld } from "../support/wire.ts";
import type { World } from "../support/wire.ts";

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
