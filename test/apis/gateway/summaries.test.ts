import { afterEach, describe, expect, it } from "vitest";
import { createGateway } from "../../../src/apis/gateway/client.ts";
import type { SummaryEvent } from "../../../src/apis/gateway/client.ts";
import { createHttp } from "../../../src/apis/http.ts";
import type { Http, HttpOptions } from "../../../src/apis/http.ts";
import type { ServerEvent } from "../../../src/apis/sse.ts";
import { withSummaryEvent } from "../../../src/features/summaries/compose.ts";
import type { Summary } from "../../../src/features/summaries/compose.ts";
import { streamOf } from "../../support/builders.ts";
import { array, assert, asyncProperty, constantFrom } from "../../support/property.ts";
import { json, reset, startUpstream, stream } from "../../support/upstream.ts";
import type { Answerer, Upstream } from "../../support/upstream.ts";
import { wire } from "../../support/wire.ts";
import { collect } from "../line.ts";

/** What a reader sees in the end of a stream of these events. */
async function readFrom(...events: ServerEvent[]): Promise<{ text: string; titles: string[]; events: SummaryEvent[] }> {
  const http: Http = {
    json: () => Promise.reject(new Error("no summary may be asked for again")),
    stream: async () => ({ events: streamOf(...events), requestId: undefined }),
  };
  let state: Summary = { topic: "oil", text: "", sources: [] };
  const yielded: SummaryEvent[] = [];
  for await (const one of createGateway({ http, key: "svc_live_1" }).streamSummary("oil")) {
    yielded.push(one);
    state = withSummaryEvent(state, one);
  }
  return { text: state.text, titles: state.sources.map(({ title }) => title), events: yielded };
}

const event = (name: string, payload: unknown): ServerEvent => ({
  event: name,
  data: typeof payload === "string" ? payload : JSON.stringify(payload),
});
const text = (words: string) => event("message", { text: words });
const words = (...pieces: string[]) => pieces.map((data) => ({ event: "message", data }));
const chunk = (content: string) => event("message", { choices: [{ index: 0, delta: { content } }] });
const article = (at: number) => ({
  title: `Headline ${at}`,
  url: `https://wire.example/${at}`,
  summary: `About ${at}.`,
});

describe("the shape of a streamed summary", () => {
  it.each<[string, ServerEvent[]]>([
    ["texts", [text("Oil is"), text(" up.")]],
    [
      "texts in an envelope",
      [event("message", { data: { text: "Oil is" } }), event("message", { data: { text: " up." } })],
    ],
    ["deltas", [event("delta", { delta: "Oil is" }), event("delta", { delta: " up." })]],
    [
      "deltas with a text",
      [event("chunk", { delta: { text: "Oil is" } }), event("chunk", { delta: { text: " up." } })],
    ],
    ["chunks of a chat completion", [chunk("Oil is"), chunk(" up.")]],
    ["plain text", words("Oil is", " up.")],
    ["plain text in events of that name", [event("token", "Oil is"), event("summary.delta", " up.")]],
  ])("may be %s", async (_, events) => {
    expect((await readFrom(...events, event("message", "[DONE]"), text(" later"))).events).toEqual([
      { type: "text", text: "Oil is" },
      { type: "text", text: " up." },
    ]);
  });

  it("keeps every word of any plain text, however it is cut", async () => {
    const piece = constantFrom(
      "true",
      " false",
      "null",
      '"',
      ' "a" ',
      '"b"',
      "[1]",
      "{",
      "}",
      "[]",
      "{x}",
      "7",
      " oil",
    );
    await assert(
      asyncProperty(array(piece, { minLength: 1, maxLength: 12 }), async (pieces) => {
        expect((await readFrom(...words("Oil ", "is", ...pieces, "."))).text).toBe(`Oil is${pieces.join("")}.`);
      }),
    );
  });

  it.each<[string, ServerEvent[]]>([
    ["fields", [text("Oil is"), ...words(" up"), chunk(" up"), text(" down.")]],
    ["chat completions", [chunk("Oil is"), ...words(" up"), text(" up"), chunk(" down.")]],
    ["plain text", [...words("Oil is"), text(" up"), chunk(" up"), ...words(" down.")]],
  ])("is decided once: after %s nothing of another shape is read", async (_, events) => {
    expect((await readFrom(...events)).text).toBe("Oil is down.");
  });

  it.each<[string, ServerEvent]>([
    ["a status in JSON", event("message", { type: "status", text: "Searching articles" })],
    ["a ping", event("ping", "ping")],
    ["its end", event("end", "end")],
    ["the whole text once more at its end", event("done", { text: "Oil is up." })],
    ["addresses of sources", event("sources", ["https://wire.example/1"])],
  ])("holds nothing of %s", async (_, other) => {
    expect((await readFrom(other, event("text", "Oil "), other, event("text", "is up."), other)).text).toBe(
      "Oil is up.",
    );
  });
});

describe("the sources and the bill of a streamed summary", () => {
  it("stand as JSON between plain words, and are all that came, each once", async () => {
    const {
      text: shown,
      titles,
      events,
    } = await readFrom(
      event("message", { meta: { credits_remaining: 36 } }),
      ...words("Oil is", " true"),
      event("message", { articles: [article(1)] }),
      event("message", [article(2), article(1)]),
      event("source", article(3)),
      event("message", { data: { citations: [article(4)] } }),
      event("message", { meta: { credits_used: 5 } }),
    );
    expect(shown).toBe("Oil is true");
    expect(titles).toEqual([1, 2, 3, 4].map((at) => `Headline ${at}`));
    expect(events.at(-1)).toEqual({ type: "credits", credits: { used: 5, remaining: 36, test: false } });
  });
});

let upstream: Upstream | undefined;
afterEach(() => upstream?.close());

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
  { signal, timeouts = {} }: { signal?: AbortSignal; timeouts?: HttpOptions["timeouts"] } = {},
): Promise<Told> {
  upstream = await startUpstream((exchange) => (exchange.path.endsWith("/stream") ? streamed : plainly)(exchange));
  const http = createHttp({ api: "gateway", baseUrl: upstream.url, timeouts: { ...timeouts } });
  const warnings: string[] = [];
  const client = createGateway({ http, key: "svc_live_1", log: { warn: (name) => void warnings.push(name) } });
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
const future = { "retry-after": "60" };

describe("a streamed summary", () => {
  it.each<[string, Answerer]>([
    ["there is no such endpoint", json({}, 404)],
    ["the service fails", json({}, 500)],
    ["the connection is closed", reset],
    ["an error is the first event", stream([errorEvent("generation_failed")])],
    ["it breaks off before its first words", stream([": hello\n\n"], "cut")],
    ["it tells only the balance before it breaks off", stream(['data: {"meta":{"credits_remaining":36}}\n\n'], "cut")],
  ])("comes whole if %s", async (_, streamed) => {
    const { events, error, asked, warnings } = await summaryOf(streamed);
    expect(error).toBeUndefined();
    expect(events.filter(({ type }) => type === "text")).toEqual([{ type: "text", text: "All calm." }]);
    expect(events.slice(-2)).toEqual([
      { type: "sources", articles: [expect.objectContaining({ title: source.title })] },
      { type: "credits", credits },
    ]);
    expect(asked).toEqual(["summaries/stream", "summaries"]);
    expect(warnings).toEqual(["gateway.stream.failed"]);
  });

  it.each<[string, Answerer, object]>([
    ["the key is refused", json({}, 401), { name: "NotAllowed" }],
    ["the balance is too low", coded("insufficient_credits", 402), { name: "OutOfCredits" }],
    ["the first event says so", stream([errorEvent("insufficient_credits")]), { name: "OutOfCredits" }],
    ["the rate limit is used up", json({}, 429), { name: "Unavailable", status: 429 }],
    ["the service asks for patience", json({}, 503, future), { name: "Unavailable", status: 503 }],
    ["it ends without a word", stream([": hello\n\n"]), { detail: "a stream without any text" }],
    ["it ends after its bill", stream([bill]), { detail: "a stream without any text" }],
    ["it breaks off after words", stream(["data: Oil is\n\n"], "cut"), { name: "Unavailable", reason: "cut" }],
    ["an error follows words", stream(["data: Oil is\n\n", errorEvent("generation_failed")]), { said: "no" }],
  ])("is not paid for again if %s", async (_, streamed, expected) => {
    const { error, asked, warnings } = await summaryOf(streamed);
    expect(error).toMatchObject(expected);
    expect(asked).toEqual(["summaries/stream"]);
    expect(warnings).toEqual([]);
  });

  it("is not paid for again if nothing comes in time, or it falls silent", async () => {
    const patience = { error: { name: "Unavailable", reason: "timeout" }, asked: ["summaries/stream"], warnings: [] };
    const timeouts = { firstByte: 20, idle: 20 };
    expect(await summaryOf(stream([": hello\n\n"], "open"), whole, { timeouts })).toMatchObject(patience);
    await upstream?.close();
    expect(await summaryOf(() => undefined, whole, { timeouts })).toMatchObject(patience);
  });

  it("has no bill if the service sends none", async () => {
    expect((await summaryOf(stream(["data: All calm.\n\n"]))).events).toEqual([{ type: "text", text: "All calm." }]);
    const { events } = await summaryOf(json({}, 404), json({ data: "All calm." }));
    expect(events).toEqual([{ type: "text", text: "All calm." }]);
  });

  it("is read from the recorded stream, with sources and the bill", async () => {
    const { events } = await summaryOf(stream([wire("summary.sse")]));
    expect(events.map(({ type }) => type)).toEqual(["text", "text", "text", "sources", "credits"]);
    expect(events.at(-1)).toEqual({ type: "credits", credits });
  });
});
