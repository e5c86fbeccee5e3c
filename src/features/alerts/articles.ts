import type { Article } from "../../apis/article.ts";
import type { Gateway } from "../../apis/gateway/client.ts";
import type { Credits } from "../../apis/gateway/schema.ts";
import { describe } from "../../log.ts";
import type { EntityMatch } from "../sources/directory.ts";
import { entityStage } from "../sources/entity.ts";
import { readSource } from "../sources/index.ts";
import { singular } from "../text.ts";
import { readKey } from "../subscriptions/reads.ts";
import type { AlertIncident } from "./alert.ts";
import type { Incident } from "./detect/incident.ts";
import { watchesSource } from "./watched.ts";
import { comparableName, foldName } from "../names.ts";
import { newestFirst } from "../articles/list.ts";
import type { AlertDependencies } from "./dependencies.ts";

/** An alert does not wait longer for its articles. */
const articlesWaitMs = 5_000;
/** The part of it for finding the entity of a name; after that the name is searched for, which costs a credit. */
const entityWaitMs = 2_500;
/** Articles that a message leads with. */
export const articlesShown = 3;
/** Articles that are asked for, and kept to be read and asked about. */
const wanted = 20;

/** Articles that a post leads with, the newest first, as its channel was not shown them; there may be none. */
export interface LeadArticles {
  /** The key of their kept list, and how many of it are new since the post was last drawn from another list. */
  list?: string | undefined;
  fresh?: number;
  /** The articles that the message shows. */
  shown: Article[];
}

interface ArticleChoice {
  /** The key of the post that shows them. */
  key: string;
  most: number;
  isFree: boolean;
  /** The kept list of an earlier try, or of the message as it stands. */
  earlier: string | undefined;
  /** It stands, and its numbers have changed: what is new comes before what it shows. */
  isGrown?: boolean;
}

/**
 * The articles about incidents of one event, the first of which it is called after, that no other post has shown in their
 * channel: those of an earlier try, else at the price of whoever created the alert. The alert is posted without them if
 * they can't be had in time.
 */
export async function chooseArticles(
  parts: AlertIncident[],
  { key, most, isFree, earlier, isGrown = false }: ArticleChoice,
  sources: AlertDependencies,
): Promise<LeadArticles> {
  const { lists, spending, announced } = sources;
  const [first, ...others] = parts.filter(({ incident }) => incident.silentSince === undefined);
  if (!first) return { shown: [] };
  const { alert, incident } = first;
  const kept = earlier === undefined ? [] : ((await lists.get(earlier, alert.team))?.articles ?? []);
  const gateway = isFree ? undefined : spending.gatewayFor({ team: alert.team, user: alert.owner });
  const isSettled = kept.length > 0 && !isGrown;
  const own = isSettled ? [] : (await findShared(first, sources, gateway, isGrown)).articles;
  const found = isSettled ? [] : await Promise.all(others.map((part) => freeArticles(part, sources, isGrown)));
  const beside = found.flat();
  const known = await announced.known(alert, [...own, ...beside, ...(isGrown ? [] : kept)], key);
  const listed = new Set(kept.map(({ url }) => url));
  const isFresh = (article: Article) => !known.has(article) && !listed.has(article.url);
  // New articles about the name in the title lead; those about the other names follow.
  const fresh = own.filter(isFresh);
  const all = [...fresh, ...kept.filter((article) => !known.has(article)), ...beside.filter(isFresh)];
  const articles = [...new Map(all.map((article) => [article.url, article])).values()];
  if (articles.length === 0) return { shown: [] };
  if (isGrown && articles.length === kept.length) return { list: earlier, fresh: 0, shown: [] };
  // The stories of a post are written down as a whole.
  const before = isGrown ? [...(await announced.known(alert, kept))] : [];
  const shown = leadingArticles(articles, incident).slice(0, most);
  return {
    list: await keepArticles(articles, first, sources),
    fresh: kept.length > 0 ? fresh.length : 0,
    shown: [...new Set([...shown, ...before])],
  };
}

/** The articles about an incident that cost nothing. */
export async function freeArticles(
  part: AlertIncident,
  sources: AlertDependencies,
  isAnew = false,
): Promise<Article[]> {
  return (await findShared(part, sources, undefined, isAnew)).articles;
}

/** The first of a list that a message shows, each headline once. */
export function leadingArticles(articles: Article[], incident: Pick<Incident, "since">): Article[] {
  const headline = ({ title }: Article) => foldName(title);
  return relatedArticles(articles, incident)
    .filter((article, at, all) => all.findIndex((each) => headline(each) === headline(article)) === at)
    .slice(0, articlesShown);
}

/** An article published longer before a spike hasn't caused it. */
export const relatedMs = 24 * 60 * 60_000;

/** The articles that can have caused a spike, or the newest if there are none. */
export function relatedArticles(
  articles: Article[],
  { since }: Pick<Incident, "since">,
  longestMs = relatedMs,
): Article[] {
  const isRelated = ({ published = since }: Article) => published > since - longestMs;
  const related = articles.filter(isRelated);
  return related.length > 0 ? related : articles.slice(0, 1);
}

/**
 * The kept list of all articles about an incident for somebody who looks closer, which doesn't count as shown in the
 * channel, and what they paid for it; without a gateway, only what is free.
 */
export async function listFor(
  about: AlertIncident,
  sources: AlertDependencies,
  gateway: Gateway | undefined,
): Promise<{ list?: string; credits?: Credits }> {
  const { articles, credits } = await findShared(about, sources, gateway);
  const list = articles.length > 0 ? await keepArticles(articles, about, sources) : undefined;
  return { ...(list !== undefined && { list }), ...(credits && { credits }) };
}

function keepArticles(
  articles: Article[],
  { alert, incident: { name } }: AlertIncident,
  { configured, lists }: AlertDependencies,
): Promise<string> {
  const source = alert.source ?? (configured.gateway ? { kind: "search" as const, query: name } : undefined);
  return lists.keep({ title: name, articles, total: articles.length, ...(source && { source }) }, alert.team);
}

interface FoundArticles {
  articles: Article[];
  /** The cost of the search; whoever comes later pays nothing. */
  credits?: Credits;
}

/** The articles about an incident, for all who ask within minutes; none about a silence, or if they can't be had. */
async function findShared(
  { alert, incident }: AlertIncident,
  sources: AlertDependencies,
  gateway: Gateway | undefined,
  isAnew = false,
): Promise<FoundArticles> {
  if (incident.silentSince !== undefined) return { articles: [] };
  const { articles: cache } = sources.alertState;
  // A check has just read what it watches; a name that trends is asked about once in each check.
  const check = isAnew ? ` ${alert.last?.at}` : "";
  const subject = watchesSource(alert) ? readKey(alert) : `${incident.entity}${check}`;
  // A paid search may find more.
  const key = gateway ? subject : `free ${subject}`;
  try {
    const known = cache.get(subject) ?? cache.get(key);
    if (known) return { articles: await known };
    const finding = findArticles({ alert, incident }, sources, gateway);
    const articles = finding.then((found) => found.articles);
    cache.set(key, articles);
    // The next one who asks may have more luck.
    articles.catch(() => cache.delete(key));
    return await finding;
  } catch (error) {
    sources.log.warn("alert.articles.failed", { number: alert.number, error: describe(error) });
    return { articles: [] };
  }
}

/** Articles of the alert's source, or of the news service if it knows the entity, which is free; else a search for the name. */
async function findArticles(
  { alert, incident }: AlertIncident,
  sources: AlertDependencies,
  gateway: Gateway | undefined,
): Promise<FoundArticles> {
  const { configured, intelligence } = sources;
  const signal = AbortSignal.timeout(articlesWaitMs);
  if (watchesSource(alert)) {
    // The check has just read it, so mostly they're shared already.
    if (!gateway) return { articles: [] };
    const { articles, credits } = await readSource(alert.source, { ...sources, gateway }, signal);
    return { articles: newestFirst(articles).slice(0, wanted), ...(credits && { credits }) };
  }
  const id = configured.intelligence ? await entityOf(incident, sources) : undefined;
  if (id !== undefined) {
    return { articles: newestFirst(await intelligence.articles([entityStage([id])], signal)).slice(0, wanted) };
  }
  if (!configured.gateway || !gateway) return { articles: [] };
  const { articles, credits } = await gateway.search(incident.name, { limit: wanted, signal });
  return { articles: newestFirst(articles), credits };
}

/** The ID of the entity with exactly that name; nothing if it isn't found in time. */
async function entityOf(
  incident: Incident,
  { directory, intelligence, log }: AlertDependencies,
): Promise<number | undefined> {
  try {
    const found = await directory.find(incident.name, intelligence, AbortSignal.timeout(entityWaitMs));
    return namedEntity(incident, found)?.id;
  } catch (error) {
    log.warn("alert.entity.failed", { error: describe(error) });
    return undefined;
  }
}

/** The entity that has the very name and, if several have it, the type. */
export function namedEntity({ name, type }: Pick<Incident, "name" | "type">, { match, near }: EntityMatch) {
  const all = [...(match ? [match] : []), ...near];
  const named = all.filter((each) => comparableName(each.name) === comparableName(name));
  const [only, ...others] = named.filter((each) => named.length === 1 || singular(each.typeName) === singular(type));
  return others.length === 0 ? only : undefined;
}
