import { describe, expect, it } from "vitest";

import { postDigests } from "../../src/features/digests/job.ts";
import type { Services } from "../../src/features/feature.ts";
import type { Source } from "../../src/features/news/view.ts";
import { now as start } from "../support/builders.ts";
import { articles, day, desk, minute, storiesIn } from "./digests-desk.ts";

const metals: Source = { kind: "channel", id: 502, name: "Metals" };

describe("digests of one place", () => {
  /** A desk where the source with this number answers when it is let. */
  function slow(number: number) {
    const at = desk();
    const answer = Promise.withResolvers<void>();
    const own = at.services();
    const to: Services = {
      ...own,
      intelligence: {
        ...own.intelligence,
        async channel(id, signal) {
          if (id === number) await answer.promise;
          return own.intelligence.channel(id, signal);
        },
      },
    };
    return { ...at, answer: answer.resolve, tick: () => postDigests.run(to) };
  }

  it("do not wait for one whose source is slow, which shows nothing that they have shown", async () => {
    const { add, posts, state, tick, answer } = slow(501);
    await add();
    await add({ source: metals });
    state.articles = articles(2);
    const ticking = tick();
    await expect.poll(() => posts.map(storiesIn)).toEqual([[1, 2]]);
    state.articles = articles(3);
    answer();
    await ticking;
    expect(posts.map(storiesIn)).toEqual([[1, 2], [3]]);
  });

  it("come in the order in which they are due where their sources answer", async () => {
    const { add, posts, state, tick } = slow(0);
    for (let id = 501; id < 511; id++) await add({ source: { ...metals, id, name: `Wire ${id}` } });
    state.articles = articles(1);
    await tick();
    expect(posts).toHaveLength(1);
    expect(posts[0]?.message.text).toContain("Wire 501");
  });

  it("begin with what is written already, so that another one does not show its stories again", async () => {
    const { add, posts, state, tick, digests, services: own } = slow(0);
    const first = await add();
    await add({ source: metals, nextRun: start - minute });
    state.articles = articles(2);
    const list = await own().lists.keep({ title: "Gold wire", articles: articles(2), total: 2 });
    const pending = { key: "k", since: start, list, counts: { found: 2, fresh: 2 }, tries: 0 };
    await digests.update(first, (current) => ({ ...current, pending, nextRun: start + day }));
    await tick();
    expect(posts.map(storiesIn)).toEqual([[1, 2]]);
  });
});
