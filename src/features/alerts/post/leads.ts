import type { Article } from "../../../apis/article.ts";
import type { Gateway } from "../../../apis/gateway/client.ts";
import { describe } from "../../../log.ts";
import type { Services } from "../../feature.ts";
import { type Alert, type Episode, plain } from "../alert.ts";

const minuteMs = 60_000;
/** An alert does not wait longer for its articles. */
const patienceMs = 5_000;
/** Alerts that tell of the same entity share what was found for it. */
const sharedMs = 10 * minuteMs;
const sharedMost = 500;
/** Articles that are asked for, and that are kept to be asked about; three of them are shown. */
const wanted = 20;
const kept = 10;
const shown = 3;

interface Lead {
  articles: Article[];
}

/** What of a lead its place has not been shown; there may be nothing. */
export interface Fresh {
  /** What they are kept under. */
  list?: string;
  /** Those that the message shows. */
  shown: Article[];
}

/** What was found a moment ago, for each process's services. */
const found = new WeakMap<Services["log"], Map<string, { at: number; lead: Promise<Lead> }>>();

/**
 * The articles about an entity, those of the try before or else at the price of whoever asked for the alert; nothing where
 * they cannot be had in time: the alert is worth more than they are.
 */
export async function leadFor(alert: Alert, episode: Episode, services: Services): Promise<Lead | undefined> {
  try {
    const known = episode.list === undefined ? undefined : await services.lists.get(episode.list);
    if (known) return { articles: known.articles };
    const gateway = services.spending.gatewayFor({ team: alert.team, user: alert.maker });
    return await lead(episode, { ...services, gateway });
  } catch (error) {
    return without(alert, error, services);
  }
}

interface Found {
  alert: Alert;
  episode: Episode;
  lead: Lead;
}

/** Keeps those that no other post than the one with this key has shown at the alert's place. */
export async function freshOf(
  { alert, episode, lead: { articles } }: Found,
  by: string,
  services: Services,
): Promise<Fresh> {
  try {
    const known = await services.announced.known(alert, articles, by);
    const fresh = articles.filter((article) => !known.has(article)).slice(0, kept);
    if (fresh.length === 0) return none;
    return { list: await keep(fresh, episode, services), shown: fresh.slice(0, shown) };
  } catch (error) {
    return without(alert, error, services) ?? none;
  }
}

const none: Fresh = { shown: [] };

function without({ number }: Alert, error: unknown, { log }: Services): undefined {
  log.warn("alert.articles", { number, error: describe(error) });
}

/**
 * The same for somebody who looks closer on their own: all of them, paid by them, and the place has not
 * seen them for that.
 */
export async function leadsToShow(episode: Episode, services: Services): Promise<string | undefined> {
  try {
    const { articles } = await lead(episode, services);
    return articles.length > 0 ? await keep(articles.slice(0, kept), episode, services) : undefined;
  } catch (error) {
    services.log.warn("alert.articles", { error: describe(error) });
    return undefined;
  }
}

function keep(articles: Article[], { name }: Episode, { configured, lists }: Services): Promise<string> {
  const source = configured.gateway ? { source: { kind: "search" as const, query: name } } : {};
  return lists.keep({ title: name, articles, total: articles.length, ...source });
}

function lead(episode: Episode, services: Services): Promise<Lead> {
  const { log, now } = services;
  const shared = found.get(log) ?? new Map<string, { at: number; lead: Promise<Lead> }>();
  found.set(log, shared);
  const known = shared.get(episode.entity);
  if (known && Math.abs(now() - known.at) < sharedMs) return known.lead;
  const looking = look(episode, services);
  shared.delete(episode.entity);
  shared.set(episode.entity, { at: now(), lead: looking });
  for (const oldest of shared.keys()) {
    if (shared.size <= sharedMost) break;
    shared.delete(oldest);
  }
  // The next one may have more luck.
  looking.catch(() => shared.delete(episode.entity));
  return looking;
}

type Sources = Pick<Services, "configured" | "directory" | "intelligence"> & { gateway: Gateway };

/** From the news service where it is known which entity that is, which is free; else by a search for the name. */
async function look({ name }: Episode, { configured, directory, intelligence, gateway }: Sources): Promise<Lead> {
  const signal = AbortSignal.timeout(patienceMs);
  const { match } = configured.intelligence ? directory.search(name) : {};
  if (match && plain(match.name) === plain(name)) {
    const about = [{ not: false, entities: [{ type: "entity", value: match.id }] }];
    return { articles: newestFirst(await intelligence.articles(about, signal)) };
  }
  if (!configured.gateway) return { articles: [] };
  return { articles: (await gateway.search(name, { limit: wanted, signal })).articles };
}

function newestFirst(articles: Article[]): Article[] {
  return articles.toSorted((one, other) => (other.published ?? 0) - (one.published ?? 0)).slice(0, wanted);
}
