import { plainText } from "./plain.ts";
import { readTime } from "./time.ts";
import { firstOf, isRecord, readAddress, readIdentifier, readIdentifiers, readText } from "./values.ts";

/** A news article, whichever service it came from. */
export interface Article {
  /** The news service's ID, by which a question can stand on the article. */
  id?: number | undefined;
  /** The gateway's ID. The same number may mean another article to the news service, so it is never sent there. */
  gatewayId?: number | undefined;
  title: string;
  summary: string;
  /** http or https. */
  url: string;
  /** Epoch milliseconds. */
  published?: number | undefined;
  source?: string | undefined;
  /** Entity IDs by how much the article is about them. */
  entities: { primary: number[]; secondary: number[]; tertiary: number[] };
}

/** Upstream's possible names of each field. */
export const ARTICLE_NAMES = {
  // The name of an article's own ID is "not shown".
  id: ["id", "articleId", "article_id", "_id"],
  // The gateway's article fields are "not shown"; the first of each is what the intelligence service documents.
  title: ["title", "headline"],
  summary: ["summary", "description", "snippet"],
  url: ["url", "link", "article_url", "articleUrl"],
  published: ["published", "published_at", "publishedAt", "date", "published_date", "publishedDate", "timestamp"],
  source: ["source", "source_name", "sourceName", "publisher"],
  // An article without tiers may have one list of entities, as IDs or as records.
  primary: ["primary_entities", "primaryEntities", "entities"],
  secondary: ["secondary_entities", "secondaryEntities"],
  tertiary: ["tertiary_entities", "tertiaryEntities"],
};

const { id, title, summary, url, published, source, primary, secondary, tertiary } = ARTICLE_NAMES;

/** Reads one article in one pass, as most of an answer is articles; without a headline or a web address it is none. */
export function readArticle(raw: unknown): Article | undefined {
  if (!isRecord(raw)) return undefined;
  const headline = readWords(firstOf(raw, title), 500);
  const address = readAddress(firstOf(raw, url));
  if (headline === undefined || address === undefined) return undefined;
  return {
    id: readIdentifier(firstOf(raw, id)),
    title: headline,
    summary: readWords(firstOf(raw, summary), 5_000) ?? "",
    url: address,
    published: readTime(firstOf(raw, published)),
    source: readSource(firstOf(raw, source)),
    entities: {
      primary: readIdentifiers(firstOf(raw, primary)),
      secondary: readIdentifiers(firstOf(raw, secondary)),
      tertiary: readIdentifiers(firstOf(raw, tertiary)),
    },
  };
}

/** A publisher is a name, or a record with one. */
function readSource(raw: unknown): string | undefined {
  return readWords(isRecord(raw) ? firstOf(raw, ["name", "title"]) : raw, 100);
}

/** What is written for readers may be written in HTML. */
function readWords(raw: unknown, max: number): string | undefined {
  return readText(typeof raw === "string" ? plainText(raw.slice(0, max * 4)) : raw, max);
}
