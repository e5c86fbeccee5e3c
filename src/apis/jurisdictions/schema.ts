import { z } from "zod";
import { identifier, isRecord, listAnswer, looseList, maybe, quantity, text, withNames } from "../fields.ts";

// Every name is documented, down to the spelling of `agencychannel`. An ID is documented as a UUID and taken as any text
// or number, and a count that cannot be read is missing.

/** Something with a name on one level of the hierarchy. */
export interface Named {
  /** A UUID. */
  id: string;
  originalId?: number | undefined;
  name: string;
}

interface Channels {
  agencyChannel?: number | undefined;
  jurisdictionChannel?: number | undefined;
}

interface CountedJurisdiction extends Named, Channels {
  agencyCount?: number | undefined;
  contributorCount?: number | undefined;
  sourceCount?: number | undefined;
}

interface LookupRegion extends Named {
  jurisdictions: CountedJurisdiction[];
}

export interface Lookup {
  regions: LookupRegion[];
  /** What is neither given nor can be counted is missing. */
  totals: { jurisdictions: number } & Partial<Record<"agencies" | "contributors" | "sources", number | undefined>>;
}

/** A jurisdiction with its region; the look-up has the counts. */
export interface NamedJurisdiction extends Named, Channels {
  region?: string | undefined;
}

/** An agency or a contributor. */
export interface NamedMember extends Named {
  jurisdiction?: string | undefined;
  region?: string | undefined;
}

export interface NamedSource extends NamedMember {
  contributor?: string | undefined;
}

const count = maybe(quantity);
const parent = maybe(text(200));
// A channel that does not exist may be given as 0 or -1.
const channel = maybe(identifier).transform((number) => number || undefined);

const named = { id: text(100), originalId: count, name: text(200) };
const channels = { agencyChannel: channel, jurisdictionChannel: channel };

const NAMES = {
  id: ["id"],
  originalId: ["original_id"],
  name: ["name"],
  region: ["region_name"],
  jurisdiction: ["jurisdiction_name"],
  contributor: ["contributor_name"],
  jurisdictions: ["jurisdictions"],
  agencyChannel: ["agencychannel"],
  jurisdictionChannel: ["jurisdictionchannel"],
  agencyCount: ["agencyCount"],
  contributorCount: ["contributorCount"],
  sourceCount: ["sourceCount"],
};

const countedSchema: z.ZodType<CountedJurisdiction> = withNames(
  NAMES,
  z.object({ ...named, ...channels, agencyCount: count, contributorCount: count, sourceCount: count }),
);

const regionSchema = withNames(
  NAMES,
  z
    .object({ ...named, jurisdictions: looseList(countedSchema) })
    .transform(({ jurisdictions: { items, dropped }, ...region }) => ({
      region: { ...region, jurisdictions: items },
      dropped,
    })),
);

const totalsSchema = z.object({ jurisdictions: count, agencies: count, contributors: count, sources: count });

/** The whole look-up, with the number of elements that could not be read; totals that are missing are counted. */
export const lookupSchema: z.ZodType<{ lookup: Lookup; dropped: number }> = z.preprocess(
  (raw) => {
    const whole = isRecord(raw) && isRecord(raw["data"]) ? raw["data"] : raw;
    return isRecord(whole) ? { ...whole, totals: whole["totals"] ?? {} } : whole;
  },
  z
    .object({
      // No list at all is another format, and must not pass for an empty database.
      regions: z
        .preprocess((raw) => raw ?? "nothing", looseList(regionSchema))
        .refine(({ items, dropped }) => items.length > 0 || dropped === 0, "no region could be read"),
      totals: totalsSchema,
    })
    .transform(({ regions: { items, dropped }, totals }) => {
      const regions = items.map(({ region }) => region);
      const lookup = { regions, totals: totalsOf(regions, totals) };
      return { lookup, dropped: items.reduce((sum, one) => sum + one.dropped, dropped) };
    }),
);

/** What is given, and sums in place of what is not. */
function totalsOf(regions: readonly LookupRegion[], totals: z.infer<typeof totalsSchema>): Lookup["totals"] {
  const all = regions.flatMap(({ jurisdictions }) => jurisdictions);
  return {
    jurisdictions: totals.jurisdictions ?? all.length,
    agencies: totals.agencies ?? sumOf(all.map(({ agencyCount }) => agencyCount)),
    contributors: totals.contributors ?? sumOf(all.map(({ contributorCount }) => contributorCount)),
    sources: totals.sources ?? sumOf(all.map(({ sourceCount }) => sourceCount)),
  };
}

/** Nothing where one of the numbers is not known. */
export function sumOf(numbers: readonly (number | undefined)[]): number | undefined {
  return numbers.reduce((sum, one) => (sum === undefined || one === undefined ? undefined : sum + one), 0);
}

export const regionsSchema = listAnswer<Named>(withNames(NAMES, z.object(named)), ["regions"]);

export const jurisdictionsSchema = listAnswer<NamedJurisdiction>(
  withNames(NAMES, z.object({ ...named, ...channels, region: parent })),
  ["jurisdictions"],
);

const member = { ...named, jurisdiction: parent, region: parent };
const memberSchema: z.ZodType<NamedMember> = withNames(NAMES, z.object(member));

export const agenciesSchema = listAnswer(memberSchema, ["agencies"]);

export const contributorsSchema = listAnswer(memberSchema, ["contributors"]);

export const sourcesSchema = listAnswer<NamedSource>(withNames(NAMES, z.object({ ...member, contributor: parent })), [
  "sources",
]);
