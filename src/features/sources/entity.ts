import { z } from "zod";

import type { Entity } from "../../apis/intelligence/schema.ts";
import { UsageError } from "../../apis/errors.ts";
import { noSuchSource, type SourceKind } from "./source.ts";

/** One company, person, region or topic, or several: articles about any of them. */
export interface EntitySource {
  kind: "entity";
  ids: number[];
  name: string;
}

const entitiesMost = 20;

/** What the news service has about entities: a stage query, which is free. */
export const entitySource: SourceKind<EntitySource> = {
  kind: "entity",
  label: "Company, person or topic",
  about: "Everything about one name, or several",
  plural: "entities",
  field: { label: "Names", placeholder: "BASF, Bayer", most: 300 },
  needs: [["intelligence"]],
  api: "intelligence",
  schema: z.object({ kind: z.literal("entity"), ids: z.array(z.number()).min(1), name: z.string() }),
  async find({ what }, needs, asker) {
    const names = what.split(",").flatMap((name) => name.trim() || []);
    if (names.length > entitiesMost) throw new UsageError(`Name ${entitiesMost} at most.`);
    const found: Entity[] = [];
    for (const name of names) {
      const { match, near } = await needs.directory.find(name, needs.intelligence, asker.signal);
      const hint = "Type its full name, its ticker symbol or its ID, or search for the words.";
      if (!match) throw noSuchSource({ noun: "company, person, region or topic", what: name, near, hint });
      found.push(match);
    }
    return entitySourceOf(found);
  },
  stages: async ({ ids }) => [entityStage(ids)],
  title: ({ name }) => name,
  describe: ({ ids }) => (ids.length === 1 ? "company, person or topic" : "companies, people or topics"),
  key: ({ ids }) => ids.toSorted((one, other) => one - other).join(","),
  typed: ({ ids }) => ids.join(","),
};

/** The source of what is written about these entities. */
function entitySourceOf(entities: Pick<Entity, "id" | "name">[]): EntitySource {
  const all = [...new Map(entities.map((entity) => [entity.id, entity])).values()];
  return { kind: "entity", ids: all.map(({ id }) => id), name: all.map(({ name }) => name).join(", ") };
}

/** The filter of what is written about any of these entities. */
export function entityStage(ids: number[]) {
  return { not: false, entities: ids.map((value) => ({ type: "entity", value })) };
}
