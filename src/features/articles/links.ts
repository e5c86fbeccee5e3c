import type { Article } from "../../apis/article.ts";
import { link, shorten } from "../../slack/text/mrkdwn.ts";
import { type TextSource, linksOf, plural } from "../text.ts";
import { articleByAddress, articleLinked } from "./list.ts";

/** Links of a text by a model beside the articles that it was written from. */

export interface CheckedLinks {
  all: number;
  /** Links to articles that the model was given or read. */
  checked: number;
  /** Links to anything else; none if the model read articles of which only their number is known. */
  foreign: TextSource[];
}

/** The articles behind a text. */
interface Basis {
  articles: Article[];
  /** The number of articles of which only that is known. */
  unknown?: number;
  /** The text links to the news service's own pages, which are told by the headline. */
  isPlatform?: boolean;
}

export function checkedLinks(text: string, { articles, unknown = 0, isPlatform = false }: Basis): CheckedLinks {
  const links = linksOf(text);
  // A headline alone proves nothing: any address can stand behind it.
  const isKnown = (to: TextSource) => (isPlatform ? articleLinked(to, articles) : articleByAddress(to.url, articles));
  const others = links.filter((to) => !isKnown(to));
  return { all: links.length, checked: links.length - others.length, foreign: unknown > 0 ? [] : others };
}

/** Links that the small print names. */
const foreignShown = 3;

/** `5 of 5 links checked`, for the small print, with the links that lead to no article of the text; nothing without links. */
export function linksWords(links: CheckedLinks | undefined): string | undefined {
  if (!links || links.all === 0) return undefined;
  const { all, checked, foreign } = links;
  const count = `${checked} of ${plural(all, "link")} checked`;
  if (foreign.length === 0) return checked > 0 ? count : `${plural(all, "link")} not checked`;
  const names = foreign.slice(0, foreignShown).map(({ url, label }) => link(url, shorten(label, 40)));
  const more = foreign.length > names.length ? [`${foreign.length - names.length} more`] : [];
  return `:warning: ${count}, not an article I read: ${new Intl.ListFormat("en-GB").format([...names, ...more])}`;
}
