import data from "./data/briefs.json" with { type: "json" };
import stories from "./data/stories.json" with { type: "json" };
import { entityIdOf } from "./entities.ts";
import { recentArticles, type SampleArticle } from "./news.ts";

/**
 * What an analyst knows about a story, written by hand. A text ends with the numbers of the articles that it stands on, as in
 * "The shares fell 21%. {1}", and is used only once all of those are published.
 */
interface Brief {
  /** "the North Sea dock strike". */
  name: string;
  /** The question that an answer about several stories puts above this one. */
  question: string;
  /** Keys of those whom the story is mainly about. */
  companies: string[];
  /** One whole sentence for each article of the story. */
  lines: string[];
  /** How things stand, the latest first. */
  state: string[];
  why: string[];
  matters: string[];
  gains: string[];
  next: string[];
  /** Answers to questions that match, the latest first; to a yes-or-no question they begin with yes or no. */
  facts: { asks: string; says: string[] }[];
  /** `state` and `why` in German. */
  german: string[];
  warum: string[];
  /** What a company would call the matter, and what it would say first. */
  statement: string[];
}

const briefs: Record<string, Brief> = data;

/** Where the headlines of the stories stand; no two are the same. */
const places = new Map(
  stories.flatMap(({ name, notes }) => notes.map(({ title }, note) => [title, { story: name, note }] as const)),
);

/** The story that an article belongs to and its number there; everyday news belongs to none. */
export function placeOf({ title }: Pick<SampleArticle, "title">): { story: string; note: number } | undefined {
  return places.get(title);
}

/**
 * The articles of each story's latest run that are published at `now`, by their numbers. The run before it is left out,
 * because it knows how the story ends.
 */
export function storyRuns(now: number): Map<string, Map<number, SampleArticle>> {
  const runs = new Map<string, Map<number, SampleArticle>>();
  for (const article of recentArticles(now)) {
    const place = placeOf(article);
    if (place) runs.set(place.story, (runs.get(place.story) ?? new Map()).set(place.note, article));
  }
  for (const run of runs.values()) {
    const begun = run.get(0)?.published ?? Infinity;
    for (const [note, { published }] of run) if (published < begun) run.delete(note);
  }
  return runs;
}

/** A text of a brief with the articles that it stands on. */
export interface BriefText {
  text: string;
  articles: SampleArticle[];
}

/** A story as far as it may be told. */
export interface SampleStory extends Pick<Brief, "name" | "question" | "statement"> {
  /** IDs of those whom it is mainly about. */
  central: number[];
  /** In the order in which they were published. */
  articles: SampleArticle[];
  state: BriefText[];
  why: BriefText[];
  matters: BriefText[];
  gains: BriefText[];
  next: BriefText[];
  facts: { asks: RegExp; says: BriefText[] }[];
  german: BriefText[];
  warum: BriefText[];
}

/** Every story that has begun, the one with the newest article first, told from these articles alone. */
export function storiesAt(now: number, usable: SampleArticle[]): SampleStory[] {
  const byId = new Map(usable.map((article) => [article.id, article]));
  const runs = storyRuns(now);
  return Object.entries(briefs)
    .map(([key, brief]) => {
      const run = [...(runs.get(key) ?? [])];
      return storyFrom(brief, new Map(run.map(([note, { id }]) => [note, byId.get(id)])));
    })
    .filter(({ articles }) => articles.length > 0)
    .toSorted((left, right) => (right.articles.at(-1)?.published ?? 0) - (left.articles.at(-1)?.published ?? 0));
}

/** The story as far as its articles are there; one that is published but may not be used is undefined. */
function storyFrom(brief: Brief, notes: Map<number, SampleArticle | undefined>): SampleStory {
  const told = (texts: string[]) =>
    texts.flatMap((written) => {
      const numbers = [...written.matchAll(/\{(\d+)\}/g)].map(([, number]) => Number(number));
      const articles = numbers.flatMap((number) => notes.get(number) ?? []);
      const text = written.replaceAll(/\s*\{\d+\}/g, "");
      return articles.length === numbers.length ? [{ text, articles }] : [];
    });
  const { name, question, statement, companies } = brief;
  const articles = [...notes.values()]
    .flatMap((article) => article ?? [])
    .toSorted((left, right) => left.published - right.published);
  // How things stand sums up all that came before, so it is told only where all of that may be used.
  const isWhole = (last: SampleArticle) =>
    [...notes].every(([note, article]) => article !== undefined || note > (placeOf(last)?.note ?? 0));
  const state = told(brief.state).filter((text) => text.articles.every(isWhole));
  const line = articles.slice(-1).map((article) => ({ text: lineOf(article) ?? article.title, articles: [article] }));
  return {
    name,
    question,
    statement,
    central: companies.map(entityIdOf),
    articles,
    state: state.length > 0 ? state : line,
    why: told(brief.why),
    matters: told(brief.matters),
    gains: told(brief.gains),
    next: told(brief.next),
    facts: brief.facts.map(({ asks, says }) => ({ asks: new RegExp(asks, "i"), says: told(says) })),
    german: told(brief.german),
    warum: told(brief.warum),
  };
}

/** An article of a story in one whole sentence; everyday news has none. */
export function lineOf(article: Pick<SampleArticle, "title">): string | undefined {
  const place = placeOf(article);
  return place && briefs[place.story]?.lines[place.note];
}
