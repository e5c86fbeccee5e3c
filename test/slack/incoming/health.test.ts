import { afterEach, describe, expect, it } from "vitest";

import {
  type HealthFacts,
  type HealthOptions,
  createHealthRoutes,
  serveHealth,
} from "../../../src/slack/incoming/health.ts";
import { serve } from "./served.ts";
import { startBolt } from "./receiver.ts";

const closers: (() => unknown)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** What a server of it answers. */
async function setUp(options: Partial<HealthOptions> = {}) {
  const routes = createHealthRoutes({
    isConnected: () => true,
    readFacts: async () => ({}),
    isPublic: false,
    ...options,
  });
  const server = await serveHealth(0, routes);
  closers.push(() => server.close());
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  const ask = async (path = "/health", token?: string) => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const answer = await fetch(`${url}${path}`, { headers });
    return [answer.status, await answer.text()] as const;
  };
  const check = async (path?: string, token?: string) => {
    const [status, text] = await ask(path, token);
    return [status, text && JSON.parse(text)];
  };
  return { server, ask, check };
}

const facts: HealthFacts = { lastTick: "2026-11-20T09:00:00.000Z", waiting: 3 };
const renderMetrics = async () => ({ type: "text/plain", text: "bellwether_due_subscriptions 3\n" });

describe("the health check", () => {
  it("is 200 while the bot is connected to Slack and 503 while it is not; everything else is 404", async () => {
    let isConnected = true;
    const { check } = await setUp({ isConnected: () => isConnected });
    expect(await check()).toEqual([200, { status: "ok" }]);
    expect(await check("/readyz")).toEqual([200, { status: "ok" }]);
    isConnected = false;
    expect(await check()).toEqual([503, { status: "disconnected" }]);
    expect(await check("/readyz")).toEqual([503, { status: "disconnected" }]);
    // A restart would not bring Slack back.
    expect(await check("/livez")).toEqual([200, { status: "ok" }]);
    expect(await check("/")).toEqual([404, ""]);
    expect(await check("/metrics")).toEqual([404, ""]);
  });

  it("keeps no connection of somebody who says nothing, says it slowly, or comes a thousand times", async () => {
    const { server } = await setUp();
    expect(server).toMatchObject({ headersTimeout: 9_000, requestTimeout: 14_000, maxConnections: 1_000 });
  });

  it("says when jobs last ended and how much waits, and is 503 if they are stuck", async () => {
    const own = { ...facts };
    let isFailing = false;
    const { check } = await setUp({
      readFacts: async () => {
        if (isFailing) throw new Error("the store is closed");
        return own;
      },
    });
    expect(await check()).toEqual([200, { status: "ok", ...facts }]);
    own.isStalled = true;
    expect(await check()).toEqual([503, { status: "stalled", ...facts }]);
    expect(await check("/livez")).toEqual([503, { status: "stalled", ...facts }]);
    isFailing = true;
    expect(await check()).toEqual([200, { status: "ok" }]);
  });

  it("says no more than up or down if anybody can reach it, and shows no metrics", async () => {
    const { check, ask } = await setUp({ isPublic: true, readFacts: async () => facts, renderMetrics });
    expect(await check()).toEqual([200, { status: "ok" }]);
    expect(await ask("/metrics")).toEqual([404, ""]);
  });

  it("shows everything to whoever sends the token, and to nobody else once there is one", async () => {
    for (const isPublic of [true, false]) {
      const { check, ask } = await setUp({ isPublic, token: "a-token", readFacts: async () => facts, renderMetrics });
      expect(await check("/health", "a-token")).toEqual([200, { status: "ok", ...facts }]);
      expect(await ask("/metrics", "a-token")).toEqual([200, "bellwether_due_subscriptions 3\n"]);
      for (const token of [undefined, "", "a-toke", "a-token2"]) {
        expect(await check("/health", token)).toEqual([200, { status: "ok" }]);
        expect((await ask("/metrics", token))[0]).toBe(401);
      }
    }
  });

  it("is served beside Slack's events in HTTP mode", async () => {
    const readFacts = async () => ({ ...facts, isStalled: true as const });
    const { bolt, url } = await serve({ settings: { botToken: "xoxb-1", healthToken: "a-token" } });
    await startBolt(bolt, { readFacts, renderMetrics });
    const health = await fetch(`${url}/livez`);
    expect([health.status, await health.json()]).toEqual([503, { status: "down" }]);
    const metrics = await fetch(`${url}/metrics`, { headers: { authorization: "Bearer a-token" } });
    expect(await metrics.text()).toContain("bellwether_due_subscriptions 3");
  });
});
