import { z } from "zod";

import { trendSchema } from "../../apis/article.ts";
import { type Post, isPostDue, postSchema, retriedNow } from "../../slack/delivery/outbox.ts";
import { storedOptions } from "../options.ts";
import type { Source } from "../sources/source.ts";
import {
  type Kind,
  scheduleNext,
  earlyMs,
  isDue as isTimely,
  type SubscriptionStores,
} from "../subscriptions/model.ts";
import { subscriptionShape, type Subscriptions } from "../subscriptions/store.ts";
import { styleOptions } from "./options.ts";
import { subjectKey, subjectSchema, subjectTitle } from "./question.ts";
import { foldName } from "../names.ts";

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
    trendSchema.extend({
      ...rankedSchema,
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
export type DigestAnswer = z.infer<typeof answerSchema>;

/** What a digest's post is drawn from. */
const contentSchema = z.object({
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
  /** How many stories it shows, once it was drawn. */
  stories: z.number().optional(),
});
export type DigestContent = z.infer<typeof contentSchema>;
export type DigestPost = Post<DigestContent>;

/** What somebody subscribed to, when it comes and where it goes, with everything that became of it. */
export const digestSchema = z.object({
  ...subscriptionShape,
  source: subjectSchema,
  /** Missing where it looks as usual. */
  style: storedOptions(styleOptions).optional(),
  /** When its source was last read, how much of that was new, and how many stories were posted. */
  last: z
    .object({ at: z.number(), fresh: z.number(), postedAt: z.number().optional(), stories: z.number().optional() })
    .optional(),
  /** Who stood in the ranking that came last, where it brings one, the first one first. */
  ranked: z.array(z.object(rankedSchema)).optional(),
  /** Runs in a row that found nothing new, and since when. */
  quiet: z.object({ runs: z.number(), since: z.number() }).optional(),
  /** The post that is on its way, and below it the one for its thread; none between two runs. */
  posts: z.array(postSchema(contentSchema)).optional(),
});
export type Digest = z.infer<typeof digestSchema>;

/** A digest of what a source has. */
export type SourceDigest = Digest & { source: Source };

/** What sets digests apart from what else one can subscribe to. */
export const digestKind: Kind<Digest> = {
  noun: "digest",
  subscriptions: ({ digests }: SubscriptionStores & { digests: Subscriptions<Digest> }) => digests,
  title: ({ source }) => subjectTitle(source),
  isSame: isSameDigest,
  // What waited to be posted comes at once, the rest at its time.
  resume: (digest) => ({ ...digest, posts: digest.posts?.map(retriedNow) }),
};

/** Whether there is something to do for it. */
export function isDigestDue(digest: Digest, now: number): boolean {
  if (digest.state !== "active" || (digest.silentUntil ?? 0) > now) return false;
  return digest.posts ? digest.posts.some((post) => isPostDue(post, now)) : isTimely(digest, now);
}

/** Whether two digests bring the same to the same channel at the same times. */
export function isSameDigest(one: DigestTarget, other: DigestTarget): boolean {
  const { pattern, zone } = one.schedule;
  const isTogether = one.team === other.team && one.channel === other.channel;
  const isAtOnce = pattern === other.schedule.pattern && zone === other.schedule.zone;
  return isTogether && isAtOnce && contentKey(one) === contentKey(other);
}

/** Equal where two digests choose from the same articles in the same way. */
function contentKey({ source, style: { tier = "all", outlet = "all" } = {} }: DigestTarget): string {
  return JSON.stringify([subjectKey(source), tier, foldName(outlet)]);
}

type DigestTarget = Pick<Digest, "team" | "channel" | "source" | "schedule" | "style">;

/** As it is in another channel, which was shown nothing yet, so that it begins anew there. */
export function movedTo(digest: Digest, channel: string): Digest {
  return { ...digest, channel, last: undefined, ranked: undefined, quiet: undefined };
}

/** What came of reading its source. */
export interface DigestRead {
  at: number;
  fresh: number;
  post?: DigestPost | undefined;
  /** Stories that are left out because the channel was shown them, and what reading cost. */
  repeats?: number;
  bill?: string | undefined;
}

/** After its source was read: when it runs next, and what is to be posted. */
export function afterRead(digest: Digest, { at, fresh, post }: DigestRead): Digest {
  const quiet = fresh > 0 ? undefined : quietAfter(digest, at);
  const posts = post && [post];
  return scheduleNext({ ...digest, last: { at, fresh }, problem: undefined, quiet, posts }, at + earlyMs);
}

/** Its quiet runs after one more. */
export function quietAfter({ quiet, last }: Digest, at: number): NonNullable<Digest["quiet"]> {
  return { runs: (quiet?.runs ?? 0) + 1, since: quiet?.since ?? last?.at ?? at };
}

/** After all of it stands. */
export function afterPosted(digest: Digest, now: number): Digest {
  const { last, posts: [post] = [] } = digest;
  const { ranking, stories } = post?.content ?? {};
  const ranked = ranking?.rows.map(({ entity, name }) => ({ entity, name })) ?? digest.ranked;
  const posted = last && { ...last, postedAt: now, ...(stories !== undefined && { stories }) };
  return { ...digest, ranked, last: posted, posts: undefined, problem: undefined };
}

/** After other posts have shown all that it was to show. */
export function afterOvertaken(digest: Digest): Digest {
  return { ...digest, posts: undefined, last: digest.last && { ...digest.last, fresh: 0 } };
}

/** Without what waited, which will not be posted: what is still in the source counts as new again. */
export function givenUp(digest: Digest, { counts }: DigestContent, problem: string): Digest {
  const { last } = digest;
  const stopped = { ...digest, posts: undefined, problem };
  if (!counts) return stopped;
  const { since } = counts;
  return { ...stopped, last: last && since !== undefined ? { ...last, at: since } : undefined };
}
