import type { Article } from "../../../apis/article.ts";
import { keysOf } from "../../subscriptions/announced.ts";
import { type Digest, candidatesOf, isStale } from "../compose.ts";
import { type Story, storiesOf } from "../read/cluster.ts";
import type { Draft } from "../read/reads.ts";

/** Why an article was not posted, or not yet. */
export type Reason =
  /** The channel was shown it; `under` the headline of a story that it belongs to. */
  | { kind: "shown"; at: number; under?: string }
  /** It is on a story that the channel was shown, so that it is only counted. */
  | { kind: "repeat" }
  /** It was in the source when the digest last ran, and was not among what was posted. */
  | { kind: "before"; at: number }
  /** Its source does not have it, among so many that it has. */
  | { kind: "absent"; found: number }
  /** It is older than what the digest posts. */
  | { kind: "stale"; published: number; last: number }
  /** Of the very first read, only the newest are posted. */
  | { kind: "first" }
  /** It is posted the next time; `under` as above. */
  | { kind: "next"; under?: string };

interface Evidence {
  digest: Pick<Digest, "last">;
  /** What the digest would post now. */
  draft: Pick<Draft, "articles" | "arrived" | "repeated" | "list">;
  /** What the article that somebody asks about is known by. */
  keys: string[];
  /** When the channel was shown it. */
  shownAt?: number | undefined;
}

/** Why an article was not posted by a digest. */
export function reasonFor({ digest, draft, keys, shownAt }: Evidence): Reason {
  const all = candidatesOf(draft.articles);
  const isMeant = (each: Article) => keysOf(each).some((key) => keys.includes(key));
  const article = all.find(isMeant);
  const under = article && headlineOver(article, storiesOf(all, draft.list.names));
  const story = under === undefined ? {} : { under };
  if (shownAt !== undefined) return { kind: "shown", at: shownAt, ...story };
  if (!article) return { kind: "absent", found: draft.articles.length };
  const { last } = digest;
  if (isStale(article, last?.at)) return { kind: "stale", published: article.published ?? 0, last: last?.at ?? 0 };
  if (draft.repeated.some(isMeant)) return { kind: "repeat" };
  if (!last) return draft.list.articles.some(isMeant) ? { kind: "next", ...story } : { kind: "first" };
  return draft.arrived.some(isMeant) ? { kind: "next", ...story } : { kind: "before", at: last.at };
}

/** The headline that a story goes under, where that is not the article's own. */
function headlineOver(article: Article, stories: Story[]): string | undefined {
  const story = stories.find(({ lead, others }) => lead === article || others.includes(article));
  return story && story.lead !== article ? story.lead.title : undefined;
}
