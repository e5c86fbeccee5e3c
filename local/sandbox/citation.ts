import type { Article } from "./news.ts";
import { ago } from "./words.ts";

/** Where the reader's questions and links stand. */
export interface Setting {
  question: string;
  now: number;
  origin: string;
  directUrls: boolean;
}

/** The citation of an article: its direct address, or the platform's. */
export function cite(article: Article, setting: Setting): string {
  const address = setting.directUrls ? article.url : `${setting.origin}/articles/${article.id}`;
  return `[${article.title.replaceAll(/[[\]]/g, "\\$&")}](${address})`;
}

/** "*Meridian Wire*, 3 hours ago". */
export function origin(article: Article, setting: Setting): string {
  return `*${article.source}*, ${ago(setting.now - article.published)}`;
}
