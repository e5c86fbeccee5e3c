import { z } from "zod";
import { identifier, identifiers, maybe, renamed, text, timestamp, webAddress } from "./loose.ts";

/** A news article, whichever service it came from. */
export interface Article {
  id?: number | undefined;
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
  url: ["url", "link"],
  published: ["published", "published_at", "publishedAt", "date"],
  source: ["source", "source_name", "publisher"],
  // An article without tiers may have one list of entities, as IDs or as records.
  primary: ["primary_entities", "primaryEntities", "entities"],
  secondary: ["secondary_entities", "secondaryEntities"],
  tertiary: ["tertiary_entities", "tertiaryEntities"],
};

const source = z.union([text(100), z.object({ name: text(100) }).transform(({ name }) => name)]);

/** Reads one article; without a headline or a web address it is none. */
export const articleSchema: z.ZodType<Article> = renamed(
  ARTICLE_NAMES,
  z
    .object({
      id: maybe(identifier),
      title: text(500),
      summary: maybe(text(5_000)),
      url: webAddress,
      published: maybe(timestamp),
      source: maybe(source),
      primary: identifiers,
      secondary: identifiers,
      tertiary: identifiers,
    })
    .transform(({ id, title, summary = "", url, published, source: from, primary, secondary, tertiary }) => {
      return { id, title, summary, url, published, source: from, entities: { primary, secondary, tertiary } };
    }),
);
