import { describe, expect, it } from "vitest";

import { alerts } from "../../../src/features/alerts/commands.ts";
import { Unavailable } from "../../../src/apis/errors.ts";
import { answerOf, wordsOf } from "../../support/answers.ts";
import { article, asking } from "../../support/builders.ts";
import { desk } from "./desk.ts";
import { hour, minute } from "./setting.ts";

const quarterly = { schedule: { pattern: "*/15 * * * *", zone: "UTC", words: "every 15 minutes" } };
const basf = { source: { kind: "entity" as const, ids: [7], name: "BASF" }, ...quarterly };
const down = new Unavailable({ api: "intelligence", operation: "articles" });

/** An alert on a source that brings an article every hour, as it is after so many hours. */
async function counting(hours: number, about: Parameters<ReturnType<typeof desk>["add"]>[0] = {}) {
  const here = desk();
  let id = 0;
  /** So many new articles. */
  const some = (count: number) =>
    Array.from({ length: count }, () => {
      id++;
      const url = `https://news.example.com/${id}`;
      return article({
        id,
        url,
        title: `Report ${id}`,
        published: here.state.now - 2 * minute,
        source: `Wire ${id % 3}`,
      });
    });
  await here.add({ ...basf, watchingSince: undefined, ...about });
  await here.tick();
  const calm = () => some(here.state.now % hour === 0 ? 1 : 0);
  await here.pass(calm, hours * hour);
  return { ...here, some, calm };
}

describe("an alert on a source", () => {
  it("fires if more articles come than normally, with articles and counts, and resolves", async () => {
    const { pass, some, calm, posts, titles, shown, read } = await counting(30);
    expect(posts).toEqual([]);
    await pass(() => some(6), 15 * minute);
    expect(titles()).toEqual([expect.stringMatching(/^BASF: coverage 7 times normal/)]);
    const [post] = posts;
    if (!post) throw new Error("nothing posted");
    expect(wordsOf(shown(post))).toMatch(/7 articles in 1 h, normally 1 · 3 outlets · began /);
    expect(wordsOf(shown(post))).toMatch(/Report \d+/);
    expect(JSON.stringify(shown(post).blocks)).toContain("Articles about BASF, ");
    await pass(calm, 3 * hour);
    expect(titles()[0]).toMatch(/^BASF: back to normal/);
    expect((await read()).incidents).toMatchObject([{ state: "resolved", peak: { mentions: 7, spanMs: hour } }]);
  });

  it("reports at its next check a burst that begins two minutes after it was added", async () => {
    const here = desk({ people: { timeZone: async () => undefined } });
    const { state, titles, shown, posts } = here;
    const report = (id: number, published: number) =>
      article({ id, url: `https://news.example.com/${id}`, title: `Report ${id}`, published });
    state.articles = Array.from({ length: 24 }, (_, index) => report(index, state.now - index * hour));
    const added = await answerOf(alerts, asking("add entity BASF every 15 minutes", { user: "U1" }), here.services);
    expect(added.text).toContain("Alert 1 is set.");
    const burst = Array.from({ length: 12 }, (_, index) => report(100 + index, state.now + (2 + index) * minute));
    state.now += 15 * minute;
    state.articles = [...burst, ...state.articles];
    await here.tick();
    expect(titles()).toEqual([expect.stringMatching(/^BASF: coverage 1\d times normal/)]);
    const [post] = posts;
    expect(post && wordsOf(shown(post))).toMatch(/1\d articles in 1 h, normally .*, estimated/);
  });

  it("says if its source spikes when it is added, and posts that if somebody asks", async () => {
    const here = desk({ people: { timeZone: async () => undefined } });
    const { state, titles } = here;
    const report = (id: number, published: number) =>
      article({ id, url: `https://news.example.com/${id}`, title: `Report ${id}`, published });
    const burst = Array.from({ length: 12 }, (_, index) => report(100 + index, state.now - index * minute));
    const before = Array.from({ length: 24 }, (_, index) => report(index, state.now - (index + 1) * hour));
    state.articles = [...burst, ...before];
    const say = (line: string) => answerOf(alerts, asking(line, { user: "U1" }), here.services);
    const added = await say("add entity BASF every 15 minutes");
    expect(added.text).toMatch(/^Alert 1 is set\.[^]*It’s spiking right now: 1\d articles in 1 h/);
    expect(JSON.stringify(added.blocks)).toContain("Post it here");
    await here.pass(() => [], 15 * minute);
    expect(titles()).toEqual([]);
    await say("post 1");
    await here.later([]);
    expect(titles()).toEqual([expect.stringMatching(/^BASF: coverage 1\d times normal/)]);
  });

  it("keeps its baseline after an edit of its sensitivity, and reports spikes after it", async () => {
    const here = await counting(30);
    await answerOf(alerts, asking("edit 1 --sensitivity balanced", { user: "U1" }), here.services);
    expect(await here.read()).toMatchObject({ incidents: [] });
    await here.pass(() => here.some(12), 15 * minute);
    expect(here.titles()).toEqual([expect.stringMatching(/^BASF: coverage 1\d times normal/)]);
  });

  it("says on its card if its source can’t be read whole", async () => {
    const here = await counting(30);
    const flood = () => here.some(40).map((each) => ({ ...each, published: undefined }));
    for (let look = 0; look < 2; look++) {
      here.state.now += 15 * minute;
      here.state.articles = flood();
      await here.tick();
    }
    const { text } = await answerOf(alerts, asking("list", { user: "U1" }), here.services);
    expect(text).toContain("This source is too broad");
  });

  it("doesn’t fire at its first check, nor after a night without one", async () => {
    const here = await counting(30, { ...basf, schedule: { ...quarterly.schedule, pattern: "*/15 * * * *" } });
    here.state.now += 9 * hour;
    here.state.articles = Array.from({ length: 20 }, (_, index) =>
      article({
        id: 900 + index,
        url: `https://n.example.com/${index}`,
        published: here.state.now - index * 27 * minute,
      }),
    );
    await here.tick();
    await here.pass(() => [], 15 * minute);
    expect(here.posts).toEqual([]);
  });

  it("shares one read with all alerts on the source, whatever they ask of it", async () => {
    const { add, tick, state } = desk();
    await add({ ...basf, channel: "C1" });
    await add({ ...basf, channel: "C2", team: "T2", options: { sensitivity: "quiet", silence: 6 } });
    await add({ ...basf, channel: "C3", schedule: { pattern: "0 * * * *", zone: "UTC", words: "hourly" } });
    await tick();
    expect(state.sourceReads).toBe(1);
    expect(state.reads).toBe(0);
  });

  it("resolves nothing if its source can’t be read, and tries less and less often", async () => {
    const { pass, some, fail, read, state, later, titles } = await counting(30);
    await pass(() => some(6), 15 * minute);
    fail.read = () => down;
    const before = state.sourceReads;
    for (let minutes = 0; minutes < 14; minutes++) await later([]);
    expect(state.sourceReads).toBe(before);
    for (let minutes = 0; minutes < 15; minutes++) await later([]);
    expect(state.sourceReads - before).toBeLessThan(6);
    expect(await read()).toMatchObject({
      problem: "The news service couldn’t be reached.",
      incidents: [{ state: "firing" }],
    });
    delete fail.read;
    await pass(() => [], 15 * minute);
    expect(await read()).toMatchObject({ problem: undefined });
    expect(titles()).toHaveLength(1);
  });

  it("goes on after a restart as if there had been none", async () => {
    const { pass, some, restart, titles } = await counting(30);
    restart();
    await pass(() => some(6), 15 * minute);
    restart();
    await pass(() => [], 15 * minute);
    expect(titles()).toHaveLength(1);
  });
});

describe("a silence", () => {
  it("fires if a source has no article for that long, and resolves with the first one", async () => {
    const { pass, some, titles, shown, posts } = await counting(60, { options: { sensitivity: "quiet", silence: 6 } });
    await pass(() => [], 6 * hour);
    expect(titles()).toEqual([expect.stringMatching(/^BASF: nothing new for 6 h/)]);
    const [post] = posts;
    if (!post) throw new Error("nothing posted");
    expect(wordsOf(shown(post))).toMatch(/normally \d+(–\d+)? articles in 6 h at this time of day/);
    expect(wordsOf(shown(post))).not.toMatch(/Ask why/);
    await pass(() => [], 3 * hour);
    expect(titles()).toHaveLength(1);
    await pass(() => some(1), 15 * minute);
    expect(titles()[0]).toMatch(/^BASF: new articles again/);
    expect(wordsOf(shown(post))).toMatch(/Nothing for 9 h/);
  });

  it("is forgotten when the source becomes another one, such as a watchlist that was edited", async () => {
    const here = await counting(60, { options: { sensitivity: "quiet", silence: 6 } });
    await here.pass(() => [], 6 * hour);
    expect((await here.read()).incidents).toHaveLength(1);
    const source = { kind: "entity" as const, ids: [7, 8], name: "BASF and Bayer" };
    await here.services.alerts.update({ team: "T1", number: 1 }, (alert) => ({ ...alert, source }));
    await here.pass(() => [], 15 * minute);
    expect(await here.read()).toMatchObject({ incidents: [] });
    expect(here.titles()).toHaveLength(1);
  });

  it("is no event without `--silence`", async () => {
    const { pass, posts } = await counting(60);
    await pass(() => [], 9 * hour);
    expect(posts).toEqual([]);
  });
});
