import type { Article } from "../../../apis/article.ts";
import { UsageError } from "../../../apis/errors.ts";
import type { Services } from "../../feature.ts";
import { namesIn } from "../../names.ts";
import { type ArticleList, creditsLine, mostListed } from "../../news/view.ts";
import { keysOf } from "../../subscriptions/story.ts";
import type { Again, Further } from "../../subscriptions/told.ts";
import type { Manner } from "../../subscriptions/meeting.ts";
import { type Parted, newsIn, opening, parted } from "../again/rule.ts";
import { type Digest, candidatesOf, chosen, emptyWords, notAhead, tellerOf } from "../compose.ts";
import { type Lead, leadOf } from "../post/lead.ts";
import { type Heard, createHeard, sourceOf } from "./heard.ts";
import { type Met, contentOf, createDealt } from "./met.ts";
import { type Found, articlesOf } from "./sources.ts";
import { nameOf } from "../view.ts";

/** What digests that are due together share: each source is read once, and what is equal is kept and written once. */
export interface Reads {
  /** Resolves when a digest's source has been read, whatever came of it. */
  ready(digest: Digest): Promise<void>;
  /** What a digest would hold that is made now; nothing is written down. */
  draft(digest: Digest): Promise<Draft>;
  /** Whether its source has brought something since its last run that its place has met otherwise. */
  isStirred(digest: Digest): Promise<boolean>;
  /** Takes note that what a digest's source has now was dealt with as in a draft. */
  done(digest: Digest, draft: Draft): Promise<void>;
  /** Keeps a list, the same list once; gives what it is kept under. */
  keep(list: ArticleList): Promise<string>;
  /** A paragraph about the articles of a list. */
  lead(list: ArticleList, digest: Digest): Promise<Lead>;
}

/** What a digest would hold. */
export interface Draft {
  list: ArticleList;
  /** All that the source has. */
  articles: Article[];
  /** Those that only tell again what the place was told of. */
  retold: Again[];
  /** How many there are, and how many of them are news to the place. */
  found: number;
  fresh: number;
  /** What the place will have met without being shown it, and what it has met before. */
  passed: Map<string, Manner>;
  again: string[];
  /** What the place had released by then. */
  releases: number;
  /** What this digest's read cost; nothing where another one's was shared. */
  bill?: string | undefined;
}

/** The gateway that pays for what is read or written for a digest. */
type Payer = (digest: Digest) => Services["gateway"];

interface ReadsOptions {
  payer: Payer;
  /** Remembered from tick to tick, so that what stays in a source is not looked up each time. */
  met?: Met;
  heard?: Heard;
  signal?: AbortSignal | undefined;
}

/** Reads for the digests of one tick. */
export function createReads(services: Services, options: ReadsOptions): Reads {
  const { payer, met = new Map(), heard = new Map(), signal } = options;
  const kept = new Map<string, Promise<string>>();
  const leads = new Map<string, Promise<Lead>>();
  const named = new Map<Read, Promise<Record<string, string>>>();
  const dealt = createDealt(met, services.seen);
  const memory = createHeard(heard, services.now);
  const sources = createSources(services, payer, signal);
  const namesOf = (found: Read) =>
    once(named, found, () => namesIn(candidatesOf(found.articles).slice(0, mostListed), signal ?? never, services));

  async function partsOf(digest: Digest, fresh: Article[], found: Read) {
    const told = fresh.length > 0 ? await services.seen.told(digest, services.now()) : [];
    const names = told.length > 0 ? await namesOf(found) : {};
    const parts = parted(fresh, { found: candidatesOf(found.articles), told, names });
    return digest.last ? parts : opening(parts);
  }

  return {
    async ready(digest) {
      await sources.read(digest).catch(() => undefined);
    },
    async draft(digest) {
      const { found, isPayer } = await sources.read(digest);
      const releases = services.seen.releases(digest);
      const known = await metOf(digest, found, { isMet: dealt.before(digest), seen: services.seen });
      const { fresh, keys: own } = chosen(found.articles, { digest: notAhead(digest, services.now()), known });
      if (isPayer) await sources.saw(digest);
      const parts = await partsOf(digest, fresh, found);
      const list = listOf(digest, fresh, await withLeftOut(digest, parts, services));
      const names = list.articles.length > 0 ? about(list.articles, await namesOf(found)) : {};
      return {
        list: { ...list, names },
        articles: found.articles,
        retold: parts.retold,
        found: found.articles.length,
        fresh: parts.news.length,
        passed: passedOf(without(own, known), { list, parts }),
        again: [...known],
        releases,
        bill: isPayer && found.credits ? creditsLine(found.credits) : undefined,
      };
    },
    async isStirred(digest) {
      const { found } = await sources.read(digest);
      return (await services.seen.known(digest, memory.since(digest, found))).size > 0;
    },
    async done(digest, { fresh, list, releases }) {
      const { found } = await sources.read(digest);
      memory.with(digest, found);
      dealt.with(digest, { keys: found.keys, underway: fresh > 0 ? list : undefined, releases });
    },
    keep: (list) => once(kept, contentOf(list), () => services.lists.keep(list)),
    lead(all, digest) {
      const list = { ...all, articles: newsIn(all), retold: undefined };
      const desk = { ...services, gateway: payer(digest) };
      return once(leads, `${digest.team} ${contentOf(list)}`, () => leadOf(list, desk, signal));
    },
  };
}

function without(keys: string[], known: ReadonlySet<string>): string[] {
  return keys.filter((key) => !known.has(key));
}

interface Memory {
  /** Whether it is known without a look into the store. */
  isMet: (key: string) => boolean;
  seen: Services["seen"];
}

/** What of a source's keys a digest's place has met. */
async function metOf(digest: Digest, { keys }: Read, { isMet, seen }: Memory): Promise<Set<string>> {
  const unmet = [...keys].filter((key) => !isMet(key));
  const stored = await seen.known(digest, unmet);
  return new Set([...keys].filter((key) => isMet(key) || stored.has(key)));
}

/** With what was left out before, where there is a post that can link to it. */
async function withLeftOut(digest: Digest, { news, retold }: Parted, { seen, now }: Services): Promise<Parted> {
  if (news.length === 0 && !emptyWords(digest, now())) return { news, retold };
  const left = await seen.leftOut(digest, now());
  return { news, retold: [...retold, ...left.map(({ article, of }) => ({ article: linkedOnly(article), of }))] };
}

function linkedOnly(article: Further): Article {
  return { ...article, summary: "", entities: { primary: [], secondary: [], tertiary: [] } };
}

/** What is news, and what only tells it again, as far as a list goes. */
function listOf(digest: Digest, fresh: Article[], { news, retold }: Parted): ArticleList {
  const listed = new Set([...news, ...retold.map(({ article }) => article)].slice(0, mostListed));
  const all = new Set([...fresh, ...retold.map(({ article }) => article)]);
  const again = retold.filter(({ article }) => listed.has(article));
  return {
    title: nameOf(digest.source),
    articles: [...all].filter((article) => listed.has(article)),
    total: news.length + retold.length,
    ...(digest.source.kind !== "trending" && { source: digest.source }),
    ...(again.length > 0 && { retold: again.map(({ article: { url }, of }) => ({ url, of })) }),
  };
}

interface Outcome {
  list: ArticleList;
  parts: Parted;
}

/** How the place will have met what it is not posted; what only tells again is worth no post of its own. */
function passedOf(keys: string[], { list, parts }: Outcome): Map<string, Manner> {
  const posted = new Set(parts.news.length > 0 ? list.articles.flatMap(keysOf) : []);
  const again = new Map(parts.retold.flatMap(({ article, of }) => keysOf(article).map((key) => [key, of] as const)));
  const mannerOf = (key: string): Manner => (again.has(key) ? { how: "left", of: again.get(key) } : { how: "passed" });
  return new Map(keys.filter((key) => !posted.has(key)).map((key) => [key, mannerOf(key)]));
}

/** A source that was read, with all that its articles are known by: one set for all places, of which there may be many. */
interface Read extends Found {
  keys: ReadonlySet<string>;
}

/** Reads each source once; whoever comes first pays. */
function createSources(services: Services, payer: Payer, signal: AbortSignal | undefined) {
  const underway = new Map<string, { payer: string; reading: Promise<Read> }>();
  /** Those who may not pay today; they need not ask again. */
  const refusals = new Map<string, UsageError>();
  const nameOfRead = ({ team, number }: Digest) => `${team} ${number}`;

  const saw = ({ source }: Digest, error?: unknown) => services.health.saw(tellerOf(source), error);

  async function open(digest: Digest): Promise<Read> {
    const { source } = digest;
    const found = await articlesOf(source, { ...services, gateway: payer(digest) }, signal);
    const keys = candidatesOf(found.articles).flatMap((each) => keysOf(each));
    return { ...found, keys: new Set(keys) };
  }

  async function start(key: string, digest: Digest): Promise<Read> {
    const name = nameOfRead(digest);
    const refusal = refusals.get(name);
    if (refusal) throw refusal;
    const reading = open(digest);
    underway.set(key, { payer: name, reading });
    try {
      return await reading;
    } catch (error) {
      // That somebody has no credits left today says nothing about the source.
      if (error instanceof UsageError) refusals.set(name, error);
      else await saw(digest, error);
      throw error;
    }
  }

  async function read(digest: Digest): Promise<{ found: Read; isPayer: boolean }> {
    const key = sourceOf(digest);
    for (let other = underway.get(key); other;) {
      const isPayer = other.payer === nameOfRead(digest);
      try {
        return { found: await other.reading, isPayer };
      } catch (error) {
        // Somebody has no credits left today; the next one may.
        if (!(error instanceof UsageError)) throw error;
      }
      const latest = underway.get(key);
      other = latest === other ? undefined : latest;
    }
    return { found: await start(key, digest), isPayer: true };
  }

  return { read, saw };
}

const never = new AbortController().signal;

function once<K, T>(known: Map<K, Promise<T>>, key: K, work: () => Promise<T>): Promise<T> {
  const standing = known.get(key);
  if (standing) return standing;
  const working = work();
  known.set(key, working);
  return working;
}

/** The names that these articles need. */
function about(articles: Article[], names: Record<string, string>): Record<string, string> {
  const ids = articles.flatMap(({ entities: { primary, secondary } }) => [...primary, ...secondary]);
  return Object.fromEntries([...new Set(ids)].flatMap((id) => (names[id] ? [[id, names[id]]] : [])));
}
