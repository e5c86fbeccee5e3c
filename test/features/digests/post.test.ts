import { describe, expect, it } from "vitest";

import { SlackRefused } from "../../../src/slack/delivery/refusal.ts";
import { wordsOf } from "../../support/answers.ts";
import { article, now } from "../../support/builders.ts";
import { articles, daily, day, digestDesk, dueDigest, hour, metals, minute, storiesIn } from "./setting.ts";

const refusal = (code: string) => new SlackRefused("chat.postMessage", code);
const later930 = { pattern: "30 9 * * *", zone: "UTC", words: "daily at 09:30" };

describe("a post that Slack doesn’t accept", () => {
  it("pauses the digest if its channel is gone, and is sent when the digest is resumed, however long that takes", async () => {
    const { tick, later, posts, fail, read, say, services } = await dueDigest();
    const prolonged: string[] = [];
    services().lists.prolong = async (key) => void prolonged.push(key);
    fail.post = () => refusal("is_archived");
    await tick();
    await later(day);
    expect(posts).toEqual([]);
    expect(await read()).toMatchObject({ state: "paused", ownerNotice: "due", problem: "The channel is archived." });
    expect(prolonged).toEqual([(await read()).posts?.[0]?.content.list]);
    delete fail.post;
    await say("resume 1");
    await tick();
    expect(posts.map(storiesIn)).toEqual([[1, 2]]);
  });

  it("is dropped, with a note on the digest, if its list has expired", async () => {
    const { tick, fail, read, say, services } = await dueDigest();
    fail.post = () => refusal("is_archived");
    await tick();
    services().lists.get = async () => undefined;
    await say("resume 1");
    await tick();
    expect((await read()).problem).toMatch(/too old to post/);
  });

  it("is given up after a day of refusals, and the next digest has its stories", async () => {
    const { tick, later, posts, fail, read } = await dueDigest();
    fail.post = () => refusal("ratelimited");
    await tick();
    for (let hours = 0; hours < 25; hours++) await later(hour);
    for (let tries = 0; (await read()).posts && tries < 10; tries++) await later(hour);
    expect((await read()).problem).toContain("the last message");
    delete fail.post;
    await later(day);
    expect(posts.map(storiesIn)).toEqual([[1, 2]]);
  });

  it("isn’t sent a second time if Slack doesn’t say whether it accepted it", async () => {
    const { tick, later, posts, fail, read } = await dueDigest();
    fail.after = () => new SlackRefused("chat.postMessage", "internal_error", { reaction: "unsure" });
    await tick();
    delete fail.after;
    await later(minute);
    expect(posts).toHaveLength(1);
    expect((await read()).problem).toMatch(/^Slack didn’t say whether it accepted the last digest/);
  });
});

describe("a crash", () => {
  it("before the post loses nothing: it’s posted after the restart, without a search for it", async () => {
    const { tick, posts, state, counts, fail, restart, read } = await dueDigest();
    fail.before = () => new Error("the process ends here");
    await tick();
    delete fail.before;
    state.articles = [];
    restart();
    expect((await read()).posts?.map(({ sentAt }) => sentAt)).toEqual([undefined]);
    await tick();
    expect(posts.map(storiesIn)).toEqual([[1, 2]]);
    expect(counts.looks).toBe(0);
  });

  it("between the first message and its thread posts only what is missing", async () => {
    const { tick, later, posts, counts, fail, update } = await dueDigest();
    await update({ style: { isThreaded: true } });
    fail.before = ({ thread }) => (thread ? new Error("the process ends here") : undefined);
    await tick();
    delete fail.before;
    await later(minute);
    expect(posts.map(({ thread }) => thread)).toEqual([undefined, "1.0"]);
    expect(counts.looks).toBe(0);
  });
});

describe("a channel that was shown a story", () => {
  const deal = { primary: [1, 2], secondary: [], tertiary: [9] };
  const story = (id: number, title: string, published: number) =>
    article({ id, title: `Story ${id}: ${title}`, url: `https://news.example.com/${id}`, published, entities: deal });

  it("doesn’t get it again in a digest, whatever posted it first, even if its title or address has changed", async () => {
    const { add, tick, later, posts, state, services } = digestDesk();
    await add();
    state.articles = articles(1, 50);
    await tick();
    // As an alert does.
    await services().announced.announce({ team: "T1", channel: "C1" }, [articles(1)], { by: "alert", now });
    const [one, two, three] = articles(3).map((each) => ({ ...each, published: now + day }));
    const changed = { ...one, title: "Changed", url: "https://www.news.example.com/1-update?utm_source=x" };
    state.articles = [changed, two, three].flatMap((each) => (each ? [article(each)] : []));
    await later(day);
    state.articles = state.articles.map((each) => ({
      ...each,
      title: `${each.title}, again`,
      published: now + 2 * day,
    }));
    await later(day);
    expect(posts.map(storiesIn)).toEqual([[50], [3, 2]]);
  });

  it("gets from a second digest the newest articles that it wasn’t shown, also those that the first one left out", async () => {
    const { add, tick, later, posts } = await dueDigest(12, { style: { max: 5 } });
    await tick();
    await add({ schedule: later930, nextRun: now + 30 * minute });
    await later(30 * minute);
    expect(posts.map(storiesIn)).toEqual([
      [1, 2, 3, 4, 5],
      [6, 7, 8, 9, 10, 11, 12],
    ]);
    await later(day);
    expect(posts).toHaveLength(2);
  });

  it("gets further articles on it only as a count below new stories, and never a post of them alone", async () => {
    const { add, tick, later, posts, state } = digestDesk();
    const first = story(50, "a deal is made", now - minute);
    state.articles = [first];
    await add();
    await tick();
    state.articles = [first, story(51, "the deal, explained", now + 2 * minute)];
    await later(day);
    expect(posts).toHaveLength(1);
    const other = article({ id: 7, title: "Story 7", url: "https://news.example.com/7", published: now + 2 * day });
    state.articles = [first, story(52, "what the deal means", now + 3 * minute), other];
    await later(day);
    expect(posts.slice(1).map(storiesIn)).toEqual([[7]]);
    expect(posts.map(({ message }) => wordsOf(message)).join()).toContain("1 more on a story already posted");
  });

  it("doesn’t get it again if another outlet reports it a day later in other words", async () => {
    const { add, tick, later, posts, state } = digestDesk();
    const told = (id: number, title: string, published: number, source = "Example Wire") =>
      article({ id, title, summary: "", url: `https://news.example.com/${id}`, published, source });
    state.articles = [told(1, "Skagerrak Wind walks away from offshore project in the US", now)];
    await add();
    await tick();
    state.articles = [
      told(2, "Skagerrak leaves US offshore wind project", now + day, "Daily Example"),
      told(3, "Wheat harvest is the smallest for ten years", now + day, "Daily Example"),
    ];
    await later(day);
    expect(posts).toHaveLength(2);
    const words = posts[1] ? wordsOf(posts[1].message) : "";
    expect(words).toContain("Wheat harvest");
    expect(words).not.toContain("Skagerrak");
    expect(words).toContain("1 more on a story already posted");
  });

  it("gets it again as an update if two outlets report a new number", async () => {
    const { add, tick, later, posts, state } = digestDesk();
    const told = (id: number, title: string, source: string, published = now + day) =>
      article({ id, title, summary: "", url: `https://news.example.com/${id}`, published, source, entities: deal });
    state.articles = [told(1, "Northwind in talks to buy Ostara", "Example Wire", now)];
    await add();
    await tick();
    state.articles = [told(2, "Northwind raises bid for Ostara to €41 billion", "Example Wire")];
    await later(day);
    expect(posts).toHaveLength(1);
    state.articles = [
      told(3, "Northwind agrees to pay €41 billion for Ostara", "Example Wire"),
      told(4, "Ostara accepts €41 billion from Northwind", "Daily Example"),
    ];
    await later(hour);
    await later(day - hour);
    expect(posts).toHaveLength(2);
    const words = posts[1] ? wordsOf(posts[1].message) : "";
    expect(words).toMatch(/^Update: \*<https:\/\/news\.example\.com\/\d\|.*> · new: €41/m);
    await later(day);
    expect(posts).toHaveLength(2);
  });

  it("gets a waiting post without the stories that another post has shown meanwhile, and no post if nothing is left", async () => {
    const { tick, later, add, posts, fail, read, services } = await dueDigest();
    await add({ channel: "C1", source: { kind: "search", query: "gold" }, schedule: { ...daily, zone: "Etc/UTC" } });
    fail.post = () => refusal("ratelimited");
    await tick();
    await services().announced.announce({ team: "T1", channel: "C1" }, [articles(1)], { by: "alert", now });
    delete fail.post;
    await later(minute);
    expect(posts.map(storiesIn)).toEqual([[2]]);
    expect(posts[0] && wordsOf(posts[0].message)).toContain("1 story (first digest)");
    expect((await read(2)).posts).toBeUndefined();
  });

  it("gets nothing twice if a waiting digest is moved to it", async () => {
    const { add, tick, later, posts, say, fail } = await dueDigest();
    await add({ channel: "C02", source: metals });
    fail.post = ({ channel }) => (channel === "C1" ? refusal("message_limit_exceeded") : undefined);
    await tick();
    await say("edit 1 --in C02");
    await later(10 * minute);
    expect(posts.map((post) => [post.channel, storiesIn(post)])).toEqual([["C02", [1, 2]]]);
  });
});
