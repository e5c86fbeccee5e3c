import { describe, expect, it } from "vitest";

import { Restarting } from "../../../src/features/failure.ts";
import { SlackRefused } from "../../../src/slack/delivery/refusal.ts";
import { wordsOf } from "../../support/answers.ts";
import { article } from "../../support/builders.ts";
import { desk, watching } from "./desk.ts";
import { hour, minute, trend } from "./setting.ts";

const basf = trend("BASF", { score: 2 });
const high = trend("BASF", { score: 4, mentions: 30 });
const low = trend("BASF", { score: 0.5, mentions: 4 });
const shell = trend("Shell", { score: 2 });
const refusal = (code: string) => new SlackRefused("chat.postMessage", code);
const mute = { entity: "company|basf", name: "BASF", by: "U1", at: 0 };

describe("an alert’s new message", () => {
  it("leads with articles that its channel wasn’t shown, and later messages leave them out", async () => {
    const { add, later, state, posts, services, read, shown } = await watching();
    await add({ channel: "C2" });
    const urls = ["a", "b", "c", "d", "e"].map((name) => `https://news.example.com/${name}`);
    state.articles = urls.map((url, index) => article({ id: index + 1, title: `Story ${index + 1}`, url }));
    const { announced } = services;
    const channel = { team: "T1", channel: "C1" };
    await announced.announce(channel, [state.articles.slice(0, 1)], { by: "another", now: state.now });
    await later([basf]);
    const stories = posts.map((each) => [...wordsOf(shown(each)).matchAll(/Story (\d)/g)].map(([, id]) => Number(id)));
    expect(stories).toEqual([
      [2, 3, 4],
      [1, 2, 3],
    ]);
    expect((await announced.known(channel, state.articles.slice(1))).size).toBe(3);
    expect((await read()).posts[0]?.content.lists).toMatchObject({ "company|basf": expect.any(String) });
  });

  it("about several spikes gives each a headline that its channel wasn’t shown, and keeps it when it’s edited", async () => {
    const { later, state, posts, services, read, shown } = await watching();
    // So many events that they're one list.
    const names = ["BASF", "Shell", "Bayer", "Siemens"];
    const told = (name: string, at: number) =>
      article({ id: undefined, title: `${name} story ${at}`, url: `https://news.example.com/${name}/${at}` });
    for (const name of names) state.articlesOf[name] = [told(name, 1), told(name, 2)];
    const { announced } = services;
    const channel = { team: "T1", channel: "C1" };
    await announced.announce(channel, [[told("BASF", 1)]], { by: "another", now: state.now });
    const trends = names.map((name) => ({ ...basf, name }));
    await later(trends);
    const stories = () => posts.map((each) => wordsOf(shown(each)).match(/\w+ story \d/g));
    const leading = ["BASF story 2", "Bayer story 1", "Shell story 1", "Siemens story 1"];
    expect(stories()).toEqual([leading]);
    expect((await announced.known(channel, Object.values(state.articlesOf).flat())).size).toBe(5);
    expect(Object.keys((await read()).posts[0]?.content.lists ?? {})).toHaveLength(4);
    await later([high, ...trends.slice(1)]);
    expect(stories()[0]).toEqual(leading);
  });

  it("about several spikes has no headlines if each would cost a credit", async () => {
    const { later, services, posts } = await watching();
    let searches = 0;
    Object.assign(services.configured, { intelligence: false, gateway: true });
    const gateway = { search: async () => Promise.reject(new Error(`search ${searches++}`)) };
    services.spending.gatewayFor = () => ({ ...services.gateway, ...gateway });
    await later([basf, shell]);
    expect([posts.length, searches]).toEqual([1, 0]);
    Object.assign(services.configured, { intelligence: true });
    services.directory.find = async () => ({ near: [] });
    await later([basf, shell, ...["One", "Two"].map((name) => ({ ...basf, name }))]);
    expect([posts.length, searches]).toEqual([2, 0]);
  });

  it("isn’t posted if its name was muted after it was planned", async () => {
    const { add, later, fail, posts, services, read } = desk();
    const name = await add();
    fail.post = () => refusal("ratelimited");
    await later([basf]);
    delete fail.post;
    await services.alerts.update(name, (current) => ({ ...current, mutes: [mute] }));
    await later([basf]);
    expect(posts).toEqual([]);
    expect(await read()).toMatchObject({ posts: [] });
  });

  it("doesn’t wait for the articles of other messages", async () => {
    const { add, later, services, posts } = desk();
    const names = Array.from({ length: 40 }, (_, index) => `Name ${index}`);
    for (const [index, name] of names.entries()) {
      await add({ channel: `C${index}`, options: { sensitivity: "eager", include: [name] } });
    }
    const slow = Promise.withResolvers<[]>();
    let asked = 0;
    services.intelligence.articles = () => (++asked < names.length ? slow.promise : Promise.resolve([]));
    const rising = later(names.map((name) => trend(name)));
    await expect.poll(() => posts.length).toBe(1);
    slow.resolve([]);
    await rising;
    expect(posts).toHaveLength(names.length);
  });
});

describe("a posted message", () => {
  it("is edited as its incident develops, with the history in its thread", async () => {
    const { later, posts, titles, rewrites } = await watching();
    for (const each of [basf, high, high, low, low, low]) await later([each]);
    expect(titles()).toEqual([
      expect.stringMatching(/^BASF: back to normal/),
      "BASF: coverage 7.5 times normal and growing",
      expect.stringMatching(/^BASF: back to normal/),
    ]);
    expect(posts.map(({ thread }) => thread)).toEqual([undefined, "1.0", "1.0"]);
    expect(rewrites(0)).toEqual([
      "BASF: coverage 7.5 times normal and growing",
      expect.stringMatching(/^BASF: back to normal/),
    ]);
  });

  it("is edited for new numbers after five minutes, and only if they differ much", async () => {
    const { later, rewrites } = await watching();
    await later([basf]);
    for (let minutes = 0; minutes < 4; minutes++) await later([trend("BASF", { score: 2.1, mentions: 20 + minutes })]);
    expect(rewrites(0)).toHaveLength(0);
    await later([trend("BASF", { score: 2.1, mentions: 24 })]);
    for (let minutes = 0; minutes < 20; minutes++) await later([trend("BASF", { score: 2.1, mentions: 25 })]);
    expect(rewrites(0)).toHaveLength(1);
  });

  it("about several spikes is edited as a whole", async () => {
    const { later, posts, titles } = await watching();
    await later([basf, shell]);
    for (let minutes = 0; minutes < 6; minutes++) await later([shell]);
    expect(posts.filter(({ thread }) => thread === undefined)).toHaveLength(1);
    expect(titles()[0]).toBe("2 spikes: BASF, Shell · 1 back to normal");
  });

  it("says that its name is muted only while it is", async () => {
    const { add, later, posts, services, state, shown } = desk();
    const name = await add();
    await later([basf]);
    const until = state.now + hour;
    await services.alerts.update(name, (current) => ({ ...current, mutes: [{ ...mute, until }] }));
    await later([basf]);
    const words = () => (posts[0] ? wordsOf(shown(posts[0])) : "");
    expect(words()).toMatch(/Muted until[^]*Unmute/);
    await later([basf], hour);
    expect(words()).not.toMatch(/Muted until|Unmute/);
  });

  it("that Slack doesn’t let us edit goes on in its thread", async () => {
    const { later, fail, posts, read, rewrites } = await watching();
    await later([basf]);
    fail.edit = () => new SlackRefused("chat.update", "edit_window_closed");
    await later([high]);
    expect((await read()).posts).toMatchObject([{ shown: undefined, posted: { ts: "1.0" } }]);
    delete fail.edit;
    for (let minutes = 0; minutes < 3; minutes++) await later([]);
    expect(posts.map(({ thread }) => thread)).toEqual([undefined, "1.0", "1.0"]);
    expect(posts.flatMap((_, at) => rewrites(at))).toEqual([]);
  });

  it("that somebody has deleted is replaced by another if its incident escalates", async () => {
    const { later, fail, posts, read, titles, waiting } = await watching();
    await later([basf]);
    fail.edit = () => new SlackRefused("chat.update", "message_not_found");
    fail.post = ({ thread }) => (thread ? refusal("thread_not_found") : undefined);
    await later([high]);
    await later([high]);
    expect(await read()).toMatchObject({ state: "active" });
    expect(await waiting()).toEqual([]);
    expect(posts.map(({ thread }) => thread)).toEqual([undefined, undefined]);
    expect(titles()[1]).toBe("BASF: coverage 7.5 times normal and growing");
  });
});

describe("a process that ends while an alert is delivered", () => {
  it("loses no message that waits for its turn, and reports no problem with the channel", async () => {
    const { later, restart, fail, posts, read } = await watching();
    fail.before = () => new Restarting("I am being restartAlert.");
    await later([basf]);
    const { problem, posts: waiting } = await read();
    expect([problem, waiting.map(({ tries }) => tries)]).toEqual([undefined, [0]]);
    delete fail.before;
    restart();
    await later([basf]);
    expect(posts).toHaveLength(1);
  });

  it("leaves each message once, whichever write it ends at", async () => {
    const all = [[basf], [basf], [high], [high, trend("Shell")], [], [], [], []];
    const whole = await courseCutAt(Number.POSITIVE_INFINITY, all);
    expect(whole.titles).toHaveLength(5);
    for (let write = 1; write <= whole.writes; write++) {
      const { titles } = await courseCutAt(write, all);
      expect([write, titles.toSorted()]).toEqual([write, whole.titles.toSorted()]);
    }
  });
});

/** A course in which the process ends at a write to the store and starts anew, once. */
async function courseCutAt(cut: number, trends: ReturnType<typeof trend>[][]) {
  const { add, later, restart, records, posts } = desk();
  await add();
  const set = records.set.bind(records);
  let writes = 0;
  let isOver = false;
  records.set = async (...about) => {
    if (++writes === cut) isOver = true;
    if (isOver) throw new Error("the process has ended");
    await set(...about);
  };
  for (const each of trends) {
    await later(each);
    if (!isOver) continue;
    isOver = false;
    restart();
    // What was true at that minute still is when the bot is back.
    await later(each, 30_001);
  }
  for (let minutes = 0; minutes < 4; minutes++) await later([]);
  return {
    writes,
    titles: posts.map(({ message }) => message.text.split("\n")[0]?.replace(/ at \d\d:\d\d UTC.*/, "") ?? ""),
  };
}

describe("a channel that takes no message", () => {
  it("for a while gets it once as soon as it does, and holds up no other channel", async () => {
    const { add, later, fail, posts, read } = await watching();
    await add({ channel: "C2" });
    fail.post = ({ channel }) => (channel === "C1" ? refusal("ratelimited") : undefined);
    await later([basf]);
    expect(posts.map(({ channel }) => channel)).toEqual(["C2"]);
    expect(await read()).toMatchObject({
      problem: expect.stringContaining("the last message"),
      posts: [{ tries: 1 }],
    });
    await later([basf]);
    delete fail.post;
    await later([basf]);
    await later([basf]);
    expect(posts.map(({ channel }) => channel)).toEqual(["C2", "C1"]);
    expect(await read()).toMatchObject({ problem: undefined, posts: [{ posted: { channel: "C1" } }] });
  });

  it("because it’s archived pauses the alert, notifies its owner, and gets waiting messages when it is resumed", async () => {
    const { add, later, fail, posts, read, services } = desk();
    const name = await add();
    fail.post = ({ channel }) => (channel === "C1" ? refusal("is_archived") : undefined);
    await later([basf]);
    await later([basf]);
    expect(posts).toEqual([]);
    const problem = "The channel is archived.";
    expect(await read()).toMatchObject({
      state: "paused",
      ownerNotice: "due",
      problem,
      posts: [{ content: { kind: "firing" } }],
    });
    delete fail.post;
    await services.alerts.update(name, (current) => ({ ...current, state: "active" }));
    await later([basf]);
    expect(posts.map(({ channel }) => channel)).toEqual(["C1"]);
  });

  it("for minutes doesn’t hold up the next check", async () => {
    const { later, services, state, posts } = await watching();
    const slow = Promise.withResolvers<void>();
    const post = services.post.bind(services);
    services.post = async (...about) => {
      await slow.promise;
      return post(...about);
    };
    // Posts are waited for longer than what is read.
    services.after = (ms, call) => {
      if (ms > 30_000) call();
      return () => undefined;
    };
    await later([basf]);
    await later([basf]);
    expect(state.reads).toBe(2);
    slow.resolve();
    await expect.poll(() => posts.length).toBe(1);
    await later([basf]);
    expect(posts).toHaveLength(1);
  });
});

describe("a channel that has had thirty messages of alerts in an hour", () => {
  const rising = (count: number) => Array.from({ length: count }, (_, index) => trend(`Name ${index}`));

  /** Somebody else rises in each minute, and stays so. */
  async function flooded(minutes: number) {
    const here = desk();
    await here.add();
    for (let count = 1; count <= minutes; count++) await here.later(rising(count));
    return here;
  }

  it("gets further spikes as one message, an hour after the first of the thirty", async () => {
    const { posts, later, titles } = await flooded(40);
    const reports = () => posts.filter(({ thread }) => !thread);
    expect(reports()).toHaveLength(30);
    await later(rising(40), 22 * minute);
    expect(titles().at(-1)).toMatch(/^10 spikes: /);
    expect(reports()).toHaveLength(31);
  });

  it("keeps no other channel waiting, and still gets replies in threads", async () => {
    const { posts, add, later, read } = await flooded(31);
    await add({ channel: "C2" });
    await later([...rising(31), trend("Else")]);
    expect(posts.filter(({ channel }) => channel === "C2")).not.toEqual([]);
    await later([trend("Name 0", { score: 90, mentions: 400 }), ...rising(31).slice(1)]);
    expect(posts.some(({ channel, thread }) => channel === "C1" && thread !== undefined)).toBe(true);
    const waiting = (await read()).posts.filter((post) => !post.posted);
    expect(waiting.map(({ content }) => content.kind)).toEqual(["firing"]);
  });
});
