import { describe, expect, it } from "vitest";

import { createTurns } from "../../src/store/turns.ts";

describe("turns", () => {
  it("are taken one after the other for the same key, beside those of another, also after a failure", async () => {
    const inTurn = createTurns();
    const done: string[] = [];
    const first = Promise.withResolvers<void>();
    const failing = inTurn("a", async () => {
      await first.promise;
      done.push("a1");
      throw new Error("disk full");
    });
    const second = inTurn("a", async () => done.push("a2"));
    await inTurn("b", async () => done.push("b1"));
    first.resolve();
    await expect(failing).rejects.toThrow("disk full");
    await second;
    expect(done).toEqual(["b1", "a1", "a2"]);
  });
});
