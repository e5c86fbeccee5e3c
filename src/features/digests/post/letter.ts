import type { Message } from "../../../slack/message.ts";
import type { Services } from "../../feature.ts";
import type { ArticleList } from "../../news/view.ts";
import type { Manner } from "../../subscriptions/meeting.ts";
import { keysOf } from "../../subscriptions/story.ts";
import { type Told, toldOf } from "../../subscriptions/told.ts";
import { newsIn } from "../again/rule.ts";
import { retoldLine } from "../again/view.ts";
import { type Digest, type Pending, withList } from "../compose.ts";
import { rankedViews } from "../ranked/view.ts";
import { digestViews, emptyView, noteOf, storiesShown } from "./view.ts";

/** A digest as it is posted now. */
export interface Letter {
  messages: [Message, ...Message[]];
  /** What its place meets by it, and how. */
  keys: ReadonlyMap<string, Manner>;
  /** The events that its place is told of by it, as of a time. */
  told(at: number): Told[];
}

/** Nothing can be posted any more: its list is gone, or other posts have told all of it. */
type Unwritten = "gone" | "told";

/** What is pending, without what other posts have shown at its place since it was written down. */
export async function letterOf(digest: Digest, pending: Pending, services: Services): Promise<Letter | Unwritten> {
  const { list: key, ranking, note = "" } = pending;
  if (ranking) return plain(rankedViews({ digest, ranking, note }));
  if (key === undefined) return plain([emptyView(digest, note)]);
  const list = await services.lists.get(key);
  if (!list) return "gone";
  // Of what an earlier version wrote down, the place has been noted to have met all.
  if (isOfEarlierVersion(pending, list)) return { ...letterWith(list, digest, pending), keys: new Map() };
  const keys = mannersOf(list);
  const shown = await services.seen.shown(digest, [...keys.keys()], pending.key);
  if (newsIn(list).length === 0) return quietLetter(unshown(list, shown), digest, note);
  if (shown.size === 0) return letterWith(list, digest, pending);
  const rest = unshown(list, shown);
  if (newsIn(rest).length === 0) return "told";
  const kept = { list: await services.lists.keep(rest), told: newsIn(list).length - newsIn(rest).length };
  const changed = await services.digests.update(digest, (current) => withList(current, pending, kept));
  return changed?.pending ? letterWith(rest, changed, changed.pending) : "gone";
}

function isOfEarlierVersion({ counts }: Pending, list: ArticleList): boolean {
  return counts === undefined && newsIn(list).length > 0;
}

/** That there is no news, and what only tells again what the place has had. */
function quietLetter(list: ArticleList, digest: Digest, note: string): Letter {
  const line = retoldLine(list);
  const words = line ? `${note}\n${line}.` : note;
  return { ...plain([emptyView(digest, words)]), keys: mannersOf(list) };
}

function plain(messages: [Message, ...Message[]]): Letter {
  return { messages, keys: new Map(), told: () => [] };
}

function letterWith(list: ArticleList, digest: Digest, { list: key, counts, note, lead, bill }: Pending): Letter {
  const words = (counts ? noteOf(list, counts) : note) || (list.note ?? "");
  return {
    messages: digestViews({ digest, list, key, note: words, lead, bill }),
    keys: mannersOf(list),
    told: (at) => storiesShown(digest, list).map(({ lead: first, others }) => toldOf([first, ...others], at)),
  };
}

function mannersOf({ articles, retold = [] }: ArticleList): Map<string, Manner> {
  const of = new Map(retold.map((each) => [each.url, each.of]));
  const mannerOf = (url: string): Manner => (of.has(url) ? { how: "line", of: of.get(url) } : {});
  return new Map(articles.flatMap((article) => keysOf(article).map((key) => [key, mannerOf(article.url)] as const)));
}

function unshown(list: ArticleList, shown: ReadonlySet<string>): ArticleList {
  const articles = list.articles.filter((article) => !keysOf(article).some((key) => shown.has(key)));
  const urls = new Set(articles.map(({ url }) => url));
  const retold = list.retold?.filter(({ url }) => urls.has(url));
  return { ...list, articles, total: list.total - list.articles.length + articles.length, retold };
}
