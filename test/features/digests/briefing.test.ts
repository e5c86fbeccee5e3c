import { describe, expect, it } from "vitest";

import { Unavailable } from "../../../src/apis/errors.ts";
import type { Article } from "../../../src/apis/article.ts";
import { openingOf } from "../../../src/features/digests/answer-view.ts";
import { buttonsOf, wordsOf } from "../../support/answers.ts";
import { article, newsChannel, now } from "../../support/builders.ts";
import { problemsOf } from "../slack-limits.ts";
import { day, digestDesk, hour } from "./setting.ts";

const wire = (id: number, title: string, about: Partial<Article> = {}): Article =>
  article({
    id,
    title,
    url: `https://news.example.com/${id}`,
    source: `Outlet ${id}`,
    published: now - hour,
    ...about,
  });

const chip = [
  wire(1, "Novalith raises its chip forecast after exports ease"),
  wire(2, "Chip exports ease and Novalith raises its forecast"),
];
const ports = wire(3, "Dockers in Rotterdam end their strike");
const rates = wire(4, "Central bank of Norway holds rates");
const shared = [...chip, ports, rates];

/** A channel with a briefing of three channels of the news service, whose articles overlap, and of a search. */
async function briefed() {
  const sources: Record<number, Article[] | Error> = {
    501: [...chip, ports],
    502: chip,
    503: [rates, ports],
  };
  const desk = digestDesk({
    intelligence: {
      channel: async (id) =>
        newsChannel({
          id: id,
          name: `Wire ${id}`,
          stages: [{ entities: [{ type: "entity", value: id }] }],
        }),
      channels: async () => [501, 502, 503].map((id) => newsChannel({ id, name: `Wire ${id}` })),
      articles: async (stages) => {
        const id = [501, 502, 503].find((each) => JSON.stringify(stages).includes(String(each))) ?? 0;
        const found = sources[id] ?? shared;
        if (found instanceof Error) throw found;
        return found;
      },
    },
  });
  return { desk, sources };
}

const line = 'add channel 501, channel 502, channel 503, search "chip export" daily at 9:00 UTC';

describe("a briefing", () => {
  it("is set up in one line and posts once, no story twice, each with its sources", async () => {
    const { desk } = await briefed();
    desk.state.articles = chip;
    expect(wordsOf(await desk.say(line))).toContain("4 sources in one post");
    await desk.update({ nextRun: now });
    await desk.tick();
    expect(desk.posts).toHaveLength(1);
    const [post] = desk.posts;
    const words = post ? wordsOf(post.message) : "";
    expect(words).toMatch(/^Briefing · .* · \d stories \(first digest\)\n/);
    expect(words.match(/Dockers in Rotterdam/g)).toHaveLength(1);
    expect(words).toMatch(/Novalith.*_.*chip export.*_/);
    expect(post && problemsOf(post.message)).toEqual([]);
    await desk.later(day);
    expect(desk.posts.slice(1).map(({ message }) => message.text)).toEqual([
      expect.stringMatching(/^Nothing new since .*Briefing: Wire 501/),
    ]);
  });

  it("names a source that can’t be read, and posts the stories of the others", async () => {
    const { desk, sources } = await briefed();
    sources[502] = new Unavailable({ api: "intelligence", operation: "articles" });
    await desk.say(line);
    await desk.update({ nextRun: now });
    await desk.tick();
    const [post] = desk.posts;
    expect(post && wordsOf(post.message)).toMatch(/Dockers in Rotterdam[^]*\*Wire 502\*: /);
  });

  it("is offered when a second digest has the same place and times, and can be taken apart again", async () => {
    const { desk } = await briefed();
    await desk.say("add channel 501 daily at 9:00 UTC");
    const receipt = await desk.say("add channel 502 daily at 9:00 UTC");
    expect(buttonsOf(receipt)).toMatchObject({ "Add to it": "digests fold 2 1" });
    const folded = await desk.say("fold 2 1");
    expect(wordsOf(folded)).toContain("takes in digest 2");
    expect([(await desk.read()).source.kind, (await desk.read(2)).state]).toEqual(["several", "removed"]);
    await desk.say((buttonsOf(folded)["Undo"] ?? "").replace("digests ", ""));
    expect([(await desk.read()).source.kind, (await desk.read(2)).state]).toEqual(["channel", "active"]);
  });

  it("takes in no digest, and gives none back, for somebody who may not change both", async () => {
    const { desk } = await briefed();
    await desk.say("add channel 501 daily at 9:00 UTC");
    await desk.say("add channel 502 daily at 9:00 UTC");
    const states = async () => [await desk.read(), await desk.read(2)];
    const standing = await states();
    // Somebody who owns the second one may remove it, and no more.
    desk.services().subscribing = "admins";
    expect(await desk.hint("fold 2 1")).toContain("only admins");
    expect(await desk.hint("fold 1 2", { user: "U2" })).toContain("only admins");
    expect(await states()).toEqual(standing);
    desk.services().subscribing = "members";
    const undo = (buttonsOf(await desk.say("fold 2 1"))["Undo"] ?? "").replace("digests ", "");
    const folded = await states();
    desk.services().subscribing = "admins";
    expect(await desk.hint(undo)).toContain("only admins");
    expect(await states()).toEqual(folded);
  });

  it("is not offered to a digest that follows one of its sources already: taken apart, both would lose it", async () => {
    const { desk } = await briefed();
    await desk.say("add channel 501, channel 502 daily at 9:00 UTC");
    expect(buttonsOf(await desk.say("add channel 502 daily at 9:00 UTC"))).not.toHaveProperty("Add to it");
  });

  it("shows the beginning of an answer without the marks of its list and without its sources", () => {
    const text = [
      "It matters for two reasons:",
      "- 43 countries are on the list. [US drafts curbs](https://news.example.com/9) — *Harbour Wire*, 2 h ago",
      "- Novalith earns 17% there.",
    ].join("\n");
    const words = openingOf({ question: "Why?", text, start: now, receipt: "", next: [] });
    expect(words).toMatch(/two reasons:\s+• 43 countries are on the list\.\s+• Novalith earns 17% there\./);
  });

  it("keeps its sources when an edit is undone, and answers one question at most", async () => {
    const { desk } = await briefed();
    await desk.say(line);
    const { source, schedule } = await desk.read();
    const edited = await desk.say("edit 1 hourly");
    await desk.say((buttonsOf(edited)["Undo"] ?? "").replace("digests ", ""));
    expect(await desk.read()).toMatchObject({ source, schedule });
    expect(await desk.hint('add channel 501, ask "a?", ask "b?" daily')).toContain("one question");
  });
});
