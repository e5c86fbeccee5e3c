import { z } from "zod";

import { UsageError } from "../../apis/errors.ts";
import type { Gateway } from "../../apis/gateway/client.ts";
import type { SourceKind } from "./source.ts";

const schema = z.object({ kind: z.literal("search"), query: z.string() });
export type SearchSource = z.infer<typeof schema>;

const longestQuery = 500;
/** Articles of one search: it costs a credit however many there are. */
const searched = 100;

/** Equal if two queries find the same. */
export function queryKey(query: string): string {
  return query.toLowerCase().replace(/\s+/g, " ").trim();
}

export function searchNews(query: string, gateway: Gateway, signal: AbortSignal | undefined) {
  return gateway.search(query, { limit: searched, ...(signal && { signal }) });
}

/** A search of the gateway. */
export const searchSource: SourceKind<SearchSource> = {
  kind: "search",
  label: "Search",
  about: "Any words · 1 credit a run",
  plural: "searches",
  field: { label: "Search for", placeholder: "chip export", most: longestQuery },
  needs: [["gateway"]],
  api: "gateway",
  schema,
  async find({ what }) {
    if (what.length > longestQuery) throw new UsageError(`A query has at most ${longestQuery} characters.`);
    return { kind: "search", query: what };
  },
  read: ({ query }, { gateway }, signal) => searchNews(query, gateway, signal),
  describe: () => "search",
  key: ({ query }) => queryKey(query),
  typed: ({ query }) => query,
};
