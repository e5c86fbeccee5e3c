import type { Posted } from "../../slack/text/message.ts";
import { sourceKey, sourceTitle } from "../sources/index.ts";
import type { Source } from "../sources/source.ts";
import {
  type Kind,
  type Subscription,
  advanced,
  earlyMs,
  isDue as isTimely,
  isRetried,
  postsMost,
  retryAfter,
} from "../subscriptions/model.ts";
import type { Look } from "./options.ts";
import type { ComparedRanking, RankedNames } from "./ranking.ts";

/** What somebody subscribed to, when it comes and where it goes, with everything that became of it. */
export interface Digest extends Subscription {
  source: Source;
  /** Missing where it looks as usual. */
  look?: Look | undefined;
  /** When its source was last read, and how much of that was new. */
  last?: { at: number; fresh: number; postedAt?: number | undefined } | undefined;
  /** The ranking that came last, where it brings one. */
  ranked?: RankedNames | undefined;
  /** Runs in a row that found nothing new, and since when. */
  quiet?: QuietRuns | undefined;
  /** What is written down and does not stand in Slack yet, as far as we know. */
  pending?: PendingDigest | undefined;
}

interface QuietRuns {
  runs: number;
  since: number;
}

/** A digest on its way. */
export interface PendingDigest {
  key: string;
  since: number;
  /** The kept list of its articles; missing where it has none. */
  list?: string | undefined;
  /** A ranking, where it brings one instead. */
  ranking?: ComparedRanking | undefined;
  /** What it says of how many articles there are. */
  counts?: ArticleCounts | undefined;
  /** What it says where it brings no articles, as mrkdwn. */
  note?: string | undefined;
  /** A paragraph about them, as mrkdwn, and what reading and writing cost. */
  lead?: string | undefined;
  bill?: string | undefined;
  /** How often Slack refused it, and when it is tried again. */
  tries: number;
  retryAt?: number | undefined;
  /** Set just before it goes out: from then on it may stand there. */
  sentAt?: number | undefined;
  /** The message whose thread gets the stories, once that stands. */
  root?: Posted | undefined;
}

/** How many articles a digest tells of. */
export interface ArticleCounts {
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

/** What sets digests apart from what else one can subscribe to. */
export const digestKind: Kind<Digest> = {
  noun: "digest",
  subscriptions: ({ digests }) => digests,
  title: ({ source }) => sourceTitle(source),
  isSame: isSameDigest,
  // What waited to be posted comes at once, the rest at its time.
  resumed: (digest) => withPending(digest, () => ({ tries: 0, retryAt: undefined })),
};

/** Whether there is something to do for it. */
export function isDigestDue(digest: Digest, now: number): boolean {
  if (digest.state !== "active" || (digest.silentUntil ?? 0) > now) return false;
  return digest.pending ? isRetried(digest.pending.retryAt, now) : isTimely(digest, now);
}

/** Whether two digests bring the same to the same channel at the same times. */
export function isSameDigest(one: DigestTarget, other: DigestTarget): boolean {
  const { pattern, zone } = one.schedule;
  const isTogether = one.team === other.team && one.channel === other.channel;
  const isAtOnce = pattern === other.schedule.pattern && zone === other.schedule.zone;
  return isTogether && isAtOnce && sourceKey(one.source) === sourceKey(other.source);
}

type DigestTarget = Pick<Digest, "team" | "channel" | "source" | "schedule">;

/** As it is in another channel, which was shown nothing yet, so that it begins anew there. */
export function movedTo(digest: Digest, channel: string): Digest {
  return { ...digest, channel, last: undefined, ranked: undefined, quiet: undefined };
}

/** What came of reading its source. */
export interface DigestRead {
  at: number;
  fresh: number;
  pending?: PendingDigest | undefined;
}

/** After its source was read: when it comes next, and what is to be posted. */
export function afterRead(digest: Digest, { at, fresh, pending }: DigestRead): Digest {
  const quiet = fresh > 0 ? undefined : quietAfter(digest, at);
  return advanced({ ...digest, last: { at, fresh }, problem: undefined, quiet, pending }, at + earlyMs);
}

/** Its quiet runs after one more. */
export function quietAfter({ quiet, last }: Digest, at: number): QuietRuns {
  return { runs: (quiet?.runs ?? 0) + 1, since: quiet?.since ?? last?.at ?? at };
}

/** What is said after another run without anything new; a silence is warned of once. */
export function emptyMessage(digest: Digest, at: number): "line" | "warning" | undefined {
  const empty = digest.look?.empty;
  if (empty === "line") return "line";
  return empty === quietAfter(digest, at).runs ? "warning" : undefined;
}

/** At the moment in which a part of it goes out. */
export function atSend(digest: Digest, now: number): Digest {
  return withPending(digest, ({ sentAt = now }) => ({ sentAt }));
}

/** After the message stands whose thread gets the stories. */
export function afterRoot(digest: Digest, root: Posted): Digest {
  return withPending(digest, () => ({ root, tries: 0, sentAt: undefined }));
}

/** After it was posted. */
export function afterPost(digest: Digest, now: number): Digest {
  const { last, pending } = digest;
  const ranked = pending?.ranking?.rows.map(({ entity, name }) => ({ entity, name })) ?? digest.ranked;
  return { ...digest, ranked, last: last && { ...last, postedAt: now }, pending: undefined, problem: undefined };
}

/** After other posts have shown all that it was to show. */
export function afterOvertaken(digest: Digest): Digest {
  return { ...digest, pending: undefined, last: digest.last && { ...digest.last, fresh: 0 } };
}

/** After Slack refused it, so that it does not stand and nobody has to look for it. */
export function afterRefusal(digest: Digest): Digest {
  return withPending(digest, () => ({ sentAt: undefined }));
}

/** With its next attempt, each later than the one before, for a day. */
export function retriedLater(digest: Digest, problem: string, now: number): Digest {
  const tries = (digest.pending?.tries ?? 0) + 1;
  if (tries >= postsMost) return { ...givenUp(digest), problem };
  return withPending({ ...digest, problem }, () => ({ tries, retryAt: retryAfter(tries, now) }));
}

/** Without what waited, which will not be posted: what is still in the source counts as new again. */
export function givenUp(digest: Digest): Digest {
  const { last, pending } = digest;
  const since = pending?.counts?.since;
  return { ...digest, pending: undefined, last: last && since !== undefined ? { ...last, at: since } : last };
}

function withPending(digest: Digest, change: (pending: PendingDigest) => Partial<PendingDigest>): Digest {
  const { pending } = digest;
  return pending ? { ...digest, pending: { ...pending, ...change(pending) } } : digest;
}
