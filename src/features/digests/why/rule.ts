import type { Article } from "../../../apis/article.ts";
import type { ArticleList } from "../../news/view.ts";
import type { Meeting } from "../../subscriptions/meeting.ts";
import { keysOf } from "../../subscriptions/story.ts";
import { type Story, storiesOf } from "../read/cluster.ts";
import { type Digest, candidatesOf, isStale } from "../compose.ts";

/** Why a story did not come, or has yet to. */
export type Reason =
  /** The place has met it; `under` the headline of a story that tells the same event. */
  | { kind: "seen"; at: number; under?: string }
  /** It tells again what the place has had, so that it came in a line or not at all. */
  | { kind: "again"; at: number; of: string; isLeft: boolean }
  /** The place was not shown it when it could have been. */
  | { kind: "passed"; at: number }
  /** Its source does not have it, among so many that it has. */
  | { kind: "absent"; found: number }
  /** It is older than what the digest brings. */
  | { kind: "stale"; published: number; last: number }
  /** Of the very first read, only the newest come. */
  | { kind: "first" }
  /** It comes the next time; `under` as above, `of` what it tells again. */
  | { kind: "next"; under?: string; of?: string };

interface Evidence {
  digest: Pick<Digest, "source" | "last">;
  /** What the source has now. */
  found: Article[];
  /** Names of entities, by ID. */
  names?: Record<string, string> | undefined;
  /** Keys of the story that somebody asks about. */
  keys: string[];
  /** How the place met it. */
  meeting?: Meeting | undefined;
  /** It was left out, and the next post links to it. */
  isOwed?: boolean | undefined;
  /** What the digest would bring now. */
  list: Pick<ArticleList, "articles" | "retold">;
}

/** Why an address did not come with a digest. */
export function reasonFor({ digest, found, names, keys, meeting, isOwed, list }: Evidence): Reason {
  const all = candidatesOf(found);
  const article = all.find((each) => keysOf(each).some((key) => keys.includes(key)));
  const under = article && headlineOver(article, storiesOf(all, names));
  const story = under === undefined ? {} : { under };
  if (isOwed && meeting?.of !== undefined) return { kind: "next", of: meeting.of };
  if (meeting) return metReason(meeting, story);
  if (!article) return { kind: "absent", found: found.length };
  const { last } = digest;
  if (isStale(article, last?.at)) return { kind: "stale", published: article.published ?? 0, last: last?.at ?? 0 };
  if (!last && !list.articles.includes(article)) return { kind: "first" };
  const again = list.retold?.find(({ url }) => url === article.url);
  return again ? { kind: "next", of: again.of } : { kind: "next", ...story };
}

function metReason({ at, how, of }: Meeting, story: { under?: string }): Reason {
  if (of !== undefined) return { kind: "again", at, of, isLeft: how === "left" };
  return how === "passed" ? { kind: "passed", at } : { kind: "seen", at, ...story };
}

/** The headline that a story goes under, where that is not the article's own. */
function headlineOver(article: Article, stories: Story[]): string | undefined {
  const story = stories.find(({ lead, others }) => lead === article || others.includes(article));
  return story && story.lead !== article ? story.lead.title : undefined;
}
