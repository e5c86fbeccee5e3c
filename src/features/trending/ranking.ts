import type { Trend } from "../../apis/trend.ts";
import { singular } from "../text.ts";

/** What is written about more than usual, in upstream's order of rank. */
export interface Ranking {
  entities: Trend[];
  api: "intelligence" | "gateway";
  /** The gateway answers because the news service could not. */
  isStandIn: boolean;
  /** When it was fetched, in epoch milliseconds. */
  at: number;
}

/** The types of a ranking in their order, each once however it is spelt. */
export function typesIn(entities: Trend[]): string[] {
  const types = new Map<string, string>();
  for (const { type } of entities) if (!types.has(singular(type))) types.set(singular(type), type);
  return [...types.values()];
}

/** Those of one type, or all where none is named. */
export function ofType(entities: Trend[], type: string | undefined): Trend[] {
  return type === undefined ? entities : entities.filter((entity) => singular(entity.type) === singular(type));
}

/** What somebody wants to see of a ranking. */
export interface Choice {
  /** Missing where they want all types. */
  type?: string | undefined;
  /** From 1. */
  page: number;
}

/** Reads `TYPE PAGE`, either of which may be missing; nothing where no type has this name. */
export function choiceIn(text: string, types: string[]): Choice | undefined {
  const whole = typeNamed(text, types);
  if (whole !== undefined) return { type: whole, page: 1 };
  const { name, page } = numbered(text);
  const type = typeNamed(name, types);
  return name !== "" && type === undefined ? undefined : { type, page };
}

/** Splits a page off the end. */
export function numbered(text: string): { name: string; page: number } {
  const [, name = "", page = "1"] = /^([\s\S]*?)(?:(?<!\S)(\d{1,3}))?$/.exec(text.trim()) ?? [];
  return { name: name.trim(), page: Number(page) };
}

function typeNamed(name: string, types: string[]): string | undefined {
  const wanted = singular(name);
  return types.find((type) => singular(type) === wanted);
}
