import data from "./data/briefs.json" with { type: "json" };
import stories from "./data/stories.json" with { type: "json" };
import { entityIdOf } from "./entities.ts";
import { recentArticles, type SampleArticle } from "./news.ts";

/**
 * An analyst's notes on a story, written by hand. A text ends with the numbers of the articles that it is based on, as
 * in "The shares fell 21%. {1}", and is used only once all of those are published.
 */
interface Brief {
  /** The name inside a sentence: "the North Sea dock strike". */
  name: string;
  /** The heading of this story in an answer about several stories, as a question. */
  question: string;
  /** The keys of the companies and people whom the story is mainly about. */
  companies: string[];
  /** One whole sentence for each article of the story. */
  lines: string[];
  /** The state of affairs, the latest first. */
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
  /** The company's name for the matter, and its first statement. */
  statement: string[];
}

const briefs: Record<string, Brief> = data;

/** The story and number of each article, by its headline; no two headlines are equal. */
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

/** A text of a brief and the articles that it is based on. */
export interface BriefText {
  text: string;
  articles: SampleArticle[];
}

/** The part of a story that its published articles support. */
export interface SampleStory extends Pick<Brief, "name" | "question" | "statement"> {
  /** The IDs of the companies and people whom it is mainly about. */
  central: number[];
  /** The articles in the order of their publication. */
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

/** Every story that has begun, based on these articles alone, the one with the newest article first. */
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

/** Builds a story from its articles; an article that is published but may not be used is undefined. */
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
  // The state of a story sums up all earlier articles, so it is used only if all of them may be used.
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

/** The sentence of the brief on an article of a story; undefined for everyday news. */
export function lineOf(article: Pick<SampleArticle, "title">): string | undefined {
  const place = placeOf(article);
  return place && briefs[place.story]?.lines[place.note];
}
