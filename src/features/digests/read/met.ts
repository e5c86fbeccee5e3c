import type { ArticleList } from "../../news/view.ts";
import type { Seen } from "../../subscriptions/seen.ts";
import { keysOf } from "../../subscriptions/story.ts";
import { type Digest, sourceKey, tellerOf } from "../compose.ts";

/** Of each place and source, what it had when it was read last: the place has met that. */
export type Met = Map<string, Dealt>;

interface Dealt {
  keys: ReadonlySet<string>;
  /** What was on its way then, so that nobody knows what has become of it. */
  but: readonly string[];
  /** What the place had released by then. */
  releases: number;
}

interface Read extends Pick<Dealt, "keys" | "releases"> {
  /** What of it is on its way. */
  underway?: ArticleList | undefined;
}

/** Remembers what was dealt with, so that what stays in a source is not looked up in the store each time. */
export function createDealt(met: Met, { releases }: Pick<Seen, "releases">) {
  /** Keys of lists, which thousands of places may share. */
  const listed = new Map<string, string[]>();

  function keysIn(list: ArticleList, { source }: Digest): string[] {
    const name = `${tellerOf(source)} ${contentOf(list)}`;
    const known = listed.get(name) ?? list.articles.flatMap(keysOf);
    listed.set(name, known);
    return known;
  }

  return {
    /** Whether it is known that the digest's place has met a key. */
    before(digest: Digest): (key: string) => boolean {
      const dealt = met.get(nameOf(digest));
      if (!dealt || dealt.releases !== releases(digest)) return () => false;
      return (key) => dealt.keys.has(key) && !dealt.but.includes(key);
    },
    with(digest: Digest, { keys, underway, releases: then }: Read): void {
      met.set(nameOf(digest), { keys, but: underway ? keysIn(underway, digest) : [], releases: then });
    },
  };
}

function nameOf({ team, channel, source }: Digest): string {
  return `${team} ${channel} ${sourceKey(source)}`;
}

/** Equal where two lists hold the same. */
export function contentOf({ title, articles, retold = [] }: ArticleList): string {
  return [title, ...articles.map(({ url }) => url), ...retold.map(({ url, of }) => `${url} ${of}`)].join("\n");
}
