import type { Gateway } from "../../apis/gateway/client.ts";
import type { Trend } from "../../apis/trend.ts";
import { describe } from "../../log.ts";
import type { Log } from "../../log.ts";
import type { Collection } from "../../store/collection.ts";
import { type Figures, type Sample, type Sampled, entityKey } from "./alert.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** How long a sample is kept. */
export const sampleLifeMs = 8 * 24 * hourMs;
/** Younger ones are all kept; of the older ones one for each quarter of an hour. */
const recentMs = 3 * hourMs;
const thinnedMs = 15 * minuteMs;
/** Entities of one sample; what ranks lower stands out no more. */
const mostSampled = 100;
/** Whoever wants to know what is trending so soon after somebody else is told the same. */
const sharedMs = 30_000;

/** What is trending, as it was found again and again. */
export interface Samples {
  /**
   * What is trending now: one request for all who ask within half a minute. Rejects where the service does not answer;
   * the gateway is that of whoever asks, for where it costs something.
   */
  take(gateway: Gateway): Promise<Sample>;
  /** Those kept that are not older than a moment, the oldest first. */
  since(at: number): Promise<Sample[]>;
  /** The numbers of one entity in them. */
  history(entity: string, since: number): Promise<Figures[]>;
}

interface Options {
  records: Collection<Sample>;
  /** Asks the service, in its order of rank. */
  read(gateway: Gateway): Promise<Trend[]>;
  now: () => number;
  log: Pick<Log, "warn">;
}

/** Samples in memory and on the store; a few hundred at most, however long it runs. */
export function createSamples(options: Options): Samples {
  const { records, now, log } = options;
  const histories = new Map<string, Figures[]>();
  let loading: Promise<Sample[]> | undefined;
  let taking: Promise<Sample> | undefined;

  const all = () =>
    (loading ??= load(records).catch((error: unknown) => {
      // The next one may have more luck.
      loading = undefined;
      throw error;
    }));

  async function fetch(gateway: Gateway): Promise<Sample> {
    const newest = (await all()).at(-1);
    if (newest && Math.abs(now() - newest.at) < sharedMs) return newest;
    const entities = await options.read(gateway);
    const sample = interned({ at: now(), entities: sampled(entities) }, newest);
    await keep(sample);
    return sample;
  }

  /** What cannot be written down is still good for now. */
  async function keep(sample: Sample): Promise<void> {
    const { kept, dropped } = thinned([...(await all()), sample], sample.at);
    loading = Promise.resolve(kept);
    histories.clear();
    try {
      await records.set(keyOf(sample), sample);
      for (const old of dropped) await records.delete(keyOf(old));
    } catch (error) {
      log.warn("samples.keep", { error: describe(error) });
    }
  }

  async function historyOf(entity: string): Promise<Figures[]> {
    const known = histories.get(entity);
    if (known) return known;
    const history = (await all()).flatMap(({ at, entities }) => {
      const found = entities.find((each) => each.entity === entity);
      return found ? [figuresOf(found, at)] : [];
    });
    histories.set(entity, history);
    return history;
  }

  return {
    take: (gateway) => (taking ??= fetch(gateway).finally(() => (taking = undefined))),
    since: async (at) => (await all()).filter((sample) => sample.at >= at),
    history: async (entity, since) => (await historyOf(entity)).filter(({ at }) => at >= since),
  };
}

/** The numbers of an entity at a moment. */
function figuresOf({ mentions, average, score }: Trend, at: number): Figures {
  return { at, mentions, average, score };
}

/** Each once, the best ranked first. */
function sampled(entities: Trend[]): Sampled[] {
  const byKey = new Map<string, Sampled>();
  for (const each of entities) {
    const entity = entityKey(each);
    if (byKey.size < mostSampled && !byKey.has(entity)) byKey.set(entity, { ...each, entity });
  }
  return [...byKey.values()];
}

/** What is kept of samples at a moment; one from ahead of the clock was taken while that stood wrong. */
function thinned(samples: Sample[], now: number): { kept: Sample[]; dropped: Sample[] } {
  const slots = new Set<number>();
  const isKept = ({ at }: Sample) => {
    if (at > now || at <= now - sampleLifeMs) return false;
    if (at > now - recentMs) return true;
    const slot = Math.floor(at / thinnedMs);
    return slots.has(slot) ? false : slots.add(slot) !== undefined;
  };
  const { kept = [], dropped = [] } = Object.groupBy(samples, (sample) => (isKept(sample) ? "kept" : "dropped"));
  return { kept, dropped };
}

async function load(records: Collection<Sample>): Promise<Sample[]> {
  const loaded: Sample[] = [];
  for await (const [, sample] of records.entries()) loaded.push(interned(sample, loaded.at(-1)));
  return loaded.toSorted((one, other) => one.at - other.at);
}

/** The names of a sample are mostly those of the one before it, and are held in memory once. */
function interned({ at, entities }: Sample, before: Sample | undefined): Sample {
  const known = new Map(before?.entities.map((each) => [each.entity, each]));
  return {
    at,
    entities: entities.map(({ entity, name, type, mentions, average, score }) => {
      const same = known.get(entity);
      const names = same?.name === name && same.type === type ? same : { entity, name, type };
      return { entity: names.entity, name: names.name, type: names.type, mentions, average, score };
    }),
  };
}

function keyOf({ at }: Sample): string {
  return String(at);
}
