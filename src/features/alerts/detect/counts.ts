import { z } from "zod";

import type { Article } from "../../../apis/article.ts";
import { keysOf } from "../../subscriptions/announced.ts";
import type { Figures, SourceSilence } from "../../sources/samples.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Articles are counted by quarters of an hour. */
const slotMs = 15 * minuteMs;
/** Seven days that a backtest goes back, and one that its first check compares with. */
const keptMs = 8 * dayMs;
const keptSlots = keptMs / slotMs;
const slotsOfDay = dayMs / slotMs;
/** A source that nobody has read for so long begins anew. */
export const countsLifeMs = 9 * dayMs;
/** An article published so long before it came is an old one that slid back into the source, and isn't counted. */
const staleMs = 2 * dayMs;
/** After an outage longer than this, older slots are unknown, not zero. */
const outageMs = dayMs + hourMs;
/** The count of an unknown slot. */
const unknown = -1;
/** Articles of two hours make one point of a chart. */
const pointMs = 2 * hourMs;
/** Lengths of time that a count is compared with at least, and that a backtest lies behind what it is compared with. */
const comparedLeast = 4;
/** A read with at least so many articles, none of which was there before, has missed others between two reads. */
const fullLeast = 20;
/** Articles that such a read is taken to have missed, at most, as a multiple of what it holds. */
const reckonedMost = 40;

/** The number of articles that came to one source in each quarter of an hour. */
export const arrivalCountsSchema = z.object({
  /** The time of the first read; earlier counts are by publication times. */
  since: z.number(),
  /** The time of the last read. */
  at: z.number(),
  /** The number of the first quarter of an hour since 1970, and what came in that one and those after it; -1 if not known. */
  first: z.number(),
  counts: z.array(z.number()),
  /** The time at which its newest article came. */
  newest: z.number().optional(),
  /** Articles in a quarter of an hour as the first read has them: normal is estimated by that while little is counted. */
  firstRate: z.number().optional(),
  /** The last read was full, and nothing in it says how many articles it doesn't hold. */
  isCut: z.literal(true).optional(),
});
export type ArrivalCounts = z.infer<typeof arrivalCountsSchema>;

/** The articles of a read, and when each of them first stood in the source. */
interface ReadArticles {
  articles: Article[];
  arrivals: ReadonlyMap<Article, number>;
}

/**
 * The counts of a source after one more read. An article counts when it came; after a while without reads, when it
 * was published, so that the first check after a night or an outage is no spike.
 */
export function countArrivals(before: ArrivalCounts | undefined, read: ReadArticles, at: number): ArrivalCounts {
  // The clock was set back: what is from the future cannot be compared with.
  const known = before && before.at <= at + hourMs ? before : undefined;
  if (known && known.at >= at) return known;
  const missed = known ? timesMissed(known, read, at) : [];
  const times = known ? [...timesSince(known.at, read, at), ...(missed ?? [])] : publicationTimes(read, at);
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
  const newest = times.reduce((latest, time) => Math.max(latest, time), known?.newest ?? 0);
  const firstRate = known ? known.firstRate : rateOf(read, at);
  return {
    since: known?.since ?? at,
    at,
    first,
    counts,
    ...(newest > 0 && { newest }),
    ...(firstRate !== undefined && { firstRate }),
    ...(missed === undefined && { isCut: true }),
  };
}

/** Articles in a quarter of an hour, by the time that the publication dates of a read span; undefined if they span none. */
function rateOf(read: ReadArticles, at: number): number | undefined {
  const times = publicationTimes(read, at).filter((time) => time > at - keptMs);
  const spanMs = Math.max(...times) - Math.min(...times);
  return times.length > 1 && spanMs > 0 ? ((times.length - 1) * slotMs) / Math.max(spanMs, minuteMs) : undefined;
}

/**
 * The times of articles that came and went between two reads. A read without a single article of the one
 * before doesn't reach back to it: in the time that its articles don't span, as many are taken to have come as in the time
 * that they do. Undefined if they have no dates to tell.
 */
function timesMissed(known: ArrivalCounts, read: ReadArticles, at: number): number[] | undefined {
  const fresh = freshSince(known.at, read);
  const isFull = fresh.length >= fullLeast && read.articles.every((article) => isSince(known.at, article, read));
  if (!isFull || known.newest === undefined || at - known.at > outageMs) return [];
  const dated = fresh.flatMap(({ published }) => (published === undefined ? [] : Math.min(published, at)));
  const rate = rateOf({ ...read, articles: fresh }, at);
  if (rate === undefined || dated.length < fresh.length / 2) return undefined;
  const [oldest, latest] = [Math.min(...dated), Math.max(...dated)];
  const missedMs = at - known.at - (latest - oldest);
  const count = Math.min(Math.round((rate * missedMs) / slotMs), fresh.length * reckonedMost);
  // If a service lists articles late, all of them can be older than the last read.
  const until = oldest > known.at ? oldest : at;
  return Array.from({ length: Math.max(0, count) }, (_, index) => until - ((until - known.at) * (index + 0.5)) / count);
}

function isSince(last: number, article: Article, { arrivals }: Pick<ReadArticles, "arrivals">): boolean {
  return (arrivals.get(article) ?? Number.POSITIVE_INFINITY) > last;
}

const slotOf = (time: number) => Math.floor(time / slotMs);

/** The publication times of a read, without articles that have no date. */
function publicationTimes({ articles }: ReadArticles, at: number): number[] {
  return articles.flatMap(({ published }) => (published === undefined ? [] : Math.min(published, at)));
}

/** The times at which the articles came that are new since the read before. */
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

function countsIn({ first, counts }: ArrivalCounts, from: number, to: number): number[] {
  return counts.slice(Math.max(0, from - first), Math.max(0, to - first));
}

function sumOf(counts: ArrivalCounts, from: number, to: number): number {
  return countsIn(counts, from, to).reduce((sum, count) => sum + Math.max(0, count), 0);
}

/** The number of quarters of an hour in a time whose counts are unknown. */
function unknownIn(counts: ArrivalCounts, from: number, to: number): number {
  return countsIn(counts, from, to).filter((count) => count === unknown).length;
}

/** The length of time that is counted and its end, and the time from which counts are known. */
interface CountWindow {
  at: number;
  spanMs: number;
  knownFrom: number;
}

/** The time from which normal is no estimate: after a day, and four lengths of time. */
export function learnedAt({ spanMs, knownFrom }: Omit<CountWindow, "at">): number {
  return knownFrom + Math.max(dayMs, (comparedLeast + 1) * spanMs);
}

/** The same time of day is known on so many lengths of time at least, or it says nothing. */
const sameTimeLeast = 6;
/** All hours together weigh as much as so many lengths of time at the same time of day. */
const allHoursWeight = 7;
/** Lengths of time that a day has at least for its times of day to differ. */
const timesOfDayLeast = 6;
/** The variation of a rate that is known from the first read alone, as a share of its square. */
const unknownVariation = 0.15;
/** The weight of the score among all hours, and what keeps single articles from being a spike; measured by `npm run bench judgement-alerts`. */
const allHoursScoreWeight = 1.8;
const chance = 0.5;

/** Normal counts: of all lengths of time before, and of those at about the same time of day. */
interface Normal {
  mean: number;
  variance: number;
  /** At this time of day, between what it brings on other days and the mean of all hours. */
  usual: number;
  /** By how much more than chance lengths of time differ from what is usual at their time of day, as a share of its square. */
  variation: number;
}

/**
 * The number of articles that came lately, and how unusual that is: the lesser of two scores, so that neither a busy time of day nor a
 * source that always varies is a spike. With `mean` and `variance` of all lengths of time before, as long as this one, and
 * with what is `usual` at this time of day:
 *
 *     1.8 × (mentions - mean) / sqrt(max(variance, mean) + 0.5)
 *     (mentions - usual) / sqrt(usual + variation × usual² + 0.5)
 *
 * The second is a number of standard deviations. Articles that come by chance vary by the root of their mean (Poisson), which
 * counts if the past was calmer than chance; the half article more keeps 0 → 1 from being a spike. Until anything is known
 * there is neither average nor score.
 */
export function figuresOf(counts: ArrivalCounts, { at, spanMs, knownFrom }: CountWindow): Figures {
  const start = Math.round((at - spanMs) / slotMs);
  const mentions = sumOf(counts, start, slotOf(at) + 1);
  const length = Math.max(1, Math.round(spanMs / slotMs));
  const least = Math.max(counts.first, Math.ceil(knownFrom / slotMs));
  const normal = normalOf(countsBefore(counts, { start, length, least }), { length, firstRate: counts.firstRate });
  if (!normal) return { at, mentions, spanMs };
  const { mean, variance, usual, variation } = normal;
  const isEstimate = learnedAt({ spanMs, knownFrom: counts.since }) > at;
  const score = Math.min(
    (allHoursScoreWeight * (mentions - mean)) / Math.sqrt(Math.max(variance, mean) + chance),
    (mentions - usual) / Math.sqrt(usual + variation * usual * usual + chance),
  );
  return { at, mentions, spanMs, average: usual, score, ...(isEstimate && { isEstimate }) };
}

/** The counts of each length of time before, the latest first; undefined if unknown. */
function countsBefore(
  counts: ArrivalCounts,
  { start, length, least }: { start: number; length: number; least: number },
): (number | undefined)[] {
  const before: (number | undefined)[] = [];
  for (let from = start - length; from >= least; from -= length) {
    const isKnown = unknownIn(counts, from, from + length) === 0;
    before.push(isKnown ? sumOf(counts, from, from + length) : undefined);
  }
  return before;
}

/** Normal by the counts of lengths of time before, the latest first; undefined while too little is known. */
function normalOf(
  before: (number | undefined)[],
  { length, firstRate }: { length: number; firstRate: number | undefined },
): Normal | undefined {
  let [n, total, squares] = [0, 0, 0];
  for (const count of before) {
    if (count === undefined) continue;
    n++;
    total += count;
    squares += count * count;
  }
  if (n < comparedLeast && firstRate === undefined) return undefined;
  // The rate of the first read stands for what is missing of a day, and so fades as counts come.
  const daily = slotsOfDay / length;
  const lacking = firstRate === undefined ? 0 : Math.max(0, Math.max(daily, comparedLeast) - n);
  const mean = (total + lacking * (firstRate ?? 0) * length) / (n + lacking);
  const variance = n > 0 ? squares / n - (total / n) ** 2 : 0;
  const doubt = (unknownVariation * lacking) / (n + lacking);
  const hasTimes = daily >= timesOfDayLeast && Number.isInteger(daily);
  const usual = hasTimes ? usualByTime(before, { daily, mean }) : [mean];
  const timeOf = (index: number) => usual[(index + 1) % usual.length] ?? mean;
  let [excess, scale] = [0, 0];
  for (const [index, count] of before.entries()) {
    if (count === undefined) continue;
    const expected = timeOf(index);
    excess += (count - expected) ** 2 - expected;
    scale += expected * expected;
  }
  const variation = Math.max(doubt, scale > 0 ? excess / scale : 0);
  return { mean, variance: Math.max(variance, doubt * mean * mean), usual: usual[0] ?? mean, variation };
}

/** Normal at each time of day, by its own counts and its neighbours'; the present time first, going back. */
function usualByTime(before: (number | undefined)[], { daily, mean }: { daily: number; mean: number }): number[] {
  const times = Array.from({ length: daily }, () => ({ n: 0, total: 0 }));
  for (const [index, count] of before.entries()) {
    const time = times[(index + 1) % daily];
    if (count === undefined || !time) continue;
    time.n++;
    time.total += count;
  }
  return times.map((time, index) => {
    const near = [times.at(index - 1) ?? time, time, times[(index + 1) % daily] ?? time];
    const n = near.reduce((sum, each) => sum + each.n, 0);
    const total = near.reduce((sum, each) => sum + each.total, 0);
    return n < sameTimeLeast ? mean : (total + allHoursWeight * mean) / (n + allHoursWeight);
  });
}

/** Articles that the same hours bring normally, for their absence to say something: by chance alone it is one in twenty. */
const silenceLeast = 3;
/** Days before that have to be known. */
const daysLeast = 2;
/** The share of earlier days that may have been as silent in the same hours: two of a week, for weekends. */
const silentShare = 0.3;

/** The time of the newest article at a moment; in the past, it's known to a quarter of an hour. */
function newestAt({ at: readAt, newest, first, counts }: ArrivalCounts, at: number): number | undefined {
  if (at >= readAt) return newest;
  const index = counts.slice(0, slotOf(at) - first + 1).findLastIndex((count) => count > 0);
  return index < 0 ? undefined : Math.min((first + index + 1) * slotMs, at);
}

/**
 * True if a source has had no article for so long, and normally would have: in the same hours of the days before, and of
 * the same day a week ago if that is known, so that nights and weekends are no silence.
 */
export function silenceOf(counts: ArrivalCounts, { at, spanMs, knownFrom }: CountWindow): SourceSilence {
  const since = newestAt(counts, at) ?? knownFrom;
  const least = Math.max(counts.first, Math.ceil(knownFrom / slotMs));
  const [from, to] = [Math.round((at - spanMs) / slotMs), slotOf(at) + 1];
  const days = Array.from({ length: 7 }, (_, index) => (index + 1) * slotsOfDay)
    .filter((back) => from - back >= least && unknownIn(counts, from - back, to - back) === 0)
    .map((back) => sumOf(counts, from - back, to - back));
  if (days.length < daysLeast) return { since, isUnusual: false };
  const average = days.reduce((sum, count) => sum + count, 0) / days.length;
  const empty = days.filter((count) => count === 0).length / days.length;
  const isNormal = average < silenceLeast || empty > silentShare || days[6] === 0;
  return { since, isUnusual: at - since >= spanMs && !isNormal, average };
}

/** True if a source normally has so few articles that its silence says nothing; undefined while that is unknown. */
export function isTooQuiet(counts: ArrivalCounts, { at, spanMs, knownFrom }: CountWindow): boolean | undefined {
  const [from, to] = [Math.ceil(knownFrom / slotMs), slotOf(at) + 1];
  const knownMs = at - Math.max(knownFrom, counts.first * slotMs) - unknownIn(counts, from, to) * slotMs;
  if (knownMs < dayMs) return undefined;
  const total = sumOf(counts, from, to);
  return (total * spanMs) / knownMs < silenceLeast;
}

/** The time from which counts can be compared with: the oldest publication that the first read held. */
export function knownSince({ since, first }: ArrivalCounts): number {
  return Math.min(since, first * slotMs);
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
