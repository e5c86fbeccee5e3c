import { nextRuns } from "../../schedule/runs.ts";
import type { Collection } from "../../store/collection.ts";
import { hash } from "../subscriptions/arrivals.ts";
import { sourceKindOf, sourceTitle } from "../sources/index.ts";
import type { ArticleSource } from "../sources/source.ts";
import { type SourceRead, readKey } from "../subscriptions/reads.ts";
import type { Alert } from "./alert.ts";
import { type ArrivalCounts, countArrivals, figuresOf, knownSince, silenceOf } from "./detect/counts.ts";
import type { Sample } from "../sources/samples.ts";

/** Alerts that watch a source of articles: its counts, and the samples made of them. */

const hourMs = 60 * 60_000;
const dayMs = 24 * hourMs;

/** An alert that watches a source. */
export type SourceAlert = Alert & { source: ArticleSource };

export function watchesSource(alert: Alert): alert is SourceAlert {
  return alert.source !== undefined;
}

export type SourceCounts = ReturnType<typeof createSourceCounts>;

/** The counts of all sources, each kept for as long as it is read. */
export function createSourceCounts(records: Collection<ArrivalCounts>) {
  const keyOf = (follower: Pick<SourceAlert, "source" | "team">) => hash(readKey(follower));
  return {
    get: (follower: Pick<SourceAlert, "source" | "team">) => records.get(keyOf(follower)),
    /** Counts what is new in a read; gives the counts after it. */
    async add(follower: Pick<SourceAlert, "source" | "team">, read: SourceRead): Promise<ArrivalCounts> {
      const key = keyOf(follower);
      const counts = countArrivals(await records.get(key), read, read.at);
      await records.set(key, counts);
      return counts;
    },
  };
}

/** The entity key of a source. */
function sourceEntity(source: ArticleSource): string {
  return `${source.kind}|${sourceKindOf(source).key(source)}`;
}

/** The length of time that an alert counts: the time between two checks, but an hour to a day. */
export function spanOf(alert: Pick<Alert, "schedule">, at: number): number {
  return Math.min(Math.max(gapOf(alert, at), hourMs), dayMs);
}

/** The time between two checks, without nights and weekends. */
export function gapOf({ schedule }: Pick<Alert, "schedule">, at: number): number {
  const runs = nextRuns(schedule, at, 4);
  return Math.min(...runs.slice(1).map((run, index) => run - (runs[index] ?? 0)), dayMs);
}

interface CountedAt {
  at: number;
  /** A silence is compared with counts by publication times as well. */
  isEstimate?: boolean;
  /** The span of the alert, if it's computed already. */
  spanMs?: number;
}

/** The sample of an alert's source at a moment: the source as one entity, and its silence as another. */
export function sampleOfSource(alert: SourceAlert, counts: ArrivalCounts, counted: CountedAt): Sample {
  const { at, isEstimate, spanMs: countedMs = spanOf(alert, at) } = counted;
  const { source, options } = alert;
  const named = { name: sourceTitle(source), type: sourceKindOf(source).describe(source) };
  const entity = sourceEntity(source);
  const { at: _, ...figures } = figuresOf(counts, { at, spanMs: countedMs, knownFrom: knownSince(counts) });
  const entities: Sample["entities"] = [{ ...named, entity, ...figures }];
  if (typeof options.silence === "number") {
    const spanMs = options.silence * hourMs;
    // Services list articles late, so nothing can be missed by publication times.
    const knownFrom = isEstimate ? knownSince(counts) : counts.since;
    const silence = silenceOf(counts, { at, spanMs, knownFrom });
    const { average } = silence;
    const { mentions } = figuresOf(counts, { at, spanMs, knownFrom });
    entities.push({ ...named, entity: `silence ${entity}`, mentions, average, spanMs, silence });
  }
  return { at, entities };
}

export interface CountDependencies {
  counts: Pick<SourceCounts, "get">;
}

/** The newest sample for an alert, of its source or of what is trending; undefined if there is none yet. */
export async function newestSample(
  alert: Alert,
  trending: readonly Sample[],
  { counts }: CountDependencies,
): Promise<Sample | undefined> {
  if (!watchesSource(alert)) return trending.at(-1);
  const known = await counts.get(alert);
  return known && sampleOfSource(alert, known, { at: known.at });
}

/** Whether an entity is the alert's source or its silence. */
export function isOwnEntity(alert: Alert, entity: string): boolean {
  return watchesSource(alert) && entity.replace(/^silence /, "") === sourceEntity(alert.source);
}
