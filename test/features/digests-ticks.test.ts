import { describe, expect, it } from "vitest";

import { OutOfCredits } from "../../src/apis/errors.ts";
import { postDigests } from "../../src/features/digests/job.ts";
import type { Services } from "../../src/features/feature.ts";
import type { ArticleSource as Source } from "../../src/features/sources/source.ts";
import { credits, now as start, services, wordsOf } from "../support/builders.ts";
import { articles, day, desk, minute, storiesIn } from "./digests-desk.ts";

const hour = 60 * minute;
const metals: Source = { kind: "channel", id: 502, name: "Metals" };

describe("digests that are due together", () => {
  it("share one read of each source, and one kept list of what is the same", async () => {
    const { add, tick, posts, state, kept } = desk();
    for (let place = 1; place <= 20; place++) {
      await add({ channel: `C${place}` });
      await add({ channel: `C${place}`, source: metals });
    }
    state.articles = articles(3);
    await tick();
    expect([posts.length, state.reads, kept()]).toEqual([20, 2, 1]);
  });

  it("write no new stories into a place whose posts still wait, and hold up no other", async () => {
    const { add, posts, state, services: own } = desk();
    await add();
    await add({ channel: "C2" });
    state.articles = articles(1);
    const blocked = Promise.withResolvers<void>();
    const held: Services = {
      ...own(),
      async post(to, message) {
        if (to.channel === "C1") await blocked.promise;
        return own().post(to, message);
      },
      // The tick ends before its posts.
      after(_, call) {
        queueMicrotask(call);
        return () => {};
      },
    };
    await postDigests.run(held);
    await postDigests.run(held);
    await expect.poll(() => posts.map(({ channel }) => channel)).toEqual(["C2"]);
    blocked.resolve();
    await expect.poll(() => posts.map(({ channel }) => channel)).toEqual(["C2", "C1"]);
    expect(state.tries).toBe(2);
  });
});

describe("a place that has seen a story", () => {
  it("does not get it again with a digest, whatever brought it there, nor what is changed about it", async () => {
    const { add, tick, posts, state, services: own } = desk();
    await add();
    state.articles = articles(1, 50);
    await tick();
    // As an alert does.
    await own().announced.announce({ team: "T1", channel: "C1" }, [articles(1)], { by: "alert", now: state.now });
    state.now += day;
    const [one, two, three] = articles(3);
    const elsewhere = "https://www.news.example.com/1-update?utm_source=x";
    state.articles = [one, two, three].flatMap((each) => (each ? [{ ...each, published: state.now }] : []));
    state.articles = state.articles.map((each) =>
      each.id === 1 ? { ...each, title: "Changed", url: elsewhere } : each,
    );
    await tick();
    state.now += day;
    state.articles = state.articles.map((each) => ({ ...each, title: `${each.title}, again`, published: state.now }));
    await tick();
    expect(posts.map(storiesIn)).toEqual([[50], [3, 2]]);
  });
});

describe("a read that is paid for", () => {
  const search: Source = { kind: "search", query: "gold" };
  function paying(may: (user: string | undefined) => Error | undefined) {
    const bills: string[] = [];
    const posts: { channel: string; words: string }[] = [];
    const to = services({
      configured: { intelligence: false },
      async post({ channel }, message) {
        posts.push({ channel, words: wordsOf(message) });
        return { channel, ts: "1.0" };
      },
    });
    const gatewayFor: Services["spending"]["gatewayFor"] = ({ team, user }) => ({
      ...to.gateway,
      async search(query) {
        const error = may(user);
        if (error) throw error;
        bills.push(`${team} ${user}`);
        return { query, articles: articles(2), total: 2, credits: credits() };
      },
    });
    const all = { ...to, spending: { ...to.spending, gatewayFor } };
    const add = (about: Partial<Parameters<Services["digests"]["add"]>[0]>) => {
      const schedule = { pattern: "0 9 * * *", zone: "UTC", words: "daily at 09:00" };
      const draft = { team: "T1", source: search, schedule, channel: "C1", maker: "U1", nextRun: start };
      return all.digests.add({ ...draft, ...about }, start);
    };
    return { bills, posts, add, tick: () => postDigests.run(all), all };
  }

  it("is paid once for a workspace, by one of those who asked for it, and shown where it was paid", async () => {
    const { bills, posts, add, tick } = paying(() => undefined);
    await add({});
    await add({ channel: "C2", maker: "U2" });
    await add({ channel: "C3", team: "T2", maker: "U3" });
    await tick();
    expect(bills).toEqual(["T1 U1", "T2 U3"]);
    expect(posts.filter(({ words }) => words.includes("1 credit used")).map(({ channel }) => channel)).toEqual([
      "C1",
      "C3",
    ]);
  });

  it("is tried once where the credits of all are used up", async () => {
    let asked = 0;
    const { posts, add, tick } = paying(() => {
      asked++;
      return new OutOfCredits({ api: "gateway", operation: "search" });
    });
    await add({});
    await add({ channel: "C2" });
    await tick();
    expect([asked, posts.length]).toEqual([1, 0]);
  });
});

describe("a digest with nothing new", () => {
  async function silent(empty: "line" | number) {
    const own = desk();
    await own.add({ look: { empty }, schedule: { pattern: "0 * * * *", zone: "UTC", words: "hourly" } });
    const hours = async (count: number) => {
      for (let done = 0; done < count; done++) {
        await own.tick();
        own.state.now += hour;
      }
    };
    return { ...own, hours, said: () => own.posts.map(({ message }) => message.text) };
  }

  it("says so in a line each time, where that was chosen", async () => {
    const { hours, said } = await silent("line");
    await hours(2);
    expect(said()).toEqual([
      "Nothing new since 2026-11-20 09:00 UTC in digest 1, Gold wire.",
      "Nothing new since 2026-11-20 09:00 UTC in digest 1, Gold wire.",
    ]);
  });

  it("warns of a long silence once, and again of the next one", async () => {
    const { hours, said, state } = await silent(3);
    await hours(2);
    expect(said()).toEqual([]);
    await hours(6);
    expect(said()).toHaveLength(1);
    expect(said()[0]).toMatch(
      /^:warning: Digest 1, Gold wire, has found nothing new in 3 runs, since 2026-11-20 09:00 UTC\./,
    );
    state.articles = articles(1);
    await hours(1);
    await hours(8);
    expect(said().map((text) => text.slice(0, 9))).toEqual([":warning:", "Digest: G", ":warning:"]);
  });
});

describe("a digest that is paused while it waits for its turn", () => {
  it("is not posted, and comes whole when it is resumed", async () => {
    const { add, tick, posts, state, fail, digests } = desk();
    const name = await add();
    state.articles = articles(2);
    let pausing: Promise<unknown> = Promise.resolve();
    fail.before = () => {
      pausing = digests.update(name, (current) => ({ ...current, state: "paused" }));
      return undefined;
    };
    await tick();
    await pausing;
    delete fail.before;
    expect(posts).toEqual([]);
    await digests.update(name, (current) => ({ ...current, state: "active" }));
    await tick();
    expect(posts.map(storiesIn)).toEqual([[1, 2]]);
    state.now += day;
  });
});
