import { LRUCache } from "lru-cache";

import type { Credits } from "../../apis/gateway/schema.ts";
import type { Trend } from "../../apis/article.ts";
import type { Gateway } from "../../apis/gateway/client.ts";
import type { Intelligence } from "../../apis/intelligence/client.ts";
import type { Configured } from "../feature.ts";
import { singular } from "../text.ts";

/** A ranking in upstream's order. */
interface Trends {
  entities: Trend[];
  api: "intelligence" | "gateway";
  /** Missing if it cost none. */
  credits?: Credits;
}

export interface TrendSources {
  configured: Pick<Configured, "intelligence" | "gateway">;
  intelligence: Pick<Intelligence, "trending">;
  gateway: Pick<Gateway, "trending">;
}

/** All types of what is trending, from the news service, which is free; from the gateway if that isn't set up. */
export async function trendsFrom(sources: TrendSources, signal?: AbortSignal): Promise<Trends> {
  const { configured, intelligence, gateway } = sources;
  if (!configured.intelligence && configured.gateway) return { ...(await gateway.trending(signal)), api: "gateway" };
  return { entities: await intelligence.trending({ ...(signal && { signal }) }), api: "intelligence" };
}

/** A ranking as it was fetched. */
export interface Ranking extends Pick<Trends, "entities" | "api"> {
  /** Epoch milliseconds. */
  at: number;
}

/** Buttons turn over the ranking that was fetched last for so long, so that its pages agree and cost nothing. */
const rankingLifeMs = 10 * 60_000;

/** The ranking that was fetched last, which is the same for everybody. */
export type LatestRanking = ReturnType<typeof createLatestRanking>;

export function createLatestRanking(now: () => number) {
  return new LRUCache<"latest", Ranking>({ max: 1, ttl: rankingLifeMs, ttlResolution: 0, perf: { now } });
}

/** The entities of one type, or all if none is named. */
export function ofType(entities: Trend[], type: string | undefined): Trend[] {
  return type === undefined ? entities : entities.filter((entity) => singular(entity.type) === singular(type));
}

/** A part of a ranking that somebody wants to see. */
export interface TrendingChoice {
  /** Missing if they want all types. */
  type?: string | undefined;
  /** One of them alone. */
  entity?: Trend | undefined;
  /** From 1. */
  page: number;
}

/** Reads `TYPE PAGE`, either of which may be missing; nothing if no type has this name. */
export function choiceIn(text: string, types: string[]): TrendingChoice | undefined {
  const typeCalled = (name: string) => types.find((type) => singular(type) === singular(name));
  const whole = typeCalled(text);
  if (whole !== undefined) return { type: whole, page: 1 };
  const { name, page } = splitPage(text);
  const type = typeCalled(name);
  return name !== "" && type === undefined ? undefined : { type, page };
}

/** Splits a page off the end. */
export function splitPage(text: string): { name: string; page: number } {
  const [, name = "", page = "1"] = /^([\s\S]*?)(?:(?<!\S)(\d{1,3}))?$/.exec(text.trim()) ?? [];
  return { name: name.trim(), page: Number(page) };
}
