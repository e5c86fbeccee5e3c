import { describe, expect, it } from "vitest";

import { Unavailable } from "../../../src/apis/errors.ts";
import type { GenerateEvent, GenerateRequest } from "../../../src/apis/intelligence/generate.ts";
import { digestForm } from "../../../src/features/digests/form.ts";
import { readAdd, readEdit } from "../../../src/features/digests/options.ts";
import type { ArticleSource } from "../../../src/features/sources/source.ts";
import type { DigestSubject } from "../../../src/features/digests/question.ts";
import { wordsOf, buttonsOf, menuOf, moreOf } from "../../support/answers.ts";
import { article, credits, now as start, streamOf } from "../../support/builders.ts";
import { articles, day, digestDesk, hour, minute, storiesIn } from "./setting.ts";

const wire: ArticleSource = { kind: "channel", id: 501, name: "Gold wire" };
const gold: DigestSubject = { kind: "ask", question: "What changed for gold?" };
const text = "Gold [rose](https://news.example.com/1) & <!channel> slept.";

/** Digests that ask a model which writes this, or does what else a test says. */
function asking(about: Parameters<typeof digestDesk>[0] = {}) {
  const sent: GenerateRequest[] = [];
  const model = { answer: (): AsyncIterable<GenerateEvent> => streamOf({ type: "text", text } as const) };
  const generate = (request: GenerateRequest) => {
    sent.push(request);
    return model.answer();
  };
  const desk = digestDesk({ ...about, intelligence: { generate, ...about.intelligence } });
  return {
    ...desk,
    sent,
    model,
    /** Where each of them was asked. */
    searched: () => sent.map(({ messages }) => messages.at(-1)?.content.metadata?.news_context),
  };
}

describe("a line that asks a question on a schedule", () => {
  it.each([
    ['ask "What changed for BASF, and why?" weekdays at 8:00', "What changed for BASF, and why?", "weekdays at 08:00"],
    ["ask What changed for BASF, and why? weekdays at 8:00", "What changed for BASF, and why?", "weekdays at 08:00"],
    ["ASK “What happens every day?” Mondays 08:30", "What happens every day?", "Mondays at 08:30"],
    ["ask “What did “Volt” say?” daily", "What did “Volt” say?", "daily at 09:00"],
    ['ask "What now?" cron "0 7 * * 1-5"', "What now?", "cron 0 7 * * 1-5"],
    ['ask "What changed?"', "What changed?", undefined],
    ["ask what changed at the ports", "what changed at the ports", undefined],
  ])("“%s” asks “%s”, %s", (line, question, words) => {
    const added = readAdd(line);
    expect([added.kind, added.what, added.schedule?.words]).toEqual(["ask", question, words]);
  });

  it("may name one source, a place and options", () => {
    const line = 'ask "What changed?" --in-source channel "Gold wire" daily --in C024BE7LR --thread --empty line';
    expect(readAdd(line)).toMatchObject({
      what: "What changed?",
      within: { kind: "channel", what: "Gold wire" },
      place: "C024BE7LR",
      style: { isThreaded: true, empty: "line" },
    });
    const standing = { pattern: "0 9 * * *", words: "daily at 09:00", zone: "UTC" };
    expect(readEdit("--in-source all", standing)).toMatchObject({ within: "all" });
    expect(readEdit('ask "And now?" hourly', standing)).toMatchObject({
      question: "And now?",
      schedule: { words: "hourly" },
    });
    expect(readEdit("Mondays 8:30 compact", standing).question).toBeUndefined();
  });

  it.each([
    ["ask", /What should I ask, and when\?/],
    ['ask "  " daily', /What should I ask/],

    ['ask "What?" someday', /can’t read the schedule “someday”/],
    ['ask "What?" daily --in-source BASF', /Which source\?/],
    ['ask "What?" daily --include Alba', /`--include "Alba"` doesn’t go with the answer to a question\. Leave it out/],
  ])("“%s” is answered with what to type", (line, expected) => {
    expect(() => readAdd(line)).toThrow(expected);
  });

  it("is refused if it’s too long, with the limit", () => {
    expect(() => readAdd(`ask "${"gold ".repeat(300)}" daily`)).toThrow(/1,499 characters long, and 1,000 fit/);
  });

  it("is read in the form of a new and of an edited digest", () => {
    const filled = { kind: "ask", question: " What\nchanged? ", when: "hourly", place: "C9" };
    const read = (fields: Record<string, string>, state = "") => digestForm.read({ fields, state });
    expect(read(filled)).toMatchObject({ wanted: { kind: "ask", what: "What changed?" }, when: "hourly", place: "C9" });
    expect(read({ ...filled, within: 'channel Gold "wire"' })).toMatchObject({
      wanted: { within: { kind: "channel", what: "Gold wire" } },
    });
    expect(read({ ...filled, within: "all" }, '{"number":3}')).toMatchObject({
      number: 3,
      wanted: { kind: "ask", what: "What changed?", within: "all" },
    });
    expect(read({ kind: "ask", question: "", within: "BASF", when: "hourly" })).toEqual({
      errors: { question: "What should I ask?", within: expect.stringContaining("from the list") },
    });
  });
});

describe("a digest that asks", () => {
  it("is added without options that don’t fit an answer, and changed in a line that can be undone", async () => {
    const { say, hint, read } = asking();
    expect(await hint('add ask "What?" daily --compact')).toMatch(
      /`--compact` doesn’t go with the answer to a question/,
    );
    expect(await hint('add ask "What?" daily --max 3')).toMatch(/`--max 3` doesn’t go with/);
    expect(await hint('add ask "What?" daily --lead')).toMatch(/`--lead` doesn’t go with/);
    expect(await hint('add ask "What?" every 10 minutes')).toMatch(/every 15 minutes at most/);
    const added = wordsOf(await say('add ask "What changed?" daily at 9:00 UTC --in-source channel 501'));
    expect(added).toMatch(/^Digest 1 is set\. \*What changed\?\* · answer to a question/);
    expect(added).toMatch(/only from news channel Gold wire/);
    const changed = await say('edit 1 ask "And now?" --in-source all');
    expect((await read()).source).toEqual({ kind: "ask", question: "And now?" });
    const undo = buttonsOf(changed)["Undo"] ?? "";
    await say(undo.replace(/^digests /, ""));
    expect((await read()).source).toEqual({ kind: "ask", question: "What changed?", within: wire });
    await say("add channel 501 daily at 9:00 UTC");
    expect(await hint('edit 2 ask "And now?"')).toMatch(/asks nothing/);
  });

  it("asks about exactly the time since its last run, and about a day for its first", async () => {
    const { add, tick, later, searched, sent, posts } = asking();
    await add({ source: gold });
    await tick();
    await later(day);
    await later(day + minute);
    const times = [start, start + day, start + 2 * day + minute];
    expect(searched()).toEqual(times.map((end, at) => ({ start: times[at - 1] ?? start - day, end })));
    expect(sent[0]?.messages.at(-1)?.content).toMatchObject({ text: "What changed for gold?" });
    expect(posts).toHaveLength(3);
  });

  it("posts the whole answer, escaped, with its sources, further questions and a menu", async () => {
    const [read = article()] = articles(1);
    const { add, tick, posts, model } = asking({ intelligence: { articlesKnown: () => new Map([[1, read]]) } });
    const message = { role: "tool" as const, content: { type: "svc_news", articleIds: [1] } };
    model.answer = () =>
      streamOf<GenerateEvent>({ type: "tool_finish", articleIds: [1], message }, { type: "text", text });
    await add({ source: gold });
    await tick();
    const [post] = posts;
    const shown = post ? wordsOf(post.message) : "";
    expect(shown).toMatch(/^What changed for gold\? · Friday 20 Nov/);
    expect(shown).toContain("Gold [rose](https://news.example.com/1) & &lt;!channel> slept.");
    expect(shown).toContain("Written by AI from 1 article · *Sources* 1 of 1 link checked · since ");
    expect(post && menuOf(post.message)["What is expected next?"]).toBe("ask What is expected next?");
    expect(post && moreOf(post.message)).toMatchObject({
      "Why this answer": "digests why 1",
      "Edit digest": "digests edit 1",
    });
    expect(post && buttonsOf(post.message)["Show sources"]).toMatch(/^list /);
  });

  it("asks a news channel by its filters only if it has new articles, and its thread goes on from there", async () => {
    const { add, tick, later, state, searched, posts, conversations, read } = asking();
    await add({ source: { ...gold, within: wire } });
    await tick();
    expect([searched(), posts]).toEqual([[], []]);
    expect((await read()).last).toEqual({ at: start, fresh: 0 });
    state.articles = articles(2, -30);
    await later(hour * 24);
    expect(searched()).toEqual([{ start, end: start + day, stages: [] }]);
    expect(await conversations.get("T1 C1 1.0")).toMatchObject({
      turns: [
        { messages: [{ content: { text: "What changed for gold?" } }, { role: "assistant", content: { text } }] },
      ],
      scope: { since: { day: "2026-11-20", at: start }, source: { title: "Gold wire", source: wire, stages: [] } },
    });
  });

  it("answers a question about a search from the new articles of that search alone", async () => {
    const { add, tick, later, state, sent, posts } = asking();
    await add({ source: { ...gold, within: { kind: "search", query: "gold" } } });
    state.articles = articles(3);
    await tick();
    state.articles = articles(5, -1);
    await later(day);
    const given = sent.map(({ messages }) => messages[0]?.content);
    expect(given).toEqual([
      { type: "svc_news", articleIds: [1, 2, 3] },
      { type: "svc_news", articleIds: [-1, 0] },
    ]);
    const [first, second] = posts.map(({ message }) => wordsOf(message));
    expect(first).toContain("Written by AI from 3 articles of “gold” · *Sources* 1 of 1 link checked");
    expect(second).toMatch(
      /Written by AI from 2 articles of “gold” ·[^]*:warning: 0 of 1 link checked, [^]* only these articles · since[^]*1 credit used/,
    );
  });

  it("posts no answer without articles, only the line that somebody chose for that", async () => {
    const { add, tick, model, posts, read } = asking();
    model.answer = () => streamOf({ type: "text", text: "I found nothing about gold." } as const);
    await add({ source: gold });
    await add({ source: gold, channel: "C2", style: { empty: "line" } });
    await tick();
    expect(posts.map(({ channel, message }) => [channel, message.text])).toEqual([
      ["C2", expect.stringMatching(/^Nothing new since/)],
    ]);
    expect((await read()).last).toEqual({ at: start, fresh: 0 });
  });

  it("says that no answer could be had, tries again, and skips no articles", async () => {
    const { add, tick, later, model, posts, read, searched } = asking();
    await add({ source: gold });
    await tick();
    const { answer } = model;
    model.answer = () =>
      streamOf<GenerateEvent>(
        { type: "text", text: "Gold " },
        new Unavailable({ api: "intelligence", operation: "generate" }),
      );
    await later(day);
    expect([posts.length, (await read()).problem]).toEqual([1, "The news service couldn’t be reached."]);
    expect((await read()).last?.at).toBe(start);
    model.answer = answer;
    await later(minute);
    expect(searched().at(-1)).toEqual({ start, end: start + day + minute });
    expect([posts.length, (await read()).problem]).toEqual([2, undefined]);
  });

  it("posts an answer that was written before a crash once, and its thread knows it once", async () => {
    const { add, tick, later, restart, model, posts, sent, fail, conversations } = asking();
    await add({ source: gold });
    const crash = new Error("the process ends");
    for (const when of ["before", "after"] as const) {
      fail[when] = () => crash;
      await tick();
      delete fail[when];
      restart();
      model.answer = () => streamOf({ type: "text", text: "Another answer." } as const);
      await later(5 * minute);
    }
    await tick();
    expect([sent.length, posts.length]).toEqual([1, 1]);
    expect(posts[0] && wordsOf(posts[0].message)).toContain("Gold [rose]");
    expect((await conversations.get("T1 C1 1.0"))?.turns).toHaveLength(1);
  });

  it("shares its answer with the same question in other channels of its workspace, and with nobody else", async () => {
    const { add, tick, sent, posts } = asking();
    for (const channel of ["C1", "C2", "C3"]) await add({ source: gold, channel });
    await add({ source: gold, team: "T2" });
    await add({ source: { ...gold, question: "And silver?" } });
    await tick();
    expect([sent.length, posts.length]).toEqual([3, 5]);
  });

  it("posts a long answer on in its thread, and cuts one that is too long for that", async () => {
    const { add, tick, model, posts } = asking();
    const long = "All is [gold](https://news.example.com/1).\n\n".repeat(150);
    model.answer = () => streamOf(...Array.from({ length: 10 }, () => ({ type: "text", text: long }) as const));
    await add({ source: gold });
    await add({ source: { ...gold, question: "In a thread?" }, channel: "C2", style: { isThreaded: true } });
    await tick();
    const shown = posts.toSorted((one, other) => one.channel.localeCompare(other.channel));
    expect(shown.map(({ channel, thread }) => [channel, thread !== undefined])).toEqual([
      ["C1", false],
      ["C1", true],
      ["C2", false],
      ["C2", true],
    ]);
    expect(shown[0] && wordsOf(shown[0].message)).toMatch(/goes on in the thread[^]*shortened/);
    expect(shown[2] && wordsOf(shown[2].message).length).toBeLessThan(1_500);
    expect(shown.map(({ message }) => wordsOf(message).includes("link checked"))).toEqual([true, false, false, true]);
  });

  it("is answered by the search service, at its price, if only that is set up", async () => {
    const asked: string[] = [];
    const { add, tick, state, posts, say, hint } = asking({
      configured: { intelligence: false },
      gateway: {
        chat: async ({ messages }) => {
          asked.push(messages.at(-1)?.content ?? "");
          return { text: "Gold fell.", model: "m", credits: credits() };
        },
      },
    });
    expect(await hint('add ask "What?" daily')).toMatch(/set up here/);
    expect(wordsOf(await say('add ask "What?" daily --in-source search gold'))).toMatch(/costs 1 credit/);
    await add({ source: { ...gold, within: { kind: "search", query: "gold" } }, channel: "C2" });
    state.articles = articles(1);
    await tick();
    expect(asked[0]).toMatch(/Story 1[^]*What changed for gold\?$/);
    expect(posts.map(({ message }) => wordsOf(message))[0]).toMatch(/Gold fell\.[^]*1 credit used/);
  });

  it("can be tested and explained, and has no stories to ask about", async () => {
    const { add, say, posts, sent, state, read } = asking();
    await add({ source: gold });
    const shown = await say("test 1");
    expect([shown.private, wordsOf(shown)]).toEqual([
      true,
      expect.stringMatching(/would post this now[^]*Gold \[rose\]/),
    ]);
    expect([posts.length, sent.length, (await read()).last, menuOf(shown)]).toEqual([0, 1, undefined, {}]);
    expect(wordsOf(await say("why 1"))).toMatch(/It answers “What changed for gold\?”/);
    state.articles = articles(1);
    expect(wordsOf(await say("why-not https://news.example.com/1"))).toMatch(/answers a question and posts no stories/);
  });

  it("has its answer written in a chosen language and by a chosen model, like an AI intro", async () => {
    const { say, hint, tick, sent, state, update, read } = asking();
    await say('add ask "What changed?" daily at 9:00 UTC --language de --model small --sort newest --limit 20 --full');
    expect(wordsOf(await say("edit 1 --links platform"))).toMatch(
      /model small · in German · full texts · newest first · at most 20 art/i,
    );
    await update({ nextRun: start });
    await tick();
    expect(sent[0]).toMatchObject({ model: "small", directUrls: false });
    expect(sent[0]?.messages.map(({ content }) => content)).toMatchObject([
      {},
      { text: "Answer in German." },
      { text: "What changed?", metadata: { news_context: { sorting: "newest", useFullText: true } } },
    ]);
    await say("edit 1 --no-full-text --language auto --model default --sort any --limit all --links direct");
    expect((await read()).style).toBeUndefined();
    expect(await hint("add channel 501 daily --language German")).toMatch(/Add `--lead`, or leave it out/);
    expect(await hint("add channel 501 daily --lead --limit 5")).toMatch(
      /`--limit 5` doesn’t go with a digest of stories/,
    );
    await say("add channel 501 daily at 9:00 UTC --lead --language German");
    await update({ nextRun: state.now }, 2);
    state.articles = articles(1);
    await tick();
    expect(JSON.stringify(sent.at(-1)?.messages)).toContain("Answer in German.");
  });

  it("holds up no other digest of its channel while it is being answered", async () => {
    const { add, tick, model, posts, state } = asking();
    const answered = Promise.withResolvers<void>();
    model.answer = async function* () {
      await answered.promise;
      yield { type: "text", text } as const;
    };
    await add({ source: gold });
    await add();
    state.articles = articles(1);
    const ticking = tick();
    await expect.poll(() => posts.map(storiesIn)).toEqual([[1]]);
    answered.resolve();
    await ticking;
    expect(posts).toHaveLength(2);
  });
});
