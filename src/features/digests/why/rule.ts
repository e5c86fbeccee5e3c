import type { Article } from "../../../apis/article.ts";
import { keysOf } from "../../subscriptions/story.ts";
import { type Story, storiesOf } from "../read/cluster.ts";
import { type Digest, candidatesOf, isStale, tellerOf } from "../compose.ts";

/** Why a story did not come, or has yet to. */
export type Reason =
  /** The place has met it; `under` the headline of a story that tells the same event. */
  | { kind: "seen"; at: number; under?: string }
  /** Its source does not have it, among so many that it has. */
  | { kind: "absent"; found: number }
  /** It is older than what the digest brings. */
  | { kind: "stale"; published: number; last: number }
  /** Of the very first read, only the newest come. */
  | { kind: "first" }
  /** It comes the next time; `under` as above. */
  | { kind: "next"; under?: string };

interface Evidence {
  digest: Pick<Digest, "source" | "last">;
  /** What the source has now. */
  found: Article[];
  /** Names of entities, by ID. */
  names?: Record<string, string> | undefined;
  /** Keys of the story that somebody asks about. */
  keys: string[];
  /** When the place met it. */
  metAt?: number | undefined;
  /** Addresses of what the digest would bring now. */
  fresh: ReadonlySet<string>;
}

/** Why an address did not come with a digest. */
export function reasonFor({ digest, found, names, keys, metAt, fresh }: Evidence): Reason {
  const all = candidatesOf(found);
  const article = all.find((each) => keysOf(each, tellerOf(digest.source)).some((key) => keys.includes(key)));
  const under = article && headlineOver(article, storiesOf(all, names));
  const story = under === undefined ? {} : { under };
  if (metAt !== undefined) return { kind: "seen", at: metAt, ...story };
  if (!article) return { kind: "absent", found: found.length };
  const { last } = digest;
  if (isStale(article, last?.at)) return { kind: "stale", published: article.published ?? 0, last: last?.at ?? 0 };
  if (!last && !fresh.has(article.url)) return { kind: "first" };
  return { kind: "next", ...story };
}

/** The headline that a story goes under, where that is not the article's own. */
function headlineOver(article: Article, stories: Story[]): string | undefined {
  const story = stories.find(({ lead, others }) => lead === article || others.includes(article));
  return story && story.lead !== article ? story.lead.title : undefined;
}
