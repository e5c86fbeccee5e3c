import type { Article } from "../../../apis/article.ts";
import { keysOf } from "../../subscriptions/story.ts";
import { type Digest, candidatesOf, isStale, sourceKey, tellerOf } from "../compose.ts";

/** What sources had when they were last read, for each digest; in memory. */
export type Heard = Map<string, ReadonlySet<string>>;

interface Since {
  /** All that the source had then, where that is known. */
  before: ReadonlySet<string> | undefined;
  /** When that was; nothing is older. */
  at: number;
}

/** Those of a source's articles that it has brought since; by their dates where nobody knows what it had. */
export function broughtSince(found: Article[], { before, at }: Since): Article[] {
  const isNew = (article: Article) =>
    before ? !keysOf(article).some((key) => before.has(key)) : (article.published ?? 0) > at;
  return candidatesOf(found).filter((article) => !isStale(article, at) && isNew(article));
}

interface Read {
  articles: Article[];
  keys: ReadonlySet<string>;
}

/** Remembers what sources had, so that one whose news a place has met otherwise does not count as silent. */
export function createHeard(heard: Heard, now: () => number) {
  return {
    /** What it has brought since a digest last ran, by its keys. */
    since(digest: Digest, { articles }: Read): string[] {
      const { last } = digest;
      const at = Math.min(last?.at ?? 0, now());
      const brought = broughtSince(articles, { before: heard.get(nameOf(digest)), at });
      return brought.flatMap((article) => keysOf(article));
    },
    /** Takes note that a digest has run. */
    with: (digest: Digest, { keys }: Read): void => void heard.set(nameOf(digest), keys),
  };
}

/** What a workspace pays for is its own; what is free is everybody's. */
export function sourceOf({ team, source }: Digest): string {
  return `${tellerOf(source) === "intelligence" ? "" : team} ${sourceKey(source)}`;
}

function nameOf({ team, number, source }: Digest): string {
  return `${team} ${number} ${sourceKey(source)}`;
}
