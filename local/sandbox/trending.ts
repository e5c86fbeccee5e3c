import { entities, type EntityKind, parseKind, type SampleEntity } from "./entities.ts";
import { articlesBetween, historyMs } from "./news.ts";
import { invalid, readLimit, type ServiceCall } from "./service.ts";

const dayMs = 86_400_000;
const days = Math.floor(historyMs / dayMs);

export interface SampleTrend {
  entity: SampleEntity;
  /** Articles of the last 24 hours that carry the entity in the first or second tier. */
  count: number;
  /** Mean of the same count over the days before. */
  average: number;
  score: number;
}

/** Counts of each entity's articles by day, today first. */
function dailyCounts(now: number): Map<number, number[]> {
  const counts = new Map<number, number[]>();
  for (const article of articlesBetween(now - days * dayMs, now)) {
    const day = Math.floor((now - article.published) / dayMs);
    for (const id of [...article.primary, ...article.secondary]) {
      const row = counts.get(id) ?? Array.from({ length: days }, () => 0);
      row[day] = (row[day] ?? 0) + 1;
      counts.set(id, row);
    }
  }
  return counts;
}

const round = (value: number) => Math.round(value * 100) / 100;

function trendOf(entity: SampleEntity, count: number, before: number[]): SampleTrend {
  const average = before.reduce((sum, one) => sum + one, 0) / (days - 1);
  // The counts of rare events spread like the root of their mean; the constant keeps a single article from standing out.
  const score = (count - average) / Math.sqrt(average + 0.5);
  return { entity, count, average: round(average), score: round(score) };
}

/** Extra mentions of an entity, for tests. */
export interface Surge {
  /** The name in the trending list. */
  name: string;
  /** The mentions to add to those of the last 24 hours; 0 ends the surge. */
  mentions: number;
}

/** The current surges by entity ID; unknown names are refused. */
export function createSurges() {
  const extra = new Map<number, number>();
  const set = ({ name, mentions }: Surge) => {
    const entity = entities.find((each) => each.name === name);
    if (!entity) throw invalid(`"${name}" is no entity.`);
    extra.set(entity.id, mentions);
  };
  return { extra, set, clear: () => extra.clear() };
}

interface TrendingOptions {
  now: number;
  kind?: EntityKind | undefined;
  limit: number;
  surges?: ReadonlyMap<number, number>;
}

/** The entities of one kind, or of all, whose last day stands out most against the days before. */
export function trending({ now, kind, limit, surges }: TrendingOptions): SampleTrend[] {
  const counts = dailyCounts(now);
  return entities
    .filter((entity) => kind === undefined || entity.kind === kind)
    .flatMap((entity) => {
      const [today = 0, ...before] = counts.get(entity.id) ?? [];
      const count = today + (surges?.get(entity.id) ?? 0);
      return count > 0 ? [trendOf(entity, count, before)] : [];
    })
    .toSorted((left, right) => right.score - left.score || right.count - left.count || left.entity.id - right.entity.id)
    .slice(0, limit);
}

/** The trends that a call asks for by `type` (code or display name) and `limit`; the document shows no parameters. */
export function trendingFor({ query, now, surges }: ServiceCall): SampleTrend[] {
  const type = query.get("type");
  const kind = type === null ? undefined : parseKind(type);
  if (type !== null && !kind) throw invalid(`There is no entity type "${type}".`);
  return trending({ now, kind, limit: readLimit(query, { usual: 20, max: 100 }), surges });
}
