import type { Collection } from "../../../store/collection.ts";
import { createTurns } from "../../../store/turns.ts";
import { type Sighting, type Standing, isTelling, unknown } from "./rule.ts";

/** How long what is known of a source is kept after it was last worth writing down. */
export const standingLifeMs = 90 * 24 * 60 * 60_000;
/** Sources that are watched at once; the one that was not read for longest makes room. */
const watchedMost = 5_000;

/** What is known of a service and of what was read of it. */
interface Known {
  service: Standing;
  source?: Standing | undefined;
}

/** How everything stands, in memory and on the store; changes come one after the other. */
export interface Standings {
  all(): Promise<Map<string, Standing>>;
  /** Changes what a read tells of; what could not be written down is not known either, so the next read comes to the same. */
  judge(sighting: Sighting, change: (known: Known) => Known): Promise<void>;
  change(key: string, change: (current: Standing) => Standing): Promise<void>;
}

/** Reads them once, and again where that failed. */
export function createStandings(records: Collection<Standing>): Standings {
  const inTurn = createTurns();
  let loading: Promise<Map<string, Standing>> | undefined;

  const all = () =>
    (loading ??= load(records).catch((error: unknown) => {
      loading = undefined;
      throw error;
    }));

  async function keep(before: Standing, after: Standing): Promise<void> {
    const standings = await all();
    const key = keyOf(after);
    if (isTelling(before, after)) await records.set(key, after);
    standings.delete(key);
    standings.set(key, after);
    const [oldest] = standings.keys();
    if (standings.size > watchedMost && oldest !== undefined) standings.delete(oldest);
  }

  return {
    all,
    judge: ({ api, source }, change) =>
      inTurn("", async () => {
        const standings = await all();
        const of = (about: Parameters<typeof keyOf>[0]) => standings.get(keyOf(about)) ?? unknown(about);
        const before = { service: of({ api }), source: source === undefined ? undefined : of({ api, source }) };
        const after = change(before);
        await keep(before.service, after.service);
        if (before.source && after.source) await keep(before.source, after.source);
      }),
    change: (key, change) =>
      inTurn("", async () => {
        const current = (await all()).get(key);
        if (current) await keep(current, change(current));
      }),
  };
}

async function load(records: Collection<Standing>): Promise<Map<string, Standing>> {
  const loaded = new Map<string, Standing>();
  for await (const [key, standing] of records.entries()) loaded.set(key, standing);
  return loaded;
}

function keyOf({ api, source }: Pick<Standing, "api" | "source">): string {
  return source === undefined ? api : `${api} ${source}`;
}
