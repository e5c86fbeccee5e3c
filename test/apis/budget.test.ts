import { afterEach, describe, expect, it } from "vitest";
import { createGateway } from "../../src/apis/gateway/client.ts";
import type { Gateway } from "../../src/apis/gateway/client.ts";
import { createHttp } from "../../src/apis/http.ts";
import { startSandbox } from "../../src/sandbox/server.ts";
import { json, startUpstream, stream } from "../support/upstream.ts";
import type { Answerer, Upstream } from "../support/upstream.ts";
import { collect, failure, NOW } from "./line.ts";

let upstream: Upstream | undefined;
afterEach(() => upstream?.close());

/** A client on a clock that jumps to the end of each wait. */
async function gatewayTo(...answerers: Answerer[]): Promise<{ client: Gateway; waits: number[] }> {
  upstream = await startUpstream(...answerers);
  const waits: number[] = [];
  let now = NOW;
  const clock = {
    now: () => now,
    wait: async (ms: number) => {
      waits.push(ms);
      now += ms;
    },
  };
  const http = createHttp({ api: "gateway", baseUrl: upstream.url, clock });
  return { client: createGateway({ http, key: "svc_live_1", clock }), waits };
}

const seconds = (ms: number) => NOW / 1000 + ms / 1000;
const headers = (remaining: number, ms: number) => ({
  "x-ratelimit-limit": "1000",
  "x-ratelimit-remaining": String(remaining),
  "x-ratelimit-reset": String(seconds(ms)),
});
const spent = headers(0, 60_000);
const refused = { name: "Unavailable", reason: "limit", retryAt: NOW + 61_000 };

describe("the gateway's budget", () => {
  it("is read from headers, and what is spent is not asked for", async () => {
    const { client } = await gatewayTo(json({ articles: [] }, 200, spent));
    await client.search("oil");
    expect(await failure(client.search("oil"))).toMatchObject({ ...refused, operation: "search" });
    expect(upstream?.requests).toHaveLength(1);
  });

  it("is read from the envelope where no header tells it", async () => {
    const meta = { rate_limit: { limit: 1000, remaining: 0, reset: seconds(60_000) } };
    const { client } = await gatewayTo(json({ data: { articles: [] }, meta }));
    await client.search("oil");
    expect(await failure(client.models())).toMatchObject({ ...refused, operation: "models" });
  });

  it("is read from the envelope, whatever a header means by its number", async () => {
    const meta = { rate_limit: { limit: 1000, remaining: 990, reset: seconds(60_000) } };
    const { client } = await gatewayTo(json({ data: { credits: 9 }, meta }, 200, { "x-ratelimit-reset": "7" }));
    expect((await client.me()).credits.rate).toEqual({ limit: 1000, remaining: 990, resetAt: NOW + 60_000 });
  });

  it.each([
    ["42", {}],
    [String(seconds(42_000)), {}],
    [String(NOW + 42_000), {}],
    [String(seconds(-78_000)), { date: new Date(NOW - 120_000).toUTCString() }],
  ])("is full again at the time that a header tells as %s %j", async (reset, more) => {
    const told = { "x-ratelimit-limit": "1000", "x-ratelimit-remaining": "990", "x-ratelimit-reset": reset, ...more };
    const { client } = await gatewayTo(json({ data: { credits: 9 } }, 200, told));
    expect((await client.me()).credits.rate).toEqual({ limit: 1000, remaining: 990, resetAt: NOW + 42_000 });
  });

  it("is one for everything that is asked, streams and refusals included", async () => {
    const { client } = await gatewayTo(json({ error: { code: "not_found" } }, 404, spent));
    await failure(client.collection("1"));
    const calls: Promise<unknown>[] = [
      client.me(),
      client.usage(),
      client.summary("oil"),
      client.chat({ messages: [{ role: "user", content: "?" }] }),
      client.createCollection({ name: "N" }),
      client.runCollection("1"),
      client.insightChannels(),
      collect(client.streamSummary("oil")),
    ];
    for (const call of calls) expect(await failure(call)).toMatchObject(refused);
    expect(upstream?.requests).toHaveLength(1);
  });

  it("is told by a stream's headers as well", async () => {
    const told: Answerer = (exchange) => {
      for (const [name, value] of Object.entries(spent)) exchange.response.setHeader(name, value);
      return stream(["data: All calm.\n\n"])(exchange);
    };
    const { client } = await gatewayTo(told);
    await collect(client.streamSummary("oil"));
    expect(await failure(client.me())).toMatchObject(refused);
  });

  it("is waited for where the reset is near", async () => {
    const near = json({ articles: [] }, 200, headers(0, 4_000));
    const { client, waits } = await gatewayTo(near, json({ articles: [] }, 200, headers(999, 64_000)));
    await client.search("oil");
    await client.search("oil");
    expect(waits).toEqual([5_000]);
    expect(upstream?.requests).toHaveLength(2);
  });

  it("holds repeated attempts as well", async () => {
    const { client } = await gatewayTo(json({}, 503, spent));
    expect(await failure(client.search("oil"))).toMatchObject(refused);
    expect(upstream?.requests).toHaveLength(1);
  });

  it("of the sandbox is never overdrawn by more calls at once than it allows", async () => {
    const sandbox = await startSandbox({ wordDelayMs: 0 });
    try {
      const http = createHttp({ api: "gateway", baseUrl: sandbox.gatewayUrl });
      const client = createGateway({ http, key: sandbox.gatewayKey });
      const outcomes = await Promise.allSettled(Array.from({ length: 1_100 }, () => client.models()));
      const errors = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
      expect(errors).toHaveLength(100);
      for (const error of errors) expect(error).toMatchObject({ name: "Unavailable", reason: "limit" });
      expect(new Set(sandbox.requests.map(({ status }) => status))).toEqual(new Set([200]));
    } finally {
      await sandbox.close();
    }
  });
});
