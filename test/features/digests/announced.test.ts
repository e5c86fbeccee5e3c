import { describe, expect, it } from "vitest";

import { SlackRefused } from "../../../src/slack/delivery/refusal.ts";
import { article, now, wordsOf } from "../../support/builders.ts";
import { articles, day, desk, storiesIn } from "../digests-desk.ts";

const minute = 60_000;
const later = { pattern: "30 9 * * *", zone: "UTC", words: "daily at 09:30" };
const deal = { primary: [1, 2], secondary: [], tertiary: [9] };

describe("the first digest of a second subscription in a channel", () => {
  it("shows the newest articles that the channel was not shown, also those that the first one passed over", async () => {
    const { add, tick, posts, state } = desk();
    state.articles = articles(12);
    await add();
    await tick();
    await add({ schedule: later, nextRun: now + 30 * minute });
    state.now += 30 * minute;
    await tick();
    expect(posts.map(storiesIn)).toEqual([
      [1, 2, 3, 4, 5],
      [6, 7, 8, 9, 10],
    ]);
    state.now += day;
    await tick();
    expect(posts).toHaveLength(2);
  });
});

describe("an article on a story that a channel was shown", () => {
  const story = (id: number, title: string, published: number) =>
    article({ id, title, url: `https://news.example.com/${id}`, published, entities: deal });
  const first = story(50, "Story 50: a deal is made", now - minute);

  it("is counted below what is new, and posts nothing by itself", async () => {
    const { add, tick, posts, state } = desk();
    state.articles = [first];
    await add();
    await tick();
    state.now += day;
    state.articles = [first, story(51, "Story 51: the deal, explained", state.now - day + 2 * minute)];
    await tick();
    expect(posts).toHaveLength(1);
    state.now += day;
    const again = story(52, "Story 52: what the deal means", now + 3 * minute);
    const other = article({ id: 7, title: "Story 7", url: "https://news.example.com/7", published: state.now });
    state.articles = [first, again, other];
    await tick();
    expect(posts.slice(1).map(storiesIn)).toEqual([[7]]);
    expect(posts.map(({ message }) => wordsOf(message)).join()).toContain("1 more on a story already posted");
  });
});

describe("a digest that is given up", () => {
  it("leaves what it was to show to the next one", async () => {
    const { add, tick, posts, state, fail } = desk();
    state.articles = articles(1, 50);
    await add();
    await tick();
    state.now += day;
    state.articles = articles(2).map((each) => ({ ...each, published: state.now }));
    fail.before = () => new SlackRefused("chat.postMessage", "ratelimited");
    for (let hour = 0; hour < 40; hour++) {
      await tick();
      state.now += 60 * minute;
    }
    delete fail.before;
    state.now += day;
    await tick();
    expect(posts.slice(1).map((post) => storiesIn(post).toSorted((one, other) => one - other))).toEqual([[1, 2]]);
  });
});
