import { describe, expect, it } from "vitest";
import { z } from "zod";

import { type Table, createCollection } from "../../src/store/collection.ts";

/** A table in memory, and collections of several versions of the bot upon it. */
function setUp() {
  const kept = new Map<string, unknown>();
  const passedOver: [string, number][] = [];
  const table: Table = {
    get: async (key) => kept.get(key),
    getMany: async (keys) => keys.map((key) => kept.get(key)),
    async set(entries) {
      for (const { key, value } of entries) kept.set(key, value);
    },
    delete: async (key) => kept.delete(key),
    async *entries() {
      yield* kept;
    },
  };
  const open = <T>(schema: z.ZodType<T>, version = 1) =>
    createCollection({
      table,
      schema,
      version,
      unreadable: ({ key }, count) => passedOver.push([key, count]),
    });
  return { kept, passedOver, open };
}

async function all<T>(entries: AsyncIterable<[string, T]>): Promise<[string, T][]> {
  const list: [string, T][] = [];
  for await (const entry of entries) list.push(entry);
  return list;
}

const first = z.object({ name: z.string() });

describe("a record that no longer fits", () => {
  it("counts as absent and is reported, and the others are read, until it is overwritten", async () => {
    const { kept, passedOver, open } = setUp();
    await open(z.unknown()).setMany([
      ["good", { name: "Ada" }],
      ["old", { nam: "an older shape" }],
    ]);
    kept.set("odd", "nothing that a collection wrote");
    const people = open(first);
    expect(await people.get("old")).toBeUndefined();
    expect(await people.getMany(["old", "good"])).toEqual(new Map([["good", { name: "Ada" }]]));
    expect(await all(people.entries())).toEqual([["good", { name: "Ada" }]]);
    expect(passedOver).toEqual([
      ["old", 1],
      ["odd", 1],
    ]);
    await people.set("old", { name: "Bo" });
    expect(await people.get("old")).toEqual({ name: "Bo" });
  });
});

describe("many records that no longer fit", () => {
  it("are reported in one line with their number, and not again when they are read again", async () => {
    const { kept, passedOver, open } = setUp();
    for (let at = 0; at < 33_334; at++) kept.set(`k${at}`, "garbage");
    await open(first).set("good", { name: "Ada" });
    const people = open(first);
    expect(await all(people.entries())).toEqual([["good", { name: "Ada" }]]);
    expect(passedOver).toEqual([["k0", 33_334]]);
    expect(await people.get("k0")).toBeUndefined();
    expect(await people.getMany(["k1", "k2"])).toEqual(new Map());
    expect(passedOver).toHaveLength(1);
  });
});

describe("a record of another version", () => {
  it("counts as absent, stays as it is, and harms no other", async () => {
    const { kept, passedOver, open } = setUp();
    await open(first).set("a", { name: "Ada" });
    await open(first, 2).set("b", { name: "Bo" });
    kept.set("c", { v: 99, value: { name: "Cy" } });
    expect(await all(open(first).entries())).toEqual([["a", { name: "Ada" }]]);
    expect(passedOver).toEqual([["b", 2]]);
    expect(await open(first, 2).get("b")).toEqual({ name: "Bo" });
  });
});
