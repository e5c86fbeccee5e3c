import type { Article } from "../../../apis/article.ts";
import { UsageError } from "../../../apis/errors.ts";
import type { Services } from "../../feature.ts";
import { namesIn } from "../../names.ts";
import { type ArticleList, creditsLine, mostListed } from "../../news/view.ts";
import { keysOf } from "../../subscriptions/story.ts";
import { type Digest, candidatesOf, chosen, notAhead, sourceKey, tellerOf } from "../compose.ts";
import { type Lead, leadOf } from "../post/lead.ts";
import { type Found, articlesOf } from "./sources.ts";
import { nameOf, sourceWords } from "../view.ts";

/** What digests that are due together share: each source is read once, and what is equal is kept and written once. */
export interface Reads {
  /** Resolves when a digest's source has been read, whatever came of it. */
  ready(digest: Digest): Promise<void>;
  /** What a digest would hold that is made now; nothing is written down. */
  draft(digest: Digest): Promise<Draft>;
  /** Takes note that what a digest's source has now was dealt with. */
  done(digest: Digest): Promise<void>;
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
  /** How many there are, and how many of them are new to the place. */
  found: number;
  fresh: number;
  /** What the place will have seen without being shown it, and what it has seen before. */
  passed: string[];
  again: string[];
  /** What this digest's read cost; nothing where another one's was shared. */
  bill?: string | undefined;
}

/** The gateway that pays for what is read or written for a digest. */
type Payer = (digest: Digest) => Services["gateway"];

/** Of each place and source, what it had when it was read last: the place has seen that. */
export type Met = Map<string, ReadonlySet<string>>;

interface ReadsOptions {
  payer: Payer;
  /** Remembered from tick to tick, so that what stays in a source is not looked up each time. */
  met?: Met;
  signal?: AbortSignal | undefined;
}

/** Reads for the digests of one tick. */
export function createReads(services: Services, { payer, met = new Map(), signal }: ReadsOptions): Reads {
  const kept = new Map<string, Promise<string>>();
  const leads = new Map<string, Promise<Lead>>();
  const names = new Map<Read, Promise<Record<string, string>>>();
  const sources = createSources(services, payer, signal);
  const namesOf = (found: Read) =>
    once(names, found, () => namesIn(candidatesOf(found.articles).slice(0, mostListed), signal ?? never, services));

  return {
    ready: (digest) =>
      sources.read(digest).then(
        () => undefined,
        () => undefined,
      ),
    async draft(digest) {
      const { found, isPayer } = await sources.read(digest);
      const teller = tellerOf(digest.source);
      const all = found.keys;
      const last = met.get(readOf(digest)) ?? new Set();
      const stored = await services.seen.known(
        digest,
        [...all].filter((key) => !last.has(key)),
      );
      const known = new Set([...all].filter((key) => last.has(key) || stored.has(key)));
      const { fresh, keys: own } = chosen(found.articles, { digest: notAhead(digest, services.now()), known });
      if (isPayer) await sources.saw(digest, { found: fresh.length });
      const articles = fresh.slice(0, mostListed);
      const shown = new Set(articles.flatMap((article) => keysOf(article, teller)));
      const list = {
        title: nameOf(digest.source),
        articles,
        total: fresh.length,
        names: articles.length > 0 ? about(articles, await namesOf(found)) : {},
        ...(digest.source.kind !== "trending" && { source: digest.source }),
      };
      return {
        list,
        articles: found.articles,
        found: found.articles.length,
        fresh: fresh.length,
        passed: [...new Set(own)].filter((key) => !shown.has(key) && !known.has(key)),
        again: [...known],
        bill: isPayer && found.credits ? creditsLine(found.credits) : undefined,
      };
    },
    async done(digest) {
      const { found } = await sources.read(digest);
      met.set(readOf(digest), found.keys);
    },
    keep: (list) => once(kept, contentOf(list), () => services.lists.keep(list)),
    lead: (list, digest) =>
      once(leads, `${digest.team} ${contentOf(list)}`, () =>
        leadOf(list, { ...services, gateway: payer(digest) }, signal),
      ),
  };
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

  const saw = ({ source }: Digest, outcome: { found: number } | { error: unknown }) =>
    services.health.saw({ api: tellerOf(source), source: sourceWords(source), outcome });

  async function open(digest: Digest): Promise<Read> {
    const { source } = digest;
    const found = await articlesOf(source, { ...services, gateway: payer(digest) }, signal);
    const keys = candidatesOf(found.articles).flatMap((each) => keysOf(each, tellerOf(source)));
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
      else await saw(digest, { error });
      throw error;
    }
  }

  async function read(digest: Digest): Promise<{ found: Read; isPayer: boolean }> {
    // What a workspace pays for is its own; what is free is everybody's.
    const isFree = tellerOf(digest.source) === "intelligence";
    const key = `${isFree ? "" : digest.team} ${sourceKey(digest.source)}`;
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

function readOf({ team, channel, source }: Digest): string {
  return `${team} ${channel} ${sourceKey(source)}`;
}

function once<K, T>(known: Map<K, Promise<T>>, key: K, work: () => Promise<T>): Promise<T> {
  const standing = known.get(key);
  if (standing) return standing;
  const working = work();
  known.set(key, working);
  return working;
}

/** Equal where two lists hold the same. */
function contentOf({ title, articles }: ArticleList): string {
  return [title, ...articles.map(({ url }) => url)].join("\n");
}

/** The names that these articles need. */
function about(articles: Article[], names: Record<string, string>): Record<string, string> {
  const ids = articles.flatMap(({ entities: { primary, secondary } }) => [...primary, ...secondary]);
  return Object.fromEntries([...new Set(ids)].flatMap((id) => (names[id] ? [[id, names[id]]] : [])));
}
