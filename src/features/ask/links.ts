import type { Article } from "../../apis/article.ts";
import { articleLinked } from "../articles/list.ts";
import { linksOf } from "../text.ts";

/** Links of an answer: how many there are, and those that are none of the articles that it was given or read. */
export interface CheckedLinks {
  all: number;
  /** None if the model read articles of which only their number is known. */
  foreign: { url: string; label: string }[];
}

/** The links of an answer beside the articles that it was given or read; `unknown` are articles read of which only that is known. */
export function checkedLinks(text: string, given: Article[], unknown: number): CheckedLinks {
  const links = linksOf(text);
  return { all: links.length, foreign: unknown > 0 ? [] : links.filter((to) => !articleLinked(to, given)) };
}
