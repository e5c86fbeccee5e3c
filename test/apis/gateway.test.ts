import nock from "nock";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { OutOfCredits, Unavailable, UnexpectedAnswer } from "../../src/apis/errors.ts";
import { createGateway } from "../../src/apis/gateway/client.ts";
import type { Gateway, SummaryEvent } from "../../src/apis/gateway/client.ts";
import type { Credits } from "../../src/apis/gateway/schema.ts";
import { createHttp } from "../../src/apis/http.ts";
import { startSandbox } from "../../src/sandbox/server.ts";
import { allAsked, wire } from "../support/wire.ts";

const BASE = "https://gateway.example";
const KEY = "svc_live_0a1b2c3d4e";

function gateway(key = KEY): Gateway {
  const http = createHttp({ api: "gateway", baseUrl: `${BASE}/`, clock: { wait: () => Promise.resolve() } });
  return createGateway({ http, key });
}

function upstream(key = KEY): nock.Scope {
  return nock(`${BASE}/api/v1`, { reqheaders: { authorization: `Bearer ${key}` } });
}

async function streamed(body: string): Promise<SummaryEvent[]> {
  upstream().post("/summaries/stream").reply(200, body, { "content-type": "text/event-stream; charset=utf-8" });
  const events: SummaryEvent[] = [];
  for await (const event of gateway().streamSummary("oil")) events.push(event);
  return events;
}

const data = (payload: unknown) => `data: ${typeof payload === "string" ? payload : JSON.stringify(payload)}\n\n`;

describe("the gateway client", () => {
  beforeAll(() => nock.disableNetConnect());
  afterEach(allAsked);
  afterAll(() => nock.enableNetConnect());

  it("sends the query and a limit only where one is asked for", async () => {
    upstream().post("/search", { query: "oil" }).reply(200, wire("search.json"));
    upstream().post("/search", { query: "oil", limit: 5 }).reply(200, wire("search.json"));
    const client = gateway();
    expect(await client.search("oil")).toEqual(await client.search("oil", { limit: 5 }));
  });

  it("reads the recorded search, whatever the article's fields are called, and takes its ID for its own", async () => {
    upstream().post("/search").reply(200, wire("search.json"));
    const { articles, total, credits } = await gateway().search("lithium");
    const rate = { limit: 1000, remaining: 999, resetAt: 1_795_200_000_000 };
    expect({ total, credits }).toEqual({ total: 42, credits: { used: 1, remaining: 41, test: false, rate } });
    expect(articles).toMatchObject([
      {
        id: undefined,
        gatewayId: 70011,
        title: "Ostmark opens its second brine plant",
        summary: "40,000 tonnes a year.",
        published: Date.UTC(2026, 10, 20, 8, 15),
      },
    ]);
  });

  it("knows a test key by its beginning", async () => {
    upstream("svc_test_1").get("/me").reply(200, wire("me.json"));
    expect((await gateway("svc_test_1").me()).credits).toEqual({ used: undefined, remaining: 36, test: true });
  });

  it.each<[string, (client: Gateway) => Promise<{ credits: Credits }>]>([
    ["me", (client) => client.me()],
    ["usage", (client) => client.usage()],
  ])("tells the state of the rate limit with %s, where the service tells of it", async (path, ask) => {
    const headers = { "x-ratelimit-limit": "1000", "x-ratelimit-remaining": "7" };
    upstream()
      .get(`/${path}`)
      .reply(200, wire(`${path}.json`), headers);
    upstream()
      .get(`/${path}`)
      .reply(200, wire(`${path}.json`), { "x-ratelimit-remaining": "few" });
    const client = gateway();
    expect((await ask(client)).credits.rate).toEqual({ limit: 1000, remaining: 7 });
    expect((await ask(client)).credits).not.toHaveProperty("rate");
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

  it("does not pay twice for a summary that failed", async () => {
    upstream().post("/summaries").reply(503, {});
    await expect(gateway().summary("oil")).rejects.toBeInstanceOf(Unavailable);
  });

  it.each([
    ["a summary as text", { data: "All calm." }],
    ["a text beside sources", { data: { text: "All calm.", sources: [] } }],
    ["a summary within a summary", { data: { summary: { text: "All calm." } }, meta: null }],
    ["a chat completion", { data: { choices: [{ message: { content: "All calm." } }] } }],
  ])("reads %s", async (_, body) => {
    upstream().post("/summaries").reply(200, body);
    expect(await gateway().summary("oil")).toMatchObject({ text: "All calm.", articles: [] });
  });

  it("refuses a summary in which no text can be found", async () => {
    upstream()
      .post("/summaries")
      .reply(200, { data: { bullet_points: 3 } });
    await expect(gateway().summary("oil")).rejects.toBeInstanceOf(UnexpectedAnswer);
  });

  it.each([
    ["text", { text: " calm" }],
    ["delta", { delta: " calm" }],
    ["content", { type: "delta", content: " calm" }],
    ["nested delta", { delta: { text: " calm" } }],
    ["nested data", { event: "chunk", data: { chunk: " calm" } }],
  ])("streams a summary whose pieces come as %s", async (_, piece) => {
    const events = await streamed(data({ text: "All" }) + data(piece) + data("[DONE]") + data({ text: "after" }));
    expect(events).toEqual([
      { type: "text", text: "All" },
      { type: "text", text: " calm" },
    ]);
  });

  it.each([
    ["a chat completion", (content: string) => ({ choices: [{ index: 0, delta: { content } }] })],
    ["plain text", (words: string) => words],
  ])("streams a summary that comes as %s", async (_, piece) => {
    expect(await streamed(data(piece("All")) + data(piece(' "true"')) + data("[DONE]") + data(piece("after")))).toEqual(
      [
        { type: "text", text: "All" },
        { type: "text", text: ' "true"' },
      ],
    );
  });

  it("does not lose a piece of plain text that is a number", async () => {
    expect(await streamed(data("In") + data("2027"))).toEqual([
      { type: "text", text: "In" },
      { type: "text", text: "2027" },
    ]);
  });

  it("streams the recorded summary with sources and the bill", async () => {
    const events = await streamed(wire("summary.sse"));
    expect(events.map(({ type }) => type)).toEqual(["text", "text", "text", "sources", "credits"]);
    expect(events.at(-1)).toEqual({ type: "credits", credits: { used: 5, remaining: 31, test: false } });
  });

  it.each([
    ["no text at all", data({ meta: {} })],
    ["nothing", ""],
  ])("refuses a stream with %s", async (_, body) => {
    await expect(streamed(body)).rejects.toBeInstanceOf(UnexpectedAnswer);
  });

  it("meets too low a balance in place of a stream with its own error", async () => {
    const body = { error: { code: "insufficient_credits", message: "too low" } };
    upstream().post("/summaries/stream").reply(200, body);
    await expect(gateway().streamSummary("oil")[Symbol.asyncIterator]().next()).rejects.toBeInstanceOf(OutOfCredits);
  });

  it("spends the sandbox's live credits until they are gone", async () => {
    nock.enableNetConnect("127.0.0.1");
    const sandbox = await startSandbox({ wordDelayMs: 0, liveCredits: 6 });
    try {
      const http = createHttp({ api: "gateway", baseUrl: sandbox.gatewayUrl });
      const client = createGateway({ http, key: sandbox.liveKey });
      expect((await client.search("shipping")).credits).toMatchObject({ used: 1, remaining: 5 });
      expect((await client.summary("shipping")).credits).toMatchObject({ used: 5, remaining: 0 });
      await expect(client.search("shipping")).rejects.toBeInstanceOf(OutOfCredits);
      expect((await client.me()).credits).toMatchObject({ remaining: 0, test: false });
    } finally {
      await sandbox.close();
    }
  });
});
