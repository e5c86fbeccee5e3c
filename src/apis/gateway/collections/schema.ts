import { z } from "zod";
import { readArticle } from "../../article.ts";
import type { Article } from "../../article.ts";
import { answeredList, looseList, maybe, quantity, renamed, text, timestamp } from "../../loose.ts";
import { firstOf, isRecord } from "../../values.ts";

/** A query that is kept under a name and executed when asked. */
export interface Collection {
  id: string;
  name: string;
  description?: string | undefined;
  query?: string | undefined;
  /** Epoch milliseconds. */
  created?: number | undefined;
}

/** A topic that the gateway itself keeps; no relation to a channel in Slack. */
export interface InsightChannel {
  id: string;
  name: string;
  description?: string | undefined;
  articleCount?: number | undefined;
}

/** What a collection found when it was executed; `total` counts what was left out too. */
export interface Found {
  articles: Article[];
  dropped: number;
  total: number;
}

// IDs are not shown: text or numbers, taken as text.
const id = text(200);

// The query of a collection is not shown: its text, or an object that holds it.
const query = z.preprocess(
  (raw) => (isRecord(raw) ? firstOf(raw, ["query", "text", "q", "keywords"]) : raw),
  maybe(text(2_000)),
);

/** Upstream's possible names of each field. */
export const COLLECTION_NAMES = {
  id: ["id", "collection_id", "collectionId", "uuid"],
  name: ["name", "title", "label"],
  description: ["description", "summary"],
  query: ["query", "q", "filter"],
  created: ["created_at", "createdAt", "created"],
};

/** The fields of a collection are not shown: these likely names; one without any name goes by its ID. */
const collectionFields: z.ZodType<Collection> = renamed(
  COLLECTION_NAMES,
  z
    .object({ id, name: maybe(text(200)), description: maybe(text(1_000)), query, created: maybe(timestamp) })
    .transform(({ name, ...rest }) => ({ ...rest, name: name ?? `Collection ${rest.id}` })),
);

export const collectionsSchema = answeredList(collectionFields, ["collections"]);

/** One collection, also where it comes as a member of its own. */
export const collectionSchema: z.ZodType<Collection> = z.preprocess(
  (raw) => (isRecord(raw) && isRecord(raw["collection"]) ? raw["collection"] : raw),
  collectionFields,
);

/** Upstream's possible names of each field. */
export const INSIGHT_CHANNEL_NAMES = {
  id: ["id", "channel_id", "channelId", "slug", "uuid"],
  name: ["name", "title", "label"],
  description: ["description", "summary"],
  articleCount: ["article_count", "articleCount", "articles_count", "count"],
};

/** The fields of an insight channel are not shown: an object under these likely names, or its name alone. */
const insightChannelSchema: z.ZodType<InsightChannel> = z.preprocess(
  (raw) => (typeof raw === "string" ? { id: raw, name: raw } : raw),
  renamed(
    INSIGHT_CHANNEL_NAMES,
    z
      .object({ id, name: maybe(text(200)), description: maybe(text(1_000)), articleCount: maybe(quantity) })
      .transform(({ name, ...rest }) => ({ ...rest, name: name ?? `Channel ${rest.id}` })),
  ),
);

export const insightChannelsSchema = answeredList(insightChannelSchema, [
  "channels",
  "insight_channels",
  "insightChannels",
]);

const articleList = looseList(readArticle);
const LISTS = ["articles", "results", "items", "news"];

/** The result of an execution is not shown: a list of articles, bare, beside its total, or one object deeper. */
export const executedSchema: z.ZodType<Found> = z.preprocess(
  (raw) => ({ articles: listIn(raw), total: totalIn(raw) }),
  z
    // No list at all is another format, and must not pass for "nothing found".
    .object({ articles: z.array(z.unknown(), "no list of articles"), total: maybe(quantity) })
    .transform(({ articles, total }) => {
      const { items, dropped } = articleList.parse(articles);
      return { articles: items, dropped, total: total ?? items.length };
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
