import { describe, expect, it } from "vitest";

import { createGate, createTally } from "../../../src/features/subscriptions/jobs.ts";

describe("a gate", () => {
  it("lets others go first after each work", async () => {
    const gate = createGate(1);
    const order: string[] = [];
    setImmediate(() => order.push("somebody's command"));
    await Promise.all([1, 2].map((number) => gate(async () => order.push(`digest ${number}`))));
    expect(order).toEqual(["digest 1", "somebody's command", "digest 2"]);
  });
});

describe("failures of one run", () => {
  it("are a line for each reason, and one more with how many there were", () => {
    const lines: unknown[] = [];
    const tally = createTally({ error: (...line) => lines.push(line) }, "feed.failed");
    for (let number = 1; number <= 1_000; number++) tally.failed({ team: "T1", number }, new Error("disk full"));
    tally.failed({ team: "T1", number: 7 }, new Error("odd"));
    tally.close();
    tally.close();
    expect(lines).toEqual([
      ["feed.failed", { team: "T1", number: 1, error: expect.stringContaining("disk full") }],
      ["feed.failed", { team: "T1", number: 7, error: expect.stringContaining("odd") }],
      ["feed.failed", { error: expect.stringContaining("disk full"), more: 999 }],
    ]);
  });
});
