import data from "./data/channels.json" with { type: "json" };
import { idOf } from "./entities.ts";
import { type Article, carries } from "./news.ts";

export interface Stage {
  not: boolean;
  entities: { type: "entity"; value: number }[];
}

export interface Channel {
  id: number;
  name: string;
  description: string;
  stages: Stage[];
}

/** The saved channels, IDs from 501 in the order of the data file. */
export const channels: Channel[] = data.map((row, at) => ({
  id: 501 + at,
  name: row.name,
  description: row.description,
  stages: row.stages.map((stage) => ({
    not: stage.not,
    entities: stage.any.map((key) => ({ type: "entity" as const, value: idOf(key) })),
  })),
}));

/** Stages are joined by AND, the entities within a stage by OR. A stage without entities asks for nothing. */
export function passes(article: Article, stages: Stage[]): boolean {
  return stages.every((stage) => {
    if (stage.entities.length === 0) return true;
    return stage.entities.some((entry) => carries(article, entry.value)) !== stage.not;
  });
}
