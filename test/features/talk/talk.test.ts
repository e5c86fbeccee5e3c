import { describe, expect, it } from "vitest";

import { createLists } from "../../../src/features/articles/store.ts";
import { bind } from "../../../src/features/feature.ts";
import { talkFeature } from "../../../src/features/talk/commands.ts";
import { createRoutes } from "../../../src/routes.ts";
import { buttonsOf, statesOf, wordsOf } from "../../support/answers.ts";
import { article, asking, readerServices, memory, now } from "../../support/builders.ts";

const lists = createLists(memory());
const ground = readerServices();
const directory = { ...ground.directory, search: () => ({ near: [] }) };
const talk = bind(talkFeature, {
  ...ground,
  lists,
  directory,
  now: () => now,
  run: () => expect.fail("small talk runs no command"),
  answer: () => expect.fail("small talk is no question"),
  lastQuestion: async () => undefined,
  after: () => () => undefined,
  followedIn: async () => [],
});
const routes = createRoutes([talk], { ...ground, directory, now: () => now });

/** What somebody is told who says this in a direct message; every call of a service fails the test. */
async function told(line: string) {
  const { text: _, ...request } = asking("", { surface: "direct", channel: "D1" });
  const { states } = await statesOf(routes.find(line, "direct", "inLine").run(request));
  expect(states).toHaveLength(1);
  const [message] = states;
  if (!message) throw new Error("nothing");
  expect(message.isPrivate).toBe(true);
  return message;
}

describe("small talk", () => {
  it("that greets, or says nothing, is told how to start", async () => {
    for (const line of ["hello!", "", "?"]) {
      const message = await told(line);
      expect(message.text).toMatch(/^Hi\./);
      expect(buttonsOf(message)).toEqual({ "What’s trending": "trending", "Set an alert": "alerts add", Help: "help" });
    }
  });

  it("that asks what the bot can do is told in three lines, with a button each", async () => {
    const message = await told("What can you do?");
    expect(message.text.split("\n")).toHaveLength(3);
    expect(Object.values(buttonsOf(message))).toEqual(["prompt ask", "alerts add", "digests add"]);
  });

  it("that thanks is told one line", async () => {
    const message = await told("Thanks a lot!");
    expect([wordsOf(message), buttonsOf(message)]).toEqual(["You’re welcome.", {}]);
  });

  it("that says stop where nothing is being written is shown what else could be stopped", async () => {
    expect(Object.values(buttonsOf(await told("stop")))).toEqual(["alerts", "digests"]);
  });

  it("that is a link shows its article if that was listed lately, and else what can be asked", async () => {
    const listed = article({ title: "Copper rises", url: "https://news.example/copper" });
    const articles = [article({ url: "https://news.example/tin" }), listed];
    const key = await lists.keep({ title: "Metals", articles, total: 2 }, "T1");
    const message = await told("https://news.example/copper");
    expect(wordsOf(message)).toContain("Copper rises");
    expect(buttonsOf(message)).toEqual({ Summarise: `sum ${key}:2`, "Ask about it": `about ${key}:2` });
    const other = await told("https://news.example/gold");
    expect(other.text).toMatch(/I can’t open links/);
    expect(Object.values(buttonsOf(other))).toEqual(["prompt ask", "prompt news"]);
  });
});
