import { describe, expect, it } from "vitest";

import { createGate } from "../../src/features/subscriptions/delivery.ts";

describe("a gate", () => {
  it("lets no more through at a time than it is wide, in their order, and all in the end", async () => {
    const gate = createGate(2);
    const done: number[] = [];
    let inside = 0;
    let most = 0;
    const work = async (number: number) => {
      inside++;
      most = Math.max(most, inside);
      await Promise.resolve();
      inside--;
      done.push(number);
    };
    await Promise.all([1, 2, 3, 4, 5].map((number) => gate(() => work(number))));
    expect([most, done]).toEqual([2, [1, 2, 3, 4, 5]]);
  });

  it("lets others go first after each work", async () => {
    const gate = createGate(1);
    const order: string[] = [];
    setImmediate(() => order.push("somebody's command"));
    await Promise.all([1, 2].map((number) => gate(async () => order.push(`digest ${number}`))));
    expect(order).toEqual(["digest 1", "somebody's command", "digest 2"]);
  });

  it("is not held up by work that fails", async () => {
    const gate = createGate(1);
    const failing = gate(() => Promise.reject(new Error("no")));
    const next = gate(async () => "done");
    await expect(failing).rejects.toThrow("no");
    expect(await next).toBe("done");
  });
});
