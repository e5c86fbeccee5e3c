import { readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";

import { createMetrics } from "../src/metrics.ts";
import { shardCount } from "../src/replicas/shards.ts";

const read = (name: string) => readFileSync(new URL(`../ops/${name}`, import.meta.url), "utf8");

const rulesSchema = z.object({
  groups: z.array(z.object({ rules: z.array(z.object({ alert: z.string(), expr: z.string() })) })),
});
const dashboardSchema = z.object({ panels: z.array(z.object({ targets: z.array(z.object({ expr: z.string() })) })) });

/** The names of all metrics that a bot serves. */
async function served(): Promise<Set<string>> {
  const { text } = await createMetrics().render(async () => ({ waiting: 0, lagMs: 0, answering: 0 }));
  return new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name = ""]) => name));
}

describe("the alert rules and the dashboard", () => {
  it.each([
    ["alerts.yml", () => rulesSchema.parse(parse(read("alerts.yml"))).groups.flatMap(({ rules }) => rules)],
    [
      "dashboard.json",
      () => dashboardSchema.parse(JSON.parse(read("dashboard.json"))).panels.flatMap((p) => p.targets),
    ],
  ])("ask only for what a bot serves: %s", async (_, expressions) => {
    const names = await served();
    const asked = expressions().flatMap(({ expr }) => expr.match(/\b(?:bellwether|nodejs|process)_\w+/g) ?? []);
    expect(asked.length).toBeGreaterThan(5);
    const unknown = asked.filter((name) => !names.has(name) && !names.has(name.replace(/_(bucket|count|sum)$/, "")));
    expect(unknown).toEqual([]);
  });

  it("know how many shards there are", () => {
    const expressions = rulesSchema.parse(parse(read("alerts.yml"))).groups.flatMap(({ rules }) => rules);
    const compared = expressions.flatMap(({ expr }) => [...expr.matchAll(/bellwether_shards\) [<>] ([1-9]\d*)/g)]);
    expect(new Set(compared.map(([, number]) => number))).toEqual(new Set([String(shardCount)]));
  });
});
