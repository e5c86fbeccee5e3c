import { randomUUID } from "node:crypto";

import type { Article } from "../../apis/article.ts";
import type { Gateway } from "../../apis/gateway/client.ts";
import { newPost } from "../../slack/delivery/outbox.ts";
import type { Lists } from "../articles/store.ts";
import { stageEntityIds } from "../../apis/intelligence/schema.ts";
import { sourceTitle, stagesOf } from "../sources/index.ts";
import { filterOf, isFiltering, selectArticles, tierEntities } from "../articles/filter.ts";
import { bold, shorten } from "../../slack/text/mrkdwn.ts";
import { sourceProblem } from "../subscriptions/view.ts";
import { storySources } from "./question.ts";
import { type AnnouncedStories, type AnnouncedStory, keysOf, knownStory } from "../subscriptions/announced.ts";
import {
  type Digest,
  type DigestContent,
  type DigestPost,
  type SourceDigest,
  type StoryDigest,
  firstStart,
} from "./digest.ts";
import { type ReadDependencies, type Payer, type SourceRead, createSourceReads } from "../subscriptions/reads.ts";
import { candidatesOf, newArticles, onceEach } from "../subscriptions/arrivals.ts";
import { memoize } from "../subscriptions/jobs.ts";
import { type Lead, type LeadDependencies, writeLead } from "./lead.ts";
import { answerSettings, orderOf } from "./options.ts";
import { developmentOf } from "../articles/development.ts";
import { byImportance } from "../articles/importance.ts";
import { type Interest, interestNow } from "../articles/interest.ts";
import { type Repeat, type Story, articlesOf, separateRepeats } from "../articles/stories.ts";
import { type ArticleList, newestFirst, usuallyListed, billOf } from "../articles/list.ts";
import { entityNames } from "../sources/directory.ts";

/** The content of a digest before it becomes a post. */
export interface DigestDraft {
  at: number;
  /** The articles that are news to the channel; its total counts all of them. */
  list: ArticleList;
  /** Stories that it has, and those of them that have no place in the list. */
  stories: number;
  unlisted: number;
  /** The sources of a briefing that couldn't be read, with why. */
  missing: string[];
  /** The articles of the source that pass the filter, and those of them that appeared since the last run. */
  articles: Article[];
  arrived: Article[];
  /** Articles on stories that the channel was shown, and how many stories that are. */
  repeated: Article[];
  repeats: number;
  /** Articles on stories that somebody hid from the channel, each with the story. */
  hidden: ReadonlyMap<Article, AnnouncedStory>;
  /** The cost of this digest's read; missing if it shared the read of another one. */
  bill?: string | undefined;
}

export interface DraftDependencies extends ReadDependencies, LeadDependencies {
  intelligence: ReadDependencies["intelligence"] &
    LeadDependencies["intelligence"] &
    Parameters<typeof entityNames>[2]["intelligence"];
  gateway: Gateway;
  announced: Pick<AnnouncedStories, "known" | "recent">;
  lists: Pick<Lists, "keep">;
  interest: Pick<Interest, "of">;
  now: () => number;
}

/** Drafts of digests that are due together: each source is read once, equal lists are kept once, and equal intros are written once. */
export type Drafts = ReturnType<typeof createDrafts>;

interface DraftsOptions {
  /** The gateway that pays for what is read or written for a digest; throws if nobody may any more. */
  payer: Payer;
  signal?: AbortSignal | undefined;
}

/** Stories that somebody gets who wants the newest, whatever their age. */
const newestMost = 5;

/** Drafts of the digests of one tick. */
export function createDrafts(deps: DraftDependencies, { payer, signal }: DraftsOptions) {
  const { announced, interest, now } = deps;
  const read = createSourceReads(deps, { payer, signal });
  const names = new Map<SourceRead, Promise<Record<string, string>>>();
  const kept = new Map<string, Promise<string>>();
  const leads = new Map<string, Promise<Lead>>();

  async function readPart(follower: SourceDigest): Promise<SourcePart | UnreadSource> {
    try {
      const found = await read(follower);
      return { follower, found, wanted: await wantedOf(follower, found) };
    } catch (error) {
      return { error, words: `${bold(shorten(sourceTitle(follower.source), 60))}: ${sourceProblem(error)}` };
    }
  }

  /** The sources of a digest as they were read; of a briefing, those that could be, if any could. */
  async function readAll(digest: StoryDigest): Promise<{ parts: SourcePart[]; missing: string[] }> {
    const all = await Promise.all(sourcesOf(digest).map(readPart));
    const parts = all.filter((each) => "found" in each);
    const missing = all.filter((each) => "error" in each);
    if (parts.length === 0) throw missing[0]?.error;
    return { parts, missing: missing.map(({ words }) => words) };
  }

  /** The articles of its source that pass the filter of a digest. */
  async function wantedOf({ source, style = {} }: SourceDigest, { articles }: SourceRead): Promise<Article[]> {
    if (!isFiltering(style)) return articles;
    const entities = style.tier ? await tierEntities(style, source, deps, signal) : undefined;
    return selectArticles(articles, { ...style, entities });
  }

  /** The entities that a source names itself; a saved filter's would have to be asked for. */
  async function followedIn(source: SourceDigest["source"]): Promise<number[]> {
    if (source.kind === "entity") return source.ids;
    if (source.kind !== "watchlist") return [];
    const stages = (await stagesOf(source, deps, signal)) ?? [];
    return stageEntityIds(stages.filter(({ not }) => !not));
  }

  /** The context of its channel and its source that decides the importance of a digest's stories. */
  async function importanceIn(digest: StoryDigest, { among, recent }: Among) {
    const { last, channel, team } = digest;
    const hidden = recent.filter((story) => story.hidden).map(({ entities }) => entities.primary);
    const [used, ...watched] = await Promise.all([
      interest.of({ team, channel }),
      ...sourcesOf(digest).map(({ source }) => followedIn(source)),
    ]);
    return {
      now: now(),
      since: last?.at,
      among,
      hidden,
      watched: watched.flat(),
      interest: interestNow(used, now()),
    };
  }

  /** Names of the entities of a read, asked for once. */
  const namesOf = (found: SourceRead) =>
    memoize(names, found, () =>
      entityNames(candidatesOf(found.articles).slice(0, usuallyListed), signal ?? never, deps),
    );

  return {
    read,
    /** Resolves when a digest's source has been read, whatever came of it. */
    async ready(digest: StoryDigest): Promise<void> {
      await Promise.allSettled(sourcesOf(digest).map(read));
    },
    /** The draft of a digest; writes down only when articles first appeared. */
    async draft(digest: StoryDigest): Promise<DigestDraft> {
      const { source, team, number } = digest;
      const { parts: reads, missing } = await readAll(digest);
      const wanted = onceEach(newestFirst(reads.flatMap((part) => part.wanted)));
      const arrived = onceEach(newestFirst(reads.flatMap((part) => arrivedOf(digest, part))));
      const shown = await announced.known(digest, arrived);
      const fresh = arrived.filter((article) => !shown.has(article));
      const recent = fresh.length > 0 ? await announced.recent(digest, now()) : [];
      const named = fresh.length > 0 ? await Promise.all(reads.map(({ found }) => namesOf(found))) : [];
      const known = Object.fromEntries(named.flatMap((each) => Object.entries(each)));
      const among = onceEach(newestFirst(reads.flatMap(({ found }) => candidatesOf(found.articles))));
      const parts = partsOf(fresh, { among, recent, names: known });
      const told = digest.wantsNewest ? { ...parts, stories: parts.stories.slice(0, newestMost) } : parts;
      const isTop = orderOf(digest) === "top";
      const ranking = isTop && told.stories.length > 0 ? await importanceIn(digest, { among, recent }) : undefined;
      const stories = ranking ? byImportance(told.stories, ranking) : told.stories;
      const news = isTop ? stories.flatMap(articlesOf) : newestFirst(stories.flatMap(articlesOf));
      const articles = news.slice(0, usuallyListed);
      const bills = reads.flatMap(({ found: { paidBy, credits } }) =>
        paidBy.team === team && paidBy.number === number ? billOf(credits) : [],
      );
      const isBriefing = source.kind === "several";
      return {
        at: Math.min(...reads.map(({ found }) => found.at)),
        missing,
        list: {
          title: isBriefing ? "Briefing" : sourceTitle(source),
          articles,
          total: news.length,
          ...(!isBriefing && source.kind !== "trending" && { source }),
          ...(isBriefing && { origins: originsOf(articles, reads) }),
          ...(isFiltering(digest.style ?? {}) && { filter: filterOf(digest.style ?? {}) }),
          names: namesAbout(articles, known),
          ...(isTop && { isRanked: true }),
          ...(Object.keys(told.updates).length > 0 && { updates: told.updates }),
        },
        stories: stories.length,
        unlisted: stories.filter((story) => !articlesOf(story).some((each) => articles.includes(each))).length,
        articles: wanted,
        arrived,
        repeated: told.repeats.flatMap((repeat) => repeat.articles),
        repeats: told.repeats.length,
        hidden: parts.hidden,
        bill: bills.length > 0 ? bills.join(" · ") : undefined,
      };
    },
    /** The post of a draft that has something new: keeps its list, and has its intro written. */
    async post(digest: Digest, { list, unlisted, repeats, bill }: DigestDraft, at: number): Promise<DigestPost> {
      const settings = answerSettings(digest.style);
      const payingNeeds = { ...deps, gateway: payer(digest) };
      const lead = digest.style?.hasLead
        ? await memoize(leads, JSON.stringify([digest.team, settings, list]), () =>
            writeLead(list, settings, payingNeeds, signal),
          )
        : undefined;
      const costs = [bill, lead?.small].filter((each) => each !== undefined).join(" · ");
      return digestPost(at, {
        list: await memoize(kept, JSON.stringify([digest.team, list]), () => deps.lists.keep(list, digest.team)),
        counts: {
          since: digest.last?.at,
          ...(unlisted > 0 && { unlisted }),
          ...(repeats > 0 && { repeats }),
        },
        ...(lead?.text && { lead: lead.text }),
        ...(costs && { bill: costs }),
      });
    },
  };
}

/** The new articles of a source by what their channel knows of them. */
interface DraftParts {
  /** Stories that it was not shown, and those that have developed since. */
  stories: Story[];
  /** The news in stories that have developed, by the address of each of their articles. */
  updates: Record<string, string>;
  /** Reports on stories that it was shown. */
  repeats: Repeat<KnownStory>[];
  hidden: Map<Article, AnnouncedStory>;
}

type KnownStory = ReturnType<typeof knownStory>;

interface PartsContext {
  /** All that the source has. */
  among: Article[];
  /** Stories that the channel was shown lately, and those that are hidden from it. */
  recent: AnnouncedStory[];
  names: Record<string, string>;
}

type Among = Pick<PartsContext, "among" | "recent">;

function partsOf(fresh: Article[], { among, recent, names }: PartsContext): DraftParts {
  const known = recent.map(knownStory);
  const { stories, repeats } = separateRepeats(fresh, { among, known, names });
  const shown = known.flatMap(({ reports }) => reports);
  const parts: DraftParts = { stories, updates: {}, repeats: [], hidden: new Map() };
  for (const repeat of repeats) {
    const { of, articles } = repeat;
    const [lead, ...others] = articles;
    if (of.story.hidden) for (const article of articles) parts.hidden.set(article, of.story);
    if (!lead || of.story.hidden) continue;
    const change = developmentOf(articles, { shown, outlets: of.story.outlets ?? 1, names });
    if (change === undefined) parts.repeats.push(repeat);
    else parts.stories.push({ lead, others });
    if (change !== undefined) for (const { url } of articles) parts.updates[url] = change;
  }
  return parts;
}

/** A source as it was read for a digest. */
interface SourcePart {
  follower: SourceDigest;
  found: SourceRead;
  /** Its articles that pass the digest's filter. */
  wanted: Article[];
}

interface UnreadSource {
  error: unknown;
  /** Its name and why it couldn't be read, as mrkdwn. */
  words: string;
}

/** A digest for each of its sources. */
function sourcesOf(digest: StoryDigest): SourceDigest[] {
  const { source } = digest;
  const sources = source.kind === "several" ? storySources(source) : [source];
  return sources.map((each) => ({ ...digest, source: each }));
}

/** The names of the sources that have each article, by its address. */
function originsOf(articles: Article[], reads: SourcePart[]): Record<string, string[]> {
  const sources = reads.map(({ follower, wanted }) => ({
    name: shorten(sourceTitle(follower.source), 40),
    keys: new Set(wanted.flatMap(keysOf)),
  }));
  const originOf = (article: Article) =>
    sources.filter(({ keys }) => keysOf(article).some((key) => keys.has(key))).map(({ name }) => name);
  return Object.fromEntries(articles.map((article) => [article.url, originOf(article)]));
}

/** The articles of a digest that are new since its last run; for the first one, those of the time before it. */
function arrivedOf(digest: StoryDigest, { wanted, found: { at, arrivals } }: SourcePart): Article[] {
  const { last, wantsNewest } = digest;
  if (last || wantsNewest) return newArticles(wanted, { lastAt: wantsNewest ? undefined : last?.at, arrivals });
  const start = firstStart(digest, at);
  return newArticles(wanted, { lastAt: start, arrivals }).filter(({ published = at }) => published > start);
}

/** A post with an idempotency key of its own. */
export function digestPost(since: number, content: DigestContent): DigestPost {
  return newPost({ key: randomUUID(), since, content });
}

const never = new AbortController().signal;

/** The names that these articles need. */
function namesAbout(articles: Article[], names: Record<string, string>): Record<string, string> {
  const ids = articles.flatMap(({ entities: { primary, secondary } }) => [...primary, ...secondary]);
  return Object.fromEntries([...new Set(ids)].flatMap((id) => (names[id] ? [[id, names[id]]] : [])));
}
