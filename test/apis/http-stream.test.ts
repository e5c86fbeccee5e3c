import { afterEach, describe, expect, it, vi } from "vitest";
import type { Http } from "../../src/apis/http.ts";
import { OutOfCredits, Unavailable, UnexpectedAnswer } from "../../src/apis/errors.ts";
import { json, plain, stream } from "../support/upstream.ts";
import type { Answerer, Upstream } from "../support/upstream.ts";
import { collect, failure, openLine, post } from "./line.ts";

let upstream: Upstream;
afterEach(() => {
  vi.useRealTimers();
  return upstream.close();
});

async function httpTo(...line: Parameters<typeof openLine>): Promise<Http> {
  const opened = await openLine(...line);
  ({ upstream } = opened);
  return opened.http;
}

describe("a stream", () => {
  it("yields events whatever way the bytes are cut", async () => {
    const bytes = Buffer.from(
      'event: message\r\ndata: {"text":"Öl 🛢️"}\r\n\r\n: note\r\ndata: zwei\r\ndata: drei\r\n\r\n',
    );
    const http = await httpTo([stream([...bytes].map((byte) => Uint8Array.of(byte)))]);
    const { events } = await http.stream(post);
    expect(await collect(events)).toEqual([
      { event: "message", data: '{"text":"Öl 🛢️"}' },
      { event: "message", data: "zwei\ndrei" },
    ]);
  });

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

  it("does not hold a busy reader against upstream", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const http = await httpTo([stream(["data: one\n\n", "data: two\n\n"])]);
    const seen: string[] = [];
    for await (const { data } of (await http.stream(post)).events) {
      seen.push(data);
      vi.advanceTimersByTime(300_000);
    }
    expect(seen).toEqual(["one", "two"]);
  });

  it("gives up on a stream that never begins", async () => {
    const http = await httpTo([stream([], "open")], { timeouts: { firstByte: 20 } });
    const error = await failure(http.stream(post).then(({ events }) => collect(events)));
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

  it("passes on a complete JSON answer as one event", async () => {
    const http = await httpTo([json({ messages: [] })]);
    expect(await collect((await http.stream(post)).events)).toEqual([{ event: "json", data: '{"messages":[]}' }]);
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
