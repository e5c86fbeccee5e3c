import { describe, expect, test } from "vitest";
import { login, sandboxFor } from "./client.ts";

async function ranked() {
  const sandbox = await sandboxFor();
  const { headers } = await login(sandbox);
  const read = async (type?: string) => {
    const query = type === undefined ? "" : `&type=${type}`;
    const response = await fetch(`${sandbox.intelligenceUrl}/analytics/trending/entity?limit=100${query}`, { headers });
    return (await response.json()) as { name: string; raw_count: number; moving_average: number }[];
  };
  return { sandbox, read };
}

describe("a surge", () => {
  test("puts an entity on top of the list by so many mentions, and ends when it is set back", async () => {
    const { sandbox, read } = await ranked();
    const before = await read("Company");
    const last = before.at(-1);
    if (!last) throw new Error("nothing trends");
    sandbox.surge({ name: last.name, mentions: 500 });
    const [first] = await read();
    expect(first).toMatchObject({
      name: last.name,
      raw_count: last.raw_count + 500,
      moving_average: last.moving_average,
    });
    sandbox.surge({ name: last.name, mentions: 0 });
    expect(await read("Company")).toEqual(before);
  });

  test("is also set from outside, and shown by the gateway", async () => {
    const { sandbox } = await ranked();
    const post = (body: unknown) =>
      fetch(`${sandbox.url}/control/surges`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });
    expect((await post({ name: "Skagerrak Wind", mentions: 900 })).status).toBe(204);
    expect((await post({ name: "Nobody", mentions: 9 })).status).toBe(400);
    const shown = await fetch(`${sandbox.gatewayUrl}/api/v1/trending/entities?limit=1`, {
      headers: { "x-api-key": sandbox.gatewayKey },
    });
    expect(JSON.stringify(await shown.json())).toContain("Skagerrak Wind");
    await fetch(`${sandbox.url}/control/surges`, { method: "DELETE" });
  });
});
