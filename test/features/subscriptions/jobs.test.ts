import { describe, expect, it } from "vitest";

import { createConcurrencyLimit } from "../../../src/features/subscriptions/jobs.ts";

describe("a concurrency limit", () => {
  it("lets other work go first after each task", async () => {
    const limited = createConcurrencyLimit(1);
    const order: string[] = [];
    setImmediate(() => order.push("somebody's command"));
    await Promise.all([1, 2].map((number) => limited(async () => order.push(`digest ${number}`))));
    expect(order).toEqual(["digest 1", "somebody's command", "digest 2"]);
  });
});
