import type { Message } from "../../../slack/message.ts";
import type { Services } from "../../feature.ts";
import type { ArticleList } from "../../news/view.ts";
import type { Article } from "../../../apis/article.ts";
import { type Digest, type Pending, withList } from "../compose.ts";
import { rankedViews } from "../ranked/view.ts";
import { digestViews, emptyView, noteOf, storiesShown } from "./view.ts";

/** A digest as it is posted now. */
export interface Post {
  messages: [Message, ...Message[]];
  /** The stories that its channel is shown by it. */
  stories: Article[][];
}

/** Nothing can be posted any more: its list is gone, or other posts have shown all of it. */
type Unwritten = "gone" | "overtaken";

/** What is pending, without what other posts have shown in its channel since it was written down. */
export async function postOf(digest: Digest, pending: Pending, services: Services): Promise<Post | Unwritten> {
  const { list: key, ranking, note = "" } = pending;
  if (ranking) return { messages: rankedViews({ digest, ranking, note }), stories: [] };
  if (key === undefined) return { messages: [emptyView(digest, note)], stories: [] };
  const list = await services.lists.get(key);
  if (!list) return "gone";
  const shown = await services.announced.known(digest, list.articles, pending.key);
  if (shown.size === 0) return postWith(list, digest, pending);
  const articles = list.articles.filter((article) => !shown.has(article));
  if (articles.length === 0) return "overtaken";
  const rest = { ...list, articles, total: list.total - shown.size };
  const kept = { list: await services.lists.keep(rest), shown: shown.size };
  const changed = await services.digests.update(digest, (current) => withList(current, pending, kept));
  return changed?.pending ? postWith(rest, changed, changed.pending) : "gone";
}

function postWith(list: ArticleList, digest: Digest, { list: key, counts, note, lead, bill }: Pending): Post {
  const words = (counts ? noteOf(list, counts) : note) || (list.note ?? "");
  return {
    messages: digestViews({ digest, list, key, note: words, lead, bill, repeats: counts?.repeats }),
    stories: storiesShown(digest, list).map(({ lead: first, others }) => [first, ...others]),
  };
}
