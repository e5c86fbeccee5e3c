import { afterEach, describe, expect, it, vi } from "vitest";
import { createGateway } from "../../src/apis/gateway/client.ts";
import type { SummaryEvent } from "../../src/apis/gateway/client.ts";
import { createHttp } from "../../src/apis/http.ts";
import { json, plain, reset, startUpstream, stream } from "../support/upstream.ts";
import type { Answerer, Upstream } from "../support/upstream.ts";
import { collect } from "./line.ts";

let upstream: Upstream | undefined;
afterEach(() => {
  vi.useRealTimers();
  return upstream?.close();
});

const source = { title: "Ostmark opens its second brine plant", url: "https://wire.example/ostmark" };
const whole = json({
  data: { summary: "All calm.", sources: [source] },
  meta: { credits_used: 5, credits_remaining: 31 },
});
const credits = { used: 5, remaining: 31, test: false };

interface Told {
  events: SummaryEvent[];
  error: unknown;
  /** The endpoints that were asked. */
  asked: string[];
  warnings: string[];
}

/** What a streamed summary brings where `streamed` answers the stream, and `plainly` the plain endpoint. */
async function summaryOf(
  streamed: Answerer,
  plainly: Answerer = whole,
  { signal, idle = 60_000 }: { signal?: AbortSignal; idle?: number } = {},
): Promise<Told> {
  upstream = await startUpstream((exchange) => (exchange.path.endsWith("/stream") ? streamed : plainly)(exchange));
  const http = createHttp({ api: "gateway", baseUrl: upstream.url, timeouts: { idle } });
  const warnings: string[] = [];
  const client = createGateway({ http, key: "svc_live_1", log: { warn: (event) => void warnings.push(event) } });
  const events: SummaryEvent[] = [];
  const error: unknown = await collect(client.streamSummary("oil", signal), events).then(
    () => undefined,
    (failed: unknown) => failed,
  );
  return { events, error, asked: upstream.requests.map(({ path }) => path.replace("/api/v1/", "")), warnings };
}

const errorEvent = (code: string) => `event: error\ndata: ${JSON.stringify({ error: { code, message: "no" } })}\n\n`;
const coded = (code: string, status = 200) => json({ error: { code, message: "no" } }, status);
const bill = 'data: {"meta":{"credits_used":5,"credits_remaining":31}}\n\n';
const sources = `data: ${JSON.stringify({ sources: [source] })}\n\n`;
const future = { "retry-after": "60" };

describe("a streamed summary", () => {
  it.each<[string, Answerer]>([
    ["there is no such endpoint", json({}, 404)],
    ["streaming is refused", coded("streaming_not_supported", 400)],
    ["the service fails", json({}, 500)],
    ["a proxy fails", plain("<h1>Bad gateway", "text/html", 502)],
    ["a proxy shows a page", plain("<h1>Sign in", "text/html")],
    ["the connection is closed", reset],
    ["an error comes as the answer", coded("generation_failed")],
    ["an error is the first event", stream([errorEvent("generation_failed")])],
    ["an error follows the sources", stream([sources, errorEvent("generation_failed")])],
    ["it breaks off before its first words", stream([": hello\n\n"], "cut")],
    ["it tells only the balance before it breaks off", stream(['data: {"meta":{"credits_remaining":36}}\n\n'], "cut")],
  ])("comes whole where %s", async (_, streamed) => {
    const { events, error, asked, warnings } = await summaryOf(streamed);
    expect(error).toBeUndefined();
    expect(events.filter(({ type }) => type === "text")).toEqual([{ type: "text", text: "All calm." }]);
    expect(events.slice(-2)).toEqual([
      { type: "sources", articles: [expect.objectContaining({ title: source.title })] },
      { type: "credits", credits },
    ]);
    expect(asked).toEqual(["summaries/stream", "summaries"]);
    expect(warnings).toEqual(["gateway.not-streamed"]);
  });

  it.each<[string, Answerer, object]>([
    ["the key is refused", json({}, 401), { name: "NotAllowed" }],
    ["the balance is too low", coded("insufficient_credits", 402), { name: "OutOfCredits" }],
    ["the first event says so", stream([errorEvent("insufficient_credits")]), { name: "OutOfCredits" }],
    ["the rate limit is used up", json({}, 429), { name: "Unavailable", status: 429 }],
    ["the first event says that it is", stream([errorEvent("rate_limited")]), { name: "Unavailable" }],
    ["the service asks for patience", json({}, 503, future), { name: "Unavailable", status: 503 }],
    ["it ends without a word", stream([": hello\n\n"]), { detail: "a stream without any text" }],
    ["it is done without a word", stream(["data: [DONE]\n\n"]), { bill: { used: undefined } }],
    ["it ends after its bill", stream([bill]), { detail: "a stream without any text", bill: { used: 5 } }],
    ["it breaks off after its bill", stream([bill], "cut"), { name: "Unavailable", reason: "cut" }],
    ["it breaks off after words", stream(["data: Oil is\n\n"], "cut"), { name: "Unavailable", reason: "cut" }],
    ["an error follows words", stream(["data: Oil is\n\n", errorEvent("generation_failed")]), { said: "no" }],
  ])("is not paid for again where %s", async (_, streamed, expected) => {
    const { error, asked, warnings } = await summaryOf(streamed);
    expect(error).toMatchObject(expected);
    expect(asked).toEqual(["summaries/stream"]);
    expect(warnings).toEqual([]);
  });

  it("is not paid for again where nothing comes in time, or it falls silent", async () => {
    const patience = { error: { name: "Unavailable", reason: "timeout" }, asked: ["summaries/stream"], warnings: [] };
    expect(await summaryOf(stream([": hello\n\n"], "open"), whole, { idle: 20 })).toMatchObject(patience);
    await upstream?.close();
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    expect(await summaryOf(() => void vi.advanceTimersByTime(60_000))).toMatchObject(patience);
  });

  it("ends with the reader's own reason, and asks for nothing more", async () => {
    const reader = new AbortController();
    const { error, asked } = await summaryOf(() => reader.abort("enough"), whole, { signal: reader.signal });
    expect(error).toBe("enough");
    expect(asked).toEqual(["summaries/stream"]);
  });

  it("fails as the plain one fails where both do", async () => {
    const { error, events } = await summaryOf(json({}, 404), coded("insufficient_credits", 402));
    expect(error).toMatchObject({ name: "OutOfCredits" });
    expect(events).toEqual([]);
  });

  it("tells no credits where the service tells none", async () => {
    expect((await summaryOf(stream(["data: All calm.\n\n"]))).events).toEqual([{ type: "text", text: "All calm." }]);
    const { events } = await summaryOf(json({}, 404), json({ data: "All calm." }));
    expect(events).toEqual([{ type: "text", text: "All calm." }]);
  });

  it("tells a bill that comes in two parts", async () => {
    const meta = (about: object) => `data: ${JSON.stringify({ meta: about })}\n\n`;
    const parts = ["data: All calm.\n\n", meta({ credits_used: 5 }), meta({ credits_remaining: 31 })];
    expect((await summaryOf(stream(parts))).events.at(-1)).toEqual({ type: "credits", credits });
  });

  it("tells the rate limit with its bill, from the headers and from the envelope", async () => {
    const meta = { credits_used: 5, rate_limit: { limit: 1000, remaining: 7, reset: 4_102_444_800 } };
    const done = `data: ${JSON.stringify({ meta })}\n\n`;
    const { events } = await summaryOf((exchange) => {
      exchange.response.setHeader("x-ratelimit-remaining", "8");
      return stream(["data: All calm.\n\n", done])(exchange);
    });
    const rate = { limit: 1000, remaining: 7, resetAt: 4_102_444_800_000 };
    expect(events.at(-1)).toEqual({ type: "credits", credits: { used: 5, remaining: undefined, test: false, rate } });
  });
});
