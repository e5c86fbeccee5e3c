import { createHash } from "node:crypto";
import { z } from "zod";

import type { Article } from "../../apis/article.ts";
import { type Api, ApiError, UsageError } from "../../apis/errors.ts";
import type { Credits } from "../../apis/gateway/schema.ts";
import { escape, shorten } from "../../slack/text/mrkdwn.ts";
import type { Services } from "../feature.ts";
import type { Source } from "../news/view.ts";
import type { Followed } from "./compose.ts";
import { type Kind, type Wanted, kinds } from "./options.ts";
import { rankingNamed } from "./ranking.ts";
import { needOneOf } from "../subscriptions/commands.ts";
import type { Collection } from "../../store/collection.ts";
import { keysOf } from "../subscriptions/announced.ts";

/** The longest query that is searched for. */
const longestQuery = 500;
/** Articles of one search: it costs a credit however many there are. */
const searched = 25;
/** Names that a hint offers. */
const listed = 10;

/** What somebody means by a number, a name or a query; where that is nothing, says what there is. */
export async function sourceOf(wanted: Wanted, services: Services, signal: AbortSignal): Promise<Followed> {
  const { kind, what } = wanted;
  await needSource(kind, services);
  if (kind === "trending") return rankingNamed(wanted, services);
  if (kind === "search") {
    if (what.length > longestQuery) throw new UsageError(`A query has at most ${longestQuery} characters.`);
    return { kind, query: what };
  }
  if (kind === "collection") return { kind, ...(await collectionOf(what, services, signal)) };
  if (kind === "jurisdiction") return jurisdictionOf(what, services, signal);
  const { id, name } = /^\d{1,15}$/.test(what)
    ? await existing(services.intelligence.channel(Number(what), signal), unknown("saved channel", what, []))
    : pick(await services.intelligence.channels(signal), what, "saved channel");
  return { kind, id, name };
}

interface Named<Id> {
  id: Id;
  name: string;
}

async function collectionOf(what: string, { gateway }: Services, signal: AbortSignal): Promise<Named<string>> {
  const { collections } = await gateway.collections(signal);
  const { id, name } = collections.find((each) => each.id === what) ?? pick(collections, what, "collection");
  return { id, name };
}

/** The channel of a jurisdiction's news; of what its agencies publish where it has no other. */
async function jurisdictionOf(what: string, { jurisdictions }: Services, signal: AbortSignal): Promise<Source> {
  const { regions } = await jurisdictions.lookup(signal);
  const all = regions.flatMap((region) => region.jurisdictions);
  const withNews = all.flatMap(({ name, jurisdictionChannel, agencyChannel }) => {
    const id = jurisdictionChannel ?? agencyChannel;
    return id === undefined ? [] : [{ id, name }];
  });
  return { kind: "jurisdiction", ...pick(withNews, what, "jurisdiction with news") };
}

/** The one that has a name, or that alone has it in its name. */
function pick<Id>(all: Named<Id>[], what: string, kind: string): Named<Id> {
  const wanted = plain(what);
  const exact = all.find(({ name }) => plain(name) === wanted);
  const near = all.filter(({ name }) => plain(name).includes(wanted));
  const found = exact ?? (near.length === 1 ? near[0] : undefined);
  if (found) return found;
  throw unknown(kind, what, near.length > 0 ? near : all);
}

function plain(name: string): string {
  return name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().trim();
}

function unknown(kind: string, what: string, all: Named<unknown>[]): UsageError {
  const offered = all.slice(0, listed).map(({ id, name }) => `• ${escape(shorten(name, 60))} (${escape(String(id))})`);
  const rest = all.length > listed ? [`and ${all.length - listed} more`] : [];
  const lead = `There is no ${kind} “${escape(shorten(what, 60))}”.`;
  if (offered.length > 0) return new UsageError([`${lead} There is:`, ...offered, ...rest].join("\n"));
  return new UsageError(kind === "saved channel" ? `${lead} \`/bellwether channels\` shows yours.` : lead);
}

/** What upstream has under a number, which it may not have. */
async function existing<T>(asked: Promise<T>, missing: UsageError): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) throw missing;
    throw error;
  }
}

/** What a source has now. */
export interface Found {
  articles: Article[];
  credits?: Credits | undefined;
}

/** Reads a source of articles; a UsageError where it has none. What costs credits is paid by the gateway that is given. */
export async function articlesOf(
  source: Followed,
  { gateway, intelligence }: Services,
  signal: AbortSignal | undefined,
): Promise<Found> {
  if (source.kind === "trending") throw new UsageError("It brings a ranking, and no articles.");
  if (source.kind === "search") return gateway.search(source.query, { limit: searched, ...(signal && { signal }) });
  if (source.kind === "collection") return gateway.runCollection(source.id, signal);
  const { stages } = await intelligence.channel(source.id, signal);
  return { articles: await intelligence.articles(stages, signal) };
}

/** What each kind of source is read with: of each group, one service will do. */
const needs: Record<Kind, [Api, ...Api[]][]> = {
  search: [["gateway"]],
  collection: [["gateway"]],
  channel: [["intelligence"]],
  jurisdiction: [["jurisdictions"], ["intelligence"]],
  trending: [["intelligence", "gateway"]],
};

/** The kinds of sources that can be read with the services that are set up. */
export function readableKinds(configured: Services["configured"]): Kind[] {
  return kinds.filter((kind) => needs[kind].every((apis) => apis.some((api) => configured[api])));
}

/** Throws what tells how an operator sets it up, where such a source cannot be read. */
export async function needSource(kind: Kind, services: Services): Promise<void> {
  for (const apis of needs[kind]) await needOneOf(apis, services);
}

/** The same where no source at all can be read. */
export async function needAnySource(services: Services): Promise<void> {
  if (readableKinds(services.configured).length === 0) await needSource("trending", services);
}

/** When each article was first found in a source, by the hash of what it is known by. */
export type ArrivalTimes = Record<string, number>;

export const arrivalsSchema: z.ZodType<ArrivalTimes> = z.record(z.string(), z.number());
/** A source that nobody has read for so long begins anew. */
export const arrivalsLifeMs = 60 * 24 * 60 * 60_000;
/** Articles that left the source are kept for as long as they would count as news if they came back, and so many at most. */
const keptMs = 8 * 24 * 60 * 60_000;
const keptMost = 1_500;

/**
 * Remembers when articles came to their sources. Services index articles hours late or give them no date, so "since the
 * last digest" goes by when an article first stood in the source; that is the same for all digests of the source.
 */
export interface Arrivals {
  /** When each of the articles came; those that nobody has seen before came now. */
  of(source: string, articles: Article[], now: number): Promise<ReadonlyMap<Article, number>>;
}

export function createArrivals(records: Collection<ArrivalTimes>): Arrivals {
  return {
    async of(source, articles, now) {
      const name = hash(source);
      const before = await records.get(name);
      const { times, after } = arrivalsAfter(before, articles, now);
      if (after) await records.set(name, after);
      return times;
    },
  };
}

/** The times of a read, and what is to be remembered of them; nothing where nothing has changed. */
export function arrivalsAfter(
  before: ArrivalTimes | undefined,
  articles: Article[],
  now: number,
): { times: Map<Article, number>; after?: ArrivalTimes } {
  const after: ArrivalTimes = {};
  let isNews = before === undefined;
  const times = new Map<Article, number>();
  for (const article of articles) {
    const keys = keysOf(article).map(hash);
    const known = keys.flatMap((key) => before?.[key] ?? after[key] ?? []);
    // Of a source that is read for the first time, nobody knows better than the articles.
    const first = before ? now : Math.min(article.published ?? now, now);
    const time = known.length > 0 ? Math.min(...known) : first;
    times.set(article, time);
    for (const key of keys) {
      if (before?.[key] === undefined) isNews = true;
      after[key] = time;
    }
  }
  if (!isNews) return { times };
  const gone = Object.entries(before ?? {})
    .filter(([key, time]) => after[key] === undefined && time > now - keptMs)
    .toSorted(([, one], [, other]) => other - one);
  return { times, after: { ...Object.fromEntries(gone.slice(0, keptMost)), ...after } };
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 12);
}
