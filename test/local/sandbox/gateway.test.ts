import { describe, expect, test } from "vitest";
import { z } from "zod";
import { ask, eventsIn, NOON, sandboxFor } from "./client.ts";

const Meta = z.strictObject({
  request_id: z.string().min(1),
  credits_used: z.int(),
  credits_remaining: z.int(),
  rate_limit: z.strictObject({ limit: z.int(), remaining: z.int(), reset: z.int() }),
});
const Envelope = z.strictObject({ data: z.unknown(), meta: Meta });
const Problem = z.strictObject({ error: z.strictObject({ code: z.string(), message: z.string().min(1) }) });
const Article = z.looseObject({ id: z.int(), title: z.string(), url: z.string(), published_at: z.iso.datetime() });
const Found = z.strictObject({ query: z.string(), articles: z.array(Article), total: z.int() });

type Options = Parameters<typeof sandboxFor>[0];

async function gateway(options: Options = {}, kind: "gatewayKey" | "liveKey" = "gatewayKey") {
  const sandbox = await sandboxFor(options);
  const headers = { authorization: `Bearer ${sandbox[kind]}` };
  const call = (path: string, body?: unknown) =>
    ask(`${sandbox.gatewayUrl}/api/v1${path}`, body === undefined ? { headers } : { headers, body });
  const data = async <T>(schema: z.ZodType<T>, path: string, body?: unknown): Promise<T> =>
    schema.parse(Envelope.parse((await call(path, body)).json).data);
  return { sandbox, headers, call, data };
}

function codeOf(json: unknown): string {
  return Problem.parse(json).error.code;
}

describe("keys", () => {
  test("are accepted in either header, and refused when missing, unknown or at odds", async () => {
    const { gatewayUrl, gatewayKey, liveKey } = await sandboxFor();
    const status = async (headers: Record<string, string>) =>
      (await ask(`${gatewayUrl}/api/v1/me`, { headers })).status;
    expect(await status({ authorization: `Bearer ${gatewayKey}` })).toBe(200);
    expect(await status({ "x-api-key": liveKey })).toBe(200);
    expect(await status({})).toBe(401);
    expect(await status({ "x-api-key": "svc_live_guess" })).toBe(401);
    expect(await status({ authorization: `Bearer ${gatewayKey}`, "x-api-key": liveKey })).toBe(401);
  });
});

describe("credits", () => {
  test("are never taken from a test key", async () => {
    const { call } = await gateway();
    const { meta } = Envelope.parse((await call("/summaries", { query: "Novalith" })).json);
    expect(meta.credits_used).toBe(0);
  });

  test("are taken from a live key as the table says, and run out", async () => {
    const { call } = await gateway({ liveCredits: 7 }, "liveKey");
    const first = Envelope.parse((await call("/summaries", { query: "Novalith" })).json).meta;
    expect([first.credits_used, first.credits_remaining]).toEqual([5, 2]);
    const second = Envelope.parse((await call("/search", { query: "oil" })).json).meta;
    expect([second.credits_used, second.credits_remaining]).toEqual([1, 1]);
    const refused = await call("/summaries", { query: "Novalith" });
    expect([refused.status, codeOf(refused.json)]).toEqual([402, "insufficient_credits"]);
    expect((await call("/me")).status).toBe(200);
  });

  test("are not taken for a request that is refused", async () => {
    const { call, data } = await gateway({ liveCredits: 7 }, "liveKey");
    expect((await call("/search", {})).status).toBe(400);
    expect(await data(z.looseObject({ credits: z.unknown() }), "/me")).toMatchObject({
      credits: { used: 0, remaining: 7 },
    });
  });
});

describe("the rate limit", () => {
  test("is told in headers and envelope, counts down, and opens again after a minute", async () => {
    let now = NOON;
    const { call } = await gateway({ now: () => now });
    const first = await call("/models");
    expect(first.headers.get("x-ratelimit-limit")).toBe("1000");
    expect(first.headers.get("x-ratelimit-remaining")).toBe("999");
    expect(first.headers.get("x-ratelimit-reset")).toBe(String(NOON / 1000 + 60));
    const { rate_limit: rate } = Envelope.parse((await call("/models")).json).meta;
    expect(rate).toEqual({ limit: 1000, remaining: 998, reset: NOON / 1000 + 60 });
    now += 60_000;
    expect((await call("/models")).headers.get("x-ratelimit-remaining")).toBe("999");
  });

  test("refuses the thousand-and-first request with the seconds to wait, for that key alone", async () => {
    const { sandbox, call, headers } = await gateway({ now: () => NOON });
    const url = `${sandbox.gatewayUrl}/api/v1/models`;
    for (let round = 0; round < 10; round += 1) {
      const answers = Array.from({ length: 100 }, async () => (await fetch(url, { headers })).text());
      await Promise.all(answers);
    }
    const refused = await call("/models");
    expect([refused.status, codeOf(refused.json), refused.headers.get("retry-after")]).toEqual([
      429,
      "rate_limit_exceeded",
      "60",
    ]);
    expect((await ask(url, { headers: { "x-api-key": sandbox.liveKey } })).status).toBe(200);
  });
});

describe("search", () => {
  test("finds by title, entity name and symbol, and respects the limit", async () => {
    const { data } = await gateway();
    const byName = await data(Found, "/search", { query: "Umbani Platinum", limit: 3 });
    expect(byName.articles).toHaveLength(3);
    expect(byName.total).toBeGreaterThan(3);
    const bySymbol = await data(Found, "/search", { query: "umbn", limit: 100 });
    expect(bySymbol.total).toBe(bySymbol.articles.length);
    expect(bySymbol.total).toBeGreaterThanOrEqual(byName.total);
  });

  test("puts articles with the word in the title before those that mention it", async () => {
    const { data } = await gateway();
    const { articles } = await data(Found, "/search", { query: "platinum", limit: 50 });
    const named = articles.map((article) => /platinum/i.test(article.title));
    expect(named[0]).toBe(true);
    expect(named.at(-1)).toBe(false);
  });

  test("finds nothing for a word that stands nowhere", async () => {
    const { data } = await gateway();
    expect(await data(Found, "/search", { query: "zorblax" })).toEqual({ query: "zorblax", articles: [], total: 0 });
  });

  test.each([
    ["no query", {}],
    ["an empty query", { query: "  " }],
    ["a limit that is text", { query: "oil", limit: "5" }],
    ["a limit of nothing", { query: "oil", limit: 0 }],
  ])("refuses %s", async (_what, body) => {
    const { call } = await gateway();
    const { status, json } = await call("/search", body);
    expect([status, codeOf(json)]).toEqual([400, "invalid_request"]);
  });

  test("refuses a body of another content type", async () => {
    const { sandbox, headers } = await gateway();
    const response = await fetch(`${sandbox.gatewayUrl}/api/v1/search`, { method: "POST", headers, body: "query=oil" });
    expect([response.status, codeOf(await response.json())]).toEqual([415, "unsupported_media_type"]);
  });
});

describe("summaries", () => {
  const Summary = z.looseObject({ query: z.string(), summary: z.string().min(200), articles: z.array(Article).min(1) });

  test("stand on the articles that they list", async () => {
    const { data } = await gateway();
    const { summary, articles } = await data(Summary, "/summaries", { query: "Dunmara" });
    expect(articles.some((article) => summary.includes(article.url))).toBe(true);
  });

  test("are streamed as sources, text and a last event with the envelope's meta", async () => {
    const { sandbox, headers, data } = await gateway({ now: () => NOON });
    const response = await fetch(`${sandbox.gatewayUrl}/api/v1/summaries/stream`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify({ query: "Dunmara" }),
    });
    expect(response.headers.get("x-ratelimit-limit")).toBe("1000");
    const events = eventsIn(await response.text());
    expect([events[0]?.event, events.at(-1)?.event]).toEqual(["summary.sources", "summary.done"]);
    const deltas = events.filter((one) => one.event === "summary.delta");
    const text = deltas.map((one) => z.object({ text: z.string() }).parse(JSON.parse(one.data)).text).join("");
    expect(text).toBe((await data(Summary, "/summaries", { query: "Dunmara" })).summary);
    expect(z.object({ meta: Meta }).safeParse(JSON.parse(events.at(-1)?.data ?? "")).success).toBe(true);
  });
});

describe("chat", () => {
  const Completion = z.looseObject({
    model: z.string(),
    choices: z.array(z.looseObject({ message: z.object({ role: z.literal("assistant"), content: z.string() }) })),
  });

  test("answers the last question and knows the ones before", async () => {
    const { data } = await gateway();
    const messages = [
      { role: "system", content: "Be brief." },
      { role: "user", content: "What is new at Halvorsen?" },
      { role: "assistant", content: "A strike." },
      { role: "user", content: "Why?" },
    ];
    const { choices } = await data(Completion, "/chat/completions", { messages });
    expect(choices[0]?.message.content).toContain("**Halvorsen Marine**");
  });

  test("runs listed models only and does not stream", async () => {
    const { call, data } = await gateway();
    const messages = [{ role: "user", content: "Oil?" }];
    const { models } = await data(z.object({ models: z.array(z.looseObject({ id: z.string() })) }), "/models");
    for (const { id } of models) {
      expect((await call("/chat/completions", { model: id, messages })).status).toBe(200);
    }
    expect(codeOf((await call("/chat/completions", { model: "other", messages })).json)).toBe("unknown_model");
    expect((await call("/chat/completions", { stream: true, messages })).status).toBe(400);
  });
});

describe("collections", () => {
  const Collection = z.looseObject({ id: z.uuid(), name: z.string(), query: z.string() });
  const List = z.object({ collections: z.array(Collection) });

  test("are created, listed, read and executed", async () => {
    const { call, data } = await gateway();
    const created = await call("/collections", { name: "Cables", query: "subsea cable" });
    expect(created.status).toBe(201);
    const collection = Collection.parse(Envelope.parse(created.json).data);
    expect((await data(List, "/collections")).collections).toContainEqual(collection);
    expect(await data(Collection, `/collections/${collection.id}`)).toEqual(collection);
    const run = z.looseObject({ collection_id: z.string(), articles: z.array(Article).min(1), total: z.int() });
    expect((await data(run, `/collections/${collection.id}/execute`, {})).collection_id).toBe(collection.id);
  });

  test("need a name and a query, belong to one key, and are not found when unknown", async () => {
    const { sandbox, call } = await gateway();
    expect((await call("/collections", { name: "Cables" })).status).toBe(400);
    const created = Collection.parse(Envelope.parse((await call("/collections", { name: "A", query: "b" })).json).data);
    const other = { headers: { "x-api-key": sandbox.liveKey } };
    expect((await ask(`${sandbox.gatewayUrl}/api/v1/collections/${created.id}`, other)).status).toBe(404);
    expect((await call("/collections/none/execute", {})).status).toBe(404);
  });
});

test("trending entities are of the type that is asked for", async () => {
  const { data, call } = await gateway();
  const Entities = z.object({
    entities: z.array(z.looseObject({ id: z.int(), type: z.string(), score: z.number() })).min(1),
  });
  const { entities } = await data(Entities, "/trending/entities?type=topic");
  expect(new Set(entities.map((entity) => entity.type))).toEqual(new Set(["Topic"]));
  expect((await call("/trending/entities?type=planet")).status).toBe(400);
});

test("insight channels tell how many articles they hold", async () => {
  const { data } = await gateway();
  const Channels = z.object({
    channels: z.array(z.looseObject({ id: z.int(), article_count: z.int().min(1) })).min(12),
  });
  expect((await data(Channels, "/insight-channels")).channels[0]?.id).toBe(501);
});

test("usage adds up what the key was used for", async () => {
  const { call, data } = await gateway({ liveCredits: 20 }, "liveKey");
  await call("/search", { query: "oil" });
  await call("/search", { query: "gas" });
  await call("/summaries", { query: "gas" });
  const Usage = z.looseObject({ total_requests: z.int(), credits_used: z.int(), by_endpoint: z.array(z.unknown()) });
  const usage = await data(Usage, "/usage");
  expect([usage.total_requests, usage.credits_used]).toEqual([3, 7]);
  expect(usage.by_endpoint).toContainEqual({ endpoint: "/api/v1/search", requests: 2, credits: 2 });
});

test("errors of every kind are error objects and carry the rate headers", async () => {
  const { call } = await gateway();
  const missing = await call("/nothing");
  expect([missing.status, codeOf(missing.json)]).toEqual([404, "not_found"]);
  expect(missing.headers.get("x-ratelimit-remaining")).toBe("999");
  const method = await call("/me", {});
  expect([method.status, codeOf(method.json)]).toEqual([405, "method_not_allowed"]);
});
