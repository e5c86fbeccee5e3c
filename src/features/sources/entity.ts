import { z } from "zod";

import type { Intelligence } from "../../apis/intelligence/client.ts";
import type { Entity } from "../../apis/intelligence/schema.ts";
import { UsageError } from "../../apis/errors.ts";
import type { Directory } from "./directory.ts";
import { foldName } from "../names.ts";
import type { MenuChoice } from "../../slack/text/blocks.ts";
import { limits } from "../../slack/text/limits.ts";
import { findNames, findWords, missedNames } from "./find-names.ts";
import type { SourceKind } from "./source.ts";

/** One company, person, region or topic, or several: articles about any of them. */
const schema = z.object({
  kind: z.literal("entity"),
  ids: z.array(z.number()).min(1),
  name: z.string(),
  /** The type of a single one, as the news service calls it: `Company`. */
  typeName: z.string().optional(),
});
export type EntitySource = z.infer<typeof schema>;

/** Entities that one line names. */
const namedMost = 20;

/** Stands before a name that nobody here has met: the news is searched for it first. */
const toFind = "?";

interface OfferDependencies {
  directory: Pick<Directory, "offer" | "search" | "learn">;
  intelligence: Intelligence;
  configured: { gateway: boolean };
  isTest?: boolean;
}

/** Companies, people, regions and topics, as somebody types; for a name that nobody has met, to have it found. */
export async function offerNames(typed: string, deps: OfferDependencies): Promise<MenuChoice[]> {
  const { directory, intelligence, configured } = deps;
  // It goes on in the background if something fits already; what is typed next finds more.
  const learning = directory.learn(intelligence).catch(() => undefined);
  if (directory.offer(typed).length === 0) await learning;
  const fitting = directory.offer(typed);
  const offered = (fitting.length > 0 ? fitting : directory.search(typed).near).map(entityChoice);
  const name = typed.replace(/[,"“”„«»\s]+/g, " ").trim();
  const { match, isAmbiguous } = directory.search(name);
  if (!configured.gateway || name.length < 2 || name.length >= limits.option || match || isAmbiguous) return offered;
  const find = { label: findWords([name], deps), value: toFind + name, description: "Searches the news for this name" };
  return [...offered.slice(0, limits.options - 1), find];
}

function entityChoice({ id, name, typeName, symbol, exchange }: Entity): MenuChoice {
  const listing = [exchange, symbol].filter(Boolean).join(": ");
  return { label: name, value: String(id), description: [typeName, listing].filter(Boolean).join(" · ") };
}

/** The names or IDs that were chosen, as they are typed, and those of them that are searched for first. */
export function readOffered(chosen: string): { names: string[]; unmet: string[] } {
  const all = chosen.split(",").filter(Boolean);
  const unmet = all.flatMap((value) => (value.startsWith(toFind) ? [value.slice(toFind.length)] : []));
  return { names: all.map((value) => (value.startsWith(toFind) ? value.slice(toFind.length) : value)), unmet };
}

/** The articles of the news service about entities: a stage query, which is free. */
export const entitySource: SourceKind<EntitySource> = {
  kind: "entity",
  label: "Company, person or topic",
  about: "Everything about one name, or several",
  plural: "entities",
  field: { label: "Which", placeholder: "Type a name or symbol", most: namedMost, offer: offerNames },
  needs: [["intelligence"]],
  api: "intelligence",
  schema,
  async find({ what }, deps, { signal }) {
    const { found, missed } = await findEntities(what, deps, signal);
    if (missed.length > 0) throw missedNames(missed, { canBeWords: found.length === 0 });
    if (found.length === 0) throw new UsageError("Which one? Type its full name or its ticker symbol.");
    return entitySourceOf(found);
  },
  stages: async ({ ids }) => [entityStage(ids)],
  describe: ({ ids, typeName = "company, person or topic" }) =>
    ids.length === 1 ? typeName.toLowerCase() : "companies, people or topics",
  key: ({ ids }) => ids.toSorted((one, other) => one - other).join(","),
  typed: ({ ids }) => ids.join(","),
};

/** The entities that a line names, by name, symbol or ID: one, or several with commas between them. */
export async function findEntities(
  text: string,
  { directory, intelligence }: { directory: Pick<Directory, "search" | "find">; intelligence: Intelligence },
  signal: AbortSignal,
) {
  const whole = directory.search(text).match;
  // "Alphabet, Inc." is one name.
  const isOne = !text.includes(",") || (whole !== undefined && foldName(whole.name) === foldName(text));
  const names = isOne ? [text] : text.split(",").flatMap((name) => name.trim() || []);
  if (names.length > namedMost) throw new UsageError(`Name ${namedMost} at most.`);
  const { found, missed } = await findNames(names, { directory, intelligence }, signal);
  const each = new Map([...found.values()].map((entity) => [entity.id, entity]));
  return { found: [...each.values()], missed };
}

/** The source of what is written about these entities. */
export function entitySourceOf(entities: Pick<Entity, "id" | "name" | "typeName">[]): EntitySource {
  const [only, ...others] = entities;
  return {
    kind: "entity",
    ids: entities.map(({ id }) => id),
    name: entities.map(({ name }) => name).join(", "),
    ...(only && others.length === 0 && { typeName: only.typeName }),
  };
}

/** The filter of what is written about any of these entities. */
export function entityStage(ids: number[], { not = false } = {}) {
  return { not, entities: ids.map((value) => ({ type: "entity", value })) };
}
