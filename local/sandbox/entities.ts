import { createHash } from "node:crypto";
import data from "./data/entities.json" with { type: "json" };
import { plain } from "./words.ts";

export type Kind = "company" | "person" | "region" | "topic";

export interface Entity {
  id: number;
  key: string;
  kind: Kind;
  name: string;
  /** Other ways a reader writes it: short name, symbol, surname, FIGI. */
  aliases: string[];
  symbol: string | null;
  exchange: string | null;
  metadata: Record<string, string>;
}

export interface Company extends Entity {
  short: string;
  chief: string;
  currency: string;
  business: string;
  site: string;
  sector: string;
  home: string;
}

/** The codes and display names of the four types. The document names the kinds only; the codes are this sandbox's. */
export const TYPES: Record<Kind, { code: string; display: string }> = {
  company: { code: "CMPY", display: "Company" },
  person: { code: "PRSN", display: "Person" },
  region: { code: "RGN", display: "Region" },
  topic: { code: "TPC", display: "Topic" },
};

/** IDs follow the order of the data file, so that file may only be added to at the end of each list. */
const FIRST_ID: Record<Kind, number> = { company: 10_001, person: 20_001, region: 30_001, topic: 40_001 };

const regionName = new Map(data.regions.map((region) => [region.key, region.name]));
const topicName = new Map(data.topics.map((topic) => [topic.key, topic.name]));

function figi(name: string): string {
  const letters = createHash("sha256").update(name).digest("hex").toUpperCase().replaceAll(/[AE]/g, "K");
  return `BBG00${letters.slice(0, 7)}`;
}

/** All companies, in the order of the data file. */
export const companies: Company[] = data.companies.map((row, at) => ({
  ...row,
  id: FIRST_ID.company + at,
  key: row.symbol,
  kind: "company",
  aliases: [row.short, row.symbol, figi(row.name)],
  metadata: {
    figi: figi(row.name),
    sector: topicName.get(row.sector) ?? row.sector,
    home_region: regionName.get(row.home) ?? row.home,
    chief: row.chief,
    business: row.business,
  },
}));

const people: Entity[] = data.people.map((row, at) => ({
  id: FIRST_ID.person + at,
  key: row.key,
  kind: "person",
  name: row.name,
  aliases: [row.name.split(" ").at(-1) ?? row.name],
  symbol: null,
  exchange: null,
  metadata: { role: row.role, home_region: regionName.get(row.home) ?? row.home },
}));

function tags(kind: "region" | "topic", rows: { key: string; name: string; aliases: string[] }[]): Entity[] {
  return rows.map((row, at) => {
    return { ...row, id: FIRST_ID[kind] + at, kind, symbol: null, exchange: null, metadata: {} };
  });
}

/** Every entity that the sample news can carry. */
export const entities: Entity[] = [
  ...companies,
  ...people,
  ...tags("region", data.regions),
  ...tags("topic", data.topics),
];

const byId = new Map(entities.map((entity) => [entity.id, entity]));
const byKey = new Map(entities.map((entity) => [entity.key, entity]));

/** The entity with this ID, if there is one. */
export function entityById(id: number): Entity | undefined {
  return byId.get(id);
}

/** The ID behind a key of the data files; throws on a key that does not exist, as the data would be wrong. */
export function idOf(key: string): number {
  const found = byKey.get(key);
  if (!found) throw new Error(`the sample data names an unknown entity "${key}"`);
  return found.id;
}

/** Reads a type code or display name in any case. */
export function kindOf(text: string): Kind | undefined {
  const wanted = text.toLowerCase();
  const kinds: Kind[] = ["company", "person", "region", "topic"];
  return kinds.find((kind) => wanted === kind || wanted === TYPES[kind].code.toLowerCase());
}

interface Spelling {
  text: string;
  entity: Entity;
}

const spellings: Spelling[] = entities
  .flatMap((entity) => [entity.name, ...entity.aliases].map((text) => ({ text: plain(text), entity })))
  .toSorted((left, right) => right.text.length - left.text.length);

/**
 * The entities that a text names, by name, symbol, FIGI or alias, in the order of the text, and the text that is left.
 * Longer spellings win: "Straits Harbour" is not also "Harbour".
 */
export function entitiesIn(text: string): { found: Entity[]; rest: string } {
  // "us" is a pronoun far more often than a country, so the country must be written in capitals.
  let rest = ` ${plain(text.replaceAll(/\bus\b/g, " ").replaceAll(/U\.S\.|U\.K\./g, (short) => short.replaceAll(".", "")))} `;
  const hits: { at: number; entity: Entity }[] = [];
  for (const { text: spelling, entity } of spellings) {
    const at = rest.indexOf(` ${spelling} `);
    if (at < 0) continue;
    hits.push({ at, entity });
    rest = rest.replaceAll(` ${spelling} `, ` ${"/".repeat(spelling.length)} `);
  }
  const ordered = hits.toSorted((left, right) => left.at - right.at).map((hit) => hit.entity);
  return { found: [...new Set(ordered)], rest: rest.replaceAll(/[/\s]+/g, " ").trim() };
}
