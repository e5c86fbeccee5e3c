import { describe, expect, it } from "vitest";

import type { Article } from "../../src/apis/article.ts";
import { broughtSince } from "../../src/features/digests/read/heard.ts";
import type { Source } from "../../src/features/news/view.ts";
import { keysOf } from "../../src/features/subscriptions/story.ts";
import { article, now as start } from "../support/builders.ts";
import { articles, day, desk, minute, storiesIn } from "./digests-desk.ts";

const hour = 60 * minute;
const source: Source = { kind: "channel", id: 501, name: "Gold wire" };
const metals: Source = { kind: "channel", id: 502, name: "Metals" };
const hourly = { pattern: "0 * * * *", zone: "UTC", words: "hourly" };

describe("what a source has brought", () => {
  const old = articles(3);
  const before = new Set(old.flatMap((each) => keysOf(each)));
  const since = (found: Article[], known?: ReadonlySet<string>) => broughtSince(found, { before: known, at: start });

  it("is what it did not have when it was read last, whatever its date", () => {
    expect(since(old, before)).toEqual([]);
    expect(since([...old, ...articles(2, 4)], before)).toHaveLength(2);
  });

  it("is by its dates where nobody knows what it had", () => {
    expect(since(old)).toEqual([]);
    expect(since([...old, article({ id: 9, published: start + minute })])).toHaveLength(1);
    expect(since([article({ id: 9, published: undefined })])).toEqual([]);
  });

  it("is not what slid back into its window", () => {
    expect(since([article({ id: 9, url: "https://news.example.com/9", published: start - 8 * day })], before)).toEqual(
      [],
    );
  });
});

describe("a source whose news its place gets by another digest", () => {
  /** Two digests of one channel and one source: the wider one comes first, and takes all. */
  async function both(empty: "line" | number) {
    const own = desk();
    await own.add({ source: metals, schedule: hourly });
    await own.add({ source, schedule: hourly, look: { empty }, nextRun: start + minute });
    const hours = async (count: number, stories: number) => {
      for (let done = 0; done < count; done++) {
        own.state.articles = [...articles(stories, 1_000 + own.state.now / hour - start / hour), ...own.state.articles];
        await own.tick();
        own.state.now += minute;
        await own.tick();
        own.state.now += hour - minute;
      }
    };
    return { ...own, hours };
  }

  it("is not said to be silent", async () => {
    const { hours, posts } = await both(2);
    await hours(5, 1);
    expect(posts.flatMap(storiesIn)).toHaveLength(5);
    expect(posts.filter(({ message }) => message.text.includes("nothing new"))).toEqual([]);
  });

  it("is said to be so when it brings nothing at all", async () => {
    const { hours, posts } = await both(2);
    await hours(3, 1);
    await hours(4, 0);
    expect(posts.at(-1)?.message.text).toMatch(
      /^:warning: Digest 2, Gold wire, has found nothing new in 2 runs, since .*\. Nothing of its source came here otherwise either: /,
    );
    expect(posts).toHaveLength(4);
  });

  it("says in its line that what is there came here already", async () => {
    const { hours, posts } = await both("line");
    await hours(2, 1);
    await hours(1, 0);
    const lines = posts.map(({ message }) => message.text).filter((text) => text.startsWith("Nothing"));
    expect(lines).toEqual([
      "Nothing new in digest 2, Gold wire, but what came here already.",
      "Nothing new in digest 2, Gold wire, but what came here already.",
      expect.stringMatching(/^Nothing new since .* in digest 2, Gold wire\.$/),
    ]);
  });
});
