import { isRecord } from "../values.ts";
import { createProber } from "../probe.ts";
import type { Look, Probe, ProbeOptions } from "../probe.ts";
import { fieldFindings, kindOf, listFindings, listIn } from "../probe/shape.ts";
import type { Field } from "../probe/shape.ts";
import {
  agenciesSchema,
  contributorsSchema,
  COUNTED_NAMES,
  JURISDICTION_NAMES,
  jurisdictionsSchema,
  lookupSchema,
  MEMBER_NAMES,
  REGION_NAMES,
  regionsSchema,
  SOURCE_NAMES,
  sourcesSchema,
} from "./schema.ts";

interface JurisdictionsProbeOptions extends ProbeOptions {
  key: string;
}

/** Asks every endpoint of the jurisdiction database once, from the first region down to the first sources. */
export async function* probeJurisdictions({ key, ...options }: JurisdictionsProbeOptions): AsyncIterable<Probe> {
  const prober = createProber("jurisdictions", options);
  const access = { token: key };
  const path = "/api/jurisdictions/lookup";
  yield (await prober.json({ ...access, operation: "lookup", path, schema: lookupSchema, look: lookupLook })).probe;

  const regions = await prober.json({
    ...access,
    operation: "regions",
    path: "/api/regions",
    schema: regionsSchema,
    look: listLook(REGION_NAMES),
  });
  yield regions.probe;

  const places = await prober.json({
    ...access,
    operation: "jurisdictions",
    path: "/api/regions/:regionId/jurisdictions",
    needs: { regionId: regionsSchema.safeParse(regions.raw).data?.items[0]?.id },
    reason: "There is no region to look into.",
    schema: jurisdictionsSchema,
    look: listLook(JURISDICTION_NAMES),
  });
  yield places.probe;

  const ofPlace = {
    ...access,
    needs: { jurisdictionId: jurisdictionsSchema.safeParse(places.raw).data?.items[0]?.id },
    reason: "There is no jurisdiction to look into.",
    look: listLook(MEMBER_NAMES),
  };
  const agencies = "/api/jurisdictions/:jurisdictionId/agencies";
  yield (await prober.json({ ...ofPlace, operation: "agencies", path: agencies, schema: agenciesSchema })).probe;

  const contributors = await prober.json({
    ...ofPlace,
    operation: "contributors",
    path: "/api/jurisdictions/:jurisdictionId/contributors",
    schema: contributorsSchema,
  });
  yield contributors.probe;

  const sources = await prober.json({
    ...access,
    operation: "sources",
    path: "/api/contributors/:contributorId/sources",
    needs: { contributorId: contributorsSchema.safeParse(contributors.raw).data?.items[0]?.id },
    reason: "There is no contributor to look into.",
    schema: sourcesSchema,
    look: listLook(SOURCE_NAMES),
  });
  yield sources.probe;
}

const MATTERS: Record<string, string> = {
  id: "ID",
  originalId: "ID of the original data",
  name: "name",
  region: "name of the region",
  jurisdiction: "name of the jurisdiction",
  contributor: "name of the contributor",
  agencyChannel: "number of the agencies' channel",
  jurisdictionChannel: "number of the jurisdiction's channel",
  agencyCount: "count of agencies",
  contributorCount: "count of contributors",
  sourceCount: "count of sources",
};

// Every name is documented here; what is open is whether the answers keep to it.
function fieldsOf(names: Record<string, readonly string[]>): Field[] {
  return Object.entries(names).map(([ours, theirs]) => ({
    matter: MATTERS[ours] ?? ours,
    names: theirs,
    form: kindOf,
    isDocumented: true,
    shownForm: ours === "id" ? "a UUID" : theirs[0]?.endsWith("name") ? "text" : "a number",
  }));
}

function listLook(names: Record<string, readonly string[]>) {
  return (raw: unknown): Look => ({ findings: listFindings(raw, fieldsOf(names), true) });
}

function lookupLook(raw: unknown): Look {
  if (!isRecord(raw)) return { findings: [{ matter: "the answer is", found: kindOf(raw), isDocumented: false }] };
  const members = ["regions", "totals"].map((name) => ({
    matter: name,
    names: [name],
    form: (value: unknown) => kindOf(value),
  }));
  const regions = listIn(raw["regions"])?.elements ?? [];
  const places = regions.filter(isRecord).flatMap((region) => listIn(region["jurisdictions"])?.elements ?? []);
  const findings = [...fieldFindings([raw], members), ...fieldFindings(places, fieldsOf(COUNTED_NAMES))];
  const isEmpty = regions.length === 0;
  return { findings, advice: isEmpty ? ["The jurisdiction database holds no region. Ask its provider for data."] : [] };
}
