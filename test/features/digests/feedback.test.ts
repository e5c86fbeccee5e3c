import { describe, expect, it } from "vitest";

import type { Article } from "../../../src/apis/article.ts";
import { article, entity, now } from "../../support/builders.ts";
import { day, digestDesk, storiesIn } from "./setting.ts";

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

function postedIn(desk: Awaited<ReturnType<typeof setUp>>, channel: string) {
  const post = desk.posts.find((each) => each.channel === channel);
  if (!post) throw new Error(`nothing posted in ${channel}`);
  return { stories: storiesIn(post) };
}

describe("what a channel asks about", () => {
  it("stands first in its next digest, and in no other channel’s", async () => {
    const desk = await setUp();
    const { interest } = desk.services();
    for (const ago of [9 * day, 5 * day]) {
      desk.state.now -= ago;
      interest.note({ team: "T1", channel: "C1", user: "U1" }, "asked", { articles: [storyOn(paylantic, 90)] });
      desk.state.now += ago;
    }
    desk.state.articles = [storyOn(novalith, 1), storyOn(paylantic, 2)];
    await desk.tick();
    const asking = postedIn(desk, "C1");
    expect(asking.stories).toEqual([2, 1]);
    const other = postedIn(desk, "C2");
    expect(other.stories).toEqual([1, 2]);
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
    const hiding = postedIn(desk, "C1");
    const other = postedIn(desk, "C2");
    expect(other.stories.filter(isOnNovalith)).toHaveLength(4);
    expect(hiding.stories.filter(isOnNovalith).length).toBeLessThanOrEqual(2);
    expect(hiding.stories).toHaveLength(8);
  });
});
