import type { Article } from "../../apis/article.ts";
import { type Profile, type ComparedReport, createSimilarity } from "./similarity.ts";

/** One event, as one or several articles tell it. */
export interface Story {
  /** The newest of its articles. */
  lead: Article;
  /** The rest, the newest first. */
  others: Article[];
}

/** Facts that help to tell stories apart. */
interface StoryContext {
  /** Names of entities, by ID. */
  names?: Record<string, string> | undefined;
  /** All that the source has, which tells what is common in it. */
  among?: ComparedReport[] | undefined;
}

/** Terms of a report by which stories are looked up, stories that it is compared with, and reports that each is known by. */
const lookedUp = 12;
const comparedStories = 6;
const comparedReports = 6;
/** Stories that are looked at for one term or entity: the latest. */
const latestMost = 20;
/** An entity in common counts as much as words that say by themselves that it is one event. */
const entityScore = 0.25;

/** Articles as stories, the newest first, each article in one of them, however they are ordered. */
export function storiesOf(articles: Article[], context: StoryContext = {}): Story[] {
  return separateRepeats(articles, context).stories;
}

/** All articles of a story, the newest first. */
export function articlesOf({ lead, others }: Story): Article[] {
  return [lead, ...others];
}

/** The stories of a list in its order: each in the place of its first article, which leads it. */
export function storiesInOrder(articles: Article[], context: StoryContext = {}): Story[] {
  const places = new Map(articles.map((article, at) => [article, at]));
  const placeOf = (article: Article) => places.get(article) ?? 0;
  return storiesOf(articles, context)
    .map((story) => articlesOf(story).toSorted((one, other) => placeOf(one) - placeOf(other)))
    .flatMap(([lead, ...others]) => (lead ? [{ lead, others }] : []))
    .toSorted((one, other) => placeOf(one.lead) - placeOf(other.lead));
}

/** The same order whatever order they came in; what is equal in all of this is the same article. */
function oldestFirst(one: Article, other: Article): number {
  return (
    (one.published ?? 0) - (other.published ?? 0) ||
    one.url.localeCompare(other.url) ||
    (one.id ?? 0) - (other.id ?? 0) ||
    JSON.stringify(one).localeCompare(JSON.stringify(other))
  );
}

/** A story that was known before, by some of its reports. */
export interface KnownStory {
  reports: ComparedReport[];
}

/** New reports on a story that was known before, the newest first. */
export interface Repeat<K> {
  of: K;
  articles: Article[];
}

/** Articles as stories, and those apart that belong to a story that is known. */
export function separateRepeats<K extends KnownStory>(
  articles: Article[],
  context: GroupContext<K>,
): { stories: Story[]; repeats: Repeat<K>[] } {
  const groups = groupReports<Article, K>(articles.toSorted(oldestFirst), context);
  const stories: Story[] = [];
  const repeats: Repeat<K>[] = [];
  for (const { reports, known } of groups) {
    const [lead, ...others] = reports.toReversed();
    if (known) repeats.push({ of: known, articles: reports.toReversed() });
    else if (lead) stories.push({ lead, others });
  }
  return { stories: stories.toSorted((one, other) => oldestFirst(other.lead, one.lead)), repeats };
}

/** Reports on one event, the oldest first, and the known story that they belong to. */
interface ReportGroup<R, K> {
  reports: R[];
  known?: K | undefined;
}

interface GroupContext<K> extends StoryContext {
  known?: K[];
}

/**
 * Groups reports by the event that they are on, the known stories first. A story is compared as one report that says all that
 * its reports do, so that none drifts by a chain of single resemblances. Each report in its turn joins the story that it is
 * most like. Then stories join in the same way, the small ones first: a report that came early may have been like none.
 */
function groupReports<R extends ComparedReport, K extends KnownStory = KnownStory>(
  reports: R[],
  { known = [], ...context }: GroupContext<K> = {},
): ReportGroup<R, K>[] {
  const similarity = createSimilarity<ComparedReport>(
    [...reports, ...known.flatMap((story) => story.reports)],
    context,
  );
  const groups: Group<R, K>[] = [];
  const index = createIndex(similarity.terms);
  const add = (profile: Profile, at: number) => {
    const group = groups[at];
    if (!group) return;
    group.profiles.push(profile);
    group.whole = undefined;
    index.add(profile, at);
  };
  for (const story of known) {
    groups.push({ reports: [], known: story, profiles: [] });
    for (const report of story.reports) add(similarity.profileOf(report), groups.length - 1);
  }

  /** A story as one report, by its first report and its latest. */
  const wholeOf = (group: Group<R, K>): Profile => {
    const { profiles } = group;
    group.whole ??= similarity.wholeOf(
      profiles.length > comparedReports ? [...profiles.slice(0, 1), ...profiles.slice(1 - comparedReports)] : profiles,
    );
    return group.whole;
  };
  /** The story that a report, or a story as one, is most like; -1 if it is like none. */
  const closest = (profile: Profile, own = -1) => {
    let best = { at: -1, value: 1 };
    for (const at of index.likeliest(profile)) {
      const group = groups[at];
      if (!group || at === own || group.profiles.length === 0) continue;
      const value = similarity.between(profile, wholeOf(group));
      if (value >= best.value && (best.at < 0 || value > best.value)) best = { at, value };
    }
    return best.at;
  };

  for (const report of reports) {
    const profile = similarity.profileOf(report);
    const found = closest(profile);
    const at = found < 0 ? groups.push({ reports: [], profiles: [] }) - 1 : found;
    groups[at]?.reports.push(report);
    add(profile, at);
  }
  const places = new Map(reports.map((report, at) => [report, at]));
  const bySize = [...groups.keys()].toSorted(
    (one, other) => (groups[one]?.reports.length ?? 0) - (groups[other]?.reports.length ?? 0),
  );
  for (const at of bySize) {
    const group = groups[at];
    if (!group || group.known || group.reports.length === 0) continue;
    const found = closest(wholeOf(group), at);
    const into = groups[found];
    if (!into) continue;
    into.reports = [...into.reports, ...group.reports].toSorted(
      (one, other) => (places.get(one) ?? 0) - (places.get(other) ?? 0),
    );
    for (const profile of group.profiles) add(profile, found);
    group.reports = [];
    group.profiles = [];
  }
  return groups
    .filter((group) => group.reports.length > 0)
    .map(({ reports: own, known: story }) => ({ reports: own, known: story }));
}

interface Group<R, K> extends ReportGroup<R, K> {
  profiles: Profile[];
  /** All of them as one, if that has been asked for since the last one came. */
  whole?: Profile | undefined;
}

/** Finds stories by the weightiest terms and the main entities of their reports. */
function createIndex(terms: number) {
  const byTerm = new Map<number, number[]>();
  const scores: number[] = [];
  /** The weightiest terms and the main entities, with what each counts; entities stand behind the terms. */
  const keysOf = ({ terms: own, weights, main }: Profile): [number, number][] => [
    ...weightiest(weights).map((at): [number, number] => [own[at] ?? 0, weights[at] ?? 0]),
    ...main.map((id): [number, number] => [terms + id, entityScore]),
  ];
  return {
    add(profile: Profile, at: number): void {
      for (const [key] of keysOf(profile)) {
        const found = byTerm.get(key);
        if (!found) byTerm.set(key, [at]);
        else if (found.at(-1) !== at) found.push(at);
      }
    },
    /** The stories that have most of its terms and entities; none that could not be like it. */
    likeliest(profile: Profile): number[] {
      const touched: number[] = [];
      for (const [key, score] of keysOf(profile)) {
        const found = byTerm.get(key) ?? [];
        for (const at of found.length > latestMost ? found.slice(-latestMost) : found) {
          const before = scores[at] ?? 0;
          if (before === 0) touched.push(at);
          scores[at] = before + score;
        }
      }
      const likely = touched
        .filter((at) => (scores[at] ?? 0) >= entityScore)
        .toSorted((one, other) => (scores[other] ?? 0) - (scores[one] ?? 0) || one - other);
      for (const at of touched) scores[at] = 0;
      return likely.slice(0, comparedStories);
    },
  };
}

/** The places of the greatest weights, the greatest first. */
function weightiest(weights: number[]): number[] {
  const places: number[] = [];
  for (const [at, weight] of weights.entries()) {
    let place = places.length;
    while (place > 0 && weight > (weights[places[place - 1] ?? 0] ?? 0)) place--;
    if (place >= lookedUp) continue;
    places.splice(place, 0, at);
    places.length = Math.min(places.length, lookedUp);
  }
  return places;
}
