import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { UsageError } from "../../src/apis/errors.ts";
import { sandboxWorld, wireWorld } from "../support/wire.ts";
import type { World } from "../support/wire.ts";

describe.each([
  ["recorded answers", wireWorld],
  ["the sandbox", sandboxWorld],
])("the hierarchy over %s", (_, start) => {
  let world: World;
  let database: World["clients"]["jurisdictions"];
  beforeAll(async () => {
    world = await start();
    database = world.clients.jurisdictions;
  });
  afterAll(() => world.stop());

  it("leads from a region down to sources, each naming what it belongs to", async () => {
    const [region] = await database.regions();
    const places = await database.jurisdictions(region?.id ?? "");
    const [place] = places;
    expect(places.map((one) => one.region)).toEqual(places.map(() => region?.name));
    expect([place?.agencyChannel, place?.jurisdictionChannel].every(Number.isFinite)).toBe(true);
    const agencies = await database.agencies(place?.id ?? "");
    expect(agencies.length).toBeGreaterThan(0);
    const [contributor] = await database.contributors(place?.id ?? "");
    const above = { jurisdiction: place?.name, region: region?.name };
    for (const member of [...agencies, contributor]) expect(member).toMatchObject(above);
    const sources = await database.sources(contributor?.id ?? "");
    expect(sources.length).toBeGreaterThan(0);
    for (const source of sources) expect(source).toMatchObject({ ...above, contributor: contributor?.name });
  });

  it("holds the regions and jurisdictions of the look-up", async () => {
    const { regions } = await database.lookup();
    const [first] = regions;
    expect((await database.regions()).map(({ id }) => id)).toEqual(regions.map(({ id }) => id));
    const places = await database.jurisdictions(first?.id ?? "");
    const names = places.map(({ id, originalId, name }) => ({ id, originalId, name }));
    expect(first?.jurisdictions).toMatchObject(names);
  });

  it("tells the reader where a parent does not exist", async () => {
    const missing = "00000000-0000-5000-8000-000000000000";
    const calls = [
      database.jurisdictions(missing),
      database.agencies(missing),
      database.contributors("a/b?c"),
      database.sources(missing),
    ];
    const words = [
      "this region any more",
      "this jurisdiction any more",
      "this jurisdiction any more",
      "sources of this",
    ];
    for (const [at, outcome] of (await Promise.allSettled(calls)).entries()) {
      const error: unknown = outcome.status === "rejected" ? outcome.reason : undefined;
      expect(error).toBeInstanceOf(UsageError);
      expect(error).toHaveProperty("message", expect.stringContaining(words[at] ?? ""));
      expect(error).toHaveProperty("cause.status", 404);
    }
  });
});
