import { describe, expect, it } from "vitest";

import { createOutbox } from "../../../src/slack/delivery/outbox.ts";
import { Unavailable } from "../../../src/apis/errors.ts";
import { watchlistSourceOf } from "../../../src/features/sources/watchlist.ts";
import { postDigests } from "../../../src/features/digests/job.ts";
import { withChange } from "../../../src/features/subscriptions/model.ts";
import type { Source } from "../../../src/features/sources/source.ts";
import { buttonsOf, wordsOf } from "../../support/answers.ts";
import { article, credits, now as start } from "../../support/builders.ts";
import { articles, day, digestDesk, dueDigest, hour, hourly, metals, minute, storiesIn } from "./setting.ts";
import { createKeyQueue } from "../../../src/store/key-queue.ts";

const everyFiveMinutes = { pattern: "*/5 * * * *", zone: "UTC", words: "every 5 minutes" };

/** Somebody takes the bot out of the workspace while a tick is under way. */
function takeOut(state: { isServed: boolean }): undefined {
  state.isServed = false;
}

describe("a digest that is due", () => {
  it("posts what the last day brought at first and says so, and from then on only what is new", async () => {
    const { tick, later, posts, state } = await dueDigest(3);
    const old = article({ id: 90, title: "Story 90", url: "https://news.example.com/90", published: start - 2 * day });
    state.articles = [...articles(3), old];
    await tick();
    expect(posts.map(storiesIn)).toEqual([[1, 2, 3]]);
    expect(posts[0]?.message.text).toMatch(/^Gold wire · .* · 3 stories \(first digest\)\n/);
    state.articles = [...articles(2, 101), ...articles(3), old];
    await later(day);
    expect(posts.map(storiesIn)[1]).toEqual([101, 102]);
    expect(posts[1] && wordsOf(posts[1].message)).toContain("· 2 new stories");
  });

  it("posts once at its time, and runs again at the next, with something new or not", async () => {
    const { tick, later, posts, read } = await dueDigest(1, { nextRun: start + minute });
    await tick();
    expect(posts).toEqual([]);
    await later(minute);
    await Promise.all([tick(), tick(), tick()]);
    expect(posts).toHaveLength(1);
    expect(await read()).toMatchObject({ nextRun: start + day, last: { at: start + minute, fresh: 1 } });
    await later(day);
    expect(posts).toHaveLength(1);
    expect(await read()).toMatchObject({ nextRun: start + 2 * day, last: { at: start + minute + day, fresh: 0 } });
  });

  it.each([1, 0])("that runs once is over afterwards, with %s new stories", async (count) => {
    const { tick, later, posts, read, say, state } = await dueDigest(count, {
      schedule: { pattern: "0 9 * * *", zone: "UTC", words: "once at 09:00", isOnce: true },
    });
    await tick();
    const posted = posts.length;
    expect(await read()).toMatchObject({ state: "paused" });
    expect((await say("list")).text).toContain("done, it was to run once");
    state.articles = articles(3, 200);
    await later(2 * day);
    expect(posts).toHaveLength(posted);
  });

  it("shows an article once in a channel, whichever source has it, and shares reads and lists with other digests", async () => {
    const { add, tick, posts, state } = digestDesk();
    for (let channel = 1; channel <= 20; channel++) {
      await add({ channel: `C${channel}` });
      await add({ channel: `C${channel}`, source: metals });
    }
    state.articles = articles(3);
    await tick();
    expect([posts.length, state.reads, state.kept]).toEqual([20, 2, 1]);
  });

  it("takes only articles of the chosen outlet, or only those mainly about the names of its source", async () => {
    const basf: Source = { kind: "entity", ids: [7], name: "BASF" };
    const { add, tick, posts, state } = digestDesk();
    await add({ source: basf, style: { outlet: "Example Wire" }, channel: "C1" });
    await add({ source: basf, style: { tier: "primary" }, channel: "C2" });
    await add({ source: basf, style: { tier: "primary", outlet: "Gazette" }, channel: "C3" });
    const [wire, mainly, both] = articles(3);
    if (!wire || !mainly || !both) throw new Error("three articles");
    const about = { primary: [7], secondary: [], tertiary: [] };
    state.articles = [
      wire,
      { ...mainly, source: "Ledger", entities: about },
      {
        ...both,
        source: "The Gazette",
        entities: about,
      },
    ];
    await tick();
    expect(posts.map((post) => [post.channel, storiesIn(post)])).toEqual([
      ["C1", [1]],
      ["C2", [2]],
      ["C3", [3]],
    ]);
    expect(state.reads).toBe(1);
    expect(posts.map(({ message }) => /(\d) stor(?:y|ies) \(first digest\)/.exec(message.text)?.[1])).toEqual([
      "1",
      "1",
      "1",
    ]);
  });

  it("posts once, and says that it’s late, after many runs missed while the bot was down", async () => {
    const { tick, later, posts, restart } = await dueDigest(2, { schedule: everyFiveMinutes });
    restart();
    await later(3 * day);
    await tick();
    await later(minute);
    expect(posts.map(({ message }) => wordsOf(message))).toEqual([expect.stringContaining("_Late: it was due")]);
  });

  it("posts nothing once it’s paused or removed, even while its source is read", async () => {
    const { tick, posts, state, fail, update } = await dueDigest();
    for (const stands of ["paused", "removed"] as const) {
      await update({ state: stands });
      await tick();
    }
    expect([posts.length, state.reads]).toEqual([0, 0]);
    await update({ state: "active" });
    let pausing: Promise<unknown> | undefined;
    fail.read = () => {
      pausing = update({ state: "paused" });
      return undefined;
    };
    await tick();
    await pausing;
    expect(posts).toEqual([]);
    delete fail.read;
    await update({ state: "active" });
    await tick();
    expect(posts.map(storiesIn)).toEqual([[1, 2]]);
  });

  it("is neither read nor logged after the bot was uninstalled, and goes on when the bot is back", async () => {
    const { add, tick, later, posts, state, fail, counts } = digestDesk();
    for (const channel of ["C1", "C2", "C3"]) {
      await add({ channel });
      await add({ channel, source: metals });
    }
    state.articles = articles(2);
    state.isServed = false;
    await tick();
    await later(minute);
    expect([state.reads, counts.tries, state.log]).toEqual([0, 0, []]);
    state.isServed = true;
    fail.read = () => takeOut(state);
    await tick();
    expect([posts, state.log]).toEqual([[], []]);
    delete fail.read;
    state.isServed = true;
    await tick();
    expect(posts.map(({ channel }) => channel).toSorted()).toEqual(["C1", "C2", "C3"]);
  });

  it("costs no more than the reads under way if the bot is uninstalled meanwhile", async () => {
    const { add, tick, state, fail } = digestDesk();
    for (let at = 0; at < 20; at++) await add({ source: { kind: "search", query: `gold ${at}` } });
    fail.read = () => takeOut(state);
    await tick();
    expect(state.reads).toBeLessThanOrEqual(8);
    expect(state.log).toEqual([]);
  });

  it("waits for the posts of its channel that an earlier tick began, and holds up no other channel", async () => {
    const { add, posts, counts, services } = await dueDigest(1);
    await add({ channel: "C2" });
    const blocked = Promise.withResolvers<void>();
    const { post, log, now } = services();
    const held: ReturnType<typeof services> = {
      ...services(),
      outbox: createOutbox({
        async post(to, message) {
          if (to.channel === "C1") await blocked.promise;
          return post(to, message);
        },
        edit: async () => undefined,
        inTurn: createKeyQueue(),
        log,
        now,
      }),
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
    expect(counts.tries).toBe(2);
  });
});

describe("the order of a digest's stories", () => {
  const told = (id: number, title: string, minutes: number, source: string) =>
    article({
      id,
      title,
      summary: "",
      url: `https://news.example.com/${id}`,
      published: start - minutes * minute,
      source,
    });
  const found = [
    told(1, "Museum opens new wing beside the river", 1, "Example Wire"),
    told(2, "Northwind agrees to buy rival Ostara", 20, "Example Wire"),
    told(3, "Rival Ostara agrees to Northwind takeover", 30, "Daily Example"),
    told(4, "Northwind to buy Ostara, its rival", 40, "Example & Sons"),
  ];
  const firstOf = async (about: Parameters<typeof dueDigest>[1]) => {
    const desk = await dueDigest(0, about);
    desk.state.articles = found;
    await desk.tick();
    const [post] = desk.posts;
    const words = post ? wordsOf(post.message) : "";
    return { words, isTop: words.indexOf("Northwind agrees") < words.indexOf("Museum") };
  };

  it("begins daily with what most outlets report, and says how many those are", async () => {
    const { words, isTop } = await firstOf({});
    expect(isTop).toBe(true);
    expect(words).toContain("3 outlets");
  });

  it("begins with the newest if it posts more often or somebody wants that", async () => {
    expect((await firstOf({ style: { order: "newest" } })).isTop).toBe(false);
    expect((await firstOf({ schedule: hourly })).isTop).toBe(false);
    expect((await firstOf({ schedule: hourly, style: { order: "top" } })).isTop).toBe(true);
  });

  it("begins with stories mainly about names on its watchlist, before newer ones that mention them", async () => {
    const desk = await dueDigest(0);
    const draft = { team: "T1", owner: "U1", name: "Wind", isShared: false, excluded: [] };
    const groups = [[{ id: 5, name: "Ostara" }]];
    const list = await desk.services().watchlists.add({ ...draft, groups }, { by: "U1", at: 0 }, async () => undefined);
    await desk.update({ source: watchlistSourceOf(list) });
    const [mention = article(), main = article()] = found;
    desk.state.articles = [
      { ...mention, entities: { primary: [6], secondary: [], tertiary: [5] } },
      { ...main, entities: { primary: [5], secondary: [], tertiary: [] } },
    ];
    await desk.tick();
    expect(wordsOf(desk.posts[0]?.message ?? { text: "" })).toMatch(/Northwind agrees[^]*Museum/);
  });
});

describe("a source that fails", () => {
  const down = () => new Unavailable({ api: "intelligence", operation: "articles" });

  it("is tried after one minute, two, four and so on; what was promised comes when it answers, marked late", async () => {
    const { tick, later, posts, state, fail, read } = await dueDigest();
    fail.read = down;
    const tried: number[] = [];
    for (let minutes = 0; minutes < 100; minutes++) {
      const before = state.reads;
      await tick();
      if (state.reads > before) tried.push(minutes);
      state.now += minute;
    }
    expect(tried).toEqual([0, 1, 3, 7, 15, 31, 61, 91]);
    expect(await read()).toMatchObject({ problem: "The news service couldn’t be reached.", nextRun: start });
    delete fail.read;
    await later(21 * minute);
    expect(posts.map(storiesIn)).toEqual([[1, 2]]);
    expect(posts[0] && wordsOf(posts[0].message)).toContain("_Late: it was due");
    expect(await read()).toMatchObject({ problem: undefined, nextRun: start + day });
  });

  it("is tried at each time that was promised, and at once when the bot starts or somebody changes the digest", async () => {
    const { add, tick, state, fail, restart, services } = digestDesk();
    const digest = await add({ schedule: everyFiveMinutes });
    fail.read = down;
    for (let minutes = 0; minutes < 60; minutes++) {
      await tick();
      state.now += minute;
    }
    expect(state.reads).toBe(3 + 11);
    await tick();
    await tick();
    expect(state.reads).toBe(15);
    restart();
    await tick();
    expect(state.reads).toBe(16);
    const change = { by: "U1", at: state.now, type: "edited" as const };
    await services().digests.update(digest, (current) => withChange(current, change));
    await tick();
    expect(state.reads).toBe(17);
  });
});

describe("a read that is paid for", () => {
  function paying(answer: () => Error | undefined) {
    const bills: string[] = [];
    const gateway = digestDesk().services().gateway;
    const desk = digestDesk({
      spending: {
        gatewayFor: ({ team, user }) => ({
          ...gateway,
          async search(query) {
            bills.push(`${team} ${user}`);
            const error = answer();
            if (error) throw error;
            return { query, articles: articles(2), total: 2, credits: credits() };
          },
        }),
      },
    });
    const add = (about: Parameters<typeof desk.add>[0]) =>
      desk.add({ source: { kind: "search", query: "gold" }, ...about });
    return { ...desk, bills, add };
  }

  it("is paid once for a workspace, by one owner, and its cost is shown only there", async () => {
    const { bills, posts, add, tick } = paying(() => undefined);
    await add({});
    await add({ channel: "C2", owner: "U2" });
    await add({ channel: "C3", team: "T2", owner: "U3" });
    await tick();
    expect(bills).toEqual(["T1 U1", "T2 U3"]);
    const paid = posts.filter(({ message }) => wordsOf(message).includes("1 credit used"));
    expect(paid.map(({ channel }) => channel)).toEqual(["C1", "C3"]);
  });
});

describe("a digest with nothing new", () => {
  async function silent(empty: "line" | number) {
    const desk = digestDesk();
    await desk.add({ style: { empty }, schedule: hourly });
    const hours = async (count: number) => {
      for (let done = 0; done < count; done++) {
        await desk.tick();
        desk.state.now += hour;
      }
      return desk.posts.map(({ message }) => message.text);
    };
    return { ...desk, hours };
  }

  const watching = "Gold wire: nothing in the last day. Watching from now.";

  it("says at first that it watches, and posts the newest five if somebody wants them", async () => {
    const { tick, later, posts, say, state } = await dueDigest(0);
    state.articles = articles(7).map((each) => ({ ...each, published: (each.published ?? 0) - 2 * day }));
    await tick();
    expect(posts.map(({ message }) => message.text)).toEqual([watching]);
    expect(posts[0] && buttonsOf(posts[0].message)).toHaveProperty("Post the newest five", "digests newest 1");
    await say("newest 1");
    await later(minute);
    await later(minute);
    expect(posts.slice(1).map(storiesIn)).toEqual([[1, 2, 3, 4, 5]]);
    await say("newest 1");
    await later(minute);
    await say("newest 1");
    await later(minute);
    expect(posts.slice(2).map(({ message }) => message.text)).toEqual([
      expect.stringContaining("Story 7"),
      "Gold wire: there are no stories that this channel hasn’t seen.",
    ]);
    await later(day);
    expect(posts).toHaveLength(4);
  });

  it("says so in a line each time, if that was chosen", async () => {
    const line = "Nothing new since 20 Nov, 09:00 UTC in digest 1, Gold wire.";
    expect(await (await silent("line")).hours(3)).toEqual([watching, line, line]);
  });

  it("warns once of a long silence, and again of the next one", async () => {
    const { hours, state } = await silent(3);
    expect(await hours(2)).toEqual([watching]);
    expect(await hours(6)).toEqual([
      watching,
      expect.stringMatching(
        /^:warning: Digest 1, Gold wire, has found nothing new in 3 runs, since 20 Nov, 09:00 UTC\./,
      ),
    ]);
    state.articles = articles(1);
    await hours(1);
    expect((await hours(8)).map((text) => text.slice(0, 9))).toEqual([
      "Gold wire",
      ":warning:",
      "Gold wire",
      ":warning:",
    ]);
  });
});

describe("a digest that is muted", () => {
  it("posts nothing while it’s muted, not even a waiting post, and everything new afterwards", async () => {
    const { tick, later, say, posts, state, fail } = await dueDigest(1);
    await tick();
    state.articles = articles(2, 10);
    fail.post = () => new Error("down");
    await later(day);
    await say("mute 1 1w");
    delete fail.post;
    state.articles = [...articles(2, 20), ...articles(2, 10)];
    for (let days = 1; days < 7; days++) await later(day);
    expect(posts).toHaveLength(1);
    await later(day);
    await later(day);
    expect(posts.slice(1).map(storiesIn)).toEqual([
      [10, 11],
      [20, 21],
    ]);
    expect(posts.at(-1)?.message.text).not.toContain("Late");
  });
});
