import { indexedWords, recentArticles, type SampleArticle, wordsOf } from "./news.ts";

/** Words that are ignored in a search. */
const commonWords = new Set(
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
  return [...new Set(wordsOf(text))].filter((word) => word.length > 1 && !commonWords.has(word));
}

/** A word matches itself, its plural or singular, and longer words that it begins ("chip" finds "chipmaker"). */
function matches(word: string, keyword: string): boolean {
  if (word === keyword) return true;
  const stem = keyword.length > 3 ? keyword.replace(/(?:ies|es|s|y)$/, "") : keyword;
  return stem.length > 3 ? word.startsWith(stem) : word === `${keyword}s`;
}

/** The relevance of an article for keywords: 0 if it misses one, more if they stand in its title. */
export function relevance(article: SampleArticle, keywords: string[]): number {
  const { title, names, summary } = indexedWords(article);
  const weights = keywords.map((keyword) => {
    const inside = (words: string[]) => words.some((word) => matches(word, keyword));
    return (inside(title) ? 3 : 0) + (inside(names) ? 2 : 0) + (inside(summary) ? 1 : 0);
  });
  return weights.includes(0) ? 0 : weights.reduce((sum, weight) => sum + weight, 0);
}

/** The number of keywords that stand in the title or the summary of an article. */
export function countMentions(article: SampleArticle, keywords: string[]): number {
  const { title, summary } = indexedWords(article);
  return keywords.filter((keyword) => [...title, ...summary].some((word) => matches(word, keyword))).length;
}

/** The articles that hold every keyword, the best first; equally good ones keep their order. */
export function rankByKeywords(articles: SampleArticle[], keywords: string[]): SampleArticle[] {
  return articles
    .map((article) => ({ article, rank: relevance(article, keywords) }))
    .filter((hit) => hit.rank > 0)
    .toSorted((left, right) => right.rank - left.rank)
    .map((hit) => hit.article);
}

/** Searches the sample news. A query of nothing but common words ("what's the latest?") finds all of it, newest first. */
export function search(query: string, now: number): SampleArticle[] {
  const keywords = keywordsOf(query);
  const recent = recentArticles(now);
  return keywords.length === 0 ? recent : rankByKeywords(recent, keywords);
}
