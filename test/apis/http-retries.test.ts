import { setImmediate } from "node:timers/promises";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Http } from "../../src/apis/http.ts";
import { Unavailable } from "../../src/apis/errors.ts";
import { json, reset } from "../support/upstream.ts";
import type { Answerer, Upstream } from "../support/upstream.ts";
import { failure, get, NOW, openLine, post, schema } from "./line.ts";

let upstream: Upstream;
let waits: number[];
afterEach(() => {
  vi.useRealTimers();
  return upstream.close();
});

async function httpTo(...line: Parameters<typeof openLine>): Promise<Http> {
  const opened = await openLine(...line);
  ({ upstream, waits } = opened);
  return opened.http;
}

describe("retries", () => {
  it("repeats a GET after a reset and a 503, waiting longer each time", async () => {
    const http = await httpTo([reset, json({}, 503), json({ answer: 5 })]);
    expect((await http.json(get())).value).toEqual({ answer: 5 });
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

  it("repeats a POST that is marked as harmless", async () => {
    const http = await httpTo([json({}, 502), json({ answer: 1 })]);
    expect((await http.json({ ...post, schema, repeatable: true })).value).toEqual({ answer: 1 });
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

  it("takes the rate limit's reset as the time to come back where nothing else says it", async () => {
    const at = NOW / 1000 + 30;
    const http = await httpTo([json({}, 429, { "x-ratelimit-reset": String(at) })]);
    expect(await failure(http.json(get()))).toMatchObject({ retryAt: at * 1000 });
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

// Ends after the time for headers is over and before the time for the whole answer is.
const late: Answerer = async ({ response }) => {
  response.writeHead(200).write('{"answer":');
  for (let turn = 0; turn < 50; turn += 1) await setImmediate();
  vi.advanceTimersByTime(20_000);
  response.end("1}");
};

const half: Answerer = ({ response }) => void response.writeHead(200).write('{"answer":');

describe("time and giving up", () => {
  it("does not wait for ever for headers, and does not ask a slow service again", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const http = await httpTo([() => void vi.advanceTimersByTime(20_000)]);
    expect(await failure(http.json(get()))).toMatchObject({ name: "Unavailable", reason: "timeout" });
    expect(upstream.requests).toHaveLength(1);
  });

  it("does not wait for ever for the rest of a body", async () => {
    const http = await httpTo([half], { timeouts: { answer: 40 } });
    expect(await failure(http.json(get()))).toMatchObject({ name: "Unavailable", reason: "timeout" });
  });

  it("lets a body take longer than the headers may", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const http = await httpTo([late]);
    expect((await http.json(get())).value).toEqual({ answer: 1 });
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

  it("sends nothing for a caller who gives up before there is a connection", async () => {
    const http = await httpTo([json({ answer: 1 })]);
    const caller = new AbortController();
    const asked = failure(http.json(get({ signal: caller.signal })));
    caller.abort("changed my mind");
    expect(await asked).toBe("changed my mind");
    await http.json(get());
    expect(upstream.requests).toHaveLength(1);
  });

  it("closes the connection of an answer that is too large", async () => {
    let closed: Promise<void> | undefined;
    const http = await httpTo(
      [
        ({ response, gone }) => {
          closed = gone;
          response.writeHead(200).write(`"${"x".repeat(5_000)}`);
        },
      ],
      { sizes: { answer: 2_000 } },
    );
    expect(await failure(http.json(get()))).toMatchObject({ detail: "an answer that is too large" });
    await closed;
  });

  it.each<[string, Answerer]>([
    ["breaks off", ({ response }) => void response.writeHead(404).write("no", () => response.destroy())],
    ["is endless", ({ response }) => void response.writeHead(404).write("x".repeat(100_000))],
  ])("goes by the status alone where the body of an error %s", async (_, answerer) => {
    const http = await httpTo([answerer]);
    expect(await failure(http.json(get()))).toMatchObject({ status: 404, detail: "nothing at this address" });
  });

  it("calls a port where nobody listens unavailable", async () => {
    const http = await httpTo([]);
    await upstream.close();
    const error = await failure(http.json(get()));
    expect(error).toMatchObject({ name: "Unavailable", reason: "connection" });
    expect(waits).toHaveLength(2);
  });
});
