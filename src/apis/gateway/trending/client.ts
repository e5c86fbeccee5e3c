import type { Trend } from "../../trend.ts";
import type { Ask } from "../ask.ts";
import { enveloped } from "../schema.ts";
import type { Credits } from "../schema.ts";
import { trendingSchema } from "./schema.ts";
import type { Listed } from "./schema.ts";

interface TrendingRequest {
  /** A type's code or display name, compared without regard to case; all types where missing. */
  type?: string | undefined;
  limit?: number | undefined;
  signal?: AbortSignal | undefined;
}

/** What is written about more than usual. */
export interface Trending {
  /** 1 credit; in upstream's order. */
  trending(request?: TrendingRequest): Promise<{ entities: Trend[]; credits: Credits }>;
}

const ANSWER = enveloped(trendingSchema);

/** Builds this part of the gateway's client. */
export function createTrending(ask: Ask): Trending {
  return {
    async trending({ type = "", limit, signal } = {}) {
      const wanted = type.trim();
      const path = `/api/v1/trending/entities${parameters(wanted, limit)}`;
      const { data, credits } = await ask.list({
        operation: "trending",
        method: "GET",
        path,
        schema: ANSWER,
        signal,
      });
      const entities = data.filter((one) => isOf(one, wanted)).map((one) => trendOf(one, wanted));
      return { entities: entities.slice(0, limit), credits };
    },
  };
}

// The names of the parameters are not shown; a service that passes over them must not change what is answered.
function parameters(type: string, limit: number | undefined): string {
  const query = new URLSearchParams();
  if (type !== "") query.set("type", type);
  if (limit !== undefined) query.set("limit", String(limit));
  return query.size === 0 ? "" : `?${query.toString()}`;
}

/** An element without any type is taken for one of those that were asked for. */
function isOf({ type, code }: Listed, wanted: string): boolean {
  const types = [type, code].filter((one) => one !== undefined).map((one) => one.toLowerCase());
  return wanted === "" || types.length === 0 || types.includes(wanted.toLowerCase());
}

function trendOf({ name, type, mentions, average, score }: Listed, wanted: string): Trend {
  return { name, type: type ?? (wanted || "Entity"), mentions, average, score };
}
