import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { describe, expect, it } from "vitest";
import { z } from "zod";

import type { Article } from "../../src/apis/article.ts";
import { digests } from "../../src/features/digests/commands.ts";
import { createSeen } from "../../src/features/subscriptions/seen.ts";
import { toldLifeMs, toldOf, withTold } from "../../src/features/subscriptions/told.ts";
import { openRecords } from "../../src/records.ts";
import { SlackRefused } from "../../src/slack/refusal.ts";
import { openStore } from "../../src/store/store.ts";
import { answerOf, article, asking, buttonsOf, memory, now, wordsOf } from "../support/builders.ts";
import { desk as alertDesk } from "./alerts-desk.ts";
import { trend } from "./alerts-setting.ts";
import { day, desk, minute } from "./digests-desk.ts";
import { problemsOf } from "./slack-limits.ts";

const hour = 60 * minute;
const place = { team: "T1", channel: "C1" };
let id = 0;

/** A report about the takeover, so many hours after the first one. */
function report(title: string, hours: number, about: Partial<Article> = {}): Article {
  id++;
  const entities = { primary: [1, 2], secondary: [30], tertiary: [] };
  const published = now - hour + hours * hour;
  return article({ id, title, summary: "", url: `https://news.example.com/t${id}`, published, entities, ...about });
}

const takeover = () => report("Northwind to buy Ostara for $41 billion", 0);
const again = (source = "Daily") => report("Northwind to buy rival Ostara", 20, { source });
const blocked = () => report("Watchdog stops Northwind’s takeover plans", 20);
const other = (hours = 20) => report("Gold falls", hours, { entities: { primary: [9], secondary: [], tertiary: [] } });

/** A desk whose channel was told of the takeover yesterday. */
async function nextDay(found: Article[], about: Parameters<ReturnType<typeof desk>["add"]>[0] = {}) {
  const here = desk();
  await here.add(about);
  here.state.articles = [takeover()];
  await here.tick();
  here.state.now += day;
  here.state.articles = [...found, ...here.state.articles];
  return here;
}

const shown = (posts: ReturnType<typeof desk>["posts"], at = -1) => wordsOf(posts.at(at)?.message ?? { text: "" });
const line = /^\d+ more on .*$/m;

describe("a further article of a story that a channel has had", () => {
  it("is told in a line at the end of what is new, and stands under All articles", async () => {
    const { tick, posts, services } = await nextDay([again(), other()]);
    await tick();
    expect(posts).toHaveLength(2);
    expect(shown(posts)).toContain("*1 new* since");
    expect(shown(posts)).not.toContain("rival");
    expect(line.exec(shown(posts))?.[0]).toMatch(
      /^1 more on a story you have had: <https:\S+\|Daily> on “Northwind to buy Ostara for \$41 billion”$/,
    );
    expect(posts[1]?.message.text).toMatch(/1 more on a story you have had: Daily on “/);
    const [key = ""] = /(?<=list )\S+/.exec(buttonsOf(posts[1]?.message ?? { text: "" })["All articles"] ?? "") ?? [];
    expect((await services().lists.get(key))?.articles.map(({ title }) => title).toSorted()).toEqual([
      "Gold falls",
      "Northwind to buy rival Ostara",
    ]);
    expect(problemsOf(posts[1]?.message ?? { text: "" })).toEqual([]);
  });

  it("is not posted for itself, nor brought up later", async () => {
    const { tick, posts, state, read } = await nextDay([again()]);
    await tick();
    expect([posts.length, (await read()).last?.fresh]).toEqual([1, 0]);
    state.now += 9 * day;
    state.articles = [report("Gold rises", 200, { entities: other().entities }), ...state.articles];
    await tick();
    expect(shown(posts)).toContain("Gold rises");
    expect(shown(posts)).not.toMatch(line);
  });

  it("stands below the words of a digest that says so where nothing is new", async () => {
    const { tick, posts } = await nextDay([again()], { look: { empty: "line" } });
    await tick();
    expect(shown(posts)).toMatch(/^Nothing new since .*\n1 more on a story you have had: /);
  });

  it("that says something else is a story", async () => {
    const { tick, posts } = await nextDay([blocked()]);
    await tick();
    expect(shown(posts)).toContain("Watchdog stops");
    expect(shown(posts)).not.toMatch(line);
  });

  it("ends the thread where the stories stand in one", async () => {
    const { tick, posts } = await nextDay([again(), other()], { look: { isThreaded: true } });
    await tick();
    expect(shown(posts, 2)).not.toMatch(line);
    expect(shown(posts, 3)).toMatch(line);
  });

  it("is one in that channel alone, whichever digest brought the story", async () => {
    const { add, tick, posts, state } = await nextDay([again()]);
    await add({ source: { kind: "channel", id: 502, name: "Metals" } });
    await add({ channel: "C2" });
    await tick();
    expect(posts.slice(1).map(({ channel }) => channel)).toEqual(["C2"]);
    state.now += day;
    state.articles = [report("Northwind to buy Ostara, rival says", 21)];
    await tick();
    expect(posts).toHaveLength(2);
  });

  it("is one also where an alert led with the story", async () => {
    const { add, later, state, services } = alertDesk();
    await add();
    state.articles = [takeover()];
    await later([trend("BASF", { score: 9 })]);
    expect((await services.seen.told(place, state.now)).map(({ headline }) => headline)).toEqual([
      "Northwind to buy Ostara for $41 billion",
    ]);
  });

  it("is a story where the one before has been forgotten", async () => {
    const { tick, posts, state } = await nextDay([]);
    state.now += toldLifeMs;
    state.articles = [report("Northwind to buy rival Ostara", 20)];
    await tick();
    expect(posts).toHaveLength(2);
  });

  it("is left out of the lead paragraph", async () => {
    const { tick, services } = await nextDay([again(), other()], { look: { hasLead: true } });
    const asked: string[] = [];
    services().gateway.chat = async ({ messages }) => {
      asked.push(JSON.stringify(messages));
      throw new Error("no words today");
    };
    await tick();
    expect([asked.length, asked[0]?.includes("Gold falls"), asked[0]?.includes("rival")]).toEqual([1, true, false]);
  });
});

describe("what a channel is told of", () => {
  it("is what stands there, and not what Slack has refused so far", async () => {
    const { add, tick, posts, state, fail, services, restart } = desk();
    await add();
    state.articles = [takeover()];
    fail.post = () => new SlackRefused("chat.postMessage", "ratelimited");
    await tick();
    expect(await services().seen.told(place, state.now)).toEqual([]);
    delete fail.post;
    restart();
    state.now += minute;
    await tick();
    expect(shown(posts)).toContain("Northwind to buy Ostara");
    expect(await services().seen.told(place, state.now)).toHaveLength(1);
  });

  it.each(["claim", "tell"] as const)(
    "is written down in the end where the disk is full for a while: %s",
    async (what) => {
      const { add, tick, posts, state, services } = desk();
      await add();
      state.articles = [takeover()];
      const { seen } = services();
      services().seen = { ...seen, [what]: () => Promise.reject(new Error("the disk is full")) };
      await tick();
      expect(posts).toHaveLength(what === "claim" ? 0 : 1);
      services().seen = seen;
      state.now += minute;
      await tick();
      await tick();
      expect(posts).toHaveLength(1);
      expect(await seen.told(place, state.now)).toHaveLength(1);
    },
  );

  it("is bounded: by number, by age, by the length of each", () => {
    const many = Array.from({ length: 500 }, (_, at) =>
      toldOf([report(`${"x".repeat(400)} ${at}`, at, { summary: "y".repeat(5_000) })], now - at),
    );
    const kept = withTold([], many, now);
    expect([kept.length, kept[0]]).toEqual([60, many[0]]);
    expect(JSON.stringify(kept).length).toBeLessThan(100_000);
    expect(withTold(many, [], now + toldLifeMs)).toEqual([]);
  });

  it("does not lose one of two that are told of at once, and comes along to another ID", async () => {
    const seen = createSeen({ seen: memory(), told: memory() });
    await Promise.all([
      seen.tell(place, [toldOf([takeover()], now)], now),
      seen.tell(place, [toldOf([other()], now)], now),
    ]);
    await seen.follow(place, "C9");
    expect(await seen.told({ team: "T1", channel: "C9" }, now)).toHaveLength(2);
  });

  it("is read also of what an earlier version had written", async () => {
    const folder = await mkdtemp(join(tmpdir(), "bellwether-told-"));
    const url = `sqlite:${join(folder, "state.sqlite")}`;
    const before = await openStore(url);
    const key = "T1 C1 ungWv48Bz-pBQUDeXa4iI7";
    await before.collection("seen", z.number()).set(key, now);
    await before.close();
    const after = await openStore(url);
    expect(await openRecords(after).seen.get(key)).toEqual({ at: now });
    await after.close();
    await rm(folder, { recursive: true });
  });
});

describe("digests why-not, of a further article of a story", () => {
  const why = async ({ services }: ReturnType<typeof desk>, { url }: Article) =>
    (await answerOf(digests, asking(`why-not ${url}`), services())).text
      .split("\n")
      .at(-1)
      ?.replace(/^.*?: /, "");

  it("says that it tells again what came, before and after", async () => {
    const told = again();
    const here = await nextDay([told, other()]);
    expect(await why(here, told)).toBe(
      "it tells again what came here as “Northwind to buy Ostara for $41 billion”, so it is no story of its own: only a line at the end of the next digest that is posted here.",
    );
    await here.tick();
    here.state.now += 3 * day;
    expect(await why(here, told)).toBe(
      "it tells again what came here as “Northwind to buy Ostara for $41 billion”, so it was only in the line at the end, 2026-11-21 09:00 UTC.",
    );
  });

  it("says when a story came, also days later, and that another was passed over at first", async () => {
    const here = desk();
    await here.add();
    here.state.articles = Array.from({ length: 7 }, (_, at) =>
      report(`Topic${at} heading${at}`, -at, { entities: { primary: [50 + at], secondary: [], tertiary: [] } }),
    );
    await here.tick();
    here.state.now += 2 * day;
    await here.tick();
    here.state.now += day;
    const [first = other(), last = other()] = [here.state.articles[0], here.state.articles[6]];
    expect(await why(here, first)).toBe("it came here 2026-11-20 09:00 UTC. A story comes once.");
    expect(await why(here, last)).toBe(
      "it was there 2026-11-20 09:00 UTC, too old or one too many by then, and is not looked at again.",
    );
  });
});
