import { createHash } from "node:crypto";
import data from "./data/regulators.json" with { type: "json" };

interface Named {
  id: string;
  original_id: number;
  name: string;
}

interface Jurisdiction extends Named {
  region_name: string;
  agencychannel: number;
  jurisdictionchannel: number;
}

interface Within extends Named {
  jurisdiction_name: string;
  region_name: string;
}

interface Source extends Within {
  contributor_name: string;
}

/** A UUID (version 5 in form) that depends on the names on the way to the record alone. */
function uuid(...path: string[]): string {
  const hex = createHash("sha1")
    .update(`bellwether.example/${path.join("/")}`)
    .digest("hex");
  const variant = ((Number.parseInt(hex.slice(16, 18), 16) & 0x3f) | 0x80).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(18, 20)}-${hex.slice(20, 32)}`;
}

/** Numbers a list as the original data set did: each kind has its own range. */
function numbered<T extends { name: string }>(first: number, kind: string, list: { path: string[]; row: T }[]) {
  return list.map(({ path, row }, at) => ({ id: uuid(kind, ...path), original_id: first + at, ...row }));
}

const places = data.flatMap((region) =>
  region.jurisdictions.map((jurisdiction) => ({ region: region.name, ...jurisdiction })),
);

export const regions: Named[] = numbered(
  1,
  "region",
  data.map(({ name }) => ({ path: [name], row: { name } })),
);

export const jurisdictions: Jurisdiction[] = numbered(
  100,
  "jurisdiction",
  places.map(({ region, name, agencychannel, jurisdictionchannel }) => ({
    path: [region, name],
    row: { name, region_name: region, agencychannel, jurisdictionchannel },
  })),
);

export const agencies: Within[] = numbered(
  1000,
  "agency",
  places.flatMap(({ region, name: place, agencies: names }) =>
    names.map((name) => ({ path: [place, name], row: { name, jurisdiction_name: place, region_name: region } })),
  ),
);

export const contributors: Within[] = numbered(
  5000,
  "contributor",
  places.flatMap(({ region, name: place, contributors: list }) =>
    list.map(({ name }) => ({ path: [place, name], row: { name, jurisdiction_name: place, region_name: region } })),
  ),
);

export const sources: Source[] = numbered(
  9000,
  "source",
  places.flatMap(({ region, name: place, contributors: list }) =>
    list.flatMap(({ name: contributor, sources: names }) =>
      names.map((name) => ({
        path: [place, contributor, name],
        row: { name, contributor_name: contributor, jurisdiction_name: place, region_name: region },
      })),
    ),
  ),
);

function countIn(list: Within[], place: string): number {
  return list.filter((one) => one.jurisdiction_name === place).length;
}

/** The whole hierarchy down to jurisdictions with counts of what lies below. */
export const lookup = {
  regions: regions.map((region) => ({
    ...region,
    jurisdictions: jurisdictions
      .filter((one) => one.region_name === region.name)
      .map(({ region_name: _left, ...rest }) => ({
        ...rest,
        agencyCount: countIn(agencies, rest.name),
        contributorCount: countIn(contributors, rest.name),
        sourceCount: countIn(sources, rest.name),
      })),
  })),
  totals: {
    jurisdictions: jurisdictions.length,
    agencies: agencies.length,
    contributors: contributors.length,
    sources: sources.length,
  },
};
