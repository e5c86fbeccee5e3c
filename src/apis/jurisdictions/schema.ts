import { z } from "zod";
import { answeredList, looseList, maybe, quantity, renamed, text } from "../loose.ts";

interface Jurisdiction {
  /** A UUID. */
  id: string;
  originalId?: number | undefined;
  name: string;
  agencyChannel?: number | undefined;
  jurisdictionChannel?: number | undefined;
  agencyCount: number;
  contributorCount: number;
  sourceCount: number;
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
  totals: { jurisdictions: number; agencies: number; contributors: number; sources: number };
}

const id = text(100);
const count = quantity.catch(0);

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
    agencyChannel: maybe(quantity),
    jurisdictionChannel: maybe(quantity),
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

/** The whole look-up, with the number of elements that could not be read. */
export const lookupSchema: z.ZodType<{ lookup: Lookup; dropped: number }> = z
  .object({
    regions: looseList(regionSchema).refine(
      ({ items, dropped }) => items.length > 0 || dropped === 0,
      "no region could be read",
    ),
    totals: z.object({ jurisdictions: count, agencies: count, contributors: count, sources: count }),
  })
  .transform(({ regions, totals }) => ({
    lookup: { regions: regions.items.map(({ region }) => region), totals },
    dropped: regions.items.reduce((sum, { dropped }) => sum + dropped, regions.dropped),
  }));

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
      agencyChannel: maybe(quantity),
      jurisdictionChannel: maybe(quantity),
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
