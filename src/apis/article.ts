import { decodeHTMLStrict } from "entities";
import { z } from "zod";
import {
  amount,
  firstMember,
  isRecord,
  listAnswer,
  maybe,
  quantity,
  readAddress,
  readIdentifier,
  readIdentifiers,
  readText,
  readTime,
  spellings,
  text,
  withNames,
} from "./fields.ts";

const ids = z.array(z.number());

/** A news article, whichever service it came from, as the store keeps it, too. */
export const articleSchema = z.object({
  /** The news service's ID, by which an article is injected into a question. */
  id: z.number().optional(),
  /** The gateway's ID. The same number may mean another article to the news service, so it is never sent there. */
  gatewayId: z.number().optional(),
  title: z.string(),
  summary: z.string(),
  /** http or https. */
  url: z.string(),
  /** Epoch milliseconds. */
  published: z.number().optional(),
  source: z.string().optional(),
  /** Entity IDs by how much the article is about them. */
  entities: z.object({ primary: ids, secondary: ids, tertiary: ids }),
});
export type Article = z.infer<typeof articleSchema>;

/**
 * An entity that a service lists as prominent now, whichever service it came from; a figure that it does not give is
 * missing.
 */
export const trendSchema = z.object({
  name: z.string(),
  /** The type's display name. */
  type: z.string(),
  mentions: z.number(),
  average: z.number().optional(),
  score: z.number().optional(),
});
export type Trend = z.infer<typeof trendSchema>;

// The news service documents the first name of each, and the gateway none.
const TREND_NAMES = {
  name: ["name", "entity_name"],
  type: ["type_display", "type", "entity_type"],
  mentions: ["raw_count", "mentions", "count"],
  average: ["moving_average", "average"],
  score: ["deltaPrimeStdDevDifferenceDelta", "score"],
};

/** A ranking as either service sends it; what is new may have no average yet. */
export const trendList = listAnswer<Trend>(
  withNames(
    TREND_NAMES,
    z.object({
      name: text(200),
      type: text(100).catch("Entity"),
      mentions: amount,
      average: maybe(amount),
      score: maybe(quantity),
    }),
  ),
  "entities",
);

// The news service documents title, summary, url, published and the three tiers. Not shown: the name of an article's own
// ID there, the format of `published`, and all of the gateway's article fields.
const NAMES = {
  id: spellings(["id", "article_id"]),
  title: spellings(["title", "headline"]),
  summary: spellings(["summary", "description", "snippet"]),
  url: spellings(["url", "link", "article_url"]),
  published: spellings(["published", "published_at", "published_date", "date"]),
  source: spellings(["source", "source_name", "publisher"]),
  // An article without tiers may have one list of entities, as IDs or as records.
  primary: spellings(["primary_entities", "entities"]),
  secondary: spellings(["secondary_entities"]),
  tertiary: spellings(["tertiary_entities"]),
};

/** Reads one article in one pass, as most of an answer is articles; without a headline or a web address it is none. */
export function readArticle(raw: unknown): Article | undefined {
  if (!isRecord(raw)) return undefined;
  const title = readMarkup(firstMember(raw, NAMES.title), 500);
  const url = readAddress(firstMember(raw, NAMES.url));
  if (title === undefined || url === undefined) return undefined;
  const source = firstMember(raw, NAMES.source);
  return {
    id: readIdentifier(firstMember(raw, NAMES.id)),
    title,
    summary: readMarkup(firstMember(raw, NAMES.summary), 5_000) ?? "",
    url,
    published: readTime(firstMember(raw, NAMES.published)),
    // A publisher is a name, or a record with one.
    source: readMarkup(isRecord(source) ? firstMember(source, ["name", "title"]) : source, 100),
    entities: {
      primary: readIdentifiers(firstMember(raw, NAMES.primary)),
      secondary: readIdentifiers(firstMember(raw, NAMES.secondary)),
      tertiary: readIdentifiers(firstMember(raw, NAMES.tertiary)),
    },
  };
}

/** A text that is written for readers, which may be HTML. */
function readMarkup(raw: unknown, max: number): string | undefined {
  return readText(typeof raw === "string" ? withoutHtml(raw.slice(0, max * 4)) : raw, max);
}

const NOT_SHOWN = /<!--[^<>]*-->|<(script|style)\b[^<>]*>[^<]*<\/\1>/gi;

// Known names with well-formed attributes only: "a < b" and "<Ctrl>" are no markup.
const TAG =
  /<\/?(a|abbr|article|aside|b|big|blockquote|br|div|em|figcaption|figure|font|footer|h[1-6]|header|hr|i|iframe|img|li|mark|ol|p|pre|q|s|section|small|span|strong|sub|sup|table|tbody|td|th|thead|tr|u|ul|video)(?:\s+[\w:-]+=(?:"[^"<>]*"|'[^'<>]*'|[^\s"'<>=]+)){0,20}\s*\/?>/gi;
const BREAKS =
  /^(?:article|aside|blockquote|br|div|figcaption|figure|footer|h[1-6]|header|hr|li|ol|p|pre|section|table|tr|ul)$/i;

/** Text without HTML: tags dropped, character references read. Other text comes back as it is. */
function withoutHtml(html: string): string {
  if (!/[<&]/.test(html)) return html;
  const untagged = html.replace(TAG, (_, name: string) => (BREAKS.test(name) ? "\n" : "")).replace(NOT_SHOWN, "");
  const plain = decodeHTMLStrict(untagged);
  return plain === html ? html : plain.replace(/[ \u00A0]+/g, " ").replace(/ ?\n[ \n]*/g, "\n");
}
