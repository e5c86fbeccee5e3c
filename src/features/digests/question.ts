import { z } from "zod";

import { UsageError } from "../../apis/errors.ts";
import { countRuns } from "../../schedule/runs.ts";
import { escape, shorten } from "../../slack/text/mrkdwn.ts";
import {
  articleSourceSchema,
  findArticleSource,
  findSource,
  needOneOf,
  sourceKey,
  sourceKindOf,
  sourceSchema,
  sourceTitle,
} from "../sources/index.ts";
import type { ArticleSource, Source, SourceAsker, SourceDependencies, SourceQuery } from "../sources/source.ts";
import type { Schedule } from "../subscriptions/schedule.ts";

/** A question that is asked on a schedule, each time of the articles since the last run. */
export interface ScheduledQuestion {
  kind: "ask";
  question: string;
  /** The only source that it's asked of; missing if it's asked of everything. */
  within?: ArticleSource | undefined;
}

/** The subject of a digest: a source whose new stories it posts, a ranking, or a question. */
export type DigestSubject = Source | ScheduledQuestion;

/** A question as somebody typed it. */
export interface WantedQuestion {
  kind: "ask";
  what: string;
  within?: SourceQuery | "all" | undefined;
}

/** A subject as somebody typed it. */
export type WantedSubject = SourceQuery | WantedQuestion;

/** Characters of a question: with everything else that its digest has, it fits into a line that a button holds. */
export const longestQuestion = 1_000;

/** A stored subject. */
export const subjectSchema: z.ZodType<DigestSubject> = z.union([
  z.object({ kind: z.literal("ask"), question: z.string(), within: articleSourceSchema.optional() }),
  sourceSchema,
]);

/** The name of a subject, as plain text. */
export function subjectTitle(subject: DigestSubject): string {
  return subject.kind === "ask" ? subject.question : sourceTitle(subject);
}

/** The same for subjects that post the same. */
export function subjectKey(subject: DigestSubject): string {
  if (subject.kind !== "ask") return sourceKey(subject);
  const { question, within } = subject;
  return JSON.stringify(["ask", question, within ? sourceKey(within) : ""]);
}

/** The kind of a subject in words, and further lines on its card, as mrkdwn. */
export function describeSubject(subject: DigestSubject): { about: string; details: string[] } {
  if (subject.kind === "ask") {
    const { within } = subject;
    const words =
      within && `Only from ${sourceKindOf(within).describe(within)} ${escape(shorten(sourceTitle(within), 80))}`;
    return { about: "answer to a question", details: words ? [words] : [] };
  }
  const kind = sourceKindOf(subject);
  return { about: kind.describe(subject), details: kind.details?.(subject) ?? [] };
}

/** True if each read costs a credit. */
export function costsCredit(subject: DigestSubject): boolean {
  const source = subject.kind === "ask" ? subject.within : subject;
  return source !== undefined && sourceKindOf(source).api !== "intelligence";
}

/** The subject as it is typed. */
export function wantedAgain(subject: DigestSubject): WantedSubject {
  if (subject.kind !== "ask") return { kind: subject.kind, what: sourceKindOf(subject).typed(subject) };
  const { question, within } = subject;
  return { kind: "ask", what: question, within: within ? sourceAgain(within) : "all" };
}

function sourceAgain(source: Source): SourceQuery {
  return { kind: source.kind, what: sourceKindOf(source).typed(source) };
}

/** The subject that somebody means; throws a UsageError if there's no such source, or its service isn't set up. */
export async function findSubject(
  wanted: WantedSubject,
  deps: SourceDependencies,
  asker: SourceAsker,
): Promise<DigestSubject> {
  if (wanted.kind !== "ask") return findSource(wanted, deps, asker);
  const within = await findWithin(wanted.within, deps, asker);
  return { kind: "ask", question: wanted.what, ...(within && { within }) };
}

/**
 * The source that a question is asked of; undefined for everything. A model of the search service has no
 * news but what it is given.
 */
export async function findWithin(
  wanted: SourceQuery | "all" | undefined,
  deps: SourceDependencies,
  asker: SourceAsker,
): Promise<ArticleSource | undefined> {
  const isLimited = wanted !== undefined && wanted !== "all";
  needOneOf(isLimited ? ["intelligence", "gateway"] : ["intelligence"], deps.configured);
  if (!isLimited) return undefined;
  return findArticleSource(wanted, deps, asker);
}

const dayMs = 24 * 60 * 60_000;
/** Answers of one question in a day: each is a model at work for half a minute. */
const mostADay = 96;

/** Throws a UsageError if a question would be asked too often. */
export function refuseTooOften(subject: DigestSubject, schedule: Schedule, now: number): void {
  if (subject.kind !== "ask" || countRuns(schedule, now, now + dayMs) <= mostADay) return;
  throw new UsageError(
    "A question is answered every 15 minutes at most. Try `every 15 minutes` or `weekdays at 8:00`.",
  );
}
