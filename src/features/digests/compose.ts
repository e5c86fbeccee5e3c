import type { Article } from "../../apis/article.ts";
import type { Look } from "./options.ts";
import type { Posted } from "../../slack/text/message.ts";
import type { Source } from "../news/view.ts";
import { keysOf } from "../subscriptions/announced.ts";
import {
  type Subscription,
  advanced,
  earlyMs,
  isDue as isTimely,
  isRetried,
  postsMost,
  retryAfter,
} from "../subscriptions/model.ts";
import { type Compared, type Part, type RankedNames, partKey, rankedNames } from "./ranking.ts";

/** What is followed, when it comes and where it goes, with everything that became of it. */
export interface Digest extends Subscription {
  source: Followed;
  /** Missing where it looks as usual. */
  look?: Look | undefined;
  /** When its source was last read, and how much of that was new. */
  last?: { at: number; fresh: number; postedAt?: number | undefined } | undefined;
  /** The ranking that came last, where it brings one. */
  ranked?: RankedNames | undefined;
  /** Runs in a row that found nothing new, and since when. */
  quiet?: { runs: number; since: number } | undefined;
  /** What is written down and does not stand in Slack yet, as far as we know. */
  pending?: Pending | undefined;
}

/** What a digest brings: articles, or who and what is trending, of a type or of all. */
export type Followed = Source | ({ kind: "trending" } & Part);

/** A digest on its way. */
export interface Pending {
  key: string;
  since: number;
  /** The kept list of its articles; missing where it has none. */
  list?: string | undefined;
  /** A ranking, where it brings one instead. */
  ranking?: Compared | undefined;
  /** What it says of how many there are; missing in what was written down before there was such a thing. */
  counts?: Counts | undefined;
  /** What it says where it brings no articles, as mrkdwn. */
  note?: string | undefined;
  /** A paragraph about them, as mrkdwn, and what reading and writing cost. */
  lead?: string | undefined;
  bill?: string | undefined;
  /** How often it was tried, and when it is tried again. */
  tries: number;
  retryAt?: number | undefined;
  /** Set just before it goes out: from then on it may stand there. */
  sentAt?: number | undefined;
  /** The message whose thread gets the stories, once that stands. */
  root?: Posted | undefined;
}

/** Articles that a digest tells of. */
export interface Counts {
  /** Those that the source has altogether, and those that are new. */
  found: number;
  fresh: number;
  /** The time of the digest before; missing for the first one. */
  since?: number | undefined;
  /** When it should have come, where it is late. */
  due?: number | undefined;
  /** Stories that are left out because the channel was shown them before. */
  repeats?: number | undefined;
}

const dayMs = 24 * 60 * 60_000;
/** Articles of one read that can be new; no source has more in a day. */
const readMost = 200;
/** An article that is older than the last digest by so much slid back into the source's window. */
const staleMs = 7 * dayMs;

/** Whether there is something to do for it. */
export function isDue(digest: Digest, now: number): boolean {
  if (digest.state !== "active" || (digest.silentUntil ?? 0) > now) return false;
  return digest.pending ? isRetried(digest.pending.retryAt, now) : isTimely(digest, now);
}

/** As it is where it comes from now on: that place has been told nothing, so that it begins anew there. */
export function movedTo(digest: Digest, channel: string): Digest {
  return { ...digest, channel, last: undefined, ranked: undefined, quiet: undefined };
}

interface Read {
  digest: Pick<Digest, "last">;
  /** When each article came to the source. */
  arrivals: ReadonlyMap<Article, number>;
}

/**
 * What of a source's articles is new since a digest last ran, each once, the newest first; before its first run, all are.
 * Whether the channel was shown them otherwise is another matter.
 */
export function newArticles(found: Article[], { digest: { last }, arrivals }: Read): Article[] {
  const met = new Set<string>();
  return candidatesOf(found).filter((article) => {
    const keys = keysOf(article);
    const isTwice = keys.some((key) => met.has(key));
    for (const key of keys) met.add(key);
    if (isTwice || isStale(article, last?.at)) return false;
    return last === undefined || (arrivals.get(article) ?? 0) > last.at;
  });
}

/** The articles of a read that can be new, the newest first. */
export function candidatesOf(found: Article[]): Article[] {
  return found.toSorted((one, other) => (other.published ?? 0) - (one.published ?? 0)).slice(0, readMost);
}

/** Whether an article is too old to be news after a digest of a certain time. */
export function isStale({ published }: Article, lastAt: number | undefined): boolean {
  return lastAt !== undefined && published !== undefined && published < lastAt - staleMs;
}

/** The service that a source's articles come from. */
export function tellerOf({ kind }: Followed): "intelligence" | "gateway" {
  return kind === "search" || kind === "collection" ? "gateway" : "intelligence";
}

/** Whether two digests bring the same to the same place at the same times. */
export function isSame(one: Target, other: Target): boolean {
  const { pattern, zone } = one.schedule;
  const isTogether = one.team === other.team && one.channel === other.channel;
  const isAtOnce = pattern === other.schedule.pattern && zone === other.schedule.zone;
  return isTogether && isAtOnce && sourceKey(one.source) === sourceKey(other.source);
}

type Target = Pick<Digest, "team" | "channel" | "source" | "schedule">;

/** Equal where two sources bring the same articles. */
export function sourceKey(source: Followed): string {
  if (source.kind === "trending") return `trending ${partKey(source)}`;
  if (source.kind === "search") return `search ${source.query.toLowerCase().replace(/\s+/g, " ").trim()}`;
  // A jurisdiction's channel is a channel, whatever somebody calls it.
  return source.kind === "collection" ? `collection ${source.id}` : `channel ${source.id}`;
}

/** What a read has come to. */
export interface Outcome {
  at: number;
  fresh: number;
  pending?: Pending | undefined;
}

/** After a read: when it comes next, and what is to be posted. */
export function afterRead(digest: Digest, { at, fresh, pending }: Outcome): Digest {
  const quiet = fresh > 0 ? undefined : quietAfter(digest, at);
  const done = { ...digest, last: { at, fresh }, problem: undefined, quiet };
  return advanced({ ...done, pending }, at + earlyMs);
}

/** One quiet run more. */
export function quietAfter({ quiet, last }: Digest, at: number): NonNullable<Digest["quiet"]> {
  return { runs: (quiet?.runs ?? 0) + 1, since: quiet?.since ?? last?.at ?? at };
}

/** What is said after another run without anything new; a silence is warned of once. */
export function emptyWords(digest: Digest, at: number): "line" | "warning" | undefined {
  const empty = digest.look?.empty;
  if (empty === "line") return "line";
  return empty === quietAfter(digest, at).runs ? "warning" : undefined;
}

/** Before its digest is sent: whatever happens then, it counts as tried. */
export function beforePost(digest: Digest): Digest {
  return changedPending(digest, ({ tries }) => ({ tries: tries + 1 }));
}

/** At the moment in which a part of its digest goes out. */
export function atSend(digest: Digest, now: number): Digest {
  return digest.pending?.sentAt === undefined ? changedPending(digest, () => ({ sentAt: now })) : digest;
}

/** With fewer articles, some of which other posts have shown; a paragraph about all of them is true no more. */
export function withList(digest: Digest, { key }: Pending, { list, shown }: { list: string; shown: number }): Digest {
  if (digest.pending?.key !== key) return digest;
  return changedPending(digest, ({ counts }) => ({
    list,
    lead: undefined,
    counts: counts && { ...counts, fresh: counts.fresh - shown },
  }));
}

/** After Slack refused its digest: it does not stand, so nobody has to look for it. */
export function unsent(digest: Digest): Digest {
  return changedPending(digest, () => ({ sentAt: undefined }));
}

/** After it turned out that other posts have shown all that it was to show. */
export function afterOvertaken(digest: Digest): Digest {
  return { ...digest, pending: undefined, last: digest.last && { ...digest.last, fresh: 0 } };
}

/** After the message stands whose thread gets the stories. */
export function afterRoot(digest: Digest, root: Posted): Digest {
  return changedPending(digest, () => ({ root, tries: 1, sentAt: undefined }));
}

/** After its digest was posted. */
export function afterPost(digest: Digest, now: number): Digest {
  const { last, pending } = digest;
  const ranked = pending?.ranking ? { ranked: rankedNames(pending.ranking) } : {};
  return { ...digest, ...ranked, last: last && { ...last, postedAt: now }, pending: undefined, problem: undefined };
}

/** After Slack did not take its digest: it is sent again, each time later, for a day. */
export function afterRefusal(digest: Digest, problem: string, now: number): Digest {
  const tries = digest.pending?.tries ?? postsMost;
  if (tries >= postsMost) return { ...unposted(digest), problem };
  return changedPending({ ...digest, problem }, () => ({ retryAt: retryAfter(tries, now) }));
}

/** Without what waited, which will not be posted: what is still in the source counts as new again. */
export function unposted(digest: Digest): Digest {
  const { last, pending } = digest;
  const since = pending?.counts?.since;
  return { ...digest, pending: undefined, last: last && since !== undefined ? { ...last, at: since } : last };
}

/** What waited comes at once, as if it had not been tried. */
export function afterPause(digest: Digest): Digest {
  return changedPending(digest, () => ({ tries: 0, retryAt: undefined }));
}

function changedPending(digest: Digest, change: (pending: Pending) => Partial<Pending>): Digest {
  const { pending } = digest;
  return pending ? { ...digest, pending: { ...pending, ...change(pending) } } : digest;
}
