import { afterEach, describe, expect, it } from "vitest";
import type { Http } from "../../src/apis/http.ts";
import { NotAllowed, OutOfCredits, Unavailable, UnexpectedAnswer, UsageError } from "../../src/apis/errors.ts";
import { createHttp, unconfiguredHttp } from "../../src/apis/http.ts";
import { json, plain, reset, stream } from "../support/upstream.ts";
import type { Answerer, Upstream } from "../support/upstream.ts";
import { collect, failure, get, NOW, openLine, post, schema, TOKEN } from "./line.ts";

let upstream: Upstream;
let waits: number[];
afterEach(() => upstream.close());

async function httpTo(...line: Parameters<typeof openLine>): Promise<Http> {
  const opened = await openLine(...line);
  ({ upstream, waits } = opened);
  return opened.http;
}

const coded = (code: string) => json({ error: { code, message: "no" }, meta: { credits_remaining: 2 } });

describe("each request", () => {
  it("is reported when it has ended, with what came of it and the service's ID of it", async () => {
    const ended: unknown[] = [];
    const answers = [
      json({}, 503, { "x-request-id": "r-1" }),
      json({ answer: 1, meta: { request_id: "r-2" } }),
      stream(["data: a\n\n"]),
    ];
    const http = await httpTo(answers, { onCall: (call) => void ended.push(call) });
    await http.json(get());
    await collect((await http.stream(post)).events);
    expect(ended).toMatchObject([
      { service: "gateway", operation: "ask", outcome: "Unavailable", requestId: "r-1" },
      { service: "gateway", operation: "ask", outcome: "ok", requestId: "r-2" },
      { service: "gateway", operation: "tell", outcome: "ok" },
    ]);
  });
});

describe("a JSON call", () => {
  it("sends the token and the body, asks for plain bytes, and reads the answer", async () => {
    const http = await httpTo([json({ answer: 42, extra: true })]);
    expect(await http.json({ ...post, schema })).toEqual({ answer: 42 });
    const [request] = upstream.requests;
    expect(request).toMatchObject({ method: "POST", path: "/tell", body: '{"a":1}' });
    expect(request?.headers).toMatchObject({
      authorization: `Bearer ${TOKEN}`,
      "content-type": "application/json",
      "accept-encoding": "identity",
    });
  });

  it.each(["", "/", "/news/v2", "/news/v2/"])("works below the base path %j", async (suffix) => {
    await httpTo([json({ answer: 1 })]);
    const http = createHttp({ api: "gateway", baseUrl: upstream.url + suffix });
    await http.json(get());
    expect(upstream.requests[0]?.path).toBe(`${suffix.replace(/\/$/, "")}/thing`);
  });

  it.each([
    [401, NotAllowed],
    [403, NotAllowed],
    [402, OutOfCredits],
    [404, UnexpectedAnswer],
    [302, UnexpectedAnswer],
    [429, Unavailable],
    [503, Unavailable],
  ])("turns status %i into the right class, with where it happened", async (status, kind) => {
    const http = await httpTo([json({}, status, { "x-request-id": "r", location: "http://127.0.0.1:1/" })]);
    const error = await failure(http.json(get()));
    expect(error).toBeInstanceOf(kind);
    expect(error).toMatchObject({ api: "gateway", operation: "ask", status, requestId: "r" });
  });

  const short = "query must be at least 5 characters";
  it.each([
    ["a code and a message", json({ error: { code: "bad_query", message: short } }, 400)],
    ["a text", json({ error: short }, 400)],
    ["a message at the top", json({ message: short }, 400)],
    ["plain text", plain(` ${short}\n`, "text/plain", 400)],
  ])("keeps the words of an error that comes as %s", async (_, answerer) => {
    const http = await httpTo([answerer]);
    expect(await failure(http.json(get()))).toMatchObject({ name: "UnexpectedAnswer", said: short });
  });

  it.each([
    ["a page", plain("<html>Bad request</html>", "text/html", 400)],
    ["a long text", plain("x".repeat(400), "text/plain", 400)],
    ["broken JSON", plain('{"error": "quer', "application/json", 400)],
  ])("takes no words from %s", async (_, answerer) => {
    const http = await httpTo([answerer]);
    expect(await failure(http.json(get()))).toMatchObject({ name: "UnexpectedAnswer", said: undefined });
  });

  it("tells an error that hides behind status 200 by its code", async () => {
    const http = await httpTo([
      coded("insufficient_credits"),
      coded("rate_limited"),
      coded("invalid_api_key"),
      coded("odd"),
    ]);
    const call = { ...post, schema };
    expect(await failure(http.json(call))).toMatchObject({ name: "OutOfCredits", remaining: 2 });
    expect(await failure(http.json(call))).toBeInstanceOf(Unavailable);
    expect(await failure(http.json(call))).toBeInstanceOf(NotAllowed);
    expect(await failure(http.json(call))).toMatchObject({
      name: "UnexpectedAnswer",
      detail: "the service says: no",
      said: "no",
    });
  });

  it.each([
    ["a web page", plain("<!doctype html><p>Sign in", "text/html"), "a web page instead of JSON"],
    ["nothing", plain("", "application/json"), "an empty answer"],
    ["half a document", plain('{"answer": 4', "application/json"), "text that is not JSON"],
    ["another shape", json({ answer: "four" }), "answer: Invalid input: expected number, received string"],
    ["a million brackets", plain("[".repeat(1_000_000), "application/json"), "text that is not JSON"],
    ["a huge body", plain(`"${"x".repeat(3000)}"`, "application/json"), "an answer that is too large"],
  ])("calls %s an unexpected answer and says what it was", async (_, answerer, detail) => {
    const sizes = { answer: detail.includes("large") ? 2000 : 2_000_000 };
    const http = await httpTo([answerer], { sizes });
    expect(await failure(http.json(get()))).toMatchObject({ name: "UnexpectedAnswer", detail });
    expect(upstream.requests).toHaveLength(1);
  });
});

describe("secrets", () => {
  it.each([
    ["a message that repeats the token", json({ error: { message: `bad token ${TOKEN}!\u0000\u001b[31m` } }, 400)],
    ["a request ID made of the token", json({ error: "no" }, 400, { "x-request-id": TOKEN })],
    ["a body that is not JSON", plain(`token ${TOKEN}`, "application/json")],
    ["a member named like the token", json({ answer: { [TOKEN]: 1 } })],
    ["a foreign key", json({ error: "svc_live_abcDEF123 and Bearer abc.def.ghi0" }, 400)],
  ])("never show in an error: %s", async (_, answerer) => {
    const http = await httpTo([answerer]);
    const error = await failure(http.json(get()));
    expect(error).toBeInstanceOf(UnexpectedAnswer);
    const shown = everythingOf(error);
    expect(shown).not.toContain(TOKEN);
    expect(shown).not.toMatch(/svc_live_abc|abc\.def|\p{Cc}/u);
  });

  it("never show, as they are or as base64, even if they belong to another service", async () => {
    const foreign = "desk-password-77";
    const echo = `${foreign}, ${Buffer.from(foreign).toString("base64")}, ${Buffer.from(TOKEN).toString("base64url")}`;
    const http = await httpTo([json({ error: { message: echo } }, 400)], { secrets: [foreign] });
    expect(await failure(http.json(get()))).toMatchObject({ said: "[secret], [secret], [secret]" });
  });

  it("never show if the request itself cannot be sent", async () => {
    const http = await httpTo([json({ answer: 1 })]);
    const error = await failure(http.json(get({ token: `${TOKEN}\nx` })));
    expect(error).toBeInstanceOf(UnexpectedAnswer);
    expect(everythingOf(error)).not.toContain(TOKEN);
  });
});

function everythingOf(error: unknown): string {
  if (!(error instanceof Error)) return "";
  return [error.message, error.stack, JSON.stringify(error), everythingOf(error.cause)].join(" ").replaceAll("\n", " ");
}

describe("retries", () => {
  it("repeats a GET after a reset and a 503, waiting longer each time", async () => {
    const http = await httpTo([reset, json({}, 503), json({ answer: 5 })]);
    expect(await http.json(get())).toEqual({ answer: 5 });
    expect(waits).toEqual([250, 500]);
  });

  it("gives up after two retries", async () => {
    const http = await httpTo([json({}, 500)]);
    expect(await failure(http.json(get()))).toBeInstanceOf(Unavailable);
    expect(upstream.requests).toHaveLength(3);
  });

  it("never repeats a POST that is not marked as harmless", async () => {
    const http = await httpTo([reset]);
    expect(await failure(http.json({ ...post, schema }))).toMatchObject({ name: "Unavailable", reason: "connection" });
    expect(await failure(http.stream(post))).toBeInstanceOf(Unavailable);
    expect(upstream.requests).toHaveLength(2);
  });

  it.each([
    ["4", 4_000],
    [new Date(NOW + 9_000).toUTCString(), 9_000],
    [new Date(NOW - 5_000).toUTCString(), 0],
  ])("waits as long as Retry-After %j asks", async (after, ms) => {
    const http = await httpTo([json({}, 429, { "retry-after": after }), json({ answer: 1 })]);
    await http.json(get());
    expect(waits).toEqual([ms]);
  });

  it("does not wait for more than ten seconds, and says when to come back", async () => {
    const http = await httpTo([json({}, 429, { "retry-after": "60" })]);
    expect(await failure(http.json(get()))).toMatchObject({ name: "Unavailable", retryAt: NOW + 60_000 });
    expect(waits).toEqual([]);
  });

  it("stops waiting when the caller gives up", async () => {
    const caller = new AbortController();
    const wait = (_: number, signal?: AbortSignal) =>
      new Promise<void>((_resolve, reject) => {
        signal?.addEventListener("abort", () => reject(new Error("interrupted")));
        caller.abort("enough");
      });
    const http = await httpTo([json({}, 503)], { clock: { wait } });
    expect(await failure(http.json(get({ signal: caller.signal })))).toBe("enough");
    expect(upstream.requests).toHaveLength(1);
  });
});

const half: Answerer = ({ response }) => void response.writeHead(200).write('{"answer":');

describe("time and giving up", () => {
  it.each<[string, Answerer, object]>([
    ["headers", () => undefined, { headers: 20 }],
    ["the rest of a body", half, { answer: 40 }],
  ])("does not wait for ever for %s, and does not ask a slow service again", async (_, answerer, timeouts) => {
    const http = await httpTo([answerer], { timeouts });
    expect(await failure(http.json(get()))).toMatchObject({ name: "Unavailable", reason: "timeout" });
    expect(upstream.requests).toHaveLength(1);
  });

  it("throws the caller's own reason when the caller gives up, and closes the connection", async () => {
    const caller = new AbortController();
    const reason = Object.assign(new Error("the reader left"), { code: "STOPPED" });
    let closed: Promise<void> | undefined;
    const http = await httpTo([
      ({ gone }) => {
        closed = gone;
        caller.abort(reason);
      },
    ]);
    expect(await failure(http.json(get({ signal: caller.signal })))).toBe(reason);
    await closed;
  });

  it("sends nothing for a caller who has given up before", async () => {
    const http = await httpTo([json({ answer: 1 })]);
    expect(await failure(http.json(get({ signal: AbortSignal.abort("gone") })))).toBe("gone");
    expect(upstream.requests).toHaveLength(0);
  });

  it.each<[string, Answerer]>([
    ["breaks off", ({ response }) => void response.writeHead(404).write("no", () => response.destroy())],
    ["is endless", ({ response }) => void response.writeHead(404).write("x".repeat(100_000))],
  ])("goes by the status alone if the body of an error %s", async (_, answerer) => {
    const http = await httpTo([answerer]);
    expect(await failure(http.json(get()))).toMatchObject({ status: 404, detail: "nothing at this address" });
  });
});

describe("a stream", () => {
  it("keeps what came before a cut, then says that the answer broke off", async () => {
    const http = await httpTo([stream(["data: one\n\n"], "cut")]);
    const seen: unknown[] = [];
    const error = await failure(http.stream(post).then(({ events }) => collect(events, seen)));
    expect(seen).toEqual([{ event: "message", data: "one" }]);
    expect(error).toMatchObject({ name: "Unavailable", reason: "cut" });
  });

  it("reads a last event that lacks its blank line", async () => {
    const http = await httpTo([stream(["data: one\n\ndata: two"])]);
    expect((await collect((await http.stream(post)).events)).map(({ data }) => data)).toEqual(["one", "two"]);
  });

  it("gives up on a stream that falls silent", async () => {
    const http = await httpTo([stream(["data: one\n\n"], "open")], { timeouts: { idle: 20 } });
    const seen: unknown[] = [];
    const error = await failure(http.stream(post).then(({ events }) => collect(events, seen)));
    expect(seen).toHaveLength(1);
    expect(error).toMatchObject({ name: "Unavailable", reason: "timeout" });
  });

  it("closes the connection when the reader leaves early", async () => {
    let closed: Promise<void> | undefined;
    const endless: Answerer = (exchange) => {
      closed = exchange.gone;
      return stream(["data: one\n\ndata: two\n\n"], "open")(exchange);
    };
    const http = await httpTo([endless]);
    for await (const { data } of (await http.stream(post)).events) {
      expect(data).toBe("one");
      break;
    }
    await closed;
  });

  it("throws the caller's reason in the middle of a stream", async () => {
    const caller = new AbortController();
    const http = await httpTo([stream(["data: one\n\n"], "open")]);
    const { events } = await http.stream({ ...post, signal: caller.signal });
    const reading = (async () => {
      for await (const _ of events) caller.abort("stop button");
    })();
    expect(await failure(reading)).toBe("stop button");
  });

  it.each([
    ["as JSON under an error status", json({ error: "model is busy" }, 503), Unavailable],
    ["as JSON under status 200", json({ error: "model is unknown" }), UnexpectedAnswer],
    ["as bare JSON under a stream's type", plain('{"error": "odd"}', "text/event-stream"), UnexpectedAnswer],
    ["as bare JSON after an event", stream(["data: x\n\n", '{"error":\n "odd"}\n']), UnexpectedAnswer],
    ["as an error event", stream(['event: error\ndata: {"error":{"code":"rate_limited"}}\n\n']), Unavailable],
    [
      "as an event that says so itself",
      stream(['event: message\ndata: {"type":"error","message":"no"}\n\n']),
      UnexpectedAnswer,
    ],
    ["as an error event of plain text", stream(["event: error\ndata: it broke\n\n"]), UnexpectedAnswer],
    ["within an ordinary event", stream(['data: {"error":{"code":"insufficient_credits"}}\n\n']), OutOfCredits],
    ["as a web page", plain("<html>", "text/html; charset=utf-8"), UnexpectedAnswer],
  ])("throws an error that comes %s", async (_, answerer, kind) => {
    const http = await httpTo([answerer]);
    expect(await failure(http.stream(post).then(({ events }) => collect(events)))).toBeInstanceOf(kind);
  });

  it("asks for events, and refuses a JSON answer in their place", async () => {
    const http = await httpTo([json({ messages: [] })]);
    expect(await failure(http.stream(post))).toMatchObject({ detail: "JSON instead of a stream" });
    expect(upstream.requests[0]?.headers).toMatchObject({ accept: "text/event-stream" });
  });

  it.each([
    ["one endless event", "data: "],
    ["one endless line of no meaning", "{"],
  ])("refuses %s", async (_, start) => {
    const http = await httpTo([stream([start, "x".repeat(9_000)])], { sizes: { event: 5_000, stream: 8_000 } });
    const error = await failure(http.stream(post).then(({ events }) => collect(events)));
    expect(error).toMatchObject({ name: "UnexpectedAnswer", detail: "an answer that is too large" });
  });
});

describe("a service without settings", () => {
  it("answers every call with what an operator sets", async () => {
    await httpTo([]);
    const http = unconfiguredHttp("gateway");
    const error = await failure(http.json(get()));
    expect(error).toBeInstanceOf(UsageError);
    expect(error).toHaveProperty(
      "message",
      "The search service isn’t set up here. An operator sets GATEWAY_URL and GATEWAY_API_KEY, then restarts Bellwether.",
    );
    expect(await failure(http.stream(post))).toBeInstanceOf(UsageError);
  });
});

describe("the rate limit of a service", () => {
  const seconds = NOW / 1000;
  const limited = (remaining: number | string, until: number | string) => ({
    "x-ratelimit-remaining": String(remaining),
    "x-ratelimit-reset": String(until),
  });

  it.each([
    ["a refusal", json({}, 429, limited(0, seconds + 50))],
    [
      "a refusal that says it in its envelope",
      json({ meta: { rate_limit: { remaining: 0, reset: seconds + 50 } } }, 429),
    ],
    ["a refusal that says only when to come back", json({}, 429, { "retry-after": "50" })],
    ["an answer that used it up", json({ answer: 1 }, 200, limited(0, seconds + 50))],
    ["an envelope that says so", json({ answer: 1, meta: { rate_limit: { remaining: 0, reset: seconds + 50 } } })],
  ])(
    "is kept after %s: no call before the reset, whoever asks, and the error says when that is",
    async (_, answerer) => {
      let now = NOW;
      const http = await httpTo([answerer, json({ answer: 2 })], { clock: { now: () => now, random: () => 0.5 } });
      await http.json(get()).catch(() => undefined);
      const refusal = { name: "Unavailable", status: 429, retryAt: NOW + 50_000 };
      expect(await failure(http.json(get()))).toMatchObject(refusal);
      expect(await failure(http.json({ ...post, schema }))).toMatchObject(refusal);
      expect(await failure(http.stream(post))).toMatchObject(refusal);
      expect(upstream.requests).toHaveLength(1);
      now += 50_000;
      expect(await http.json(get())).toEqual({ answer: 2 });
    },
  );

  it("is read from a stream as well", async () => {
    const answer = stream(["data: a\n\n"]);
    const http = await httpTo([
      (exchange) => {
        for (const [name, value] of Object.entries(limited(0, seconds + 50))) exchange.response.setHeader(name, value);
        return answer(exchange);
      },
    ]);
    await collect((await http.stream(post)).events);
    expect(await failure(http.stream(post))).toMatchObject({ retryAt: NOW + 50_000 });
  });

  it("is waited for when it is whole again within ten seconds", async () => {
    const http = await httpTo([json({}, 429, limited(0, seconds + 8)), json({ answer: 1 })]);
    expect(await http.json(get())).toEqual({ answer: 1 });
    expect(waits).toEqual([8_000]);
  });

  it.each([
    ["in the year 3000", limited(0, 32_503_680_000)],
    ["that is negative", limited(0, -5)],
    ["in the past", limited(0, seconds - 60)],
    ["that is no number", limited(0, "soon")],
    ["with calls left", limited(3, seconds + 50)],
    ["with a negative rest", limited(-1, seconds + 50)],
  ])("isn’t believed with a reset %s", async (_, headers) => {
    const http = await httpTo([json({ answer: 1 }, 200, headers), json({ answer: 2 })]);
    await http.json(get());
    expect(await http.json(get())).toEqual({ answer: 2 });
  });

  it("that says nothing of its end is not tried again at once", async () => {
    const http = await httpTo([json({}, 429), json({ answer: 1 })]);
    expect(await failure(http.json(get()))).toMatchObject({ status: 429, retryAt: undefined });
    expect(upstream.requests).toHaveLength(1);
  });
});
