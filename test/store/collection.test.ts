import { describe, expect, it } from "vitest";
import { z } from "zod";

import { type Migration, type Table, createCollection } from "../../src/store/collection.ts";
import * as fc from "../support/property.ts";

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
  const open = <T>(schema: z.ZodType<T>, migrations: Migration[] = [], version = migrations.length + 1) =>
    createCollection({
      table,
      schema,
      version,
      migrations: Object.fromEntries(migrations.map((step, at) => [at + 1, step])),
      unreadable: ({ key }, count) => passedOver.push([key, count]),
    });
  return { kept, passedOver, open };
}

async function all<T>(entries: AsyncIterable<[string, T]>): Promise<[string, T][]> {
  const list: [string, T][] = [];
  for await (const entry of entries) list.push(entry);
  return list;
}

// Three versions of one record: a name, then two names, then the same with a number.
const first = z.object({ name: z.string() });
const second = z.object({ names: z.array(z.string()) });
const third = z.object({ names: z.array(z.string()), count: z.number() });
const toSecond = (value: unknown) => ({ names: [first.parse(value).name] });
const toThird = (value: unknown) => ({ ...second.parse(value), count: second.parse(value).names.length });

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

describe("a collection of a later version", () => {
  it("reads what every earlier one wrote, in every way of reading, and writes it as its own", async () => {
    const { open } = setUp();
    await open(first).set("a", { name: "Ada" });
    await open(second, [toSecond]).set("b", { names: ["Bo", "Cy"] });
    const people = open(third, [toSecond, toThird]);
    await people.set("c", { names: [], count: 0 });
    const expected: [string, z.infer<typeof third>][] = [
      ["a", { names: ["Ada"], count: 1 }],
      ["b", { names: ["Bo", "Cy"], count: 2 }],
      ["c", { names: [], count: 0 }],
    ];
    expect(await all(people.entries())).toEqual(expected);
    expect(await people.getMany(["a", "b", "c"])).toEqual(new Map(expected));
    expect(await people.get("a")).toEqual({ names: ["Ada"], count: 1 });
  });

  it("leaves what was only read as it was, so that an earlier version could still be started", async () => {
    const { open } = setUp();
    await open(first).set("a", { name: "Ada" });
    await open(second, [toSecond]).get("a");
    expect(await open(first).get("a")).toEqual({ name: "Ada" });
  });

  it("reads any record of any version as if every version in between had been started", async () => {
    const grow = (value: unknown) => [...z.array(z.number()).parse(value), 1];
    const numbers = z.array(z.number());
    const migrations = (count: number) => Array.from({ length: count }, () => grow);
    await fc.assert(
      fc.asyncProperty(fc.nat(4), fc.nat(4), fc.array(fc.integer()), async (from, more, value) => {
        const { open } = setUp();
        await open(numbers, migrations(from)).set("k", value);
        const later = open(numbers, migrations(from + more));
        expect(await later.get("k")).toEqual([...value, ...Array.from({ length: more }, () => 1)]);
      }),
      { numRuns: 30 },
    );
  });
});

describe("a record of a later version", () => {
  it("counts as absent, stays as it is, and harms no other", async () => {
    const { kept, passedOver, open } = setUp();
    await open(first).set("a", { name: "Ada" });
    await open(second, [toSecond]).set("b", { names: ["Bo"] });
    kept.set("c", { v: 99, value: { name: "Cy" } });
    expect(await all(open(first).entries())).toEqual([["a", { name: "Ada" }]]);
    expect(passedOver).toEqual([["b", 2]]);
    expect(await open(second, [toSecond]).get("b")).toEqual({ names: ["Bo"] });
  });
});

describe("a version that changed nothing in a collection", () => {
  it("needs no step there", async () => {
    const { open } = setUp();
    await open(first).set("a", { name: "Ada" });
    expect(await open(second, [toSecond], 5).get("a")).toEqual({ names: ["Ada"] });
  });
});
