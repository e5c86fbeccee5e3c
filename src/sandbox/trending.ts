import { entities, type Entity, type Kind } from "./entities.ts";
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

/** The entities of one kind, or of all, whose last day stands out most against the days before. */
export function trending(options: { now: number; kind?: Kind | undefined; limit: number }): Trend[] {
  const counts = dailyCounts(options.now);
  return entities
    .filter((entity) => options.kind === undefined || entity.kind === options.kind)
    .flatMap((entity) => {
      const daily = counts.get(entity.id);
      return daily && (daily[0] ?? 0) > 0 ? [trendOf(entity, daily)] : [];
    })
    .toSorted((left, right) => right.score - left.score || right.count - left.count || left.entity.id - right.entity.id)
    .slice(0, options.limit);
}
