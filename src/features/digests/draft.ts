import type { Article } from "../../apis/article.ts";
import { Unavailable, UnexpectedAnswer, UsageError } from "../../apis/errors.ts";
import type { Services } from "../feature.ts";
import { namesIn } from "../list.ts";
import { type ArticleList, creditsLine, mostListed } from "../news/view.ts";
import { type Digest, candidatesOf, newArticles, sourceKey, tellerOf } from "./compose.ts";
import { nameOf } from "./view.ts";
import { separateRepeats, storiesOf } from "./stories.ts";
import { type Found, articlesOf } from "./sources.ts";
import type { GenerativeMessage } from "../../apis/intelligence/generate.ts";
import { describe } from "../../log.ts";
import { shorten, spokenMarkdown } from "../../slack/text/mrkdwn.ts";
import { articleMessages, articlesAsText } from "../text.ts";
import { sourceProblem } from "../subscriptions/view.ts";

/** What digests that are due together share: each source is read once, and what is equal is kept and written once. */
export interface Reads {
  /** Resolves when a digest's source has been read, whatever came of it. */
  ready(digest: Digest): Promise<void>;
  /** What a digest would hold that is made now; nothing is written down. */
  draft(digest: Digest): Promise<Draft>;
  /** Keeps a list, the same list once; gives what it is kept under. */
  keep(list: ArticleList): Promise<string>;
  /** A paragraph about the articles of a list. */
  lead(list: ArticleList, digest: Digest): Promise<Lead>;
}

/** What a digest would hold. */
export interface Draft {
  /** When its source was read. */
  at: number;
  list: ArticleList;
  /** All that the source has, and what of it came since the digest last ran. */
  articles: Article[];
  arrived: Article[];
  /** Articles on stories that the channel was shown, and how many stories that are. */
  repeated: Article[];
  repeats: number;
  /** How many articles there are, and how many of them are news to the channel. */
  found: number;
  fresh: number;
  /** What this digest's read cost; nothing where another one's was shared. */
  bill?: string | undefined;
}

/** The gateway that pays for what is read or written for a digest. */
type Payer = (digest: Digest) => Services["gateway"];

interface ReadsOptions {
  payer: Payer;
  signal?: AbortSignal | undefined;
}

/** Articles of a first digest: a taste, and no flood. */
const openingMost = 5;

/** Reads for the digests of one tick. */
export function createReads(services: Services, { payer, signal }: ReadsOptions): Reads {
  const { announced, now } = services;
  const kept = new Map<string, Promise<string>>();
  const leads = new Map<string, Promise<Lead>>();
  const named = new Map<Read, Promise<Record<string, string>>>();
  const sources = createSources(services, payer, signal);
  const namesOf = (found: Read) =>
    once(named, found, () => namesIn(candidatesOf(found.articles).slice(0, mostListed), signal ?? never, services));

  return {
    async ready(digest) {
      await sources.read(digest).catch(() => undefined);
    },
    async draft(digest) {
      const { found, isPayer } = await sources.read(digest);
      const arrived = newArticles(found.articles, { digest, arrivals: found.arrivals });
      const shown = await announced.known(digest, arrived);
      const fresh = arrived.filter((article) => !shown.has(article));
      if (isPayer) await sources.saw(digest);
      const recent = fresh.length > 0 ? await announced.recent(digest, now()) : [];
      const names = recent.length > 0 ? await namesOf(found) : {};
      const parts = separateRepeats(fresh, { found: candidatesOf(found.articles), announced: recent, names });
      const news = digest.last ? parts.news : parts.news.slice(0, openingMost);
      const repeated = digest.last ? parts.repeats : [];
      const articles = news.slice(0, mostListed);
      return {
        at: found.at,
        list: {
          title: nameOf(digest.source),
          articles,
          total: news.length,
          ...(digest.source.kind !== "trending" && { source: digest.source }),
          names: articles.length > 0 ? about(articles, await namesOf(found)) : {},
        },
        articles: found.articles,
        arrived,
        repeated,
        repeats: storiesOf(repeated, names).length,
        found: found.articles.length,
        fresh: news.length,
        bill: isPayer && found.credits ? creditsLine(found.credits) : undefined,
      };
    },
    keep: (list) => once(kept, contentOf(list), () => services.lists.keep(list)),
    lead(list, digest) {
      const paying = { ...services, gateway: payer(digest) };
      return once(leads, `${digest.team} ${contentOf(list)}`, () => leadOf(list, paying, signal));
    },
  };
}

/** Equal where two lists hold the same. */
function contentOf({ title, articles }: ArticleList): string {
  return [title, ...articles.map(({ url }) => url)].join("\n");
}

/** A source that was read: when, and when each of its articles came to it. */
interface Read extends Found {
  at: number;
  arrivals: ReadonlyMap<Article, number>;
}

/** What a workspace pays for is its own; what is free is everybody's. */
function sourceOf({ team, source }: Digest): string {
  return `${tellerOf(source) === "intelligence" ? "" : team} ${sourceKey(source)}`;
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
    const at = services.now();
    return { ...found, at, arrivals: await services.arrivals.of(sourceOf(digest), candidatesOf(found.articles), at) };
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

/** A paragraph about a digest's articles. */
export interface Lead {
  /** As mrkdwn; missing where it could not be written. */
  text?: string | undefined;
  /** What it cost, or why it is missing, as mrkdwn. */
  small: string;
}

const longest = 700;
/** Characters of articles that are told to a model of the gateway. */
const toldMost = 6_000;
/** A digest does not wait longer for it. */
const leadMs = 60_000;

const manner = [
  "Write the lead paragraph of a news digest: two or three plain sentences that say what happened and why it matters.",
  "Keep to these articles, and say nothing that they do not say. No heading, no list, no links, no greeting.",
].join("\n");

/** Has a lead paragraph written from exactly these articles; where that fails, says so: the digest comes without. */
export async function leadOf(list: ArticleList, services: Services, signal?: AbortSignal): Promise<Lead> {
  const silence = new AbortController();
  const cancel = services.after(leadMs, () =>
    silence.abort(new Unavailable({ api: "intelligence", operation: "lead", reason: "timeout" })),
  );
  try {
    const { text, cost } = await writeLead(
      list,
      services,
      AbortSignal.any([silence.signal, ...(signal ? [signal] : [])]),
    );
    const words = fitted(text);
    if (!words) throw new UnexpectedAnswer({ api: "intelligence", operation: "lead", detail: "no words" });
    return { text: words, small: `Lead paragraph: ${cost}` };
  } catch (error) {
    signal?.throwIfAborted();
    services.log.warn("digest.lead", { error: describe(error) });
    return { small: `Without its lead paragraph this time: ${sourceProblem(error).replace(/\.$/, "")}` };
  } finally {
    cancel();
  }
}

/** Plain words of one paragraph. */
function fitted(text: string): string {
  return shorten(spokenMarkdown(text), longest).replace(/&[a-z]{0,4}…$/, "…");
}

async function writeLead(
  { articles }: ArticleList,
  services: Services,
  signal: AbortSignal,
): Promise<{ text: string; cost: string }> {
  const { chatModel: model, configured, gateway, intelligence } = services;
  if (!configured.intelligence && configured.gateway) {
    const told = `${articlesAsText(articles, toldMost)}\n\n${manner}`;
    const { text, credits } = await gateway.chat({ model, messages: [{ role: "user", content: told }], signal });
    return { text, cost: creditsLine(credits) };
  }
  const order: GenerativeMessage = { role: "user", content: { type: "text", text: manner } };
  const messages = [...articleMessages(articles), order];
  let text = "";
  for await (const event of intelligence.generate({ messages, directUrls: true, signal })) {
    if (event.type === "text") text += event.text;
    // Whatever else it writes, nobody would read it.
    if (text.length > longest * 4) break;
  }
  return { text, cost: "no credits used" };
}
