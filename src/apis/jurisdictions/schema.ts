import { z } from "zod";
import { answeredList, identifier, looseList, maybe, quantity, renamed, text } from "../loose.ts";
import { isRecord } from "../values.ts";

// Every name is documented, down to the spelling of `agencychannel`. An ID is documented as a UUID and taken as any text
// or number, and a count that cannot be read is missing.
interface Jurisdiction {
  /** A UUID. */
  id: string;
  originalId?: number | undefined;
  name: string;
  agencyChannel?: number | undefined;
  jurisdictionChannel?: number | undefined;
  agencyCount?: number | undefined;
  contributorCount?: number | undefined;
  sourceCount?: number | undefined;
}

interface Region {
  /** A UUID. */
  id: string;
  originalId?: number | undefined;
  name: string;
  jurisdictions: Jurisdiction[];
}

export interface Lookup {
  regions: Region[];
  /** What is neither told nor can be counted is missing. */
  totals: { jurisdictions: number } & Partial<Record<"agencies" | "contributors" | "sources", number | undefined>>;
}

const id = text(100);
const count = maybe(quantity);
// A channel that does not exist may be told as 0 or -1.
const channel = maybe(identifier).transform((number) => number || undefined);

/** Upstream's names of each field. */
export const COUNTED_NAMES = {
  id: ["id"],
  originalId: ["original_id"],
  name: ["name"],
  agencyChannel: ["agencychannel"],
  jurisdictionChannel: ["jurisdictionchannel"],
  agencyCount: ["agencyCount"],
  contributorCount: ["contributorCount"],
  sourceCount: ["sourceCount"],
};

const jurisdictionSchema: z.ZodType<Jurisdiction> = renamed(
  COUNTED_NAMES,
  z.object({
    id,
    originalId: maybe(quantity),
    name: text(200),
    agencyChannel: channel,
    jurisdictionChannel: channel,
    agencyCount: count,
    contributorCount: count,
    sourceCount: count,
  }),
);

const regionSchema: z.ZodType<{ region: Region; dropped: number }> = renamed(
  { id: ["id"], originalId: ["original_id"], name: ["name"], jurisdictions: ["jurisdictions"] },
  z
    .object({ id, originalId: maybe(quantity), name: text(200), jurisdictions: looseList(jurisdictionSchema) })
    .transform(({ jurisdictions: { items, dropped }, ...region }) => ({
      region: { ...region, jurisdictions: items },
      dropped,
    })),
);

const total = maybe(quantity);
const told = z.object({ jurisdictions: total, agencies: total, contributors: total, sources: total });

/**
 * The whole look-up, with the number of elements that could not be read. All of it is documented; an envelope and the
 * regions alone are taken all the same, and totals that are missing are counted.
 */
export const lookupSchema: z.ZodType<{ lookup: Lookup; dropped: number }> = z.preprocess(
  (raw) => {
    const whole = isRecord(raw) && isRecord(raw["data"]) ? raw["data"] : raw;
    const { regions, totals } = isRecord(whole) ? whole : { regions: whole };
    return isRecord(totals) ? { regions: regions ?? [], totals } : { regions, totals: {} };
  },
  z
    .object({
      // Nothing at all is another format, and must not pass for an empty database.
      regions: z
        .preprocess((raw) => raw ?? "nothing", looseList(regionSchema))
        .refine(({ items, dropped }) => items.length > 0 || dropped === 0, "no region could be read"),
      totals: told,
    })
    .transform(({ regions: { items, dropped }, totals }) => {
      const regions = items.map(({ region }) => region);
      const lookup = { regions, totals: totalsOf(regions, totals) };
      return { lookup, dropped: items.reduce((sum, one) => sum + one.dropped, dropped) };
    }),
);

/** What is told, and sums in place of what is not. */
function totalsOf(regions: readonly Region[], totals: z.infer<typeof told>): Lookup["totals"] {
  const all = regions.flatMap(({ jurisdictions }) => jurisdictions);
  const sum = (name: "agencyCount" | "contributorCount" | "sourceCount") => sumOf(all.map((one) => one[name]));
  return {
    jurisdictions: totals.jurisdictions ?? all.length,
    agencies: totals.agencies ?? sum("agencyCount"),
    contributors: totals.contributors ?? sum("contributorCount"),
    sources: totals.sources ?? sum("sourceCount"),
  };
}

/** Nothing where one of the numbers is not known. */
export function sumOf(numbers: readonly (number | undefined)[]): number | undefined {
  return numbers.reduce((sum, one) => (sum === undefined || one === undefined ? undefined : sum + one), 0);
}

/** Something with a name on one level of the hierarchy. */
export interface Named {
  /** A UUID. */
  id: string;
  originalId?: number | undefined;
  name: string;
}

/** A jurisdiction with its region; the look-up tells the counts. */
export interface Place extends Named {
  region?: string | undefined;
  agencyChannel?: number | undefined;
  jurisdictionChannel?: number | undefined;
}

/** An agency or a contributor. */
export interface Member extends Named {
  jurisdiction?: string | undefined;
  region?: string | undefined;
}

export interface Source extends Member {
  contributor?: string | undefined;
}

/** Upstream's names of each field, from a region down to a source. */
export const REGION_NAMES = { id: ["id"], originalId: ["original_id"], name: ["name"] };
const namedFields = { id, originalId: maybe(quantity), name: text(200) };
const parent = maybe(text(200));

export const regionsSchema = answeredList<Named>(renamed(REGION_NAMES, z.object(namedFields)), ["regions"]);

export const JURISDICTION_NAMES = {
  ...REGION_NAMES,
  region: ["region_name"],
  agencyChannel: ["agencychannel"],
  jurisdictionChannel: ["jurisdictionchannel"],
};

export const jurisdictionsSchema = answeredList<Place>(
  renamed(
    JURISDICTION_NAMES,
    z.object({
      ...namedFields,
      region: parent,
      agencyChannel: channel,
      jurisdictionChannel: channel,
    }),
  ),
  ["jurisdictions"],
);

export const MEMBER_NAMES = { ...REGION_NAMES, jurisdiction: ["jurisdiction_name"], region: ["region_name"] };
const withinFields = { ...namedFields, jurisdiction: parent, region: parent };
const memberSchema: z.ZodType<Member> = renamed(MEMBER_NAMES, z.object(withinFields));

export const agenciesSchema = answeredList(memberSchema, ["agencies"]);

export const contributorsSchema = answeredList(memberSchema, ["contributors"]);

export const SOURCE_NAMES = { ...MEMBER_NAMES, contributor: ["contributor_name"] };

export const sourcesSchema = answeredList<Source>(
  renamed(SOURCE_NAMES, z.object({ ...withinFields, contributor: parent })),
  ["sources"],
);
