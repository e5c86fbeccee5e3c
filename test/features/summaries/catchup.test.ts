import { describe, expect, it } from "vitest";

import { Unavailable } from "../../../src/apis/errors.ts";
import { createLists } from "../../../src/features/articles/store.ts";
import { createAnnouncedStories } from "../../../src/features/subscriptions/announced.ts";
import { catchup } from "../../../src/features/summaries/catchup.ts";
import { answerOf, buttonsOf, hintOf, orHint, wordsOf } from "../../support/answers.ts";
import { article, asking, memory, newsModel, now as start, askServices } from "../../support/builders.ts";
import { problemsOf } from "../slack-limits.ts";

const hour = 60 * 60_000;
const day = 24 * hour;
const here = { team: "T1", channel: "C1" };
const story = (id: number) =>
  article({ id, title: `Story ${id}`, url: `https://news.example.com/${id}`, summary: `About ${id}.` });

/** A bot whose channel was shown a story at each of these times ago, the first one `Story 1`. */
async function desk(ages: number[], about: Parameters<typeof askServices>[0] = {}) {
  const announced = createAnnouncedStories({ articles: memory(), stories: memory() });
  const lists = createLists(memory());
  const clock = { now: start };
  const show = (id: number, at: number, channel = here) =>
    announced.announce(channel, [[story(id)]], { by: `post ${id}`, now: at });
  for (const [index, age] of ages.entries()) await show(index + 1, start - age);
  const { sent, generate } = newsModel("Two [things](https://news.example.com/1) ", "happened.");
  const asked = askServices({
    lists,
    now: () => clock.now,
    ...about,
    intelligence: { generate, ...about.intelligence },
  });
  const spikes: { line?: string } = {};
  const to = { ...asked, announced, caughtUp: memory<{ at: number }>(), spikesIn: async () => spikes.line };
  const catchUp = (text = "", ask = {}) => answerOf(catchup, asking(text, { surface: "slash", ...ask }), to);
  const told = () =>
    sent.at(-1)?.messages.flatMap(({ content }) => (content.type === "svc_news" ? content.articleIds : []));
  return { announced, lists, clock, show, sent, to, catchUp, told, spikes };
}

describe("catching up in a channel", () => {
  it("is a private summary of the posts of the last day, with the stories behind a button", async () => {
    const { catchUp, told, lists } = await desk([2 * day, 5 * hour, hour]);
    const message = await catchUp();
    expect(told()).toEqual([3, 2]);
    expect(message.private).toBe(true);
    expect(message.text).toContain(
      "Summary: what was posted here\n2 stories in 2 posts here since 19 Nov, 09:00 UTC.\nTwo things happened.",
    );
    expect(problemsOf(message)).toEqual([]);
    const [, key = ""] = buttonsOf(message)["Show the stories"]?.split(" ") ?? [];
    expect((await lists.get(key, "T1"))?.articles).toMatchObject([
      { title: "Story 3", summary: "About 3." },
      { id: 2 },
    ]);
  });

  it("is written from the posts alone, and says that AI wrote it", async () => {
    const { catchUp, sent } = await desk([hour]);
    const message = await catchUp();
    expect(sent[0]?.messages.at(-1)?.content.metadata?.news_context).toEqual({ start: start - 1, end: start });
    expect(JSON.stringify(sent[0]?.messages)).toContain("search for no others");
    expect(wordsOf(message)).toContain("Written by AI from 1 article · *Sources* 1 of 1 link checked");
  });

  it("leads with the spikes and the most covered stories, and the text begins with the most covered", async () => {
    const { announced, catchUp, told, sent, spikes } = await desk([hour]);
    const reports = ["a", "b"].map((outlet, copy) =>
      article({
        id: 20 + copy,
        title: "Ports close as pilots walk out",
        summary: "Harbour.",
        url: `https://${outlet}.example.com/9`,
        source: outlet,
      }),
    );
    await announced.announce(here, [reports], { by: "post 9", now: start - 2 * hour });
    spikes.line = "*1 spike* Paylantic 37× (over, 50 min)";
    const message = await catchUp();
    expect(wordsOf(message)).toMatch(
      /Paylantic 37× \(over, 50 min\)\n\*Most covered\* <https:\/\/a.example.com\/9\|Ports close[^>]*> \(2.outlets\)\n2 stories in 2 posts/,
    );
    expect(message.text).toMatch(/1 spike Paylantic[^]*Most covered Ports close/);
    expect(told()).toEqual([20, 1]);
    expect(JSON.stringify(sent[0]?.messages)).toContain("Begin with the first ones, which most outlets report.");
  });

  it("says which spikes there were if no story was posted", async () => {
    const { catchUp, spikes } = await desk([]);
    spikes.line = "*1 spike* Paylantic 37× (over, 50 min)";
    expect((await catchUp()).text).toMatch(/^1 spike Paylantic[^]*No stories were posted here since/);
  });

  it("starts when the same person last caught up there", async () => {
    const { catchUp, told, show, clock } = await desk([5 * hour]);
    await catchUp();
    clock.now += 3 * day;
    await show(2, clock.now - 2 * day);
    expect((await catchUp()).text).toContain("1 story in 1 post here since 20 Nov, 09:00 UTC.");
    expect(told()).toEqual([2]);
    expect((await catchUp()).text).toBe(
      "Nothing was posted here since 23 Nov, 09:00 UTC.\n/bellwether catchup --since 3d goes further back, up to a week.",
    );
    // Two days ago is too long for somebody who asks for the first time.
    expect((await catchUp("", { user: "U2" })).text).toContain("Nothing was posted here since 22 Nov");
  });

  it.each(["in #energy-desk", "3d", "gold --since 2d"])("takes no other words: %s", async (words) => {
    const { to, sent } = await desk([hour]);
    expect(await hintOf(catchup, asking(words, { surface: "slash" }), to)).toContain("the channel that you type it in");
    expect(sent).toEqual([]);
  });

  it("goes back as far as somebody says, a week at most", async () => {
    const { catchUp, told } = await desk([6 * day, 2 * day, 8 * day]);
    await catchUp("--since 3d");
    expect(told()).toEqual([2]);
    expect((await catchUp("--since 2w")).text).toContain("I go back a week at most.");
    expect(told()).toEqual([2, 1]);
    await catchUp("--since all");
    expect(told()).toEqual([2, 1]);
  });

  it("covers the posts in their direct messages if somebody asks there", async () => {
    const { catchUp, told, show } = await desk([hour]);
    await show(7, start - hour, { team: "T1", channel: "U1" });
    await catchUp("", { channel: "D1", surface: "direct" });
    expect(told()).toEqual([7]);
  });

  it("leaves out stories that are hidden from the channel, and posts that Slack refused", async () => {
    const { announced, catchUp, told } = await desk([3 * hour, 2 * hour, hour]);
    await announced.hide(here, [story(1)], { user: "U1", now: start });
    await announced.withdraw(here, [[story(2)]], "post 2");
    await catchUp();
    expect(told()).toEqual([3]);
  });

  it("is in the asker’s own language, or in one that they name", async () => {
    const { catchUp, sent } = await desk([hour], { people: { localeKnown: () => "de-DE" } });
    const orders = () => JSON.stringify(sent.at(-1)?.messages);
    await catchUp();
    expect(orders()).toContain("Answer in German.");
    await catchUp("--since 1d --language fr");
    expect(orders()).toContain("Answer in French.");
  });

  it("lists the headlines if no service can sum them up", async () => {
    const { catchUp } = await desk([2 * hour, hour], { configured: { intelligence: false } });
    const message = await catchUp();
    expect(wordsOf(message)).toMatch(/2 stories in 2 posts here since[^]*Story 2[^]*Story 1/);
    expect(message.private).toBe(true);
  });

  it("does not count if there was no answer", async () => {
    let isDown = true;
    const { generate } = newsModel("Well.");
    const failing: typeof generate = (...of) => {
      if (isDown) throw new Unavailable({ api: "intelligence", operation: "generate" });
      return generate(...of);
    };
    const { catchUp } = await desk([hour], { intelligence: { generate: failing } });
    await expect(catchUp()).rejects.toThrow(Unavailable);
    isDown = false;
    expect((await catchUp()).text).toContain("1 story in 1 post here");
  });

  it("is refused in public", async () => {
    const { to } = await desk([hour]);
    expect(await hintOf(catchup, asking("", { surface: "mention" }), to)).toContain("for you alone");
    expect(await orHint(answerOf(catchup, asking("--until 3d"), to))).toContain("isn’t an option here");
  });

  it("covers the newest two hundred stories of a week, of which fifty are summed up", async () => {
    const { catchUp, told } = await desk(Array.from({ length: 210 }, (_, id) => day - id * 60_000));
    expect((await catchUp()).text).toContain(
      "200 stories in 200 posts here since 19 Nov, 09:00 UTC. These are of the newest 50.",
    );
    expect(told()).toHaveLength(50);
  });
});
