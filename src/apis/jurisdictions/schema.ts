import { z } from "zod";
import { amount, identifier, isRecord, listAnswer, looseList, maybe, text, withNames } from "../fields.ts";

// Every name is documented, down to the spelling of `agencychannel`. An ID is documented as a UUID and taken as any text
// or number, and a count that cannot be read is missing.

const count = maybe(amount);
const parent = maybe(text(200));
// A channel that does not exist may be given as 0 or -1.
const channel = maybe(identifier.refine((number) => number > 0));

/** Something with a name on one level of the hierarchy. */
const record = z.object({
  /** A UUID. */
  id: text(100),
  name: text(200),
  /** Its number in the data set that the database was made from. */
  originalId: maybe(identifier),
});
const withChannels = record.extend({ agencyChannel: channel, jurisdictionChannel: channel });
const counted = withChannels.extend({ agencyCount: count, contributorCount: count, sourceCount: count });
/** A jurisdiction with its region; the look-up has the counts. */
const jurisdiction = withChannels.extend({ region: parent });
/** An agency or a contributor. */
const member = record.extend({ jurisdiction: parent, region: parent });
const source = member.extend({ contributor: parent });

export type NamedRecord = z.infer<typeof record>;

export interface JurisdictionLookup {
  regions: (NamedRecord & { jurisdictions: z.infer<typeof counted>[] })[];
  totals: { jurisdictions: number } & Partial<Record<"agencies" | "contributors" | "sources", number | undefined>>;
}

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

const regionSchema = withNames(NAMES, record.extend({ jurisdictions: looseList(withNames(NAMES, counted)) }));

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

export const regionsSchema = listAnswer(withNames(NAMES, record), "regions");
export const jurisdictionsSchema = listAnswer(withNames(NAMES, jurisdiction), "jurisdictions");
export const agenciesSchema = listAnswer(withNames(NAMES, member), "agencies");
export const contributorsSchema = listAnswer(withNames(NAMES, member), "contributors");
export const sourcesSchema = listAnswer(withNames(NAMES, source), "sources");
