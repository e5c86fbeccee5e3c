import { describe, expect, it } from "vitest";

import type { Article } from "../../../src/apis/article.ts";
import { feedbackWords } from "../../../src/features/digests/feedback.ts";
import { wordsOf } from "../../support/answers.ts";
import { article, entity, now } from "../../support/builders.ts";
import { day, digestDesk, hour, minute, storiesIn } from "./setting.ts";

const novalith = 1;
const paylantic = 2;
const names: Record<number, string> = { [novalith]: "Novalith", [paylantic]: "Paylantic" };
/** Headlines that share no words, so that none are one story. */
const headlines = [
  "Harbour strike spreads",
  "Museum opens wing",
  "Storm stops turbines",
  "Bank cuts rates",
  "Mine floods overnight",
  "Chef wins prize",
  "Court blocks merger",
  "Airline orders jets",
  "Wheat price jumps",
  "Bridge closes early",
  "Satellite reaches orbit",
  "Vaccine trial begins",
  "Minister resigns suddenly",
  "Steelworks lays off hundreds",
  "Festival draws crowds",
  "Volcano wakes again",
];

/** A story on one name; the newer, the smaller its number. */
function storyOn(name: number, id: number): Article {
  const entities = { primary: [name], secondary: [], tertiary: [] };
  const title = `Story ${id}: ${headlines[id - 1] ?? ""}`;
  return article({
    id,
    title,
    summary: "",
    url: `https://news.example.com/${id}`,
    published: now + day - id,
    entities,
  });
}

/** A digest that has posted before, in each of two channels. */
async function setUp() {
  const known = new Map([novalith, paylantic].map((id) => [id, entity({ id, name: names[id] ?? "" })]));
  const desk = digestDesk({ intelligence: { entities: async () => known } });
  for (const channel of ["C1", "C2"]) {
    await desk.add({ channel, nextRun: now + day, last: { at: now, fresh: 1 }, style: { order: "top" } });
  }
  desk.state.now += day;
  return desk;
}

async function postedIn(desk: Awaited<ReturnType<typeof setUp>>, channel: string) {
  const post = desk.posts.find((each) => each.channel === channel);
  if (!post) throw new Error(`nothing posted in ${channel}`);
  const key = /list ([\da-f-]{36}) 1/.exec(JSON.stringify(post.message))?.[1];
  const number = channel === "C1" ? 1 : 2;
  const why = wordsOf(await desk.say(`why ${number} ${key}`, { surface: "button", channel }));
  return { stories: storiesIn(post), why };
}

describe("what a channel asks about", () => {
  it("stands first in its next digest, which says why, and in no other channel’s", async () => {
    const desk = await setUp();
    const { interest } = desk.services();
    for (const ago of [9 * day, 5 * day]) {
      desk.state.now -= ago;
      interest.note({ team: "T1", channel: "C1", user: "U1" }, "asked", { articles: [storyOn(paylantic, 90)] });
      desk.state.now += ago;
    }
    desk.state.articles = [storyOn(novalith, 1), storyOn(paylantic, 2)];
    await desk.tick();
    const asking = await postedIn(desk, "C1");
    expect(asking.stories).toEqual([2, 1]);
    expect(asking.why).toContain("; people here asked about Paylantic twice this month");
    const other = await postedIn(desk, "C2");
    expect(other.stories).toEqual([1, 2]);
    expect(other.why).not.toContain("this month");
  });
});

describe("a name that all stories of a digest are about", () => {
  it("explains the place of none of them", async () => {
    const desk = await setUp();
    const where = { team: "T1", channel: "C1", user: "U1" };
    desk.services().interest.note(where, "asked", { articles: [storyOn(paylantic, 90)] });
    desk.state.articles = [1, 2, 3, 4, 5, 6, 7, 8].map((id) => storyOn(paylantic, id));
    await desk.tick();
    const { stories, why } = await postedIn(desk, "C1");
    expect(stories.length).toBeGreaterThan(1);
    expect(why).not.toContain("asked about Paylantic");
  });
});

describe("what a channel hides ten times", () => {
  async function hidingTen() {
    const desk = await setUp();
    for (let at = 0; at < 10; at++) {
      const past = { ...storyOn(novalith, 100 + at), title: `Old ${at}`, published: now - 20 * day };
      await desk.services().announced.hide({ team: "T1", channel: "C1" }, [past], { user: "U1", now });
    }
    return desk;
  }

  it("has at most half of its share in the next digest", async () => {
    const desk = await hidingTen();
    desk.state.articles = Array.from({ length: 16 }, (_, at) => storyOn(at % 2 === 0 ? novalith : paylantic, at + 1));
    await desk.tick();
    const isOnNovalith = (id: number) => id % 2 === 1;
    const hiding = await postedIn(desk, "C1");
    const other = await postedIn(desk, "C2");
    expect(other.stories.filter(isOnNovalith)).toHaveLength(4);
    expect(hiding.stories.filter(isOnNovalith).length).toBeLessThanOrEqual(2);
    expect(hiding.stories).toHaveLength(8);
  });

  it("still has its place if there is room, and the digest says why that is lower", async () => {
    const desk = await hidingTen();
    desk.state.articles = [storyOn(novalith, 1), storyOn(paylantic, 2)];
    await desk.tick();
    const hiding = await postedIn(desk, "C1");
    expect(hiding.stories).toEqual([2, 1]);
    expect(hiding.why).toContain("; 10 stories on Novalith are hidden here");
    const other = await postedIn(desk, "C2");
    expect(other.stories).toEqual([1, 2]);
    expect(other.why).not.toContain("are hidden here");
  });
});

describe("the words on what a channel did", () => {
  const context = { used: [], hidden: [], names, isOwn: false, now };
  const uses = (how: "asked" | "opened" | "shared", ...agos: number[]) =>
    agos.map((ago) => ({ at: now - ago, how, part: 1 }));

  it.each([
    [uses("asked", hour), "people here asked about Novalith this month"],
    [uses("shared", hour, 2 * day), "people here shared news on Novalith twice this month"],
    [uses("opened", hour, 2 * day, 3 * day), "people here opened news on Novalith 3 times this month"],
    [[...uses("opened", hour), ...uses("asked", 2 * hour)], "people here asked about Novalith this month"],
    [uses("asked", 40 * day), undefined],
    [uses("asked", minute).map((use) => ({ ...use, part: 0.1 })), undefined],
  ])("say how often it used a name this month (%#)", (own, words) => {
    expect(feedbackWords([novalith], { ...context, used: [{ id: novalith, uses: own }] })).toBe(words);
  });

  it("say how many stories on a name are hidden", () => {
    const hidden = [[novalith], [novalith, paylantic]];
    expect(feedbackWords([novalith, paylantic], { ...context, hidden })).toBe("2 stories on Novalith are hidden here");
    expect(feedbackWords([paylantic], { ...context, hidden, isOwn: true })).toBe("you hid 1 story on Paylantic");
  });

  it("are none of names that nobody used or hid, or that aren’t known", () => {
    expect(feedbackWords([novalith], context)).toBeUndefined();
    expect(feedbackWords([7], { ...context, used: [{ id: 7, uses: uses("asked", hour) }] })).toBeUndefined();
  });
});
