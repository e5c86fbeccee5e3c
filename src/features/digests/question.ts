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
  sourceQuerySchema,
  sourceSchema,
  sourceTitle,
} from "../sources/index.ts";
import type { ArticleSource, Source, SourceAsker, SourceDependencies, SourceQuery } from "../sources/source.ts";
import type { Schedule } from "../subscriptions/schedule.ts";
import { plural } from "../text.ts";

/** A question that is asked on a schedule, each time of the articles since the last run. */
export interface ScheduledQuestion {
  kind: "ask";
  question: string;
  /** The only source that it's asked of; missing if it's asked of everything. */
  within?: ArticleSource | undefined;
}

/** A briefing: several sources whose stories are ranked together, each story once, and a question at most. */
export interface Briefing {
  kind: "several";
  of: BriefingMember[];
}

type BriefingMember = ArticleSource | ScheduledQuestion;

/** The subject of a digest: a source whose new stories it posts, several of them, a ranking, or a question. */
export type DigestSubject = Source | ScheduledQuestion | Briefing;

const wantedQuestionSchema = z.object({
  kind: z.literal("ask"),
  what: z.string(),
  within: z.union([sourceQuerySchema, z.literal("all")]).optional(),
});

const wantedBriefingSchema = z.object({
  kind: z.literal("several"),
  what: z.string(),
  of: z.array(z.union([sourceQuerySchema, wantedQuestionSchema])),
});

/** A subject as somebody typed it, kept while its window is open. */
export const wantedSchema = z.union([sourceQuerySchema, wantedQuestionSchema, wantedBriefingSchema]);
export type WantedQuestion = z.infer<typeof wantedQuestionSchema>;
export type WantedBriefing = z.infer<typeof wantedBriefingSchema>;
export type WantedSubject = z.infer<typeof wantedSchema>;

/** Sources of one briefing. */
export const membersMost = 10;

/** Characters of a question: with everything else that its digest has, it fits into a line that a button holds. */
export const longestQuestion = 1_000;

const questionSchema = z.object({
  kind: z.literal("ask"),
  question: z.string(),
  within: articleSourceSchema.optional(),
});

/** A stored subject. */
export const subjectSchema: z.ZodType<DigestSubject> = z.union([
  questionSchema,
  z.object({ kind: z.literal("several"), of: z.array(z.union([questionSchema, articleSourceSchema])).min(1) }),
  sourceSchema,
]);

/** The parts of a briefing; of anything else, itself. */
export function membersOf(subject: DigestSubject): (Source | ScheduledQuestion)[] {
  return subject.kind === "several" ? subject.of : [subject];
}

/** The sources whose stories a subject has. */
export function storySources(subject: DigestSubject): ArticleSource[] {
  return membersOf(subject).flatMap((each) => (each.kind === "ask" || each.kind === "trending" ? [] : [each]));
}

/** The question that a briefing answers below its stories. */
export function questionOf(subject: DigestSubject): ScheduledQuestion | undefined {
  return membersOf(subject).find((each) => each.kind === "ask");
}

/** One briefing of several subjects, each once; a UsageError if they don't fit into one. */
export function briefingOf(subjects: DigestSubject[]): Briefing {
  const members = new Map(subjects.flatMap(membersOf).map((each) => [subjectKey(each), each]));
  const of = [...members.values()].flatMap((each) => (each.kind === "trending" ? [] : [each]));
  if (of.length < members.size) throw new UsageError("A ranking needs a digest of its own. Leave out `trending`.");
  if (of.length > membersMost) throw new UsageError(`A briefing has room for ${membersMost} sources.`);
  const questions = of.filter(({ kind }) => kind === "ask").length;
  if (questions > 1) throw new UsageError("A briefing answers one question. Set up the other one by itself.");
  if (questions === of.length) throw new UsageError("A briefing needs a source besides its question.");
  return { kind: "several", of };
}

/** The name of a subject, as plain text. */
export function subjectTitle(subject: DigestSubject): string {
  if (subject.kind === "several") return `Briefing: ${subject.of.map(subjectTitle).join(", ")}`;
  return subject.kind === "ask" ? subject.question : sourceTitle(subject);
}

/** The same for subjects that post the same. */
export function subjectKey(subject: DigestSubject): string {
  if (subject.kind === "several") return JSON.stringify(["several", ...subject.of.map(subjectKey).toSorted()]);
  if (subject.kind !== "ask") return sourceKey(subject);
  const { question, within } = subject;
  return JSON.stringify(["ask", question, within ? sourceKey(within) : ""]);
}

/** The kind of a subject in words, and further lines on its card, as mrkdwn. */
export function describeSubject(subject: DigestSubject): { about: string; details: string[] } {
  if (subject.kind === "several") {
    const asks = questionOf(subject) ? " and a question" : "";
    return { about: `${plural(storySources(subject).length, "source")}${asks} in one post`, details: [] };
  }
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
  if (subject.kind === "several") return subject.of.some(costsCredit);
  const source = subject.kind === "ask" ? subject.within : subject;
  return source !== undefined && sourceKindOf(source).api !== "intelligence";
}

/** The subject that somebody means; throws a UsageError if there's no such source, or its service isn't set up. */
export async function findSubject(
  wanted: WantedSubject,
  deps: SourceDependencies,
  asker: SourceAsker,
): Promise<DigestSubject> {
  if (wanted.kind === "several") {
    return briefingOf(await Promise.all(wanted.of.map((each) => findSubject(each, deps, asker))));
  }
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
  if (!questionOf(subject) || countRuns(schedule, now, now + dayMs) <= mostADay) return;
  throw new UsageError(
    "A question is answered every 15 minutes at most. Try `every 15 minutes` or `weekdays at 8:00`.",
  );
}
