import { expect } from "vitest";
import { z } from "zod";
import type { ApiCall, Http, JsonCall } from "../../src/apis/http.ts";
import { createHttp } from "../../src/apis/http.ts";
import type { HttpOptions } from "../../src/apis/http.ts";
import { startUpstream } from "../support/upstream.ts";
import type { Answerer, Upstream } from "../support/upstream.ts";

export const NOW = Date.UTC(2026, 10, 21, 12);
export const TOKEN = "tok-3f9a7c1e-private";
export const schema = z.object({ answer: z.number() });

/** A line to a loopback server, with a clock that remembers for how long it should have waited. */
export interface TestLine {
  http: Http;
  upstream: Upstream;
  waits: number[];
}

/** Opens the line; the server answers as told. */
export async function openLine(answerers: Answerer[], options: Partial<HttpOptions> = {}): Promise<TestLine> {
  const upstream = await startUpstream(...answerers);
  const { waits, clock } = createJumpingClock();
  return { http: createHttp({ api: "gateway", baseUrl: upstream.url, clock, ...options }), upstream, waits };
}

/** A clock that jumps to the end of each wait. */
function createJumpingClock() {
  const waits: number[] = [];
  let now = NOW;
  const wait = async (ms: number) => {
    waits.push(ms);
    now += ms;
  };
  return { waits, clock: { now: () => now, random: () => 0.5, wait } };
}

/** A call that only reads. */
export function get(more: Partial<JsonCall<{ answer: number }>> = {}): JsonCall<{ answer: number }> {
  return { operation: "ask", method: "GET", path: "/thing", token: TOKEN, schema, ...more };
}

/** A call that does something. */
export const post: ApiCall = { operation: "tell", method: "POST", path: "/tell", token: TOKEN, body: { a: 1 } };

/** What the work fails with; work that succeeds fails the test. */
export async function failure(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    (value) => expect.fail(`resolved with ${JSON.stringify(value)}`),
    (error: unknown) => error,
  );
}

/** All items; `into` has those before a failure too. */
export async function collect<T>(items: AsyncIterable<T>, into: T[] = []): Promise<T[]> {
  for await (const item of items) into.push(item);
  return into;
}
