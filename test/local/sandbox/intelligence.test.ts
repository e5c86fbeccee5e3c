import { describe, expect, test } from "vitest";
import { z } from "zod";
import { jurisdictions } from "../../../local/sandbox/jurisdictions.ts";
import { ask, login, NOON, sandboxFor } from "./client.ts";

const Ids = z.array(z.int());
const Article = z.object({
  id: z.int(),
  title: z.string().min(1),
  summary: z.string().min(1),
  url: z.string().regex(/^https:\/\/[\w.-]+\.example\//),
  source: z.string(),
  language: z.string(),
  published: z.iso.datetime(),
  primary_entities: Ids,
  secondary_entities: Ids,
  tertiary_entities: Ids,
});
const Stage = z.object({
  not: z.boolean(),
  entities: z.array(z.object({ type: z.literal("entity"), value: z.int() })),
});
const Channel = z.object({ id: z.int(), name: z.string(), description: z.string(), stages: z.array(Stage).min(1) });
const Trend = z.object({
  name: z.string(),
  type: z.string(),
  type_display: z.enum(["Company", "Person", "Region", "Topic"]),
  raw_count: z.int(),
  moving_average: z.number(),
  deltaPrimeStdDevDifferenceDelta: z.number(),
});
const Entity = z.object({
  id: z.int(),
  name: z.string(),
  type: z.string(),
  type_display: z.string(),
  exchange: z.string().nullable(),
  symbol: z.string().nullable(),
  metadata: z.record(z.string(), z.string()),
});
const Problem = z.strictObject({ error: z.string() });

async function signedIn(options: Parameters<typeof sandboxFor>[0] = {}) {
  const sandbox = await sandboxFor(options);
  const session = await login(sandbox);
  const get = (path: string) => ask(sandbox.intelligenceUrl + path, { headers: session.headers });
  const post = (path: string, body: unknown) => ask(sandbox.intelligenceUrl + path, { headers: session.headers, body });
  return { sandbox, session, get, post, query: `/news/user/${session.userId}/query` };
}

/** A stage that asks for one entity. */
function stageFor(value: number) {
  return { not: false, entities: [{ type: "entity", value }] };
}

function tagsOf(article: z.infer<typeof Article>): number[] {
  return [...article.primary_entities, ...article.secondary_entities, ...article.tertiary_entities];
}

describe("login", () => {
  test("gives a token that lasts as long as asked for", async () => {
    const sandbox = await sandboxFor({ now: () => NOON, tokenLifetimeMs: 60_000 });
    expect((await login(sandbox)).expires).toBe(NOON + 60_000);
  });

  test("refuses a wrong password with 401 and a missing field with 400", async () => {
    const { intelligenceUrl, credentials } = await sandboxFor();
    const url = `${intelligenceUrl}/auth/login`;
    expect((await ask(url, { body: { ...credentials, password: "wrong" } })).status).toBe(401);
    const missing = await ask(url, { body: { username: "someone" } });
    expect(missing.status).toBe(400);
    expect(Problem.parse(missing.json).error).toContain("password");
  });

  test("refuses a body that is not sent as JSON", async () => {
    const { intelligenceUrl } = await sandboxFor();
    const form = await fetch(`${intelligenceUrl}/auth/login`, {
      method: "POST",
      body: new URLSearchParams({ a: "b" }),
    });
    expect(form.status).toBe(415);
    const broken = { method: "POST", body: "{", headers: { "content-type": "application/json" } };
    expect((await fetch(`${intelligenceUrl}/auth/login`, broken)).status).toBe(400);
  });
});

describe("tokens", () => {
  test("are needed at every other endpoint", async () => {
    const { intelligenceUrl } = await sandboxFor();
    const paths = ["/analytics/trending/entity", "/channel/user/1", "/channel/id/501", "/entity/ids/1", "/nowhere"];
    for (const path of paths) {
      const { status, json } = await ask(intelligenceUrl + path);
      expect([path, status]).toEqual([path, 401]);
      expect(Problem.parse(json).error).not.toBe("");
    }
    expect((await ask(`${intelligenceUrl}/generative/generate`, { body: {} })).status).toBe(401);
    expect(
      (await ask(`${intelligenceUrl}/entity/ids/1`, { headers: { authorization: "Bearer made-up" } })).status,
    ).toBe(401);
  });

  test("hold until their last millisecond and not longer", async () => {
    let now = NOON;
    const { get } = await signedIn({ now: () => now, tokenLifetimeMs: 1000 });
    now += 1000;
    expect((await get("/channel/id/501")).status).toBe(200);
    now += 1;
    expect((await get("/channel/id/501")).status).toBe(401);
  });
});

describe("trending entities", () => {
  test("are about twenty, ranked by score", async () => {
    const { get } = await signedIn({ now: () => NOON });
    const trends = z.array(Trend).parse((await get("/analytics/trending/entity")).json);
    expect(trends).toHaveLength(20);
    const scores = trends.map((trend) => trend.deltaPrimeStdDevDifferenceDelta);
    expect(scores).toEqual(scores.toSorted((left, right) => right - left));
  });

  test("are counted from the articles of the last day", async () => {
    const { get, post, query } = await signedIn({ now: () => NOON });
    const [first] = z.array(Trend).parse((await get("/analytics/trending/entity?type=Company")).json);
    const articles = z.array(Article).parse((await post(`${query}?limit=500`, [])).json);
    const ids = [...new Set(articles.flatMap(tagsOf))];
    const entities = z.array(Entity).parse((await get(`/entity/ids/${ids.join(",")}`)).json);
    const id = entities.find((entity) => entity.name === first?.name)?.id ?? 0;
    const counted = articles.filter(
      (article) =>
        Date.parse(article.published) > NOON - 86_400_000 &&
        (article.primary_entities.includes(id) || article.secondary_entities.includes(id)),
    );
    expect(first?.raw_count).toBe(counted.length);
    expect(first?.type_display).toBe("Company");
  });

  test("can be of one type, by code or display name, and of no unknown one", async () => {
    const { get } = await signedIn();
    const people = z.array(Trend).parse((await get("/analytics/trending/entity?type=prsn")).json);
    expect(new Set(people.map((trend) => trend.type_display))).toEqual(new Set(["Person"]));
    expect((await get("/analytics/trending/entity?type=planet")).status).toBe(400);
  });
});

describe("channels", () => {
  test("a user's list holds a dozen with stages, the first of them the gold wire", async () => {
    const { get, session } = await signedIn();
    const list = z.array(Channel).parse((await get(`/channel/user/${session.userId}`)).json);
    expect(list.length).toBeGreaterThanOrEqual(12);
    expect(list[0]).toMatchObject({ id: 501, name: "Gold wire" });
    expect(Channel.parse((await get("/channel/id/503")).json)).toEqual(list[2]);
  });

  test("every channel that the jurisdiction database names is found by its ID, and has articles", async () => {
    const { get, post, query } = await signedIn();
    for (const { agencychannel, jurisdictionchannel } of jurisdictions) {
      for (const id of [agencychannel, jurisdictionchannel]) {
        const { stages } = Channel.parse((await get(`/channel/id/${id}`)).json);
        expect(z.array(Article).parse((await post(query, stages)).json).length, `channel ${id}`).toBeGreaterThan(0);
      }
    }
  });

  test("another user's list is refused, an unknown channel is not found and an odd ID is wrong", async () => {
    const { get } = await signedIn();
    expect((await get("/channel/user/999")).status).toBe(403);
    expect((await get("/channel/id/999")).status).toBe(404);
    expect((await get("/channel/id/gold")).status).toBe(400);
  });
});

describe("the news query", () => {
  test("gives the newest hundred articles, newest first, where no stage filters", async () => {
    const { post, query } = await signedIn({ now: () => NOON });
    const articles = z.array(Article).parse((await post(query, [])).json);
    expect(articles).toHaveLength(100);
    const times = articles.map((article) => Date.parse(article.published));
    expect(times).toEqual(times.toSorted((left, right) => right - left));
    expect(Math.max(...times)).toBeLessThanOrEqual(NOON);
  });

  test("joins stages by AND, entities by OR, and leaves out what a stage excludes", async () => {
    const { get, post, query, session } = await signedIn();
    const list = z.array(Channel).parse((await get(`/channel/user/${session.userId}`)).json);
    const mixed = list.filter((channel) => channel.stages.some((stage) => stage.not));
    expect(mixed.length).toBeGreaterThan(0);
    for (const { stages } of mixed) {
      const articles = z.array(Article).parse((await post(query, stages)).json);
      expect(articles.length).toBeGreaterThan(0);
      for (const article of articles) {
        const hits = stages.map((stage) => stage.entities.some((entry) => tagsOf(article).includes(entry.value)));
        expect(hits).toEqual(stages.map((stage) => !stage.not));
      }
    }
  });

  test("finds less with each stage that is added", async () => {
    const { post, query } = await signedIn();
    const count = async (stages: unknown[]) => z.array(Article).parse((await post(query, stages)).json).length;
    const [semis, mergers] = [40_009, 40_001];
    const both = await count([stageFor(semis), stageFor(mergers)]);
    expect(both).toBeGreaterThan(0);
    expect(both).toBeLessThan(await count([stageFor(semis)]));
  });

  test.each([
    ["an object", { stages: [] }],
    ["a stage without not", [{ entities: [] }]],
    ["an entity that is no number", [{ not: false, entities: [{ type: "entity", value: "10001" }] }]],
    ["another entry type", [{ not: false, entities: [{ type: "keyword", value: 1 }] }]],
  ])("refuses %s as payload", async (_what, payload) => {
    const { post, query } = await signedIn();
    const { status, json } = await post(query, payload);
    expect(status).toBe(400);
    expect(Problem.parse(json).error).not.toBe("");
  });
});

describe("entity look-up", () => {
  test("resolves companies with symbol, exchange and a FIGI among the metadata", async () => {
    const { get } = await signedIn();
    const [company] = z.array(Entity).parse((await get("/entity/ids/10001")).json);
    expect(company).toMatchObject({ name: "Novalith Semiconductor", symbol: "NVLT", exchange: "Nasdaq" });
    expect(company?.metadata["figi"]).toMatch(/^BBG[0-9A-Z]{9}$/);
  });

  test("leaves out unknown IDs, gives each one once and refuses what is no number", async () => {
    const { get } = await signedIn();
    expect(
      z
        .array(Entity)
        .parse((await get("/entity/ids/10002,5,10002,20001")).json)
        .map((one) => one.id),
    ).toEqual([10_002, 20_001]);
    expect((await get("/entity/ids/10001,abc")).status).toBe(400);
  });
});

test("an unknown path is not found and a wrong method is told the right one", async () => {
  const { get, post } = await signedIn();
  expect((await get("/analytics/trending")).status).toBe(404);
  const wrong = await post("/channel/id/501", {});
  expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "GET"]);
});
