import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NotAllowed, UsageError } from "../../src/apis/errors.ts";
import type { GenerateEvent } from "../../src/apis/intelligence/generate.ts";
import { stageEntityIds } from "../../src/apis/intelligence/schema.ts";
import { clientsFor, sandboxWorld } from "../support/wire.ts";
import type { World } from "../support/wire.ts";
import { collect } from "./line.ts";

const DAY = 86_400_000;
const question = { role: "user", content: { type: "text", text: "What is new in lithium?" } } as const;
const textIn = (events: GenerateEvent[]) => events.map((event) => (event.type === "text" ? event.text : "")).join("");

let world: World;
let gateway: World["clients"]["gateway"];
let database: World["clients"]["jurisdictions"];
beforeAll(async () => {
  world = await sandboxWorld();
  ({ gateway, jurisdictions: database } = world.clients);
});
afterAll(() => world.stop());

describe("the services of the sandbox", () => {
  it("ranks trending entities with names, types and numbers", async () => {
    const all = await world.clients.intelligence.trending();
    expect(all.length).toBeGreaterThan(2);
    for (const entity of all) {
      expect(entity.name).not.toBe("");
      expect([entity.mentions, entity.average, entity.score].every(Number.isFinite)).toBe(true);
    }
  });

  it("walks from channels over articles to the names of their entities", async () => {
    const { intelligence } = world.clients;
    const [channel] = await intelligence.channels();
    if (channel === undefined) throw new Error("no channel");
    expect(await intelligence.channel(channel.id)).toEqual(channel);
    expect(stageEntityIds(channel.stages).length).toBeGreaterThan(0);
    const articles = await intelligence.articles(channel.stages);
    expect(articles.length).toBeGreaterThan(0);
    for (const { id, title, url, published = 0 } of articles) {
      expect(id).toBeTypeOf("number");
      expect(title).not.toBe("");
      expect(url).toMatch(/^https?:\/\//);
      expect(Math.abs(published - Date.now())).toBeLessThan(3_650 * DAY);
    }
    const ids = articles.flatMap(({ entities }) => entities.primary).slice(0, 3);
    const names = await intelligence.entities(ids);
    expect(new Set(names.keys())).toEqual(new Set(ids));
    for (const { name, typeName } of names.values()) expect(name.length * typeName.length).toBeGreaterThan(0);
  });

  it("says that a channel does not exist", async () => {
    await expect(world.clients.intelligence.channel(999_999)).rejects.toMatchObject({
      name: "UnexpectedAnswer",
      status: 404,
      operation: "channel",
    });
  });

  it("streams a reply with the tools that it used", async () => {
    const events = await collect(world.clients.intelligence.generate({ messages: [question] }));
    expect(textIn(events).length).toBeGreaterThan(20);
    const started = events.flatMap((event) => (event.type === "tool_start" ? event.calls : []));
    const finished = events.flatMap((event) => (event.type === "tool_finish" ? [event] : []));
    expect(started.length).toBeGreaterThan(0);
    expect(finished.map(({ callId }) => callId)).toEqual(started.map(({ id }) => id));
    expect(finished.flatMap(({ articleIds }) => articleIds).length).toBeGreaterThan(0);
  });

  it("searches, with the bill", async () => {
    const found = await gateway.search("lithium", { limit: 3 });
    expect(found).toMatchObject({ query: "lithium" });
    expect(found.articles.length).toBeGreaterThan(0);
    expect(found.total).toBeGreaterThanOrEqual(found.articles.length);
    expect(found.credits.used).toBeTypeOf("number");
    expect(found.credits.remaining).toBeTypeOf("number");
    expect(found.credits.test).toBe(world.access.gatewayKey.startsWith("svc_test_"));
  });

  it("summarises at once and as a stream", async () => {
    const summary = await gateway.summary("lithium");
    expect(summary.text).not.toBe("");
    expect(summary.articles.length).toBeGreaterThan(0);
    const events = await collect(gateway.streamSummary("lithium"));
    const text = events.map((event) => (event.type === "text" ? event.text : "")).join("");
    expect(text).not.toBe("");
    expect(text).not.toContain("undefined");
    expect(events.filter(({ type }) => type === "sources")).toHaveLength(1);
    expect(events.at(-1)).toMatchObject({ type: "credits" });
  });

  it("tells whose key it is and what is left", async () => {
    const { name, credits } = await gateway.me();
    expect(name).toMatch(/Desk$/);
    expect(credits.remaining).toBeGreaterThan(0);
  });

  it("looks jurisdictions up with counts that fit the totals", async () => {
    const { regions, totals } = await database.lookup();
    const all = regions.flatMap(({ jurisdictions }) => jurisdictions);
    expect(all.length).toBe(totals.jurisdictions);
    expect(all.reduce((sum, { agencyCount = 0 }) => sum + agencyCount, 0)).toBe(totals.agencies);
  });

  it("is refused with wrong keys, and shows none of them", async () => {
    const wrong = { credentials: { username: "mallory", password: "wrong-password" }, gatewayKey: "svc_live_wrong" };
    const clients = clientsFor({ ...world.access, ...wrong, jurisdictionsKey: "jur_wrong_key" });
    const refusals = [clients.intelligence.trending(), clients.gateway.me(), clients.jurisdictions.lookup()];
    for (const refusal of await Promise.allSettled(refusals)) {
      const error: unknown = refusal.status === "rejected" ? refusal.reason : undefined;
      expect(error).toBeInstanceOf(NotAllowed);
      expect(String(error) + JSON.stringify(error)).not.toMatch(/wrong/);
    }
  });
});

describe("the gateway of the sandbox", () => {
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
    const { requests = 0, endpoints } = usage;
    expect(requests).toBeGreaterThan(0);
    expect(usage.spent).toBeTypeOf("number");
    expect(endpoints.find(({ endpoint }) => endpoint === "/api/v1/search")?.requests).toBeGreaterThan(0);
    expect(credits.remaining).toBeTypeOf("number");
  });
});

describe("the hierarchy of the sandbox", () => {
  it("leads from a region down to sources, each naming what it belongs to", async () => {
    const [region] = await database.regions();
    const places = await database.jurisdictions(region?.id ?? "");
    const [place] = places;
    expect(places.map((one) => one.region)).toEqual(places.map(() => region?.name));
    expect([place?.agencyChannel, place?.jurisdictionChannel].every(Number.isFinite)).toBe(true);
    const agencies = await database.agencies(place?.id ?? "");
    expect(agencies.length).toBeGreaterThan(0);
    const [contributor] = await database.contributors(place?.id ?? "");
    const above = { jurisdiction: place?.name, region: region?.name };
    for (const member of [...agencies, contributor]) expect(member).toMatchObject(above);
    const sources = await database.sources(contributor?.id ?? "");
    expect(sources.length).toBeGreaterThan(0);
    for (const source of sources) expect(source).toMatchObject({ ...above, contributor: contributor?.name });
  });

  it("holds the regions and jurisdictions of the look-up", async () => {
    const { regions } = await database.lookup();
    const [first] = regions;
    expect((await database.regions()).map(({ id }) => id)).toEqual(regions.map(({ id }) => id));
    const places = await database.jurisdictions(first?.id ?? "");
    const names = places.map(({ id, name }) => ({ id, name }));
    expect(first?.jurisdictions).toMatchObject(names);
  });

  it("tells the reader where a parent does not exist", async () => {
    const missing = "00000000-0000-5000-8000-000000000000";
    const calls = [
      database.jurisdictions(missing),
      database.agencies(missing),
      database.contributors("a/b?c"),
      database.sources(missing),
    ];
    const words = [
      "this region any more",
      "this jurisdiction any more",
      "this jurisdiction any more",
      "sources of this",
    ];
    for (const [at, outcome] of (await Promise.allSettled(calls)).entries()) {
      const error: unknown = outcome.status === "rejected" ? outcome.reason : undefined;
      expect(error).toBeInstanceOf(UsageError);
      expect(error).toHaveProperty("message", expect.stringContaining(words[at] ?? ""));
      expect(error).toHaveProperty("cause.status", 404);
    }
  });
});
