import { describe, expect, it } from "vitest";

import { createConcurrencyLimit } from "../../../src/features/subscriptions/jobs.ts";

describe("a gate", () => {
  it("lets others go first after each work", async () => {
    const limited = createConcurrencyLimit(1);
    const order: string[] = [];
    setImmediate(() => order.push("somebody's command"));
    await Promise.all([1, 2].map((number) => limited(async () => order.push(`digest ${number}`))));
    expect(order).toEqual(["digest 1", "somebody's command", "digest 2"]);
  });
});
