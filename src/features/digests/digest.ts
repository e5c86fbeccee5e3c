import { z } from "zod";

import type { Posted } from "../../slack/text/message.ts";
import { foldName } from "../list.ts";
import { storedOptions } from "../options.ts";
import type { Source } from "../sources/source.ts";
import {
  type Kind,
  advanced,
  earlyMs,
  isDue as isTimely,
  isRetried,
  postsMost,
  retryAfter,
} from "../subscriptions/model.ts";
import { subscriptionShape } from "../subscriptions/store.ts";
import { lookOptions } from "./options.ts";
import { subjectKey, subjectSchema, subjectTitle } from "./question.ts";

/** How many articles a digest tells of. */
const countsSchema = z.object({
  /** Those that the source has altogether, and those that are new. */
  found: z.number(),
  fresh: z.number(),
  /** The time of the digest before; missing for the first one. */
  since: z.number().optional(),
  /** When it should have come, where it is late. */
  due: z.number().optional(),
  /** Stories that are left out because the channel was shown them before. */
  repeats: z.number().optional(),
});
export type ArticleCounts = z.infer<typeof countsSchema>;

const rankedSchema = { entity: z.string(), name: z.string() };

/** A ranking beside the one before it. */
const rankingSchema = z.object({
  rows: z.array(
    z.object({
      ...rankedSchema,
      type: z.string(),
      mentions: z.number(),
      average: z.number().optional(),
      score: z.number().optional(),
      rank: z.number(),
      /** Its rank the last time; missing where it had none. */
      before: z.number().optional(),
    }),
  ),
  /** Names that stood in the last one and do not in this one. */
  gone: z.array(z.string()),
});
export type ComparedRanking = z.infer<typeof rankingSchema>;

/** An answer that is to be posted. */
const answerSchema = z.object({
  question: z.string(),
  /** As the model wrote it, in Markdown. */
  text: z.string(),
  /** When the articles begin that it was asked of. */
  start: z.number(),
  /** Its sources, and where it looked, as mrkdwn. */
  receipt: z.string(),
  /** What may be asked next. */
  next: z.array(z.string()),
});
export type PendingAnswer = z.infer<typeof answerSchema>;

/** A digest on its way. What came later than the first digests is optional, so that those stored before still read. */
const pendingSchema = z.object({
  /** The idempotency key of its post. */
  key: z.string(),
  since: z.number(),
  /** The kept list of its articles; missing where it has none. */
  list: z.string().optional(),
  /** A ranking, where it brings one instead. */
  ranking: rankingSchema.optional(),
  /** An answer, where it posts one; `list` is then the list of its sources. */
  answer: answerSchema.optional(),
  counts: countsSchema.optional(),
  /** What it says where it brings no articles, as mrkdwn. */
  note: z.string().optional(),
  /** A paragraph about them, as mrkdwn, and what reading and writing cost. */
  lead: z.string().optional(),
  bill: z.string().optional(),
  /** How often Slack refused it, and when it is tried again. */
  tries: z.number(),
  retryAt: z.number().optional(),
  /** Set just before it goes out: from then on it may stand there. */
  sentAt: z.number().optional(),
  /** The message whose thread gets the stories, once that stands. */
  root: z.object({ channel: z.string(), ts: z.string() }).optional(),
});
export type PendingDigest = z.infer<typeof pendingSchema>;

/** What somebody subscribed to, when it comes and where it goes, with everything that became of it. */
export const digestSchema = z.object({
  ...subscriptionShape,
  source: subjectSchema,
  /** Missing where it looks as usual. */
  look: storedOptions(lookOptions).optional(),
  /** When its source was last read, how much of that was new, and how many stories were posted. */
  last: z
    .object({ at: z.number(), fresh: z.number(), postedAt: z.number().optional(), stories: z.number().optional() })
    .optional(),
  /** Who stood in the ranking that came last, where it brings one, the first one first. */
  ranked: z.array(z.object(rankedSchema)).optional(),
  /** Runs in a row that found nothing new, and since when. */
  quiet: z.object({ runs: z.number(), since: z.number() }).optional(),
  /** What is written down and does not stand in Slack yet, as far as we know. */
  pending: pendingSchema.optional(),
});
export type Digest = z.infer<typeof digestSchema>;

/** A digest of what a source has. */
export type SourceDigest = Digest & { source: Source };

/** What sets digests apart from what else one can subscribe to. */
export const digestKind: Kind<Digest> = {
  noun: "digest",
  subscriptions: ({ digests }) => digests,
  title: ({ source }) => subjectTitle(source),
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
  return isTogether && isAtOnce && contentKey(one) === contentKey(other);
}

/** Equal where two digests choose from the same articles in the same way. */
function contentKey({ source, look: { tier = "all", outlet = "all" } = {} }: DigestTarget): string {
  return JSON.stringify([subjectKey(source), tier, foldName(outlet)]);
}

type DigestTarget = Pick<Digest, "team" | "channel" | "source" | "schedule" | "look">;

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
export function quietAfter({ quiet, last }: Digest, at: number): NonNullable<Digest["quiet"]> {
  return { runs: (quiet?.runs ?? 0) + 1, since: quiet?.since ?? last?.at ?? at };
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
export function afterPost(digest: Digest, now: number, stories = 0): Digest {
  const { last, pending } = digest;
  const ranked = pending?.ranking?.rows.map(({ entity, name }) => ({ entity, name })) ?? digest.ranked;
  return {
    ...digest,
    ranked,
    last: last && { ...last, postedAt: now, ...(stories > 0 && { stories }) },
    pending: undefined,
    problem: undefined,
  };
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
  if (!pending?.counts) return { ...digest, pending: undefined };
  const { since } = pending.counts;
  return { ...digest, pending: undefined, last: last && since !== undefined ? { ...last, at: since } : undefined };
}

function withPending(digest: Digest, change: (pending: PendingDigest) => Partial<PendingDigest>): Digest {
  const { pending } = digest;
  return pending ? { ...digest, pending: { ...pending, ...change(pending) } } : digest;
}
