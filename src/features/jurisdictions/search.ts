import type { JurisdictionLookup } from "../../apis/jurisdictions/schema.ts";
import { alike, foldName } from "../list.ts";

export type Region = JurisdictionLookup["regions"][number];
export type Jurisdiction = Region["jurisdictions"][number];

/** A region, or a jurisdiction in its region. */
export type Area = { region: Region; jurisdiction?: Jurisdiction };

export interface AreaMatch {
  /** What the words mean clearly. */
  match?: Area;
  /** What they may mean, the likeliest first. */
  near: Area[];
}

const suggestions = 8;

/** The region or jurisdiction that a name means, or what it may mean; case and accents do not count. */
export function findArea({ regions }: JurisdictionLookup, name: string): AreaMatch {
  const wanted = foldName(name);
  if (wanted === "") return { near: [] };
  const areas = regions.flatMap((region): Area[] => [
    { region },
    ...region.jurisdictions.map((jurisdiction) => ({ region, jurisdiction })),
  ]);
  const named = areas.map((area) => ({ area, words: foldName(areaName(area)) }));
  const exact = named.filter(({ words }) => words === wanted);
  const within = named.filter(({ words }) => words.includes(wanted));
  for (const { area } of [exact, within].flatMap((found) => (found.length === 1 ? found : []))) {
    return { match: area, near: [] };
  }
  if (within.length > 0) return { near: within.slice(0, suggestions).map(({ area }) => area) };
  return { near: alike(name, areas, areaName).slice(0, suggestions) };
}

/** What an area is called. */
export function areaName({ region, jurisdiction }: Area): string {
  return (jurisdiction ?? region).name;
}
