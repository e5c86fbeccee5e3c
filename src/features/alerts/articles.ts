import { LRUCache } from "lru-cache";

import type { Article } from "../../apis/article.ts";
import type { Gateway } from "../../apis/gateway/client.ts";
import type { Intelligence } from "../../apis/intelligence/client.ts";
import { type Log, describe } from "../../log.ts";
import type { Spending } from "../account/spending.ts";
import type { Directory } from "../entities/directory.ts";
import type { Configured } from "../feature.ts";
import type { Lists } from "../news/store.ts";
import { newestFirst } from "../news/view.ts";
import { entityStage } from "../sources/entity.ts";
import { comparableName } from "../sources/trending.ts";
import type { AnnouncedStories } from "../subscriptions/announced.ts";
import type { Alert } from "./alert.ts";
import type { Incident } from "./incident.ts";

/** An alert does not wait longer for its articles. */
const articlesWaitMs = 5_000;
/** Articles that are asked for, and that are kept to be read and asked about. */
const wanted = 20;

/** Articles that a post leads with, the newest first, as its channel was not shown them; there may be none. */
export interface LeadArticles {
  /** What they are kept under. */
  list?: string;
  /** Those that the message shows. */
  shown: Article[];
}

/** What was found about an entity a moment ago: alerts that report the same entity share it. */
export type ArticleCache = LRUCache<string, Promise<Article[]>>;

export function createArticleCache(now: () => number): ArticleCache {
  return new LRUCache({ max: 500, ttl: 10 * 60_000, ttlResolution: 0, perf: { now } });
}

export interface ArticleSources {
  configured: Configured;
  directory: Pick<Directory, "search">;
  intelligence: Pick<Intelligence, "articles">;
  lists: Lists;
  announced: AnnouncedStories;
  spending: Pick<Spending, "gatewayFor">;
  alertState: { articles: ArticleCache };
  log: Pick<Log, "warn">;
}

/**
 * The articles about an incident that no other post has shown in the alert's channel: those of an earlier try, else at the
 * price of whoever asked for the alert. Undefined where they cannot be had in time: the alert is worth more than they are.
 */
export async function chooseArticles(
  alert: Alert,
  incident: Incident,
  { key, most }: { key: string; most: number },
  sources: ArticleSources,
): Promise<LeadArticles | undefined> {
  const { lists, spending, announced, log } = sources;
  try {
    const earlier = incident.list === undefined ? undefined : await lists.get(incident.list);
    const gateway = spending.gatewayFor({ team: alert.team, user: alert.maker });
    const articles = earlier?.articles ?? (await findShared(incident, sources, gateway));
    const known = await announced.known(alert, articles, key);
    const fresh = articles.filter((article) => !known.has(article));
    if (fresh.length === 0) return { shown: [] };
    return {
      list: await keepArticles(fresh, incident, sources),
      shown: relatedArticles(fresh, incident).slice(0, most),
    };
  } catch (error) {
    log.warn("alert.articles", { number: alert.number, error: describe(error) });
    return undefined;
  }
}

/** What was published longer before a spike has not caused it. */
const relatedMs = 24 * 60 * 60_000;

/** Of the newest articles about an entity those that can have caused its spike, or the one that comes closest. */
export function relatedArticles(articles: Article[], { since }: Pick<Incident, "since">): Article[] {
  const isRelated = ({ published = since }: Article) => published > since - relatedMs;
  const related = articles.filter(isRelated);
  return related.length > 0 ? related : articles.slice(0, 1);
}

/** The list for somebody who looks closer: all articles, paid by them; that does not count as shown in the channel. */
export async function listFor(
  incident: Incident,
  sources: ArticleSources & { gateway: Gateway },
): Promise<string | undefined> {
  try {
    const articles = await findShared(incident, sources, sources.gateway);
    return articles.length > 0 ? await keepArticles(articles, incident, sources) : undefined;
  } catch (error) {
    sources.log.warn("alert.articles", { error: describe(error) });
    return undefined;
  }
}

function keepArticles(articles: Article[], { name }: Incident, { configured, lists }: ArticleSources): Promise<string> {
  const source = configured.gateway ? { source: { kind: "search" as const, query: name } } : {};
  return lists.keep({ title: name, articles, total: articles.length, ...source });
}

function findShared(incident: Incident, sources: ArticleSources, gateway: Gateway): Promise<Article[]> {
  const { articles: cache } = sources.alertState;
  const known = cache.get(incident.entity);
  if (known) return known;
  const finding = findArticles(incident, sources, gateway);
  cache.set(incident.entity, finding);
  // The next one who asks may have more luck.
  finding.catch(() => cache.delete(incident.entity));
  return finding;
}

/** From the news service where it is known which entity that is, which is free; else by a search for the name. */
async function findArticles({ name }: Incident, sources: ArticleSources, gateway: Gateway): Promise<Article[]> {
  const { configured, directory, intelligence } = sources;
  const signal = AbortSignal.timeout(articlesWaitMs);
  const { match } = configured.intelligence ? directory.search(name) : {};
  if (match && comparableName(match.name) === comparableName(name)) {
    return newestFirst(await intelligence.articles([entityStage([match.id])], signal)).slice(0, wanted);
  }
  if (!configured.gateway) return [];
  return newestFirst((await gateway.search(name, { limit: wanted, signal })).articles);
}
