import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { GenerateEvent } from "../../src/apis/intelligence/generate.ts";
import { NotAllowed } from "../../src/apis/errors.ts";
import { stageEntityIds } from "../../src/apis/intelligence/schema.ts";
import { clientsFor, sandboxWorld, wireWorld } from "../support/wire.ts";
import type { World } from "../support/wire.ts";

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

const DAY = 86_400_000;
const question = { role: "user", content: { type: "text", text: "What is new in lithium?" } } as const;

describe.each([
  ["recorded answers", wireWorld],
  ["the sandbox", sandboxWorld],
])("over %s", (_, start) => {
  let world: World;
  beforeAll(async () => {
    world = await start();
  });
  afterAll(() => world.stop());

  it("ranks trending entities with names, types and numbers", async () => {
    const all = await world.clients.intelligence.trending();
    expect(all.length).toBeGreaterThan(2);
    for (const entity of all) {
      expect(entity.name).not.toBe("");
      expect([entity.mentions, entity.average, entity.score].every(Number.isFinite)).toBe(true);
    }
    const companies = await world.clients.intelligence.trending({ type: "company" });
    expect(companies).toEqual(all.filter(({ type }) => type === "Company"));
    expect(companies.length).toBeGreaterThan(0);
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
    const text = events.map((event) => (event.type === "text" ? event.text : "")).join("");
    expect(text.length).toBeGreaterThan(20);
    const started = events.flatMap((event) => (event.type === "tool_start" ? event.calls : []));
    const finished = events.filter((event): event is Extract<GenerateEvent, { type: "tool_finish" }> => {
      return event.type === "tool_finish";
    });
    expect(started.length).toBeGreaterThan(0);
    expect(finished.map(({ callId }) => callId)).toEqual(started.map(({ id }) => id));
    expect(finished.flatMap(({ articleIds }) => articleIds).length).toBeGreaterThan(0);
  });

  it("searches, with the bill", async () => {
    const found = await world.clients.gateway.search("lithium", { limit: 3 });
    expect(found).toMatchObject({ query: "lithium" });
    expect(found.articles.length).toBeGreaterThan(0);
    expect(found.total).toBeGreaterThanOrEqual(found.articles.length);
    expect(found.credits.used).toBeTypeOf("number");
    expect(found.credits.remaining).toBeTypeOf("number");
    expect(found.credits.test).toBe(world.access.gatewayKey.startsWith("svc_test_"));
  });

  it("summarises at once and as a stream", async () => {
    const { gateway } = world.clients;
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
    const { name, email, credits } = await world.clients.gateway.me();
    expect(name).toMatch(/Desk$/);
    expect(email).toMatch(/@/);
    expect(credits.remaining).toBeGreaterThan(0);
  });

  it("looks jurisdictions up with counts that fit the totals", async () => {
    const { regions, totals } = await world.clients.jurisdictions.lookup();
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
