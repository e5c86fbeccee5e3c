import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { NotAllowed, Unavailable, UnexpectedAnswer } from "../../src/apis/errors.ts";
import { type HttpOptions, createHttp } from "../../src/apis/http.ts";
import { createIntelligence } from "../../src/apis/intelligence/client.ts";
import type { Intelligence } from "../../src/apis/intelligence/client.ts";
import type { GenerateEvent, GenerateRequest } from "../../src/apis/intelligence/generate.ts";
import { startSandbox } from "../../local/sandbox/server.ts";
import type { Sandbox } from "../../local/sandbox/server.ts";
import { emptyCache } from "../support/wire.ts";
import { collect, createJumpingClock } from "./line.ts";

const thread: GenerateRequest = { messages: [{ role: "user", content: { type: "text", text: "Why?" } }] };

describe("the intelligence client on a bad day", () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await startSandbox({ wordDelayMs: 0 });
  });
  afterEach(() => sandbox.clearFaults());
  afterAll(() => sandbox.close());

  function fresh(timeouts: HttpOptions["timeouts"] = {}): Intelligence {
    const { clock } = createJumpingClock();
    const sizes = { event: 200_000, stream: 400_000, answer: 200_000 };
    const http = createHttp({ api: "intelligence", baseUrl: sandbox.intelligenceUrl, clock, timeouts, sizes });
    return createIntelligence({
      http,
      credentials: sandbox.credentials,
      model: "model-a",
      cache: emptyCache(),
      now: Date.now,
    });
  }

  async function generated(
    fault: string,
    timeouts: HttpOptions["timeouts"] = {},
  ): Promise<{ events: GenerateEvent[]; error: unknown }> {
    sandbox.fail({ fault, path: "/generative" });
    const events: GenerateEvent[] = [];
    const error: unknown = await collect(fresh(timeouts).generate(thread), events).then(
      () => undefined,
      (failed: unknown) => failed,
    );
    return { events, error };
  }

  it.each([
    ["cut:8", Unavailable],
    ["error_event:6", UnexpectedAnswer],
    ["error_event:1", UnexpectedAnswer],
  ])("keeps what came before %s in a generated answer, then throws the right error", async (fault, kind) => {
    const { events, error } = await generated(fault);
    expect(error).toBeInstanceOf(kind);
    expect(error).toMatchObject({ api: "intelligence", operation: "generate" });
    expect(events.length).toBeGreaterThan(0);
  });

  it("gives up on a generated answer that falls silent, keeping what came before", async () => {
    const { events, error } = await generated("stall:6", { idle: 300 });
    expect(error).toMatchObject({ name: "Unavailable", reason: "timeout" });
    expect(events.length).toBeGreaterThan(0);
  });

  it.each([
    ["json_instead_of_stream", UnexpectedAnswer],
    ["html", UnexpectedAnswer],
    ["huge", UnexpectedAnswer],
    ["reset", Unavailable],
    ["server_error", Unavailable],
  ])("meets %s in place of a generated answer with the right error", async (fault, kind) => {
    expect(await generated(fault)).toEqual({ events: [], error: expect.any(kind) });
  });

  it("reads a stream of torn characters like a whole one", async () => {
    const torn = await generated("split_bytes");
    expect(torn.error).toBeUndefined();
    const text = torn.events.map((event) => (event.type === "text" ? event.text : "")).join("");
    expect(text.length).toBeGreaterThan(20);
    expect(text).not.toContain("\uFFFD");
  });

  it("passes an expired token over without a word", async () => {
    const intelligence = fresh();
    await intelligence.trending();
    sandbox.fail({ fault: "expired_token", path: "/analytics" });
    expect((await intelligence.trending()).length).toBeGreaterThan(0);
    sandbox.fail({ fault: "expired_token", path: "/analytics", times: 2 });
    await expect(intelligence.trending()).rejects.toBeInstanceOf(NotAllowed);
  });

  it.each([
    ["server_error", Unavailable, 3],
    ["reset", Unavailable, 3],
    ["rate_limited:60", Unavailable, 1],
    ["html", UnexpectedAnswer, 1],
    ["huge", UnexpectedAnswer, 1],
  ])("meets lasting %s in a list with the right error", async (fault, kind, tries) => {
    sandbox.fail({ fault, path: "/analytics", times: 10 });
    const before = sandbox.requests.length;
    await expect(fresh().trending()).rejects.toBeInstanceOf(kind);
    const tried = sandbox.requests.slice(before).filter(({ path }) => path.includes("/analytics"));
    expect(tried).toHaveLength(tries);
  });

  it.each(["server_error", "reset", "rate_limited:1", "slow:20"])("gets over one passing %s", async (fault) => {
    sandbox.fail({ fault, path: "/analytics" });
    expect((await fresh().trending()).length).toBeGreaterThan(0);
  });

  it("never lets wrong types through", async () => {
    sandbox.fail({ fault: "bad_types", path: "/analytics", times: 10 });
    const result = await fresh()
      .trending()
      .catch((error: unknown) => error);
    const entities = Array.isArray(result) ? result : [];
    expect(entities.every(({ name, score }) => typeof name === "string" && Number.isFinite(score))).toBe(true);
    expect(Array.isArray(result) || result instanceof UnexpectedAnswer).toBe(true);
  });
});
