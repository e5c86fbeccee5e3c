import { z } from "zod";

import { trendSchema } from "../../apis/article.ts";
import { nextRuns } from "../../schedule/runs.ts";
import { type Post, isPostDue, postSchema, retriedNow } from "../../slack/delivery/outbox.ts";
import { storedOptions } from "../options.ts";
import type { Source } from "../sources/source.ts";
import {
  type Kind,
  bot,
  withChange,
  scheduleNext,
  earlyMs,
  isDue as isTimely,
  type SubscriptionStores,
} from "../subscriptions/model.ts";
import { subscriptionShape, type Subscriptions } from "../subscriptions/store.ts";
import { styleOptions } from "./options.ts";
import { type Briefing, subjectKey, subjectSchema, subjectTitle } from "./question.ts";
import { foldName } from "../names.ts";

const countsSchema = z.object({
  /** The time of the digest before; missing for the first one. */
  since: z.number().optional(),
  /** Stories that its list has no place for. */
  unlisted: z.number().optional(),
  /** Stories that are left out because the channel was shown them before. */
  repeats: z.number().optional(),
});
export type StoryCounts = z.infer<typeof countsSchema>;

const rankedSchema = { entity: z.string(), name: z.string() };

/** A ranking beside the one before it. */
const rankingSchema = z.object({
  rows: z.array(
    trendSchema.extend({
      ...rankedSchema,
      rank: z.number(),
      /** Its rank the last time; missing if it had none. */
      before: z.number().optional(),
      /** The headline of its most covered story. */
      headline: z.object({ url: z.string(), title: z.string() }).optional(),
    }),
  ),
  /** Names that were in the last one and aren't in this one. */
  gone: z.array(z.string()),
});
export type ComparedRanking = z.infer<typeof rankingSchema>;

/** An answer that is to be posted. */
const answerSchema = z.object({
  question: z.string(),
  /** As the model wrote it, in Markdown. */
  text: z.string(),
  /** The start of the articles that it was asked of. */
  start: z.number(),
  /** Its sources, and the scope it was asked in, as mrkdwn. */
  receipt: z.string(),
  /** Suggested further questions. */
  next: z.array(z.string()),
});
export type DigestAnswer = z.infer<typeof answerSchema>;

/** The content that a digest's post is drawn from. */
const contentSchema = z.object({
  /** The kept list of its articles; missing if it has none. */
  list: z.string().optional(),
  /** A ranking, if it posts one instead of articles. */
  ranking: rankingSchema.optional(),
  /** An answer, if it posts one; `list` is then the list of its sources. */
  answer: answerSchema.optional(),
  /** The further parts of a briefing: spikes since the last one, its answer, and what couldn't be read; mrkdwn. */
  briefing: z
    .object({ spikes: z.array(z.string()), answer: answerSchema.optional(), missing: z.array(z.string()) })
    .optional(),
  counts: countsSchema.optional(),
  /** A line above the rest, or in place of it if there are no articles, as mrkdwn. */
  note: z.string().optional(),
  /** A paragraph about them, as mrkdwn, and what reading and writing cost. */
  lead: z.string().optional(),
  bill: z.string().optional(),
  /** The number of stories that it shows; set when it's drawn. */
  stories: z.number().optional(),
});
export type DigestContent = z.infer<typeof contentSchema>;
export type DigestPost = Post<DigestContent>;

/** A digest: its subject, schedule, channel and style, its last run, and the posts that are on their way. */
export const digestSchema = z.object({
  ...subscriptionShape,
  source: subjectSchema,
  /** Missing if nothing differs from the defaults. */
  style: storedOptions(styleOptions).optional(),
  /** Somebody wants the newest stories of its source once, whatever their age. */
  wantsNewest: z.literal(true).optional(),
  /** The last read of its source: when, the number of new stories, and of those that were posted. */
  last: z
    .object({ at: z.number(), fresh: z.number(), postedAt: z.number().optional(), stories: z.number().optional() })
    .optional(),
  /** The names of the ranking that was posted last, in order; only for a digest that posts rankings. */
  ranked: z.array(z.object(rankedSchema)).optional(),
  /** Runs in a row that found nothing new, and since when. */
  quiet: z.object({ runs: z.number(), since: z.number() }).optional(),
  /** The digest before its latest edit, and when that was: *Undo* restores it. */
  former: z
    .object({
      at: z.number(),
      source: subjectSchema,
      schedule: subscriptionShape.schedule,
      channel: z.string(),
      style: storedOptions(styleOptions).optional(),
      /** The number of the digest that it took in by the edit. */
      tookIn: z.number().optional(),
    })
    .optional(),
  /** The post that is on its way, and below it the one for its thread; none between two runs. */
  posts: z.array(postSchema(contentSchema)).optional(),
});
export type Digest = z.infer<typeof digestSchema>;

/** A digest of what a source has, or several. */
export type SourceDigest = Digest & { source: Source };
export type StoryDigest = Digest & { source: Source | Briefing };

export const digestKind: Kind<Digest> = {
  noun: "digest",
  subscriptions: ({ digests }: SubscriptionStores & { digests: Subscriptions<Digest> }) => digests,
  title: ({ source }) => subjectTitle(source),
  isSame: isSameDigest,
  // A post that waited is sent at once; the rest follows the schedule.
  resume: (digest) => ({ ...digest, posts: digest.posts?.map(retriedNow) }),
};

/** True if it's time to read its source, or to send a post that is written down. */
export function isDigestDue(digest: Digest, now: number): boolean {
  if (digest.state !== "active" || (digest.silentUntil ?? 0) > now) return false;
  return digest.posts ? digest.posts.some((post) => isPostDue(post, now)) : isTimely(digest, now);
}

/** True if two digests post the same to the same channel at the same times. */
export function isSameDigest(one: DigestTarget, other: DigestTarget): boolean {
  const { pattern, zone } = one.schedule;
  const isTogether = one.team === other.team && one.channel === other.channel;
  const isOnce = one.schedule.isOnce === true;
  const isAtOnce =
    isOnce === (other.schedule.isOnce === true) &&
    (isOnce ? one.nextRun === other.nextRun : pattern === other.schedule.pattern && zone === other.schedule.zone);
  return isTogether && isAtOnce && contentKey(one) === contentKey(other);
}

/** The same for digests that choose from the same articles in the same way. */
function contentKey({ source, style: { tier = "all", outlet = "all" } = {} }: DigestTarget): string {
  return JSON.stringify([subjectKey(source), tier, foldName(outlet)]);
}

type DigestTarget = Pick<Digest, "team" | "channel" | "source" | "schedule" | "style" | "nextRun">;

/** The digest in another channel, where it begins anew because that channel was shown nothing yet. */
export function movedTo(digest: Digest, channel: string): Digest {
  return { ...digest, channel, last: undefined, ranked: undefined, quiet: undefined };
}

/** The result of reading its source. */
export interface DigestRead {
  at: number;
  fresh: number;
  /** New articles, with those that its channel was shown; missing if it has no articles. */
  arrived?: number;
  post?: DigestPost | undefined;
  /** Stories that are left out because the channel was shown them, and what reading cost. */
  repeats?: number;
  bill?: string | undefined;
}

/** After its source was read: when it runs next, and what is to be posted. */
export function afterRead(digest: Digest, { at, fresh, post }: DigestRead): Digest {
  const quiet = fresh > 0 ? undefined : quietAfter(digest, at);
  const posts = post && [post];
  const read = { ...digest, last: { at, fresh }, problem: undefined, quiet, posts, wantsNewest: undefined };
  // A digest that runs once ends only after its articles are posted.
  return posts ? scheduleNext(read, at + earlyMs) : endedIfOnce(scheduleNext(read, at + earlyMs), at);
}

/** Paused if it was to run a single time; its next run is no longer that of one which is still to come. */
function endedIfOnce(digest: Digest, now: number): Digest {
  if (!digest.schedule.isOnce) return digest;
  return withChange({ ...digest, state: "paused", nextRun: now }, { by: bot, at: now, type: "paused" });
}

const dayMs = 24 * 60 * 60_000;

/** The start of the time that a first digest is about: a day ago, or one interval of its schedule if that's longer. */
export function firstStart({ schedule, nextRun }: Pick<Digest, "schedule" | "nextRun">, now: number): number {
  const due = Math.min(nextRun, now);
  const [one = due, other = one] = nextRuns(schedule, due, 2);
  return due - Math.max(dayMs, other - one);
}

/** Its quiet runs after one more. */
export function quietAfter({ quiet, last }: Digest, at: number): NonNullable<Digest["quiet"]> {
  return { runs: (quiet?.runs ?? 0) + 1, since: quiet?.since ?? last?.at ?? at };
}

/** After all of its messages stand in Slack. */
export function afterPosted(digest: Digest, now: number): Digest {
  const { last, posts: [post] = [] } = digest;
  const { ranking, stories } = post?.content ?? {};
  const ranked = ranking?.rows.map(({ entity, name }) => ({ entity, name })) ?? digest.ranked;
  const posted = last && { ...last, postedAt: now, ...(stories !== undefined && { stories }) };
  return endedIfOnce({ ...digest, ranked, last: posted, posts: undefined, problem: undefined }, now);
}

/** After other posts have shown all of its stories. */
export function afterOvertaken(digest: Digest, now: number): Digest {
  return endedIfOnce({ ...digest, posts: undefined, last: digest.last && { ...digest.last, fresh: 0 } }, now);
}

/** Without the posts that waited and won't be sent: their articles count as new again if the source still has them. */
export function givenUp(digest: Digest, { counts }: DigestContent, problem: string): Digest {
  const { last } = digest;
  const stopped = { ...digest, posts: undefined, problem };
  if (!counts) return stopped;
  const { since } = counts;
  return { ...stopped, last: last && { ...last, at: since ?? firstStart(digest, last.at) } };
}
