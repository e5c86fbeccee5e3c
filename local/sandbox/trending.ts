import { z } from "zod";
import { entities, type Entity, type Kind } from "./entities.ts";
import { Refusal } from "./http.ts";
import { articlesBetween, HISTORY } from "./news.ts";

const DAY = 86_400_000;

export interface Trend {
  entity: Entity;
  /** Articles of the last 24 hours that carry the entity in the first or second tier. */
  count: number;
  /** Mean of the same count over the days before. */
  average: number;
  score: number;
}

/** What an entity has that no article is about. */
const QUIET = Array.from({ length: Math.floor(HISTORY / DAY) }, () => 0);

/** Counts per day, today first, of each entity's articles. */
function dailyCounts(now: number): Map<number, number[]> {
  const days = Math.floor(HISTORY / DAY);
  const counts = new Map<number, number[]>();
  for (const article of articlesBetween(now - days * DAY, now)) {
    const day = Math.floor((now - article.published) / DAY);
    for (const id of [...article.primary, ...article.secondary]) {
      const row = counts.get(id) ?? Array.from({ length: days }, () => 0);
      row[day] = (row[day] ?? 0) + 1;
      counts.set(id, row);
    }
  }
  return counts;
}

function trendOf(entity: Entity, daily: number[]): Trend {
  const [count = 0, ...before] = daily;
  const average = before.reduce((sum, one) => sum + one, 0) / before.length;
  // Counts of rare events spread like the root of their mean; the constant keeps one single article from being a sensation.
  const score = (count - average) / Math.sqrt(average + 0.5);
  return { entity, count, average: round(average), score: round(score) };
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

/** An entity that is suddenly written about more, for tests and demonstrations. */
export interface Surge {
  /** As the trending list shows it. */
  name: string;
  /** Articles of the last 24 hours, on top of those that there are; 0 ends it. */
  mentions: number;
}

/** The body of POST /control/surges. */
export const SurgeBody = z.strictObject({ name: z.string(), mentions: z.int().min(0).max(1_000_000) });

/** Articles on top of those that there are, by the entity's ID. */
type Surges = ReadonlyMap<number, number>;

/** The surges that are on. Unknown names are refused. */
export function createSurges() {
  const extra = new Map<number, number>();
  return {
    extra,
    set({ name, mentions }: Surge): void {
      const entity = entities.find((each) => each.name === name);
      if (!entity) throw new Refusal(400, "unknown_entity", `"${name}" is no entity.`);
      extra.set(entity.id, mentions);
    },
    clear: () => extra.clear(),
  };
}

interface Options {
  now: number;
  kind?: Kind | undefined;
  limit: number;
  surges?: Surges | undefined;
}

/** The entities of one kind, or of all, whose last day stands out most against the days before. */
export function trending(options: Options): Trend[] {
  const counts = dailyCounts(options.now);
  return entities
    .filter((entity) => options.kind === undefined || entity.kind === options.kind)
    .flatMap((entity) => {
      const [today = 0, ...before] = counts.get(entity.id) ?? QUIET;
      const count = today + (options.surges?.get(entity.id) ?? 0);
      return count > 0 ? [trendOf(entity, [count, ...before])] : [];
    })
    .toSorted((left, right) => right.score - left.score || right.count - left.count || left.entity.id - right.entity.id)
    .slice(0, options.limit);
}
