import { z } from "zod";
import { readArticle } from "../article.ts";
import {
  identifier,
  isRecord,
  listAnswer,
  looseList,
  maybe,
  readText,
  spellings,
  text,
  timestamp,
  withNames,
} from "../fields.ts";

/** One filter of a channel, kept whole: posted back to the service it must be what the service gave. */
export interface Stage {
  not?: boolean | null | undefined;
  entities?: StageEntity[] | null | undefined;
  [other: string]: unknown;
}

interface StageEntity {
  type: string;
  [other: string]: unknown;
}

export interface Entity extends z.infer<typeof entityRecord> {
  /** Further plain fields of the record, such as `figi`, under the service's own field names. */
  metadata?: Record<string, string> | undefined;
}

// Not shown: whether the user's ID is text or a number.
export const loginSchema = z.object({
  token: z.string().min(1).max(10_000),
  userId: z.union([z.string().min(1).max(200), z.number()]).transform(String),
  /** Epoch milliseconds. */
  expires: timestamp,
});
export type Login = z.infer<typeof loginSchema>;

const byEntity = z.looseObject({ type: z.literal("entity"), value: z.union([z.number(), z.string()]) });
// Entries of other types, and their fields, are not shown: they are passed on as they come.
const byOther = z.looseObject({ type: z.string().refine((type) => type !== "entity") });

// Not shown: how several stages are combined. We assume AND between the stages of a query, and OR between the entries of one.
// A stage is never repaired or cut: a filter with a part missing would quietly select other articles.
export const stageSchema: z.ZodType<Stage> = z.looseObject({
  not: z.boolean().nullish(),
  entities: z.array(z.union([byEntity, byOther])).nullish(),
});

// A saved filter of the news service; no relation to a channel in Slack. Only the ID and the stages are shown; one without
// any name goes by its ID.
const channelFields = withNames(
  { id: ["id", "channel_id"], name: ["name", "title"], stages: ["stages"] },
  z
    .object({ id: identifier, name: maybe(text(200)), stages: z.array(stageSchema).nullish() })
    .transform(({ id, name, stages }) => ({ id, name: name ?? `Channel ${id}`, stages: stages ?? [] })),
);

export type NewsChannel = z.infer<typeof channelFields>;

export const channelsSchema = listAnswer(channelFields, "channels");

/** One channel, bare or as a member of an object. */
export const channelSchema: z.ZodType<NewsChannel> = z.preprocess(
  (raw) => (isRecord(raw) ? (raw["data"] ?? raw["channel"] ?? raw) : raw),
  channelFields,
);

export const articlesSchema = listAnswer(readArticle, "articles");

const entityNames = {
  // The record's own ID is part of its "other metadata".
  id: ["id", "entity_id"],
  name: ["name"],
  type: ["type"],
  typeName: ["type_display", "type"],
  symbol: ["symbol"],
  exchange: ["exchange"],
};

const entityRecord = z.object({
  id: identifier,
  name: text(200),
  type: text(100).catch("entity"),
  /** The type's display name. */
  typeName: text(100).catch("Entity"),
  symbol: maybe(text(40)),
  exchange: maybe(text(40)),
});
const entityFields = withNames(entityNames, entityRecord);

/** Fields of the metadata that are kept, and characters of a field's name and of its value. */
const metadataMost = 20;
const longestField = 40;
const longestValue = 200;
const namedFields = new Set(spellings(Object.values(entityNames).flat()));

// Which fields the "other metadata" has is not shown, nor whether they stand in the record or in an object of it: plain
// fields of both are kept, under the names that they have.
function readMetadata(raw: Record<string, unknown>): Record<string, string> | undefined {
  const nested = isRecord(raw["metadata"]) ? Object.entries(raw["metadata"]) : [];
  const plain = [...Object.entries(raw), ...nested].flatMap(([field, value]) => {
    const isReadable = field.length <= longestField && /^\p{L}[\p{L}\p{N}_ .-]*$/u.test(field);
    // Numbers of records in the service's own tables say nothing to a reader; a FIGI does.
    if (!isReadable || namedFields.has(field) || /(^|[_ .-])(u?u?id|guid)$|[a-z]I[dD]$/i.test(field)) return [];
    const read = typeof value === "boolean" ? (value ? "yes" : "no") : readText(value, longestValue);
    return read === undefined ? [] : [[field, read] as const];
  });
  return plain.length > 0 ? Object.fromEntries(plain.slice(0, metadataMost)) : undefined;
}

function readEntity(raw: unknown): Entity | undefined {
  const fields = entityFields.safeParse(raw).data;
  if (!fields || !isRecord(raw)) return undefined;
  const metadata = readMetadata(raw);
  return { ...fields, ...(metadata && { metadata }) };
}

export const entitiesSchema = listAnswer(readEntity, "entities");

/** The entity IDs that a channel's stages name, each once, in their order. */
export function stageEntityIds(stages: readonly Stage[]): number[] {
  const entries = stages.flatMap((stage) => stage.entities ?? []);
  const found = looseList(identifier).parse(entries.filter(({ type }) => type === "entity").map(({ value }) => value));
  return [...new Set(found.items)];
}
