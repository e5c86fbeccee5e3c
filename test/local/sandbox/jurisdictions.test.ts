import { expect, test } from "vitest";
import { ask, sandboxFor } from "./client.ts";

interface Sent {
  id: string;
  name: string;
  jurisdiction_name: string;
}

interface SentPlace extends Sent {
  agencychannel: number;
  agencyCount: number;
  contributorCount: number;
  sourceCount: number;
}

interface SentLookup {
  regions: (Sent & { jurisdictions: SentPlace[] })[];
  totals: Record<"jurisdictions" | "agencies" | "contributors" | "sources", number>;
}

async function database() {
  const { jurisdictionsUrl, jurisdictionsKey } = await sandboxFor();
  const headers = { authorization: `Bearer ${jurisdictionsKey}` };
  async function read<T = Sent[]>(path: string): Promise<T> {
    const response = await fetch(`${jurisdictionsUrl}/api${path}`, { headers });
    if (!response.ok) throw new Error(`status ${response.status}`);
    return JSON.parse(await response.text());
  }
  return { read, lookup: () => read<SentLookup>("/jurisdictions/lookup"), jurisdictionsUrl };
}

const ids = (list: { id: string }[]) => list.map(({ id }) => id);

test("the hierarchy leads from regions down to sources, and the look-up counts what is really there", async () => {
  const { read, lookup } = await database();
  const { regions, totals } = await lookup();
  expect(ids(await read("/regions"))).toEqual(ids(regions));
  const counted = { jurisdictions: 0, agencies: 0, contributors: 0, sources: 0 };
  for (const region of regions) {
    expect(ids(await read(`/regions/${region.id}/jurisdictions`))).toEqual(ids(region.jurisdictions));
    for (const place of region.jurisdictions) {
      const agencies = await read(`/jurisdictions/${place.id}/agencies`);
      const contributors = await read(`/jurisdictions/${place.id}/contributors`);
      const sources = (await Promise.all(contributors.map(({ id }) => read(`/contributors/${id}/sources`)))).flat();
      const { agencyCount, contributorCount, sourceCount } = place;
      const lengths = [agencies, contributors, sources].map(({ length }) => length);
      expect(lengths).toEqual([agencyCount, contributorCount, sourceCount]);
      expect(new Set([...agencies, ...sources].map((one) => one.jurisdiction_name))).toEqual(new Set([place.name]));
      counted.jurisdictions += 1;
      counted.agencies += agencies.length;
      counted.contributors += contributors.length;
      counted.sources += sources.length;
    }
  }
  expect(totals).toEqual(counted);
  expect(totals.jurisdictions).toBeGreaterThanOrEqual(25);
});

test("the regulators that a reader expects are there, under the same IDs at every start", async () => {
  const { read, lookup } = await database();
  const { regions } = await lookup();
  const federal = regions.flatMap((region) => region.jurisdictions).find((place) => place.name === "US federal");
  const agencies = await read(`/jurisdictions/${federal?.id}/agencies`);
  expect(agencies.map((agency) => agency.name)).toContain("Securities and Exchange Commission");
  expect(federal?.agencychannel).toBe(501);
  expect((await (await database()).lookup()).regions).toEqual(regions);
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
  await expect((await database()).read(path)).rejects.toThrow("status 404");
});
