import { z } from "zod";
import { answeredList, maybe, quantity, renamed, text } from "../../loose.ts";
import { isRecord } from "../../values.ts";

/** A place in the ranking as the gateway gives it. */
export interface Listed {
  name: string;
  /** The type's display name, or whatever it goes by. */
  type: string | undefined;
  /** The type's code, where there is one beside the display name. */
  code: string | undefined;
  mentions: number;
  average: number | undefined;
  score: number | undefined;
}

/** Upstream's possible names of each field. */
export const TREND_NAMES = {
  // The gateway's fields are "not shown"; the first of each is what the intelligence service documents.
  name: ["name", "entity_name", "entityName", "label"],
  type: ["type_display", "typeDisplay", "type", "entity_type", "entityType"],
  code: ["type", "entity_type", "entityType"],
  mentions: ["raw_count", "mentions", "count", "mention_count", "article_count"],
  average: ["moving_average", "average", "avg"],
  score: ["deltaPrimeStdDevDifferenceDelta", "score", "trend_score"],
};

const listedSchema: z.ZodType<Listed> = z.preprocess(
  // The entity may be a member of its own, with the figures beside it.
  (raw) => (isRecord(raw) && isRecord(raw["entity"]) ? { ...raw, ...raw["entity"] } : raw),
  renamed(
    TREND_NAMES,
    z.object({
      name: text(200),
      type: maybe(text(100)),
      code: maybe(text(100)),
      mentions: quantity,
      average: maybe(quantity),
      score: maybe(quantity),
    }),
  ),
);

const LISTS = ["entities", "trending", "trending_entities", "trends"];
const KNOWN = new Set(["data", "items", "results", ...LISTS]);

/** The payload is not shown: a list, bare or in an object, or one list a type. */
export const trendingSchema = z.preprocess(ungrouped, answeredList(listedSchema, LISTS));

/** One list for all types, each element with the type under which it was listed. */
function ungrouped(raw: unknown): unknown {
  if (!isRecord(raw)) return raw;
  const groups = Object.entries(raw);
  const [name, inner] = groups.find(([key, value]) => KNOWN.has(key) && value !== null) ?? [];
  if (name !== undefined) return isRecord(inner) ? ungrouped(inner) : raw;
  const isGrouped = groups.length > 0 && groups.every(([, value]) => Array.isArray(value));
  if (!isGrouped) return raw;
  return groups.flatMap(([type, list]) =>
    (Array.isArray(list) ? list : []).map((one: unknown) => (isRecord(one) ? { type, ...one } : one)),
  );
}
