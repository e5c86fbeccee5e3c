import { readArticle } from "../article.ts";
import type { Article } from "../article.ts";

/** Reads an article of the gateway, whose IDs are its own as far as the documents say. */
export function readGatewayArticle(raw: unknown): Article | undefined {
  const article = readArticle(raw);
  return article && { ...article, id: undefined, gatewayId: article.id };
}
