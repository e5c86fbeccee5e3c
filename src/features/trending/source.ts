import type { Credits } from "../../apis/gateway/schema.ts";
import type { Trend } from "../../apis/trend.ts";
import type { Gateway } from "../../apis/gateway/client.ts";
import type { Intelligence } from "../../apis/intelligence/client.ts";
import type { Configured } from "../feature.ts";

/** Entities that the gateway is asked for: enough for a few pages of each type, for the same credit. */
const wanted = 50;

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
  const { entities, credits } = await gateway.trending({ limit: wanted, ...(signal && { signal }) });
  return { entities, api: "gateway", credits };
}
