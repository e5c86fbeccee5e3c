import { describe, expect, test } from "vitest";
import { z } from "zod";
import { ask, sandboxFor } from "./client.ts";

const Named = { id: z.uuid(), original_id: z.int(), name: z.string().min(1) };
const Region = z.strictObject(Named);
const Channels = { agencychannel: z.int(), jurisdictionchannel: z.int() };
const Jurisdiction = z.strictObject({ ...Named, ...Channels, region_name: z.string() });
const Within = z.strictObject({ ...Named, jurisdiction_name: z.string(), region_name: z.string() });
const Source = z.strictObject({
  ...Named,
  contributor_name: z.string(),
  jurisdiction_name: z.string(),
  region_name: z.string(),
});
const Counts = { agencyCount: z.int(), contributorCount: z.int(), sourceCount: z.int() };
const Lookup = z.strictObject({
  regions: z.array(
    z.strictObject({ ...Named, jurisdictions: z.array(z.strictObject({ ...Named, ...Channels, ...Counts })).min(1) }),
  ),
  totals: z.strictObject({ jurisdictions: z.int(), agencies: z.int(), contributors: z.int(), sources: z.int() }),
});

async function database() {
  const { jurisdictionsUrl, jurisdictionsKey } = await sandboxFor();
  const headers = { authorization: `Bearer ${jurisdictionsKey}` };
  const call = (path: string) => ask(`${jurisdictionsUrl}/api${path}`, { headers });
  const read = async <T>(schema: z.ZodType<T>, path: string): Promise<T> => schema.parse((await call(path)).json);
  return { call, read, jurisdictionsUrl };
}

describe("the hierarchy", () => {
  test("leads from regions down to sources, and the look-up counts what is really there", async () => {
    const { read } = await database();
    const lookup = await read(Lookup, "/jurisdictions/lookup");
    const regions = await read(z.array(Region), "/regions");
    expect(regions.map((region) => region.name)).toEqual(lookup.regions.map((region) => region.name));
    const totals = { jurisdictions: 0, agencies: 0, contributors: 0, sources: 0 };
    for (const region of lookup.regions) {
      const places = await read(z.array(Jurisdiction), `/regions/${region.id}/jurisdictions`);
      expect(places.map((place) => place.id)).toEqual(region.jurisdictions.map((place) => place.id));
      for (const place of region.jurisdictions) {
        const agencies = await read(z.array(Within), `/jurisdictions/${place.id}/agencies`);
        const contributors = await read(z.array(Within), `/jurisdictions/${place.id}/contributors`);
        const lists = contributors.map((one) => read(z.array(Source), `/contributors/${one.id}/sources`));
        const sources = (await Promise.all(lists)).flat();
        expect([agencies.length, contributors.length, sources.length]).toEqual([
          place.agencyCount,
          place.contributorCount,
          place.sourceCount,
        ]);
        expect(new Set([...agencies, ...sources].map((one) => one.jurisdiction_name))).toEqual(new Set([place.name]));
        totals.jurisdictions += 1;
        totals.agencies += agencies.length;
        totals.contributors += contributors.length;
        totals.sources += sources.length;
      }
    }
    expect(lookup.totals).toEqual(totals);
    expect(totals.jurisdictions).toBeGreaterThanOrEqual(25);
  });

  test("has the regulators that a reader expects", async () => {
    const { read } = await database();
    const { regions } = await read(Lookup, "/jurisdictions/lookup");
    const federal = regions.flatMap((region) => region.jurisdictions).find((place) => place.name === "US federal");
    const agencies = await read(z.array(Within), `/jurisdictions/${federal?.id}/agencies`);
    expect(agencies.map((agency) => agency.name)).toContain("Securities and Exchange Commission");
    expect(federal?.agencychannel).toBe(501);
  });

  test("keeps its IDs from one start to the next", async () => {
    const first = await (await database()).read(Lookup, "/jurisdictions/lookup");
    expect(await (await database()).read(Lookup, "/jurisdictions/lookup")).toEqual(first);
  });
});

test("a missing or wrong key is answered with 401", async () => {
  const { jurisdictionsUrl } = await database();
  expect((await ask(`${jurisdictionsUrl}/api/regions`)).status).toBe(401);
  expect((await ask(`${jurisdictionsUrl}/api/regions`, { headers: { authorization: "Bearer no" } })).status).toBe(401);
});

test.each([
  "/regions/0e1f/jurisdictions",
  "/jurisdictions/0e1f/agencies",
  "/jurisdictions/0e1f/contributors",
  "/contributors/0e1f/sources",
  "/agencies",
])("%s does not exist", async (path) => {
  expect((await (await database()).call(path)).status).toBe(404);
});
