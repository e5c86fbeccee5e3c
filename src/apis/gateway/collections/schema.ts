import { z } from "zod";
import { answeredList, maybe, quantity, renamed, text, timestamp } from "../../loose.ts";
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
