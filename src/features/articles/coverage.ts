import type { Article } from "../../apis/article.ts";
import { outletsOf } from "./importance.ts";
import { articlesOf, storiesInOrder } from "./stories.ts";

/** The newest article of a story that a channel was shown. */
export interface ShownArticle extends Article {
  /** The idempotency key of the post. */
  by: string;
  /** The outlets that reported the story. */
  outlets: number;
}

/** A story with the number of outlets that reported it. */
export interface CoveredStory {
  lead: Article;
  outlets: number;
}

/** Stories that were shown in one channel or several, each once; those that most outlets report first. */
export function byCoverage(shown: ShownArticle[]): CoveredStory[] {
  const counts = new Map<Article, number>(shown.map((article) => [article, article.outlets]));
  const covered = storiesInOrder(shown).map((story) => {
    const all = articlesOf(story);
    const most = Math.max(...all.map((article) => counts.get(article) ?? 1));
    return { lead: story.lead, outlets: Math.max(most, outletsOf(all)) };
  });
  return covered.toSorted((one, other) => other.outlets - one.outlets);
}
