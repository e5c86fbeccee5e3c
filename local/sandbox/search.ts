import { entityById } from "./entities.ts";
import { type Article, recentArticles } from "./news.ts";
import { wordsOf } from "./words.ts";

/** Words that say nothing about what is looked for. */
const COMMON = new Set(
  `a about after all am an and any are as at be been being by can could did do does for from give had has have he her his
  how i in into is it its latest like me more much my new news now of on or our out over please recent say said she should
  show so some tell than that the their them then there these they this those to today up us was we were what when where
  which who whom whose why will with would you your happening happened going anything something everything know week
  yesterday morning overnight long detail table code story stories article articles summary summarise summarize brief
  explain hello hi hey thanks thank good last hours days lately currently right write list look find got get let make made`.split(
    /\s+/,
  ),
);

/** The words of a query that are worth matching, each once. */
export function keywordsOf(text: string): string[] {
  return [...new Set(wordsOf(text))].filter((word) => word.length > 1 && !COMMON.has(word));
}

/** A word matches itself, its plural or singular, and longer words that it begins ("chip" finds "chipmaker"). */
function begins(word: string, keyword: string): boolean {
  if (word === keyword) return true;
  const stem = keyword.length > 3 ? keyword.replace(/(?:ies|es|s|y)$/, "") : keyword;
  return stem.length > 3 ? word.startsWith(stem) : word === `${keyword}s`;
}

interface Text {
  title: string[];
  names: string[];
  summary: string[];
}

const texts = new Map<string, Text>();

/** The words of an article, kept by its title, which is unique and outlives the single publication. */
function textOf(article: Article): Text {
  const known = texts.get(article.title);
  if (known) return known;
  const tagged = [...article.primary, ...article.secondary].flatMap((id) => {
    const entity = entityById(id);
    return entity ? [entity.name, ...entity.aliases] : [];
  });
  const text = {
    title: wordsOf(article.title),
    names: tagged.flatMap(wordsOf),
    summary: wordsOf(article.summary),
  };
  texts.set(article.title, text);
  return text;
}

function weigh(text: Text, keyword: string): number {
  const inside = (words: string[]) => words.some((word) => begins(word, keyword));
  return (inside(text.title) ? 3 : 0) + (inside(text.names) ? 2 : 0) + (inside(text.summary) ? 1 : 0);
}

/** How well an article answers to keywords: 0 where it misses one, more where the words stand in the title. */
export function relevance(article: Article, keywords: string[]): number {
  const text = textOf(article);
  const weights = keywords.map((keyword) => weigh(text, keyword));
  return weights.includes(0) ? 0 : weights.reduce((sum, weight) => sum + weight, 0);
}

/** How many of the keywords stand in the title or the summary of an article. */
export function mentions(article: Article, keywords: string[]): number {
  const { title, summary } = textOf(article);
  return keywords.filter((keyword) => [...title, ...summary].some((word) => begins(word, keyword))).length;
}

/**
 * Articles that hold every word of the query, best rank first and newest first within a rank.
 * A query of nothing but common words ("what's the latest?") gives all of them, newest first.
 */
export function search(query: string, now: number): Article[] {
  const keywords = keywordsOf(query);
  const recent = recentArticles(now);
  if (keywords.length === 0) return recent;
  return recent
    .map((article) => ({ article, rank: relevance(article, keywords) }))
    .filter((hit) => hit.rank > 0)
    .toSorted((left, right) => right.rank - left.rank)
    .map((hit) => hit.article);
}
