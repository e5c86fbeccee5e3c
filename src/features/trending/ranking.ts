import { z } from "zod";

import type { Credits } from "../../apis/gateway/schema.ts";
import { type Trend, trendSchema } from "../../apis/article.ts";
import type { Gateway } from "../../apis/gateway/client.ts";
import type { Intelligence } from "../../apis/intelligence/client.ts";
import type { Configured } from "../feature.ts";
import { singular } from "../text.ts";

/** What is trending now, in upstream's order of rank. */
export interface Trends {
  entities: Trend[];
  api: "intelligence" | "gateway";
  /** Missing where it cost none. */
  credits?: Credits;
}

export interface TrendSources {
  configured: Pick<Configured, "intelligence" | "gateway">;
  intelligence: Pick<Intelligence, "trending">;
  gateway: Pick<Gateway, "trending">;
}

/** All types of what is trending, from the news service, which is free; from the gateway where that is not set up. */
export async function trendsFrom(sources: TrendSources, signal?: AbortSignal): Promise<Trends> {
  const { configured, intelligence } = sources;
  if (!configured.intelligence && configured.gateway) return gatewayTrends(sources, signal);
  return { entities: await intelligence.trending({ ...(signal && { signal }) }), api: "intelligence" };
}

/** The same from the gateway. */
export async function gatewayTrends({ gateway }: Pick<TrendSources, "gateway">, signal?: AbortSignal): Promise<Trends> {
  const { entities, credits } = await gateway.trending(signal);
  return { entities, api: "gateway", credits };
}

/** What is written about more than usual, in upstream's order of rank. */
export const rankingSchema = z.object({
  entities: z.array(trendSchema),
  api: z.enum(["intelligence", "gateway"]),
  /** The gateway answers because the news service could not. */
  isStandIn: z.boolean(),
  /** When it was fetched, in epoch milliseconds. */
  at: z.number(),
});
export type Ranking = z.infer<typeof rankingSchema>;

/** How long buttons turn over the ranking that was fetched last, so that its pages agree and cost nothing. */
export const rankingLifeMs = 10 * 60_000;

/** The one key: a ranking is the same for everybody. */
export const latest = "latest";

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
export interface TrendingChoice {
  /** Missing where they want all types. */
  type?: string | undefined;
  /** One of them alone. */
  entity?: Trend | undefined;
  /** From 1. */
  page: number;
}

/** Reads `TYPE PAGE`, either of which may be missing; nothing where no type has this name. */
export function choiceIn(text: string, types: string[]): TrendingChoice | undefined {
  const whole = findType(text, types);
  if (whole !== undefined) return { type: whole, page: 1 };
  const { name, page } = splitPage(text);
  const type = findType(name, types);
  return name !== "" && type === undefined ? undefined : { type, page };
}

/** Splits a page off the end. */
export function splitPage(text: string): { name: string; page: number } {
  const [, name = "", page = "1"] = /^([\s\S]*?)(?:(?<!\S)(\d{1,3}))?$/.exec(text.trim()) ?? [];
  return { name: name.trim(), page: Number(page) };
}

function findType(name: string, types: string[]): string | undefined {
  const wanted = singular(name);
  return types.find((type) => singular(type) === wanted);
}
