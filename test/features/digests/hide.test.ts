import { describe, expect, it } from "vitest";

import type { Message } from "../../../src/features/feature.ts";
import { buttonsOf, wordsOf } from "../../support/answers.ts";
import { article } from "../../support/builders.ts";
import { slackRefuses } from "../slack-limits.ts";
import { articles, day, dueDigest, storiesIn } from "./setting.ts";

const deal = { primary: [1, 2], secondary: [30], tertiary: [] };

/** A digest that has posted two stories, one of them on a deal. */
async function postedDigest(channel = "C1") {
  const desk = await dueDigest(2, { channel });
  desk.state.articles = articles(2).map((each) => (each.id === 2 ? { ...each, entities: deal } : each));
  await desk.tick();
  return desk;
}

/** What the menu entry with this label runs beside a story. */
function lineOf({ blocks = [] }: Message, label: string, title: string): string {
  for (const block of blocks) {
    if (block.type !== "section" || block.accessory?.type !== "overflow") continue;
    if (!block.text?.text.includes(title)) continue;
    const { options, action_id: action = "" } = block.accessory;
    const value = options.find(({ text }) => text.text === label)?.value ?? "";
    return `${value} ${action.replace("run:below:article:on:", "")}`.replace("digests ", "");
  }
  throw new Error(`no menu beside ${title}`);
}

/** Reports a day later: what became of the deal, and something else. */
const later = (now: number) => [
  article({ id: 8, url: "https://news.example.com/8", title: "Story 8", published: now, entities: deal }),
  article({ id: 9, url: "https://news.example.com/9", title: "Story 9", published: now - 1, source: "Other" }),
];

describe("a story that is not for a channel", () => {
  it("is left out of later digests with further reports on it, until somebody undoes that", async () => {
    const desk = await postedDigest();
    const line = lineOf(desk.posts[0]?.message ?? { text: "" }, "Not for us", "Story 2");
    const hidden = await desk.say(line, { surface: "button", user: "U2" });
    expect(hidden.private).toBe(true);
    expect(hidden.text).toBe(
      "Hidden: “Story 2”. Digests in <#C1> leave out this story until 20 Dec. What’s posted stays.",
    );
    expect(slackRefuses(hidden)).toEqual([]);
    desk.state.now += day;
    desk.state.articles = [...later(desk.state.now), ...desk.state.articles];
    await desk.tick();
    expect(desk.posts).toHaveLength(2);
    expect(storiesIn(desk.posts[1] ?? { message: { text: "" } })).toEqual([9]);
    expect(wordsOf(desk.posts[1]?.message ?? { text: "" })).not.toContain("already posted");
    const undo = (buttonsOf(hidden)["Undo"] ?? "").replace("digests ", "");
    expect((await desk.say(undo)).text).toContain("No longer hidden: “Story 2”");
    expect(await desk.hint(undo)).toContain("isn’t hidden any more");
    const url = "https://news.example.com/10";
    desk.state.articles = [
      article({ id: 10, url, title: "Story 10", published: desk.state.now + day, entities: deal }),
    ];
    await desk.later(day);
    expect(storiesIn(desk.posts[2] ?? { message: { text: "" } })).toEqual([10]);
  });

  it("is struck through where it stands, with whoever hid it, and stands there again after “Undo”", async () => {
    const desk = await postedDigest();
    const message: Message = desk.posts[0]?.message ?? { text: "" };
    const story = message.blocks?.find((block) => JSON.stringify(block).includes("Story 2"));
    const hidden = await desk.say(lineOf(message, "Not for us", "Story 2"), { surface: "button", user: "U2" });
    const struck = { text: hidden.text, blocks: Array.isArray(hidden.inPlace) ? hidden.inPlace : [] };
    expect(wordsOf(struck)).toMatch(/~Story 2~.*Name of U2/);
    expect(slackRefuses(struck)).toEqual([]);
    const [, undo = ""] = /"digests (unhide [^"]+)"/.exec(JSON.stringify(struck)) ?? [];
    expect((await desk.say(undo, { surface: "button" })).inPlace).toEqual([story]);
    // Somebody else’s page may still show it as hidden.
    expect((await desk.say(undo, { surface: "button" })).inPlace).toEqual([story]);
  });

  it("is hidden once, and a second person reads who hid it before", async () => {
    const desk = await postedDigest();
    const line = lineOf(desk.posts[0]?.message ?? { text: "" }, "Not for us", "Story 2");
    await desk.say(line, { user: "U2" });
    expect((await desk.say(line, { user: "U1" })).text).toContain("Name of U2 hid this before: “Story 2”");
  });

  it("can be hidden only by people who see what is posted there", async () => {
    const desk = await postedDigest();
    const line = lineOf(desk.posts[0]?.message ?? { text: "" }, "Not for us", "Story 2");
    expect(await desk.hint(line, { channel: "C9", user: "U9", surface: "mention" })).toContain("no digest 1");
    expect(await desk.hint("hide 1 01234567-89ab-4cde-8f01-23456789abcd:1")).toContain("Lists are kept for a week");
  });

  it("is hidden by one person alone in their direct messages", async () => {
    const desk = await postedDigest("U1");
    const line = lineOf(desk.posts[0]?.message ?? { text: "" }, "Not for me", "Story 2");
    expect((await desk.say(line, { channel: "D1" })).text).toContain("Digests in your direct messages leave out");
    expect(await desk.hint(line, { user: "U2" })).toContain("no digest 1");
  });
});
