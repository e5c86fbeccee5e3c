import { z } from "zod";
import { readArticle, trendList, type Article } from "../article.ts";
import { amount, firstMember, isRecord, listAnswer, looseList, maybe, text, timestamp, withNames } from "../fields.ts";

// The document shows the envelope and what a search holds, and of everything else no field: each schema below lists the
// names that are plausible, the likeliest first.

/** The credits that a call has cost and those that are left, if the gateway says it. */
export interface Credits {
  used?: number | undefined;
  remaining?: number | undefined;
  /** True for keys of the test kind, which cost nothing. */
  test: boolean;
}

/** An answer's payload with the bill beside it. */
export interface Enveloped<T> {
  data: T;
  used?: number | undefined;
  remaining?: number | undefined;
}

/** A number of credits, requests or articles, if one can be read. */
export const count = maybe(amount);

/** Takes an answer out of its envelope; one that comes without is read as it is. */
function inEnvelope<T>(data: z.ZodType<T>): z.ZodType<Enveloped<T>> {
  return z.compile(
    z.preprocess(
      (raw) => {
        const record = isRecord(raw) ? raw : {};
        const meta = isRecord(record["meta"]) ? record["meta"] : {};
        const payload = Object.hasOwn(record, "data") ? record["data"] : raw;
        return { data: payload, used: meta["credits_used"], remaining: meta["credits_remaining"] };
      },
      z.object({ data, used: count, remaining: count }),
    ),
  );
}

/** Reads an article of the gateway, whose IDs are its own as far as the documents say. */
export function readGatewayArticle(raw: unknown): Article | undefined {
  const article = readArticle(raw);
  return article && { ...article, id: undefined, gatewayId: article.id };
}

const articleList = listAnswer(readGatewayArticle, "articles");

/**
 * `query`, `articles` and `total` are documented for a search; a collection may give its articles as a bare list. `total`
 * counts what was left out, too.
 */
export const foundSchema = inEnvelope(
  z.preprocess(
    (raw) => (isRecord(raw) ? { query: raw["query"], total: raw["total"], articles: raw } : { articles: raw }),
    z
      .object({ query: maybe(text(500)), articles: articleList, total: count })
      .transform(({ query, articles: { items, dropped }, total }) => {
        return { query, articles: items, dropped, total: total ?? items.length };
      }),
  ),
);

export const trendingSchema = inEnvelope(trendList);

const MAX_TEXT = 40_000;

/** The sources of a text, as articles; in the answer itself or in an event of a stream. */
const sourceList = looseList(readGatewayArticle)
  .catch({ items: [], dropped: 0 })
  .transform(({ items }) => items);

export function sourcesIn(payload: unknown): Article[] {
  return sourceList.parse(isRecord(payload) ? firstMember(payload, ["articles", "sources", "citations"]) : payload);
}

/** The text of a completion's first choice, whole or a chunk of a stream. */
export function completionText(payload: unknown): string | undefined {
  const choices = isRecord(payload) ? payload["choices"] : undefined;
  const [choice]: unknown[] = Array.isArray(choices) ? choices : [];
  if (!isRecord(choice)) return undefined;
  const message = choice["delta"] ?? choice["message"];
  const words = isRecord(message) ? message["content"] : choice["text"];
  return typeof words === "string" ? words : undefined;
}

/** The names that a text may have. */
const TEXT_NAMES = ["text", "summary", "content", "reply", "response", "answer", "message"];

/** A text by itself, as a completion, or in an object under a likely name. */
function replyText(payload: unknown): unknown {
  return completionText(payload) ?? (isRecord(payload) ? firstMember(payload, TEXT_NAMES) : payload);
}

export const summarySchema = inEnvelope(
  z.preprocess(
    (raw) => ({ text: replyText(raw), articles: raw }),
    z.object({ text: text(MAX_TEXT), articles: z.transform(sourcesIn) }),
  ),
);

/** The reply of a model; `model` is the model that wrote it, if the gateway says it. */
const reply = z.object({ text: text(MAX_TEXT), model: maybe(text(200)) });

export const replySchema = inEnvelope(
  z.preprocess((raw) => ({ text: replyText(raw), model: isRecord(raw) ? raw["model"] : undefined }), reply),
);

/** A language model that chat can be run against. */
const model = z.object({
  id: text(200),
  name: text(200),
  /** In tokens. */
  contextWindow: count,
  isDefault: z.boolean().catch(false),
});
export type Model = z.infer<typeof model>;

/** A model is an object, or its ID alone. */
const modelSchema = z.preprocess(
  (raw) => (typeof raw === "string" ? { id: raw } : raw),
  withNames(
    {
      id: ["id", "model", "name"],
      name: ["name", "display_name", "id", "model"],
      contextWindow: ["context_window", "context_length", "max_tokens"],
      isDefault: ["default", "is_default"],
    },
    model,
  ),
);

export const modelsSchema = inEnvelope(listAnswer(modelSchema, "models"));

// IDs are not shown: text or numbers, taken as text.
const id = text(200);

/** A query that the gateway keeps under a name and executes when asked; one without any name goes by its ID. */
const collectionFields = withNames(
  {
    id: ["id", "collection_id"],
    name: ["name", "title"],
    description: ["description"],
    query: ["query"],
    created: ["created_at", "created"],
  },
  z
    .object({
      id,
      name: maybe(text(200)),
      description: maybe(text(1_000)),
      query: maybe(text(2_000)),
      /** Epoch milliseconds. */
      created: maybe(timestamp),
    })
    .transform(({ name, ...rest }) => ({ ...rest, name: name ?? `Collection ${rest.id}` })),
);

export type NewsCollection = z.infer<typeof collectionFields>;

export const collectionsSchema = inEnvelope(listAnswer(collectionFields, "collections"));

export const collectionSchema = inEnvelope(
  z.preprocess((raw) => (isRecord(raw) ? (raw["collection"] ?? raw) : raw), collectionFields),
);

/** A topic that the gateway itself keeps, no relation to a channel in Slack: an object, or its name alone. */
const insightChannelSchema = z.preprocess(
  (raw) => (typeof raw === "string" ? { id: raw, name: raw } : raw),
  withNames(
    {
      id: ["id", "channel_id"],
      name: ["name", "title"],
      description: ["description"],
      articleCount: ["article_count", "count"],
    },
    z
      .object({ id, name: maybe(text(200)), description: maybe(text(1_000)), articleCount: count })
      .transform(({ name, ...rest }) => ({ ...rest, name: name ?? `Channel ${rest.id}` })),
  ),
);

export type InsightChannel = z.infer<typeof insightChannelSchema>;

export const insightChannelsSchema = inEnvelope(listAnswer(insightChannelSchema, "channels"));

/** The owner of the key. The user lies at the top or under `user`; the balance is a number, or an object with one. */
export const accountSchema = inEnvelope(
  z.preprocess(
    (raw) => {
      if (!isRecord(raw)) return raw;
      const user = isRecord(raw["user"]) ? { ...raw, ...raw["user"] } : raw;
      const credits = firstMember(user, ["credits_remaining", "credits", "balance"]);
      return {
        name: firstMember(user, ["name", "username"]),
        remaining: isRecord(credits) ? firstMember(credits, ["remaining", "balance"]) : credits,
      };
    },
    z.object({ name: maybe(text(200)), remaining: count }),
  ),
);

/** The uses of a key. */
export interface Usage {
  requests?: number | undefined;
  /** Credits. */
  spent?: number | undefined;
  endpoints: z.infer<typeof endpointSchema>[];
}

const REQUESTS = ["requests", "total_requests", "calls", "count"];
const SPENT = ["credits_used", "total_credits", "credits"];

const endpointSchema = withNames(
  { endpoint: ["endpoint", "path", "name"], requests: REQUESTS, spent: SPENT },
  z.object({ endpoint: text(200), requests: count, spent: count }),
);

/** Sums at the top, and a list with one entry for each endpoint. */
export const usageSchema = inEnvelope<Usage>(
  z.preprocess(
    (raw) => {
      if (!isRecord(raw)) return raw;
      return {
        requests: firstMember(raw, REQUESTS),
        spent: firstMember(raw, SPENT),
        endpoints: firstMember(raw, ["by_endpoint", "endpoints", "breakdown"]),
      };
    },
    z
      .object({
        requests: count,
        spent: count,
        endpoints: looseList(endpointSchema)
          .catch({ items: [], dropped: 0 })
          .transform(({ items }) => items),
      })
      .refine(
        ({ requests, spent, endpoints }) => requests !== undefined || spent !== undefined || endpoints.length > 0,
        "no figure could be read",
      ),
  ),
);
