import { z } from "zod";

import { withDeadline } from "../../slack/timer.ts";
import type { Gateway } from "../../apis/gateway/client.ts";
import { type Trend, trendSchema } from "../../apis/article.ts";
import { type Log, describe } from "../../log.ts";
import type { Collection } from "../../store/collection.ts";
import type { Configured } from "../feature.ts";
import { comparableName } from "../names.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** The time for which a sample is kept. */
export const sampleLifeMs = 7 * 24 * hourMs;
/**
 * Younger ones are all kept; of the older ones one for each quarter of an hour, after two days for each half. A week of a
 * hundred entities is about 7 MB.
 */
const recentMs = 3 * hourMs;
const thinnedMs = 15 * minuteMs;
const lastingMs = 2 * 24 * hourMs;
const sparseMs = 30 * minuteMs;
/** Entities of one sample; what ranks lower stands out no more. */
const mostSampled = 100;
/** The time for which a sample is shared with others who ask, in milliseconds. */
const sharedMs = 30_000;
/** The longest wait for trending names when a window opens, in milliseconds, of the three seconds that Slack allows. */
const currentWaitMs = 1_200;
/** If a look costs a credit, a sample so recent is as good as a new one. */
const recentEnoughMs = 15 * minuteMs;

/** Everything that was trending at one moment, the best rank first; the same for all alerts. */
export interface Sample {
  at: number;
  entities: SampledEntity[];
}

interface SampledEntity extends Trend, Pick<Figures, "spanMs" | "isEstimate"> {
  /** The key it goes by: `entityKey`, or `sourceEntity`. */
  entity: string;
  silence?: SourceSilence | undefined;
}

/** A stored sample. */
export const sampleSchema: z.ZodType<Sample> = z.object({
  at: z.number(),
  entities: z.array(trendSchema.extend({ entity: z.string() })),
});

/** The numbers of an entity in one sample. */
export const figuresSchema = z.object({
  at: z.number(),
  mentions: z.number(),
  average: z.number().optional(),
  score: z.number().optional(),
  /** The length of time in which they were counted; missing if the service does not say. */
  spanMs: z.number().optional(),
  /** The average is estimated from when articles were published: nobody has counted for long enough. */
  isEstimate: z.boolean().optional(),
});
export type Figures = z.infer<typeof figuresSchema>;

/** Since when a source brings nothing. */
export interface SourceSilence {
  since: number;
  /** It would normally have brought something. */
  isUnusual: boolean;
  /** Articles of the same hours on the days before, as far as they are known. */
  average?: number;
}

export type Samples = ReturnType<typeof createSamples>;

export interface SamplesOptions {
  records: Collection<Sample>;
  /** Asks the service, in its order of rank. */
  read: (gateway: Gateway) => Promise<Trend[]>;
  now: () => number;
  log: Pick<Log, "warn">;
}

/** Samples in memory and in the store; a few hundred at most, however long it runs. */
export function createSamples({ records, read, now, log }: SamplesOptions) {
  let loading: Promise<Sample[]> | undefined;
  let taking: Promise<Sample> | undefined;

  const all = () =>
    (loading ??= loadSamples(records).catch((error: unknown) => {
      // The next one who asks may have more luck.
      loading = undefined;
      throw error;
    }));

  async function fetch(gateway: Gateway): Promise<Sample> {
    const newest = (await all()).at(-1);
    if (newest && Math.abs(now() - newest.at) < sharedMs) return newest;
    const trends = await read(gateway);
    const sample = { at: now(), entities: entitiesOf(trends) };
    const { kept, dropped } = thinSamples([...(await all()), sample], sample.at);
    loading = Promise.resolve(kept);
    try {
      await records.set(String(sample.at), sample);
      for (const old of dropped) await records.delete(String(old.at));
    } catch (error) {
      // The sample serves this check all the same; only the history lacks it.
      log.warn("samples.save.failed", { error: describe(error) });
    }
    return sample;
  }

  /** The samples kept that are not older than a moment, the oldest first. */
  const since = async (at: number) => (await all()).filter((sample) => sample.at >= at);

  return {
    /**
     * Reads what is trending now: one request for all who ask within half a minute. Rejects if the service does not
     * answer; the gateway is that of whoever asks, in case it costs something.
     */
    take: (gateway: Gateway) => (taking ??= fetch(gateway).finally(() => (taking = undefined))),
    since,
    /** The numbers of one entity in the samples. */
    history: async (entity: string, at: number) =>
      (await since(at)).flatMap((sample) => figuresIn(sample, entity) ?? []),
  };
}

/** The numbers of an entity in a sample, if it is in it. */
export function figuresIn({ at, entities }: Sample, entity: string): Figures | undefined {
  const found = entities.find((each) => each.entity === entity);
  return found && { at, ...numbersOf(found) };
}

/** The numbers of an entity of a sample, without what is not known. */
export function numbersOf({ mentions, average, score, spanMs, isEstimate }: SampledEntity): Omit<Figures, "at"> {
  return { mentions, average, score, ...(spanMs !== undefined && { spanMs }), ...(isEstimate && { isEstimate }) };
}

/** The key that an entity goes by, however its name and type are spelt. */
export function entityKey({ name, type }: { name: string; type: string }): string {
  return `${comparableName(type)}|${comparableName(name)}`;
}

/** Each entity once, the best ranked first. */
function entitiesOf(trends: Trend[]): SampledEntity[] {
  const byKey = new Map<string, SampledEntity>();
  for (const trend of trends) {
    const entity = entityKey(trend);
    if (byKey.size < mostSampled && !byKey.has(entity)) byKey.set(entity, { ...trend, entity });
  }
  return [...byKey.values()];
}

/** The samples that are kept at a moment; one from the future was taken while the clock was wrong. */
function thinSamples(samples: Sample[], now: number): { kept: Sample[]; dropped: Sample[] } {
  const slots = new Set<string>();
  const isKept = ({ at }: Sample) => {
    if (at > now || at <= now - sampleLifeMs) return false;
    if (at > now - recentMs) return true;
    const slotMs = at > now - lastingMs ? thinnedMs : sparseMs;
    const slot = `${slotMs} ${Math.floor(at / slotMs)}`;
    return slots.has(slot) ? false : slots.add(slot) !== undefined;
  };
  const { kept = [], dropped = [] } = Object.groupBy(samples, (sample) => (isKept(sample) ? "kept" : "dropped"));
  return { kept, dropped };
}

async function loadSamples(records: Collection<Sample>): Promise<Sample[]> {
  const loaded: Sample[] = [];
  for await (const [, sample] of records.entries()) loaded.push(sample);
  return loaded.toSorted((one, other) => one.at - other.at);
}

/** A timer: calls once after that many milliseconds; the result cancels. */
export type After = (ms: number, call: () => void) => () => void;

export interface SampleSources {
  samples: Samples;
  gateway: Gateway;
  configured: Configured;
  log: Pick<Log, "warn">;
  after: After;
  now: () => number;
}

/** The kept samples, behind them what is trending now if that can be had in time; the newest last. */
export async function currentSamples(sources: SampleSources): Promise<Sample[]> {
  const { samples, gateway, configured, log, after, now } = sources;
  const kept = await samples.since(0);
  const isRecent = (kept.at(-1)?.at ?? 0) > now() - recentEnoughMs;
  if (isRecent && !configured.intelligence) return kept;
  try {
    await withDeadline<unknown>({ after }, currentWaitMs, samples.take(gateway), () => undefined);
  } catch (error) {
    log.warn("samples.take.failed", { error: describe(error) });
  }
  return samples.since(0);
}
