import type { Trend } from "../../../apis/trend.ts";
import { singular } from "../../words.ts";
import { type Names, plainName } from "./names.ts";

/** Ranks that one digest shows; more does not fit on a phone. */
const mostRanked = 10;

/** Something of a ranking, with the name that it goes by in every sample. */
export interface Ranked extends Trend {
  entity: string;
}

/** One rank of a ranking, and the one that it had the last time; missing where it had none. */
export interface Row extends Ranked {
  rank: number;
  before?: number | undefined;
}

/** Who stood in a ranking, the first one first. */
export type Standing = Pick<Ranked, "entity" | "name">[];

/** A ranking beside the one before it. */
export interface Compared {
  rows: Row[];
  /** Names that stood in the last one and do not in this one. */
  gone: string[];
}

/** Which part of a ranking is meant. */
export interface Part extends Names {
  /** All types where it is missing. */
  type?: string | undefined;
}

/** A part of a ranking, beside what it was the last time. */
export function compared(entities: Ranked[], part: Part, last: Standing = []): Compared {
  const own = entities.filter(matcherOf(part)).slice(0, mostRanked);
  const ranks = new Map(last.map(({ entity }, index) => [entity, index + 1]));
  const rows = own.map(({ entity, name, type: kind, mentions, average, score }, index) => {
    const before = ranks.get(entity);
    const figures = { mentions, ...(average !== undefined && { average }), ...(score !== undefined && { score }) };
    return { entity, name, type: kind, ...figures, rank: index + 1, ...(before !== undefined && { before }) };
  });
  const present = new Set(rows.map(({ entity }) => entity));
  return { rows, gone: last.flatMap(({ entity, name }) => (present.has(entity) ? [] : [name])) };
}

function matcherOf({ type, include, exclude }: Part): (each: Ranked) => boolean {
  const kind = type === undefined ? undefined : singular(type);
  const [wanted, unwanted] = [include, exclude].map((names) => names && new Set(names.map(plainName)));
  return (each) =>
    (kind === undefined || singular(each.type) === kind) &&
    (wanted?.has(plainName(each.name)) ?? true) &&
    !unwanted?.has(plainName(each.name));
}

/** Equal where two parts are the same. */
export function partKey({ type, include, exclude }: Part): string {
  const names = (list: string[] = []) => [...new Set(list.map(plainName))].toSorted();
  return JSON.stringify([type === undefined ? "" : singular(type), names(include), names(exclude)]);
}

/** How much of it has changed: those that came, moved and went. */
export function changesIn({ rows, gone }: Compared): number {
  return rows.filter(({ rank, before }) => rank !== before).length + gone.length;
}

/** What is remembered of a ranking, for the next one. */
export function standingOf({ rows }: Compared): Standing {
  return rows.map(({ entity, name }) => ({ entity, name }));
}
