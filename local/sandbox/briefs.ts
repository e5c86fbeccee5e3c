import data from "./data/briefs.json" with { type: "json" };
import { entityIdOf } from "./entities.ts";
import { placeOf, type SampleArticle, storyArticles } from "./news.ts";

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
  return Object.entries(briefs)
    .map(([key, brief]) => {
      const notes = storyArticles(key, now).map((article) => article && byId.get(article.id));
      return storyFrom(brief, notes);
    })
    .filter(({ articles }) => articles.length > 0)
    .toSorted((left, right) => (right.articles.at(-1)?.published ?? 0) - (left.articles.at(-1)?.published ?? 0));
}

/** The story as far as its articles are there. */
function storyFrom(brief: Brief, notes: (SampleArticle | undefined)[]): SampleStory {
  const told = (texts: string[]) =>
    texts.flatMap((written) => {
      const numbers = [...written.matchAll(/\{(\d+)\}/g)].map(([, number]) => Number(number));
      const articles = numbers.flatMap((number) => notes[number] ?? []);
      const text = written.replaceAll(/\s*\{\d+\}/g, "");
      return articles.length === numbers.length ? [{ text, articles }] : [];
    });
  const { name, question, statement, companies } = brief;
  const articles = notes
    .flatMap((article) => article ?? [])
    .toSorted((left, right) => left.published - right.published);
  return {
    name,
    question,
    statement,
    central: companies.map(entityIdOf),
    articles,
    state: told(brief.state),
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
export function lineOf(article: SampleArticle): string | undefined {
  const place = placeOf(article);
  return place && briefs[place.story]?.lines[place.note];
}
