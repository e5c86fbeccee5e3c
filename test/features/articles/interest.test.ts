import { describe, expect, it } from "vitest";

import type { Article } from "../../../src/apis/article.ts";
import {
  type UsedName,
  createInterest,
  interestNow,
  interestSchema,
  withUse,
} from "../../../src/features/articles/interest.ts";
import { createLists } from "../../../src/features/articles/store.ts";
import { about, ask } from "../../../src/features/ask/commands.ts";
import { list, reports, share } from "../../../src/features/news/commands.ts";
import { sum } from "../../../src/features/summaries/commands.ts";
import { answerOf } from "../../support/answers.ts";
import { article, askServices, asking, inThread, memory, newsModel, now, silentLog } from "../../support/builders.ts";

const day = 24 * 60 * 60_000;
const here = { team: "T1", channel: "C1" };
const names = { 1: "Novalith Semiconductor", 2: "Paylantic", 3: "Skagerrak Wind" };

function aboutName(id: number, title: string): Article {
  const entities = { primary: [id], secondary: [], tertiary: [] };
  return article({ id, title, summary: "", url: `https://news.example.com/${id}`, entities });
}

const three = [
  aboutName(1, "Novalith opens a second chip plant"),
  aboutName(2, "Paylantic loses its banking licence"),
  aboutName(3, "Storm stops turbines in the north"),
];

const parts = (ids: number[], part = 1) => new Map(ids.map((id) => [id, part]));

/** A channel that was shown a list of three stories, and what it is interested in after somebody did something. */
async function setUp() {
  const lists = createLists(memory());
  const to = askServices({ lists, intelligence: { ...newsModel("Because."), entities: async () => new Map() } });
  const key = await lists.keep({ title: "Digest", articles: three, total: 3, names }, "T1");
  const weights = async (place = here) =>
    Object.fromEntries([...interestNow(await to.interest.of(place), now)].toSorted(([a], [b]) => a - b));
  return { key, to, weights };
}

describe("the interest of a channel", () => {
  it("grows with a question about a story, a summary, its reports and sharing it", async () => {
    const { key, to, weights } = await setUp();
    await answerOf(about, asking(`${key}:1 what is behind it?`, inThread), to);
    expect(await weights()).toEqual({ 1: 1 });
    await answerOf(share, asking(`${key}:2`), to);
    await answerOf(sum, asking(`${key}:3`), to);
    expect(await weights()).toEqual({ 1: 1, 2: 1, 3: 0.5 });
    await answerOf(reports, asking(`${key}:2`), to);
    expect(await weights()).toEqual({ 1: 1, 2: 1.5, 3: 0.5 });
  });

  it("is divided among the stories that were used together, unless the question names one", async () => {
    const { key, to, weights } = await setUp();
    await answerOf(list, asking(`${key} 1`), to);
    const part = expect.closeTo(0.5 / 3);
    expect(await weights()).toEqual({ 1: part, 2: part, 3: part });
    await answerOf(about, asking(`${key} what does Novalith plan?`, inThread), to);
    expect(await weights()).toEqual({ 1: expect.closeTo(1 + 0.5 / 3), 2: part, 3: part });
  });

  it("grows with a question in the thread of a post, by the stories of the post", async () => {
    const { key, to, weights } = await setUp();
    const post = {
      author: "Bellwether",
      isBot: true,
      isOurs: true,
      text: "Digest",
      ts: "50.1",
      values: [`about ${key}`],
    };
    await answerOf(ask, asking("and Paylantic?", inThread), { ...to, threads: { read: async () => [post] } });
    expect(await weights()).toEqual({ 2: 1 });
  });

  it("goes to the name that all articles are about, such as those of an alert", async () => {
    const { to, weights } = await setUp();
    const also = { primary: [1, 2], secondary: [], tertiary: [] };
    const alone = [2, 3, 4].map((at) => ({ ...aboutName(1, `Novalith report ${at}`), id: at }));
    const articles = [article({ title: "Novalith and Paylantic", entities: also }), ...alone];
    const key = await to.lists.keep({ title: "Novalith", articles, total: 4 }, "T1");
    await answerOf(about, asking(`${key} why?`, inThread), to);
    expect(await weights()).toEqual({ 1: 1, 2: 0.25 });
  });

  it("stays in its channel, and in a direct message with its person", async () => {
    const { key, to, weights } = await setUp();
    await answerOf(share, asking(`${key}:1`, { channel: "D1", user: "U2" }), to);
    expect(await weights()).toEqual({});
    expect(await weights({ team: "T1", channel: "C2" })).toEqual({});
    expect(await weights({ team: "T2", channel: "U2" })).toEqual({});
    expect(await weights({ team: "T1", channel: "U2" })).toEqual({ 1: 1 });
  });

  it("halves in two weeks and is forgotten after two months", () => {
    const record = withUse([], parts([1]), { at: now, how: "asked" });
    expect(interestNow(record, now + 14 * day).get(1)).toBeCloseTo(0.5);
    expect(withUse(record, parts([2]), { at: now + 61 * day, how: "asked" })).toEqual([
      { id: 2, uses: [{ at: now + 61 * day, how: "asked", part: 1 }] },
    ]);
  });

  it("counts several questions within an hour once", () => {
    const first = withUse([], parts([1]), { at: now, how: "asked" });
    expect(interestNow(withUse(first, parts([1], 0.1), { at: now + 60_000, how: "asked" }), now + 60_000).get(1)).toBe(
      1,
    );
    expect(withUse(first, parts([1]), { at: now + day, how: "asked" })[0]?.uses).toHaveLength(2);
  });

  it("holds 200 names with their latest uses, and drops those that count least", () => {
    let record: UsedName[] = [];
    for (let at = 0; at < 1_000; at++) {
      record = withUse(record, parts([at % 500, 1_000]), { at: now + at * 60 * 60_000, how: "opened" });
    }
    expect(record).toHaveLength(200);
    expect(Math.max(...record.map(({ uses }) => uses.length))).toBeLessThanOrEqual(8);
    expect(record[0]?.id).toBe(1_000);
    expect(record.map(({ id }) => id)).toContain(499);
    expect(interestSchema.parse(record)).toEqual(record);
    expect(JSON.stringify(record).length).toBeLessThan(100_000);
  });

  it("is kept under its workspace and channel, so that it is forgotten with them, and names no person", async () => {
    const records = memory<UsedName[]>();
    const interest = createInterest({ records, now: () => now, log: silentLog });
    interest.note({ ...here, user: "U7" }, "asked", { articles: three });
    await interest.of(here);
    const kept: [string, UsedName[]][] = [];
    for await (const entry of records.entries()) kept.push(entry);
    expect(kept.map(([key]) => key)).toEqual(["T1 C1"]);
    expect(JSON.stringify(kept)).not.toContain("U7");
  });

  it("holds up no reply if it can’t be written down", async () => {
    const lines: unknown[] = [];
    const broken = { ...memory<UsedName[]>(), set: () => Promise.reject(new Error("disk full")) };
    const log = { warn: (event: string) => void lines.push(event) };
    const interest = createInterest({ records: broken, now: () => now, log });
    interest.note({ ...here, user: "U7" }, "asked", { articles: three });
    expect(await interest.of(here)).toEqual([]);
    expect(lines).toEqual(["interest.note.failed"]);
  });
});
