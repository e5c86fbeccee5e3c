import type { Article } from "../apis/article.ts";
import type { GenerativeMessage } from "../apis/intelligence/generate.ts";
import { shorten } from "../slack/mrkdwn.ts";

/** Characters of articles that have to be told in words: room for the headlines and addresses of the longest list. */
const longest = 16_000;
/** Characters of each article's summary, tried one after the other until all articles have room. */
const summaryLengths = [600, 300, 120, 0];
const lead = "These are the articles to stand on:";

/**
 * Articles as the generative endpoint takes them: by their IDs where the news service has given all of them one, else in
 * words with their links, as many as have room. Nothing else decides how articles get into a question.
 */
export function articleMessages(articles: Article[]): GenerativeMessage[] {
  const articleIds = articles.flatMap(({ id }) => (id === undefined ? [] : [id]));
  if (articleIds.length === articles.length) return [{ role: "user", content: { type: "svc_news", articleIds } }];
  return [{ role: "user", content: { type: "text", text: articlesAsText(articles, longest) } }];
}

/** The articles that `articleMessages` tells of. */
export function articlesTold(articles: Article[]): Article[] {
  return articles.every(({ id }) => id !== undefined) ? articles : articlesWithin(articles, longest);
}

/** Articles in plain words, in at most `most` characters; rather with shorter summaries than with one missing. */
export function articlesAsText(articles: Article[], most: number): string {
  return lead + entriesWithin(articles, most).join("");
}

/** The articles that `articlesAsText` has room for. */
export function articlesWithin(articles: Article[], most: number): Article[] {
  return articles.slice(0, entriesWithin(articles, most).length);
}

function entriesWithin(articles: Article[], most: number): string[] {
  let entries: string[] = [];
  for (const length of summaryLengths) {
    entries = fitting(
      articles.map((article, index) => entryOf(article, index, length)),
      most - lead.length,
    );
    if (entries.length === articles.length) break;
  }
  return entries;
}

function fitting(entries: string[], most: number): string[] {
  let length = 0;
  const tooMany = entries.findIndex((entry) => (length += entry.length) > most);
  return tooMany < 0 ? entries : entries.slice(0, tooMany);
}

function entryOf({ title, source, published, url, summary }: Article, index: number, length: number): string {
  const from = [source, published !== undefined && new Date(published).toISOString()].filter(Boolean).join(", ");
  const words = length > 0 && summary ? `\n${shorten(summary, length)}` : "";
  return `\n\n${index + 1}. ${title}${from && ` (${from})`}\n${url}${words}`;
}
