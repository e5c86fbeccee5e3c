import { z } from "zod";
import { amount, identifier, isRecord, listAnswer, looseList, maybe, text, withNames } from "../fields.ts";

// Every name is documented, down to the spelling of `agencychannel`. An ID is documented as a UUID and taken as any text
// or number, and a count that cannot be read is missing.

/** Something with a name on one level of the hierarchy. */
export interface NamedRecord {
  /** A UUID. */
  id: string;
  name: string;
  /** Its number in the data set that the database was made from. */
  originalId?: number | undefined;
}

interface ChannelNumbers {
  agencyChannel?: number | undefined;
  jurisdictionChannel?: number | undefined;
}

interface CountedJurisdiction extends NamedRecord, ChannelNumbers {
  agencyCount?: number | undefined;
  contributorCount?: number | undefined;
  sourceCount?: number | undefined;
}

interface LookupRegion extends NamedRecord {
  jurisdictions: CountedJurisdiction[];
}

export interface JurisdictionLookup {
  regions: LookupRegion[];
  totals: { jurisdictions: number } & Partial<Record<"agencies" | "contributors" | "sources", number | undefined>>;
}

/** A jurisdiction with its region; the look-up has the counts. */
export interface NamedJurisdiction extends NamedRecord, ChannelNumbers {
  region?: string | undefined;
}

/** An agency or a contributor. */
export interface NamedMember extends NamedRecord {
  jurisdiction?: string | undefined;
  region?: string | undefined;
}

export interface NamedSource extends NamedMember {
  contributor?: string | undefined;
}

const count = maybe(amount);
const parent = maybe(text(200));
// A channel that does not exist may be given as 0 or -1.
const channel = maybe(identifier).transform((number) => number || undefined);

const named = { id: text(100), name: text(200), originalId: maybe(identifier) };
const channels = { agencyChannel: channel, jurisdictionChannel: channel };

const NAMES = {
  id: ["id"],
  name: ["name"],
  originalId: ["original_id"],
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

const regionSchema = withNames(NAMES, z.object({ ...named, jurisdictions: looseList(countedSchema) }));

const totalsSchema = z.object({ jurisdictions: count, agencies: count, contributors: count, sources: count });

/** The whole look-up, with the number of elements that could not be read. */
export const lookupSchema: z.ZodType<{ lookup: JurisdictionLookup; dropped: number }> = z.preprocess(
  (raw) => {
    const whole = isRecord(raw) && isRecord(raw["data"]) ? raw["data"] : raw;
    // No list at all is another format, and must not pass for an empty database.
    return isRecord(whole) ? { regions: whole["regions"] ?? "none", totals: whole["totals"] ?? {} } : whole;
  },
  z
    .object({ regions: listAnswer(regionSchema, "regions"), totals: totalsSchema })
    .transform(({ regions: { items, dropped }, totals }) => {
      const regions = items.map((region) => ({ ...region, jurisdictions: region.jurisdictions.items }));
      const jurisdictions = totals.jurisdictions ?? regions.flatMap((region) => region.jurisdictions).length;
      return {
        lookup: { regions, totals: { ...totals, jurisdictions } },
        dropped: items.reduce((sum, region) => sum + region.jurisdictions.dropped, dropped),
      };
    }),
);

export const regionsSchema = listAnswer<NamedRecord>(withNames(NAMES, z.object(named)), "regions");

export const jurisdictionsSchema = listAnswer<NamedJurisdiction>(
  withNames(NAMES, z.object({ ...named, ...channels, region: parent })),
  "jurisdictions",
);

const member = { ...named, jurisdiction: parent, region: parent };
const memberSchema: z.ZodType<NamedMember> = withNames(NAMES, z.object(member));

export const agenciesSchema = listAnswer(memberSchema, "agencies");

export const contributorsSchema = listAnswer(memberSchema, "contributors");

export const sourcesSchema = listAnswer<NamedSource>(
  withNames(NAMES, z.object({ ...member, contributor: parent })),
  "sources",
);
