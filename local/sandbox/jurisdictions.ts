import { bearerOf, type Answer, type Call, Refusal, sameSecret, type Service } from "./http.ts";
import { agencies, contributors, jurisdictions, lookup, regions, sources } from "./regulators.ts";
import { findRoute, type Route } from "./route.ts";

export const JURISDICTIONS_KEY = "jur_sandbox_5f1c9a7e20";

function ok(json: unknown): Answer {
  return { status: 200, json };
}

function known<T extends { id: string }>(list: T[], id: string, what: string): T {
  const found = list.find((one) => one.id === id);
  if (!found) throw new Refusal(404, "not_found", `There is no ${what} with this ID.`);
  return found;
}

/** An existing parent without children is answered with an empty list. */
const routes: Route[] = [
  { method: "GET", path: "/api/jurisdictions/lookup", run: () => ok(lookup) },
  { method: "GET", path: "/api/regions", run: () => ok(regions) },
  {
    method: "GET",
    path: "/api/regions/:regionId/jurisdictions",
    run: (_call, parameter) => {
      const region = known(regions, parameter("regionId"), "region");
      return ok(jurisdictions.filter((one) => one.region_name === region.name));
    },
  },
  {
    method: "GET",
    path: "/api/jurisdictions/:jurisdictionId/agencies",
    run: (_call, parameter) => {
      const parent = known(jurisdictions, parameter("jurisdictionId"), "jurisdiction");
      return ok(agencies.filter((one) => one.jurisdiction_name === parent.name));
    },
  },
  {
    method: "GET",
    path: "/api/jurisdictions/:jurisdictionId/contributors",
    run: (_call, parameter) => {
      const parent = known(jurisdictions, parameter("jurisdictionId"), "jurisdiction");
      return ok(contributors.filter((one) => one.jurisdiction_name === parent.name));
    },
  },
  {
    method: "GET",
    path: "/api/contributors/:contributorId/sources",
    run: (_call, parameter) => {
      const { name, jurisdiction_name } = known(contributors, parameter("contributorId"), "contributor");
      return ok(sources.filter((one) => one.contributor_name === name && one.jurisdiction_name === jurisdiction_name));
    },
  },
];

/** The jurisdiction database. Its error body is not shown in the document: here it is `{error: text}`. */
export function createJurisdictions(): Service {
  return {
    answer(call: Call) {
      if (!sameSecret(bearerOf(call.headers) ?? "", JURISDICTIONS_KEY)) {
        throw new Refusal(401, "unauthorized", "The API key is missing or not valid.");
      }
      const { route, parameter } = findRoute(routes, call);
      return route.run(call, parameter);
    },
    problem: (_status, _code, message) => ({ error: message }),
  };
}
