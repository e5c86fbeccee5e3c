import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NotAllowed } from "../../src/apis/errors.ts";
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

  it("streams a reply with the tools that it used", async () => {
    const events = await collect(world.clients.intelligence.generate({ messages: [question] }));
    expect(textIn(events).length).toBeGreaterThan(20);
    const started = events.flatMap((event) => (event.type === "tool_start" ? event.calls : []));
    const finished = events.flatMap((event) => (event.type === "tool_finish" ? [event] : []));
    expect(started.length).toBeGreaterThan(0);
    expect(finished.map(({ callId }) => callId)).toEqual(started.map(({ id }) => id));
    expect(finished.flatMap(({ articleIds }) => articleIds).length).toBeGreaterThan(0);
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
});
