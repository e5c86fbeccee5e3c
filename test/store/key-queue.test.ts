import { describe, expect, it } from "vitest";

import { createKeyQueue } from "../../src/store/key-queue.ts";

describe("a queue for each key", () => {
  it("does its work one after the other, beside that of other keys, also after a failure", async () => {
    const enqueue = createKeyQueue();
    const done: string[] = [];
    const first = Promise.withResolvers<void>();
    const failing = enqueue("a", async () => {
      await first.promise;
      done.push("a1");
      throw new Error("disk full");
    });
    const second = enqueue("a", async () => done.push("a2"));
    await enqueue("b", async () => done.push("b1"));
    first.resolve();
    await expect(failing).rejects.toThrow("disk full");
    await second;
    expect(done).toEqual(["b1", "a1", "a2"]);
  });
});
