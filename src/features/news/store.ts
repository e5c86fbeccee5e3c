import { randomUUID } from "node:crypto";

import { LRUCache } from "lru-cache";
import { z } from "zod";

import { articleSchema } from "../../apis/article.ts";
import type { Collection } from "../../store/collection.ts";
import { storedOptions } from "../options.ts";
import { articleSourceSchema } from "../sources/index.ts";
import { articleOptions } from "../sources/article-filter.ts";
import { type ArticleList, mostListed } from "./view.ts";

/** How long a list can be turned over and asked about. */
export const listLifeMs = 7 * 24 * 60 * 60_000;

/** How long one can wait to be shown. */
const waitingLifeMs = 60 * 24 * 60 * 60_000;

/** Lists of articles that were shown. */
export interface Lists {
  /** Keeps a list; its key fits into a button. */
  keep(list: ArticleList): Promise<string>;
  /** Nothing where the list is too old. */
  get(key: string): Promise<ArticleList | undefined>;
  /** The list and number of an article that this process listed lately, by its address. */
  listed(url: string): string | undefined;
  /** Keeps one that has yet to be shown for as long as its place may be closed. */
  prolong(key: string): Promise<void>;
}

/** Lists on the store. */
export function createLists(records: Collection<ArticleList>): Lists {
  const listed = new LRUCache<string, string>({ max: 5_000 });
  return {
    async keep(list) {
      const key = randomUUID();
      const articles = list.articles.slice(0, mostListed);
      await records.set(key, { ...list, articles });
      for (const [at, { url }] of articles.entries()) listed.set(url, `${key}:${at + 1}`);
      return key;
    },
    listed: (url) => listed.get(url),
    get: (key) => records.get(key),
    async prolong(key) {
      const list = await records.get(key);
      if (list) await records.set(key, list, { ttlMs: waitingLifeMs });
    },
  };
}

/** A stored list. */
export const listSchema: z.ZodType<ArticleList> = z.object({
  title: z.string(),
  articles: z.array(articleSchema),
  total: z.number(),
  names: z.record(z.string(), z.string()).optional(),
  sections: z.record(z.string(), z.string()).optional(),
  credits: z.object({ used: z.number().optional(), remaining: z.number().optional(), test: z.boolean() }).optional(),
  source: articleSourceSchema.optional(),
  note: z.string().optional(),
  filter: storedOptions(articleOptions).optional(),
  isRanked: z.boolean().optional(),
});
