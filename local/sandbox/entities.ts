import { createHash } from "node:crypto";
import data from "./data/entities.json" with { type: "json" };

export type EntityKind = "company" | "person" | "region" | "topic";

/** A company, person, region or topic that the sample news can be about. */
export interface SampleEntity {
  id: number;
  /** Its name in the data files. */
  key: string;
  kind: EntityKind;
  name: string;
  /** Other names that a reader uses: short name, symbol, surname, FIGI. */
  aliases: string[];
  symbol: string | null;
  exchange: string | null;
  metadata: Record<string, string>;
}

/** The codes and display names of the four types. The document names the kinds only; the codes are this sandbox's. */
export const entityTypes: Record<EntityKind, { code: string; display: string }> = {
  company: { code: "CMPY", display: "Company" },
  person: { code: "PRSN", display: "Person" },
  region: { code: "RGN", display: "Region" },
  topic: { code: "TPC", display: "Topic" },
};

/** IDs follow the order of the data file, so new entries must go at the end of each list. */
const firstId: Record<EntityKind, number> = { company: 10_001, person: 20_001, region: 30_001, topic: 40_001 };

const regionNames = new Map(data.regions.map((region) => [region.key, region.name]));
const topicNames = new Map(data.topics.map((topic) => [topic.key, topic.name]));

function figiFor(name: string): string {
  const letters = createHash("sha256").update(name).digest("hex").toUpperCase().replaceAll(/[AE]/g, "K");
  return `BBG00${letters.slice(0, 7)}`;
}

/** All companies, in the order of the data file. */
export const companies = data.companies.map((row, at) => ({
  ...row,
  id: firstId.company + at,
  key: row.symbol,
  kind: "company" as const,
  aliases: [row.short, row.symbol, figiFor(row.name)],
  metadata: {
    figi: figiFor(row.name),
    sector: topicNames.get(row.sector) ?? row.sector,
    home_region: regionNames.get(row.home) ?? row.home,
    chief: row.chief,
    business: row.business,
  },
}));

const people: SampleEntity[] = data.people.map((row, at) => ({
  id: firstId.person + at,
  key: row.key,
  kind: "person",
  name: row.name,
  aliases: [row.name.split(" ").at(-1) ?? row.name],
  symbol: null,
  exchange: null,
  metadata: { role: row.role, home_region: regionNames.get(row.home) ?? row.home },
}));

const tagsOf = (kind: "region" | "topic", rows: { key: string; name: string; aliases: string[] }[]): SampleEntity[] =>
  rows.map((row, at) => ({ ...row, id: firstId[kind] + at, kind, symbol: null, exchange: null, metadata: {} }));

/** Every entity that the sample news can be about. */
export const entities: SampleEntity[] = [
  ...companies,
  ...people,
  ...tagsOf("region", data.regions),
  ...tagsOf("topic", data.topics),
];

const byId = new Map(entities.map((entity) => [entity.id, entity]));
const byKey = new Map(entities.map((entity) => [entity.key, entity]));

/** The entity with this ID, if there is one. */
export function entityById(id: number): SampleEntity | undefined {
  return byId.get(id);
}

/** The ID of a key of the data files; throws if there is none, because then the data is wrong. */
export function entityIdOf(key: string): number {
  const found = byKey.get(key);
  if (!found) throw new Error(`the sample data names an unknown entity "${key}"`);
  return found.id;
}

/** Reads a type's code or display name, in any case. */
export function parseKind(text: string): EntityKind | undefined {
  const wanted = text.toLowerCase();
  const kinds: EntityKind[] = ["company", "person", "region", "topic"];
  return kinds.find((kind) => wanted === kind || wanted === entityTypes[kind].code.toLowerCase());
}

/** The form in which texts are compared: lower case, no accents or punctuation, one space between words. */
export function normalize(text: string): string {
  return text
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(/['’]s\b/g, "")
    .replaceAll(/[^\p{L}\p{N}&]+/gu, " ")
    .trim();
}

/** The spellings, longest first, so that "Straits Harbour" is not also found as "Harbour". */
const spellings = entities
  .flatMap((entity) => [entity.name, ...entity.aliases].map((text) => ({ text: normalize(text), entity })))
  .toSorted((left, right) => right.text.length - left.text.length);

/** The entities that a text names, by name, symbol, FIGI or alias, in the order of the text, and the text that is left. */
export function entitiesIn(text: string): { found: SampleEntity[]; rest: string } {
  // "us" is a pronoun far more often than a country, so the country must be written in capitals.
  const clear = text
    // Japanese and Chinese put no space behind a name.
    .replaceAll(/(?<=\p{Script=Latin})(?=[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}])/gu, " ")
    .replaceAll(/\bus\b/g, " ")
    .replaceAll(/U\.S\.|U\.K\./g, (short) => short.replaceAll(".", ""));
  let rest = ` ${normalize(clear)} `;
  const hits: { at: number; entity: SampleEntity }[] = [];
  for (const { text: spelling, entity } of spellings) {
    const at = rest.indexOf(` ${spelling} `);
    if (at < 0) continue;
    hits.push({ at, entity });
    rest = rest.replaceAll(` ${spelling} `, ` ${"/".repeat(spelling.length)} `);
  }
  const inOrder = hits.toSorted((left, right) => left.at - right.at).map((hit) => hit.entity);
  return { found: [...new Set(inOrder)], rest: rest.replaceAll(/[/\s]+/g, " ").trim() };
}
