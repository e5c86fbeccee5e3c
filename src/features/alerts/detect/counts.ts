import { z } from "zod";

import type { Article } from "../../../apis/article.ts";
import { keysOf } from "../../subscriptions/announced.ts";
import type { Figures, SourceSilence } from "../../sources/samples.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Articles are counted by quarters of an hour. */
const slotMs = 15 * minuteMs;
/** Seven days that a backtest goes back, and one that its first look compares with. */
const keptMs = 8 * dayMs;
const keptSlots = keptMs / slotMs;
/** A source that nobody has read for so long begins anew. */
export const countsLifeMs = 9 * dayMs;
/** What was published so long before it came is no coverage of today: it slid back into the source. */
const staleMs = 2 * dayMs;
/** Where nobody looked for longer, what came before the last day is not known, nor what came before the articles of the read. */
const outageMs = dayMs + hourMs;
/** Stands for the count of a quarter of an hour of which that is so. */
const unknown = -1;
/** Articles of two hours make one point of a chart. */
const pointMs = 2 * hourMs;
/** Lengths of time that a count is compared with at least. */
const comparedLeast = 4;

/** How many articles came to one source when. */
export const arrivalCountsSchema = z.object({
  /** When it was first read; what is counted before is by publication times alone. */
  since: z.number(),
  /** When it was last read. */
  at: z.number(),
  /** The number of the first quarter of an hour since 1970, and what came in that one and those after it; -1 if not known. */
  first: z.number(),
  counts: z.array(z.number()),
  /** When its newest article came. */
  newest: z.number().optional(),
});
export type ArrivalCounts = z.infer<typeof arrivalCountsSchema>;

/** The articles of a read, and when each of them first stood in the source. */
interface ReadArticles {
  articles: Article[];
  arrivals: ReadonlyMap<Article, number>;
}

/**
 * The counts of a source after one more read. An article counts when it came; where nobody had looked for a while, when it
 * was published, so that the first check after a night or an outage is no spike.
 */
export function countArrivals(before: ArrivalCounts | undefined, read: ReadArticles, at: number): ArrivalCounts {
  // The clock was set back: what is from the future cannot be compared with.
  const known = before && before.at <= at + hourMs ? before : undefined;
  if (known && known.at >= at) return known;
  const times = known ? timesSince(known.at, read, at) : publicationTimes(read, at);
  const last = slotOf(at);
  const first = Math.max(known?.first ?? slotOf(Math.min(at, ...times)), last - keptSlots + 1);
  const oldest = Math.min(at, ...publicationTimes(read, at));
  const seenFrom = known && at - known.at > outageMs ? slotOf(Math.max(at - dayMs, oldest)) : first;
  const counts = Array.from({ length: last - first + 1 }, (_, index) => {
    return known?.counts[first + index - known.first] ?? (first + index < seenFrom ? unknown : 0);
  });
  for (const time of times) {
    const index = slotOf(time) - first;
    const count = counts[index];
    if (count !== undefined && count !== unknown) counts[index] = count + 1;
  }
  const newest = Math.max(known?.newest ?? 0, ...times);
  return { since: known?.since ?? at, at, first, counts, ...(newest > 0 && { newest }) };
}

const slotOf = (time: number) => Math.floor(time / slotMs);

/** When the articles of a first read were published; one without a date says nothing. */
function publicationTimes({ articles }: ReadArticles, at: number): number[] {
  return articles.flatMap(({ published }) => (published === undefined ? [] : Math.min(published, at)));
}

/** When those came that are new since the read before. */
function timesSince(last: number, { articles, arrivals }: ReadArticles, at: number): number[] {
  const fresh = freshSince(last, { articles, arrivals });
  return fresh.map((article, index) => {
    const came = arrivals.get(article) ?? at;
    const { published } = article;
    if (published !== undefined && published > last && published <= came) return published;
    // A digest has seen it come; else it came at any time since the last read.
    return came < at ? came : at - ((at - last) * index) / fresh.length;
  });
}

/** The articles of a read that came after a moment, each once, without those that are old. */
export function freshSince(last: number, { articles, arrivals }: ReadArticles): Article[] {
  const seen = new Set<string>();
  return articles.filter((article) => {
    const keys = keysOf(article);
    const isTwice = keys.some((key) => seen.has(key));
    for (const key of keys) seen.add(key);
    if (isTwice) return false;
    const came = arrivals.get(article);
    return came !== undefined && came > last && (article.published ?? came) > came - staleMs;
  });
}

function sumOf({ first, counts }: ArrivalCounts, from: number, to: number): number {
  let sum = 0;
  for (let slot = Math.max(from, first); slot < to; slot++) sum += Math.max(0, counts[slot - first] ?? 0);
  return sum;
}

/** Quarters of an hour of a time in which nobody knows what came. */
function unknownIn({ first, counts }: ArrivalCounts, from: number, to: number): number {
  return counts.slice(Math.max(0, from - first), Math.max(0, to - first)).filter((count) => count === unknown).length;
}

/** What is compared: the count of how long, as of when, and from when on counts are known. */
interface CountWindow {
  at: number;
  spanMs: number;
  knownFrom: number;
}

/** When so much is known of a source that a count can be compared: after a day, and four lengths of time. */
export function learnedAt({ spanMs, knownFrom }: Omit<CountWindow, "at">): number {
  return knownFrom + Math.max(dayMs, (comparedLeast + 1) * spanMs);
}

/**
 * How many articles came lately, and how unusual that is. With `mean` and `variance` of all lengths of time before, as long
 * as this one:
 *
 *     score = (mentions - mean) / sqrt(max(variance, mean) + 1)
 *
 * That is a number of standard deviations, as the score of what is trending, so that the same sensitivities fit. Articles
 * that come by chance vary by the root of their mean (Poisson), which counts where the past was calmer than chance; the one
 * article more keeps 1 → 3 from being a spike. Until enough is known there is neither average nor score, and nothing fires.
 */
export function figuresOf(counts: ArrivalCounts, { at, spanMs, knownFrom }: CountWindow): Figures {
  const start = Math.round((at - spanMs) / slotMs);
  const mentions = sumOf(counts, start, slotOf(at) + 1);
  if (at < learnedAt({ spanMs, knownFrom })) return { at, mentions, spanMs };
  const length = Math.max(1, Math.round(spanMs / slotMs));
  const least = Math.max(counts.first, Math.ceil(knownFrom / slotMs));
  let [n, total, squares] = [0, 0, 0];
  for (let from = start - length; from >= least; from -= length) {
    if (unknownIn(counts, from, from + length) > 0) continue;
    const count = sumOf(counts, from, from + length);
    n++;
    total += count;
    squares += count * count;
  }
  if (n === 0) return { at, mentions, spanMs };
  const mean = total / n;
  const variance = squares / n - mean * mean;
  return { at, mentions, spanMs, average: mean, score: (mentions - mean) / Math.sqrt(Math.max(variance, mean) + 1) };
}

/** Articles that the same hours bring normally, for their absence to say something: by chance alone it is one in twenty. */
const silenceLeast = 3;
/** Days before that have to be known. */
const daysLeast = 2;
/** Of the days before, so many may have been as silent in the same hours: two of a week, for what rests at weekends. */
const silentShare = 0.3;

/** When the newest article came that had come by a moment; of the past that is known to a quarter of an hour. */
function newestAt({ at: readAt, newest, first, counts }: ArrivalCounts, at: number): number | undefined {
  if (at >= readAt) return newest;
  const index = counts.slice(0, slotOf(at) - first + 1).findLastIndex((count) => count > 0);
  return index < 0 ? undefined : Math.min((first + index + 1) * slotMs, at);
}

/**
 * Whether a source has brought nothing for so long, and normally would have: in the same hours of the days before, and of
 * the same day a week ago where that is known, so that nights and weekends are no silence.
 */
export function silenceOf(counts: ArrivalCounts, { at, spanMs, knownFrom }: CountWindow): SourceSilence {
  const since = newestAt(counts, at) ?? knownFrom;
  const least = Math.max(counts.first, Math.ceil(knownFrom / slotMs));
  const [from, to] = [Math.round((at - spanMs) / slotMs), slotOf(at) + 1];
  const daySlots = dayMs / slotMs;
  const days = Array.from({ length: 7 }, (_, index) => (index + 1) * daySlots)
    .filter((back) => from - back >= least && unknownIn(counts, from - back, to - back) === 0)
    .map((back) => sumOf(counts, from - back, to - back));
  if (days.length < daysLeast) return { since, isUnusual: false };
  const average = days.reduce((sum, count) => sum + count, 0) / days.length;
  const empty = days.filter((count) => count === 0).length / days.length;
  const isNormal = average < silenceLeast || empty > silentShare || days[6] === 0;
  return { since, isUnusual: at - since >= spanMs && !isNormal, average };
}

/** Whether a source normally brings so little in so long that its silence says nothing; undefined while that is not known. */
export function isTooQuiet(counts: ArrivalCounts, { at, spanMs, knownFrom }: CountWindow): boolean | undefined {
  const [from, to] = [Math.ceil(knownFrom / slotMs), slotOf(at) + 1];
  const knownMs = at - Math.max(knownFrom, counts.first * slotMs) - unknownIn(counts, from, to) * slotMs;
  if (knownMs < dayMs) return undefined;
  const total = sumOf(counts, from, to);
  return (total * spanMs) / knownMs < silenceLeast;
}

/**
 * From when on the counts of a source can be compared with: since it was first read or, in an estimate while that is too
 * short, since the oldest publication that the first read held.
 */
export function knownSince(counts: ArrivalCounts, isEstimate = false): number {
  return isEstimate ? Math.min(counts.since, counts.first * slotMs) : counts.since;
}

/** The last day in as many lengths of time as a chart has points, each with what is normal now. */
export function courseOfCounts(counts: ArrivalCounts, { at, knownFrom }: Omit<CountWindow, "spanMs">): Figures[] {
  const { average } = figuresOf(counts, { at, spanMs: pointMs, knownFrom });
  return Array.from({ length: dayMs / pointMs }, (_, index) => at - dayMs + (index + 1) * pointMs)
    .filter((time) => time - pointMs >= (counts.first - 1) * slotMs)
    .map((time) => {
      const { mentions } = figuresOf(counts, { at: time, spanMs: pointMs, knownFrom });
      return { at: time, mentions, spanMs: pointMs, ...(average !== undefined && { average }) };
    });
}
