import { cite, origin, type Setting } from "./citation.ts";
import { type Entity, entityById } from "./entities.ts";
import { type Article, carries, recentArticles } from "./news.ts";
import type { Grounds } from "./retrieval.ts";
import { trending } from "./trending.ts";
import { listed } from "./words.ts";

const WORDS_WANTED = 1450;

function lengthOf(parts: string[]): number {
  return parts.join(" ").split(/\s+/).length;
}

function told(article: Article, setting: Setting): string {
  return `${article.summary} (${cite(article, setting)}, ${origin(article, setting)})`;
}

function cast(articles: Article[]): Entity[] {
  const ids = articles.flatMap((article) => [...article.primary, ...article.secondary]);
  const found = [...new Set(ids)].flatMap((id) => entityById(id) ?? []);
  return found.filter((entity) => entity.kind === "company" || entity.kind === "person");
}

function profile(entity: Entity, now: number): string {
  const { role, business, chief, home_region: home, sector } = entity.metadata;
  const trend = trending({ now, limit: 500 }).find((one) => one.entity === entity);
  const press = trend
    ? `It is in ${trend.count} articles of the last 24 hours, against ${trend.average.toFixed(1)} on a usual day.`
    : "It has not been in the news of the last 24 hours.";
  if (entity.kind === "person") return `- **${entity.name}** — ${role} (${home}).`;
  const listing = `${entity.exchange}: ${entity.symbol}`;
  return `- **${entity.name}** (${listing}) — ${business}; based in ${home}, counted under ${sector}, led by ${chief}. ${press}`;
}

/** Other news, the closest first: what shares most entities with the articles of the answer. */
function related(articles: Article[], now: number): Article[] {
  const known = new Set(articles.map((article) => article.title));
  const ids = [
    ...new Set(articles.flatMap((article) => [...article.primary, ...article.secondary, ...article.tertiary])),
  ];
  return recentArticles(now)
    .filter((article) => !known.has(article.title))
    .map((article) => ({ article, shared: ids.filter((id) => carries(article, id)).length }))
    .toSorted((left, right) => right.shared - left.shared)
    .map((one) => one.article);
}

/** An answer of about 1,500 words: the course of events, the cast, and as much of the wider picture as it takes. */
export function longAnswer(grounds: Grounds, setting: Setting): string {
  const inOrder = grounds.articles.toSorted((left, right) => left.published - right.published);
  const names = grounds.subjects.map((subject) => `**${subject.name}**`);
  const about = names.length > 0 ? listed(names) : "this";
  const parts = [
    `## The story so far`,
    `${inOrder.length} reports tell the course of events around ${about}. From the oldest to the newest:`,
    ...inOrder.map((article) => told(article, setting)),
    "## Who is involved",
    cast(inOrder)
      .slice(0, 12)
      .map((entity) => profile(entity, setting.now))
      .join("\n"),
    "## The wider picture",
    "News of the same days that touches the same companies, industries and regions:",
  ];
  for (const article of related(inOrder, setting.now)) {
    if (lengthOf(parts) >= WORDS_WANTED) break;
    parts.push(`**${article.title}.** ${told(article, setting)}`);
  }
  const outlets = [...new Set(inOrder.map((article) => article.source))];
  parts.push("## What this rests on", `The course of events is taken from ${listed(outlets)}.`);
  return parts.join("\n\n");
}
