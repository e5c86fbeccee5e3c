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
  it("says that a collection does not exist", async () => {
    const error = { name: "UnexpectedAnswer", status: 404, said: expect.stringContaining("collection") };
    await expect(gateway.collection("nowhere/0")).rejects.toMatchObject({ ...error, operation: "collection" });
    await expect(gateway.runCollection("nowhere/0")).rejects.toMatchObject({ ...error, operation: "run collection" });
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
