import { randomUUID } from "node:crypto";

import { LRUCache } from "lru-cache";
import { z } from "zod";

import { type Article, articleSchema } from "../../apis/article.ts";
import { UsageError } from "../../apis/errors.ts";
import type { Collection } from "../../store/collection.ts";
import { storedOptions } from "../options.ts";
import type { BaseContext } from "../base.ts";
import { articleSourceSchema } from "../sources/index.ts";
import { articleOptions } from "./filter.ts";
import { mostListed } from "./list.ts";
import { type Log, describe } from "../../log.ts";

const listLifeMs = 7 * 24 * 60 * 60_000;

/** A list that waits to be shown is kept for longer. */
const waitingLifeMs = 60 * 24 * 60 * 60_000;

export type Lists = ReturnType<typeof createLists>;

/** Lists of articles that were shown. */
export function createLists(records: Collection<KeptList>) {
  const listed = new LRUCache<string, string>({ max: 5_000 });
  return {
    /** Keeps a list of a workspace; its key fits into a button. */
    async keep(list: ArticleList, team: string): Promise<string> {
      const key = randomUUID();
      const articles = list.articles.slice(0, mostListed);
      await records.set(key, { ...list, team, articles });
      for (const [at, { url }] of articles.entries()) listed.set(`${team} ${url}`, `${key}:${at + 1}`);
      return key;
    },
    /** The list and number of an article that this process listed lately in a workspace, by its address. */
    listed: (url: string, team: string) => listed.get(`${team} ${url}`),
    /** Undefined if the list is too old, or another workspace's. */
    async get(key: string, team: string): Promise<ArticleList | undefined> {
      const found = await records.get(key);
      if (found?.team !== team) return undefined;
      const { team: _team, ...list } = found;
      return list;
    },
    /** Keeps one that has yet to be shown for as long as its channel may be closed. */
    async prolong(key: string): Promise<void> {
      const list = await records.get(key);
      if (list) await records.set(key, list, { ttlMs: waitingLifeMs });
    },
  };
}

export function openLists({ store }: Pick<BaseContext, "store">): Lists {
  return createLists(store.collection("lists", listSchema, { ttlMs: listLifeMs }));
}

/** Articles that belong together, the newest first unless `isRanked`. */
const articleListSchema = z.object({
  title: z.string(),
  articles: z.array(articleSchema),
  /** Also of those that are not in the list. */
  total: z.number(),
  /** Names of the entities that the articles are about, by ID. */
  names: z.record(z.string(), z.string()).optional(),
  credits: z.object({ used: z.number().optional(), remaining: z.number().optional(), test: z.boolean() }).optional(),
  source: articleSourceSchema.optional(),
  /** A line above the articles, as mrkdwn. */
  note: z.string().optional(),
  /** The filter of its source: a digest made from the list has the same. */
  filter: storedOptions(articleOptions).optional(),
  /** In an order of its own, such as that of the service that found them. */
  isRanked: z.boolean().optional(),
  /** The reports on one story, each of which is shown. */
  isStory: z.boolean().optional(),
  /** News in stories that the channel was shown before, by address. */
  updates: z.record(z.string(), z.string()).optional(),
  /** Names of the sources that have each article, if they are several; by address. */
  origins: z.record(z.string(), z.array(z.string())).optional(),
});
export type ArticleList = z.infer<typeof articleListSchema>;

const listSchema = articleListSchema.extend({ team: z.string() });
type KeptList = z.infer<typeof listSchema>;

/** Keeps the list of a reply for its workspace. If the store fails, the reply is shown without its buttons. */
export async function keepListIfPossible<List>(
  list: List,
  { lists, log }: { lists: { keep(list: List, team: string): Promise<string> }; log: Pick<Log, "warn"> },
  { team }: { team: string },
): Promise<string | undefined> {
  try {
    return await lists.keep(list, team);
  } catch (error) {
    log.warn("list.keep.failed", { error: describe(error) });
    return undefined;
  }
}

/** A kept list in a line, `KEY`, or one of its articles, `KEY:3`. */
export const listReference = /^[\da-f]{8}-[\da-f-]{27}(?::\d{1,2})?(?=\s|$)/;

export const listGone = "Lists are kept for a week, and this one is gone. Run its command again.";

/** An article of a kept list, by a reference with its number; undefined if the list is gone, or another workspace's. */
export async function findListed(
  reference: string,
  lists: Pick<Lists, "get">,
  { team }: { team: string },
): Promise<{ list: ArticleList; article: Article } | undefined> {
  const [key = "", at] = reference.split(":");
  const list = await lists.get(key, team);
  const article = list?.articles[Number(at) - 1];
  return list && article && { list, article };
}

/** A kept list by its reference; throws a UsageError if it is gone. One of its articles becomes a list of its own, which is kept as well. */
export async function findList(
  reference: string,
  lists: Pick<Lists, "get" | "keep">,
  { team }: { team: string },
): Promise<{ key: string; list: ArticleList }> {
  if (!reference.includes(":")) {
    const list = await lists.get(reference, team);
    if (!list) throw new UsageError(listGone);
    return { key: reference, list };
  }
  const found = await findListed(reference, lists, { team });
  if (!found) throw new UsageError(listGone);
  const { article, list } = found;
  const ids = Object.values(article.entities).flat();
  const names = Object.fromEntries(ids.flatMap((id) => (list.names?.[id] ? [[id, list.names[id]]] : [])));
  const alone = { title: article.title, articles: [article], total: 1, names };
  return { key: await lists.keep(alone, team), list: alone };
}
