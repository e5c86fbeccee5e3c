import { describe, expect, it } from "vitest";

import { createBatches } from "../../src/store/batch.ts";
import * as fc from "../support/property.ts";

function setUp(fails: (keys: string[]) => boolean = () => false) {
  const table = new Map<string, unknown>();
  const writes: string[][] = [];
  const batches = createBatches(async (entries) => {
    const keys = entries.map(({ key }) => key);
    writes.push(keys);
    await Promise.resolve();
    if (fails(keys)) throw new Error(`cannot write ${keys.join()}`);
    for (const { key, value } of entries) table.set(key, value);
  });
  const set = (key: string, value: unknown = key) => batches.set([{ key, value }]);
  return { table, writes, batches, set };
}

describe("writes in batches", () => {
  it("are made together if they come together, and are there when their promise resolves", async () => {
    const { table, writes, set } = setUp();
    await Promise.all(["a", "b", "c"].map((key) => set(key)));
    expect([...table.keys()]).toEqual(["a", "b", "c"]);
    expect(writes).toEqual([["a", "b", "c"]]);
    await set("d");
    expect(writes.length).toBe(2);
  });

  it("fail by themselves", async () => {
    const { table, set } = setUp((keys) => keys.includes("bad"));
    const ends = await Promise.allSettled([set("a"), set("bad"), set("b")]);
    expect(ends.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect([...table.keys()]).toEqual(["a", "b"]);
    await set("c");
    expect(table.has("c")).toBe(true);
  });

  it("have all ended when they are said to have settled", async () => {
    const { table, batches, set } = setUp((keys) => keys.includes("bad"));
    const ends = Promise.allSettled([set("bad"), set("a")]);
    await batches.settled();
    expect([...table.keys()]).toEqual(["a"]);
    expect((await ends).map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
  });

  it("come in order, whatever comes when", async () => {
    const wish = fc.record({ key: fc.constantFrom("a", "b", "c"), turns: fc.integer({ min: 0, max: 3 }) });
    const run = async (wishes: { key: string; turns: number }[]) => {
      const { table, set } = setUp();
      const expected = new Map<string, number>();
      const all: Promise<void>[] = [];
      for (const [index, { key, turns }] of wishes.entries()) {
        for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
        all.push(set(key, index));
        expected.set(key, index);
      }
      await Promise.all(all);
      expect(table).toEqual(expected);
    };
    await fc.assert(fc.asyncProperty(fc.array(wish, { maxLength: 30 }), run), { numRuns: 50 });
  });
});
