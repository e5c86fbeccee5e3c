import { z } from "zod";
import type { Article } from "../article.ts";
import { looseList, maybe, quantity, text } from "../loose.ts";
import { firstOf, isRecord } from "../values.ts";
import { readGatewayArticle } from "./article.ts";

/** What a search or a collection found; `total` counts what was left out too. */
export interface Found {
  /** What was searched for, where the gateway says it. */
  query: string | undefined;
  articles: Article[];
  dropped: number;
  total: number;
}

const articleList = looseList(readGatewayArticle);
const LISTS = ["articles", "results", "items", "news"];

/** What is found may come as a list of articles, bare, beside its total, or one object deeper. */
export const foundSchema: z.ZodType<Found> = z.preprocess(
  (raw) => {
    const total = totalIn(raw);
    const query = isRecord(raw) ? raw["query"] : undefined;
    return { query, articles: listIn(raw) ?? (total === 0 ? [] : undefined), total };
  },
  z
    // No list at all is another format, and must not pass for "nothing found".
    .object({
      query: maybe(text(500)),
      articles: z.array(z.unknown(), "no list of articles"),
      total: maybe(quantity),
    })
    .transform(({ query, articles, total }) => {
      const { items, dropped } = articleList.parse(articles);
      return { query, articles: items, dropped, total: total ?? items.length };
    })
    .refine(({ articles, dropped }) => articles.length > 0 || dropped === 0, "no article could be read"),
);

function listIn(raw: unknown): unknown {
  if (!isRecord(raw)) return raw;
  const name = LISTS.find((candidate) => Array.isArray(raw[candidate]));
  if (name !== undefined) return raw[name];
  const inner = inside(raw);
  return inner === undefined ? undefined : listIn(inner);
}

function totalIn(raw: unknown): unknown {
  if (!isRecord(raw)) return undefined;
  return firstOf(raw, ["total", "total_count", "totalCount", "count"]) ?? totalIn(inside(raw));
}

function inside(raw: Record<string, unknown>): unknown {
  return firstOf(raw, ["result", "results", "execution", "data"]);
}
