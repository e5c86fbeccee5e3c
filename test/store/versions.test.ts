import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";

import { type Store, StoreError, openStore } from "../../src/store/store.ts";
import * as fc from "../support/property.ts";

// Three versions of one record: a name, then two names, then the same with a number.
const first = z.object({ name: z.string() });
const second = z.object({ names: z.array(z.string()) });
const third = z.object({ names: z.array(z.string()), count: z.number() });
const toSecond = (value: unknown) => ({ names: [first.parse(value).name] });
const toThird = (value: unknown) => ({ ...second.parse(value), count: second.parse(value).names.length });

let folder: string;
let url: string;
let opened: Store | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "bellwether-versions-"));
  url = `sqlite:${join(folder, "state.sqlite")}`;
});

afterEach(async () => {
  await opened?.close();
  opened = undefined;
  await rm(folder, { recursive: true });
});

/** The store as another start of the bot sees it. */
async function reopened(): Promise<Store> {
  await opened?.close();
  return (opened = await openStore(url));
}

async function all<T>(entries: AsyncIterable<[string, T]>): Promise<[string, T][]> {
  const list: [string, T][] = [];
  for await (const entry of entries) list.push(entry);
  return list;
}

describe("a collection of a later version", () => {
  it("reads what every earlier one wrote, in every way of reading, and writes it as its own", async () => {
    await (await reopened()).collection("people", first).set("a", { name: "Ada" });
    await (await reopened()).collection("people", second, { migrations: [toSecond] }).set("b", { names: ["Bo", "Cy"] });
    const people = (await reopened()).collection("people", third, { migrations: [toSecond, toThird] });
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
    await (await reopened()).collection("people", first).set("a", { name: "Ada" });
    await (await reopened()).collection("people", second, { migrations: [toSecond] }).get("a");
    expect(await (await reopened()).collection("people", first).get("a")).toEqual({ name: "Ada" });
  });

  it("counts a record that a migration cannot read as absent, and reads the others", async () => {
    const before = (await reopened()).collection("people", z.unknown());
    await before.setMany([
      ["a", { name: "Ada" }],
      ["b", "not even an object"],
    ]);
    const people = (await reopened()).collection("people", second, { migrations: [toSecond] });
    expect(await all(people.entries())).toEqual([["a", { names: ["Ada"] }]]);
  });

  it("reads any record of any version as if every version in between had been started", async () => {
    const store = await reopened();
    const grow = (value: unknown) => [...z.array(z.number()).parse(value), 1];
    const numbers = z.array(z.number());
    let at = 0;
    await fc.assert(
      fc.asyncProperty(fc.nat(4), fc.nat(4), fc.array(fc.integer()), async (from, more, value) => {
        const name = `numbers-${at++}`;
        const migrations = (count: number) => Array.from({ length: count }, () => grow);
        await store.collection(name, numbers, { migrations: migrations(from) }).set("k", value);
        const later = store.collection(name, numbers, { migrations: migrations(from + more) });
        expect(await later.get("k")).toEqual([...value, ...Array.from({ length: more }, () => 1)]);
      }),
      { numRuns: 30 },
    );
  });
});

describe("an earlier version of the bot", () => {
  it("does not start on what a later one wrote: it says so, and changes nothing", async () => {
    const later = (await reopened()).collection("people", second, { migrations: [toSecond] });
    await later.set("a", { names: ["Ada"] });
    const store = await reopened();
    expect(() => store.collection("people", first)).toThrow(StoreError);
    expect(() => store.collection("people", first)).toThrow(
      /was written by a newer Bellwether \(people is of version 2, and this one knows 1\)\. Start the newer one again/,
    );
    expect(store.collection("others", first)).toBeDefined();
    const again = (await reopened()).collection("people", second, { migrations: [toSecond] });
    expect(await again.get("a")).toEqual({ names: ["Ada"] });
  });
});
