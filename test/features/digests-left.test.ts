import { describe, expect, it } from "vitest";

import type { Article } from "../../src/apis/article.ts";
import { digests } from "../../src/features/digests/commands.ts";
import { toldAgain, toldLifeMs, toldOf, toldSchema, withTold } from "../../src/features/subscriptions/told.ts";
import { SlackRefused } from "../../src/slack/refusal.ts";
import { answerOf, article, asking, buttonsOf, now, wordsOf } from "../support/builders.ts";
import { day, desk, minute } from "./digests-desk.ts";
import { problemsOf } from "./slack-limits.ts";

const hour = 60 * minute;
let id = 0;

/** A report about the takeover, so many hours after the first one. */
function report(title: string, hours: number, about: Partial<Article> = {}): Article {
  id++;
  const entities = { primary: [1, 2], secondary: [30], tertiary: [] };
  const published = now - hour + hours * hour;
  return article({ id, title, summary: "", url: `https://news.example.com/l${id}`, published, entities, ...about });
}

const again = (source = "Daily", hours = 20) => report("Northwind to buy rival Ostara", hours, { source });
const gold = (hours: number) =>
  report(`Gold at hour ${hours}`, hours, { entities: { primary: [9], secondary: [], tertiary: [] } });
const other = { kind: "channel", id: 502, name: "Metals" } as const;

/** A desk whose channel had the takeover yesterday, and since then only what tells it again. */
async function afterQuiet(left: Article[] = [again()], about: Parameters<ReturnType<typeof desk>["add"]>[0] = {}) {
  const here = desk();
  await here.add(about);
  here.state.articles = [report("Northwind to buy Ostara for $41 billion", 0)];
  await here.tick();
  here.state.now += day;
  here.state.articles = [...left, ...here.state.articles];
  await here.tick();
  return {
    ...here,
    /** A day later, with something new. */
    next: (hours = 40) => {
      here.state.now += day;
      here.state.articles = [gold(hours), ...here.state.articles];
      return here.tick();
    },
  };
}

const shown = (posts: ReturnType<typeof desk>["posts"], at = -1) => wordsOf(posts.at(at)?.message ?? { text: "" });
const line = /^\d+ more on .*$/m;
const refusal = () => new SlackRefused("chat.postMessage", "invalid_blocks");

describe("what told again while nothing was new", () => {
  it("is linked to in the next digest that has news, once, and stands under All articles", async () => {
    const { next, posts, services } = await afterQuiet();
    expect(posts).toHaveLength(1);
    await next();
    expect(shown(posts)).toContain("*1 new* since");
    expect(line.exec(shown(posts))?.[0]).toMatch(
      /^1 more on a story you have had: <https:\S+\|Daily> on “Northwind to buy Ostara for \$41 billion”$/,
    );
    const message = posts.at(-1)?.message ?? { text: "" };
    const [key = ""] = /(?<=list )\S+/.exec(buttonsOf(message)["All articles"] ?? "") ?? [];
    expect((await services().lists.get(key))?.articles.map(({ title }) => title)).toEqual([
      "Gold at hour 40",
      "Northwind to buy rival Ostara",
    ]);
    expect(problemsOf(message)).toEqual([]);
    await next(60);
    expect(posts).toHaveLength(3);
    expect(shown(posts)).not.toMatch(line);
  });

  it("is linked to by whichever digest of its place comes first, and by no digest elsewhere", async () => {
    const { add, next, posts, services } = await afterQuiet();
    await services().digests.update({ team: "T1", number: 1 }, (current) => ({ ...current, state: "paused" }));
    await add({ source: other, channel: "C2" });
    await add({ source: other });
    await next();
    const linesOf = (place: string) =>
      posts.slice(1).flatMap(({ channel, message }) => (channel === place ? line.test(wordsOf(message)) : []));
    expect([linesOf("C1"), linesOf("C2")]).toEqual([[true], [false]]);
  });

  it("is linked to below the words that nothing is new, where those are posted, and then no more", async () => {
    const { next, posts } = await afterQuiet([again()], { look: { empty: "line" } });
    expect(shown(posts)).toMatch(/^Nothing new since .*\n1 more on a story you have had: /);
    await next();
    expect(shown(posts)).not.toMatch(line);
  });

  it("comes below the warning of a long silence", async () => {
    const { state, tick, posts } = await afterQuiet([again()], { look: { empty: 2 } });
    expect(posts).toHaveLength(1);
    state.now += day;
    await tick();
    expect(shown(posts)).toMatch(/nothing new in 2 runs.*\n1 more on a story you have had: /);
  });

  it("is not lost with a post that Slack refuses for good", async () => {
    const { fail, next, posts, read, services, state, tick } = await afterQuiet();
    fail.post = refusal;
    await next();
    while ((await read()).pending) {
      state.now += hour;
      await tick();
    }
    expect(posts).toHaveLength(1);
    delete fail.post;
    expect(await services().seen.leftOut({ team: "T1", channel: "C1" }, state.now)).toHaveLength(1);
    await next(70);
    expect(line.test(shown(posts))).toBe(true);
  });

  it.each(["keepAgain", "note"])("is linked to once where the bot is cut off in the middle: %s", async (step) => {
    const { next, posts, restart, services, state, tick } = await afterQuiet([]);
    state.articles = [again(), ...state.articles];
    state.now += day;
    const { seen } = services();
    services().seen = { ...seen, [step]: () => Promise.reject(new Error("cut off")) };
    await tick();
    restart();
    state.now += hour;
    await tick();
    await next();
    await next(60);
    expect(posts.filter(({ message }) => line.test(wordsOf(message)))).toHaveLength(1);
  });

  it("is forgotten with its story", async () => {
    const { next, posts, state } = await afterQuiet();
    state.now += toldLifeMs;
    await next(300);
    expect(shown(posts)).not.toMatch(line);
  });

  it("is kept as far as a line links to it, the newest first", () => {
    const told = [toldOf([report("Northwind to buy Ostara", 0)], now)];
    const more = Array.from({ length: 9 }, (_, at) => ({
      article: again(`Wire ${at}`, at),
      of: told[0]?.headline ?? "",
    }));
    const kept = toldAgain(toldAgain(told, more.slice(0, 5)), more.slice(3));
    expect(kept[0]?.further?.map(({ source }) => source)).toEqual(["Wire 8", "Wire 7", "Wire 6", "Wire 5"]);
    expect(toldSchema.parse(JSON.parse(JSON.stringify(kept)))).toEqual(kept);
    expect(withTold(kept, told, now)).toEqual(kept);
  });
});

describe("digests why-not, of what was left out", () => {
  const why = async ({ services }: Pick<ReturnType<typeof desk>, "services">, { url }: Article) =>
    (await answerOf(digests, asking(`why-not ${url}`), services())).text
      .split("\n")
      .at(-1)
      ?.replace(/^.*?: /, "");
  const lead = "it tells again what came here as “Northwind to buy Ostara for $41 billion”, so it ";

  it("says that a line has yet to come, and then when it came", async () => {
    const left = again();
    const here = await afterQuiet([left]);
    expect(await why(here, left)).toBe(
      `${lead}is no story of its own: only a line at the end of the next digest that is posted here.`,
    );
    await here.next();
    expect(await why(here, left)).toBe(`${lead}was only in the line at the end, 2026-11-22 09:00 UTC.`);
  });

  it("says that it was left out where it is one too many, or its story is forgotten", async () => {
    const all = Array.from({ length: 5 }, (_, at) => again(`Wire ${at}`, 20 - at));
    const here = await afterQuiet(all);
    const last = all.at(-1) ?? again();
    expect(await why(here, last)).toBe(`${lead}was left out, 2026-11-21 09:00 UTC.`);
    here.state.now += toldLifeMs;
    expect(await why(here, all[0] ?? last)).toBe(`${lead}was left out, 2026-11-21 09:00 UTC.`);
  });
});
