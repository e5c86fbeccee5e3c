import { createHash } from "node:crypto";
import { bearerToken } from "../http.ts";
import data from "./data/regulators.json" with { type: "json" };
import { findRoute, isSameSecret, ok, type Service, ServiceError, type ServiceRoute } from "./service.ts";

export const jurisdictionsKey = "jur_sandbox_5f1c9a7e20";

/** A UUID (version 5 in form) that depends only on the names on the path to the record. */
function uuidOf(path: string[]): string {
  const hex = createHash("sha1")
    .update(`bellwether.example/${path.join("/")}`)
    .digest("hex");
  const variant = ((Number.parseInt(hex.slice(16, 18), 16) & 0x3f) | 0x80).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(18, 20)}-${hex.slice(20, 32)}`;
}

/** Numbers a list as the original data set did: each kind has its own range. */
function withIds<R extends { name: string }>(first: number, kind: string, list: { path: string[]; row: R }[]) {
  return list.map(({ path, row }, at) => ({ id: uuidOf([kind, ...path]), original_id: first + at, ...row }));
}

const jurisdictionRows = data.flatMap((region) =>
  region.jurisdictions.map((jurisdiction) => ({ region: region.name, ...jurisdiction })),
);

const regions = withIds(
  1,
  "region",
  data.map(({ name }) => ({ path: [name], row: { name } })),
);

export const jurisdictions = withIds(
  100,
  "jurisdiction",
  jurisdictionRows.map(({ region, name, agencychannel, jurisdictionchannel }) => ({
    path: [region, name],
    row: { name, region_name: region, agencychannel, jurisdictionchannel },
  })),
);

const agencies = withIds(
  1000,
  "agency",
  jurisdictionRows.flatMap(({ region, name: jurisdiction, agencies: names }) =>
    names.map((name) => ({
      path: [jurisdiction, name],
      row: { name, jurisdiction_name: jurisdiction, region_name: region },
    })),
  ),
);

const contributors = withIds(
  5000,
  "contributor",
  jurisdictionRows.flatMap(({ region, name: jurisdiction, contributors: list }) =>
    list.map(({ name }) => ({
      path: [jurisdiction, name],
      row: { name, jurisdiction_name: jurisdiction, region_name: region },
    })),
  ),
);

const sources = withIds(
  9000,
  "source",
  jurisdictionRows.flatMap(({ region, name: jurisdiction, contributors: list }) =>
    list.flatMap(({ name: contributor, sources: names }) =>
      names.map((name) => ({
        path: [jurisdiction, contributor, name],
        row: { name, contributor_name: contributor, jurisdiction_name: jurisdiction, region_name: region },
      })),
    ),
  ),
);

const inJurisdiction = <R extends { jurisdiction_name: string }>(list: R[], jurisdiction: string) =>
  list.filter((one) => one.jurisdiction_name === jurisdiction);

/** The whole hierarchy down to jurisdictions, with the number of records below each. */
const lookup = {
  regions: regions.map((region) => ({
    ...region,
    jurisdictions: jurisdictions
      .filter((one) => one.region_name === region.name)
      .map(({ region_name: _region, ...rest }) => ({
        ...rest,
        agencyCount: inJurisdiction(agencies, rest.name).length,
        contributorCount: inJurisdiction(contributors, rest.name).length,
        sourceCount: inJurisdiction(sources, rest.name).length,
      })),
  })),
  totals: {
    jurisdictions: jurisdictions.length,
    agencies: agencies.length,
    contributors: contributors.length,
    sources: sources.length,
  },
};

/** The children of the record in the path; a record without children gives an empty list. */
function below<P extends { id: string }>(
  path: string,
  parents: P[],
  find: (parent: P) => unknown,
): Pick<ServiceRoute, "method" | "path" | "run"> {
  return {
    method: "GET",
    path,
    run: (_call, parameter) => {
      const parent = parents.find(({ id }) => id === parameter("id"));
      if (!parent) throw new ServiceError(404, "not_found", "There is no record with this ID.");
      return ok(find(parent));
    },
  };
}

const routes: ServiceRoute[] = [
  { method: "GET", path: "/api/jurisdictions/lookup", run: () => ok(lookup) },
  { method: "GET", path: "/api/regions", run: () => ok(regions) },
  below("/api/regions/:id/jurisdictions", regions, ({ name }) => {
    return jurisdictions.filter((one) => one.region_name === name);
  }),
  below("/api/jurisdictions/:id/agencies", jurisdictions, ({ name }) => inJurisdiction(agencies, name)),
  below("/api/jurisdictions/:id/contributors", jurisdictions, ({ name }) => inJurisdiction(contributors, name)),
  below("/api/contributors/:id/sources", contributors, ({ name, jurisdiction_name }) => {
    return inJurisdiction(sources, jurisdiction_name).filter((one) => one.contributor_name === name);
  }),
];

/** The jurisdiction database. Its error body is not shown in the document: here it is `{error: text}`. */
export function createJurisdictions(): Service {
  return {
    answer(call) {
      if (!isSameSecret(bearerToken(call), jurisdictionsKey)) {
        throw new ServiceError(401, "unauthorized", "The API key is missing or not valid.");
      }
      const { route, parameter } = findRoute(routes, call);
      return route.run(call, parameter);
    },
    errorBody: (_code, message) => ({ error: message }),
  };
}
