import { nextRuns } from "../../schedule/runs.ts";
import { sourceKindOf, sourceTitle } from "../sources/index.ts";
import type { ArticleSource } from "../sources/source.ts";
import type { Alert } from "./alert.ts";
import { type ArrivalCounts, figuresOf, knownSince, silenceOf } from "./detect/counts.ts";
import type { Sample } from "../sources/samples.ts";
import type { AlertDependencies } from "./dependencies.ts";

/** Alerts that watch a source of articles: its counts, and the samples made of them. */

const hourMs = 60 * 60_000;
const dayMs = 24 * hourMs;

/** An alert that watches a source. */
export type SourceAlert = Alert & { source: ArticleSource };

export function watchesSource(alert: Alert): alert is SourceAlert {
  return alert.source !== undefined;
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

/** The newest sample for an alert, of its source or of what is trending; undefined if there is none yet. */
export async function newestSample(
  alert: Alert,
  trending: readonly Sample[],
  { counts }: AlertDependencies,
): Promise<Sample | undefined> {
  if (!watchesSource(alert)) return trending.at(-1);
  const known = await counts.get(alert);
  return known && sampleOfSource(alert, known, { at: known.at });
}

/** True if an entity is the alert's source or its silence. */
export function isOwnEntity(alert: Alert, entity: string): boolean {
  return watchesSource(alert) && entity.replace(/^silence /, "") === sourceEntity(alert.source);
}
