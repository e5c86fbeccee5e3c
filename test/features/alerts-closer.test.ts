import { describe, expect, it } from "vitest";

import { alerts } from "../../src/features/alerts/commands.ts";
import { answerOf, article, asking, hintOf, wordsOf } from "../support/builders.ts";
import { desk, titlesOf } from "./alerts-desk.ts";
import { trend } from "./alerts-setting.ts";
import { desk as quietDesk } from "./alerts-talk.ts";

const [basf, shell] = [trend("BASF"), trend("Shell")];
const story = article({ id: 1, title: "Why it rises", url: "https://news.example.com/1" });

/** An alert that has told of two at once. */
async function told() {
  const here = desk();
  here.state.articles = [story];
  await here.add();
  await here.later([basf, shell]);
  return here;
}

describe("a closer look at one of several that rise", () => {
  it("brings its articles, with which one can go on", async () => {
    const { services: to, stands } = await told();
    expect(titlesOf(stands)).toEqual(["2 are rising at once"]);
    const shown = await answerOf(alerts, asking("show BASF --alert 1", { surface: "button" }), to);
    expect(wordsOf(shown)).toContain("Why it rises");
    expect(JSON.stringify(shown.blocks)).toMatch(/about [\w-]{36} Why is BASF in the news now/);
  });

  it("is one person's: the channel has not seen those articles for that", async () => {
    const { services: to } = await told();
    await answerOf(alerts, asking("show BASF --alert 1", { surface: "button" }), to);
    const one = article({ id: 1, url: "https://news.example.com/1" });
    expect((await to.announced.known({ team: "T1", channel: "C1" }, [one])).size).toBe(0);
  });

  it("comes without them where they cannot be had", async () => {
    const { services: to } = await told();
    const broken = { ...to, intelligence: { ...to.intelligence, articles: () => Promise.reject(new Error("down")) } };
    expect(wordsOf(await answerOf(alerts, asking("show BASF --alert 1"), broken))).toContain("BASF");
  });
});

describe("alerts why-not", () => {
  it("says which command explains a story", async () => {
    const line = asking("why-not <https://news.example.com/1|news.example.com/1>");
    expect(await hintOf(alerts, line, quietDesk())).toContain("`/digests why-not https://news.example.com/1`");
  });
});
