import { describe, expect, test } from "vitest";
import { ask, NOON, sandboxFor } from "./client.ts";

type Options = Parameters<typeof sandboxFor>[0];

async function gateway(options: Options = {}, kind: "gatewayKey" | "liveKey" = "gatewayKey") {
  const sandbox = await sandboxFor(options);
  const headers = { authorization: `Bearer ${sandbox[kind]}` };
  const url = `${sandbox.gatewayUrl}/api/v1`;
  const call = (path: string, body?: unknown) => ask(url + path, body === undefined ? { headers } : { headers, body });
  return { sandbox, headers, url, call };
}

const refusal = (status: number, code: string) => ({ status, json: { error: { code, message: expect.any(String) } } });
const found = (data: unknown, status = 200) => ({ status, json: { data } });
const used = (credits_used: number, credits_remaining: number) => ({
  json: { meta: { credits_used, credits_remaining } },
});
const dataOf = ({ json }: { json: unknown }): Record<string, unknown> => Object(Object(json).data);

test("keys are accepted in either header, and refused when missing, unknown or at odds", async () => {
  const { url, sandbox } = await gateway();
  const status = async (headers: Record<string, string>) => (await ask(`${url}/me`, { headers })).status;
  expect(await status({ authorization: `Bearer ${sandbox.gatewayKey}` })).toBe(200);
  expect(await status({ "x-api-key": sandbox.liveKey })).toBe(200);
  expect(await status({})).toBe(401);
  expect(await status({ "x-api-key": "svc_live_guess" })).toBe(401);
  expect(await status({ authorization: `Bearer ${sandbox.gatewayKey}`, "x-api-key": sandbox.liveKey })).toBe(401);
});

describe("credits", () => {
  test("are charged to a live key as the table says, not for refused calls, and run out", async () => {
    const { call } = await gateway({ liveCredits: 7 }, "liveKey");
    expect(await call("/search", {})).toMatchObject(refusal(400, "invalid_request"));
    expect(await call("/summaries", { query: "Novalith" })).toMatchObject(used(5, 2));
    expect(await call("/search", { query: "oil" })).toMatchObject(used(1, 1));
    expect(await call("/summaries", { query: "Novalith" })).toMatchObject(refusal(402, "insufficient_credits"));
    expect(await call("/me")).toMatchObject(found({ credits: { used: 6, remaining: 1 } }));
    const usage = dataOf(await call("/usage"));
    expect(usage).toMatchObject({ total_requests: 3, credits_used: 6 });
    expect(usage["by_endpoint"]).toContainEqual({ endpoint: "/api/v1/search", requests: 1, credits: 1 });
  });
});

describe("the rate limit", () => {
  test("is shown in headers and in the body, counts down, and is full again after a minute", async () => {
    let now = NOON;
    const { call } = await gateway({ now: () => now });
    const told = async () => {
      const { headers } = await call("/models");
      return ["limit", "remaining", "reset"].map((name) => Number(headers.get(`x-ratelimit-${name}`)));
    };
    expect(await told()).toEqual([1000, 999, NOON / 1000 + 60]);
    const rate_limit = { limit: 1000, remaining: 998, reset: NOON / 1000 + 60 };
    expect(await call("/models")).toMatchObject({ json: { meta: { request_id: expect.any(String), rate_limit } } });
    now += 60_000;
    expect((await told())[1]).toBe(999);
  });

  test("refuses the thousand-and-first request with the seconds to wait, for that key alone", async () => {
    const { sandbox, url, call, headers } = await gateway({ now: () => NOON });
    for (let round = 0; round < 10; round += 1) {
      await Promise.all(Array.from({ length: 100 }, async () => (await fetch(`${url}/models`, { headers })).text()));
    }
    const refused = await call("/models");
    expect(refused).toMatchObject(refusal(429, "rate_limit_exceeded"));
    expect(refused.headers.get("retry-after")).toBe("60");
    expect((await ask(`${url}/models`, { headers: { "x-api-key": sandbox.liveKey } })).status).toBe(200);
  });
});
