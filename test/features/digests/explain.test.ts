import { beforeEach, describe, expect, it } from "vitest";

import { newPost } from "../../../src/slack/delivery/outbox.ts";
import type { Article } from "../../../src/apis/article.ts";
import { Unavailable } from "../../../src/apis/errors.ts";
import { buttonsOf, moreOf, wordsOf } from "../../support/answers.ts";
import { article, credits, now } from "../../support/builders.ts";
import { articles, day, digestDesk } from "./setting.ts";

let desk: ReturnType<typeof digestDesk>;
beforeEach(() => {
  desk = digestDesk();
});

const ran = { last: { at: now - day, fresh: 1 } };
const oil = article({ id: 1, url: "https://news.example.com/oil", title: "Oil rises" });

describe("digests why-not", () => {
  const why = async (found: Article[], url = oil.url) => {
    desk.state.articles = found;
    return (await desk.say(`why-not ${url}`)).text.split("\n").slice(1).join("\n");
  };
  beforeEach(() => desk.say("add channel 501 daily"));

  it("says when the story was posted here, whatever tracking its address carries", async () => {
    const channel = { team: "T1", channel: "C1" };
    await desk.services().announced.announce(channel, [[oil]], { by: "another", now: now - day });
    expect(await why([oil], "<https://www.news.example.com/oil/?utm_source=rss>")).toBe(
      "• Digest 1, Gold wire: it was posted here 19 Nov, 09:00 UTC. Each story is posted once.",
    );
  });

  it("says that the source doesn’t have the story", async () => {
    expect(await why([oil], "https://news.example.com/gas")).toBe(
      "• Digest 1, Gold wire: it isn’t among the one article that its source has now.",
    );
    expect(await why([])).toContain("its source has no articles");
  });

  it("says that the story is too old", async () => {
    await desk.update(ran);
    expect(await why([{ ...oil, published: now - 9 * day }])).toBe(
      "• Digest 1, Gold wire: it’s from 11 Nov, 09:00 UTC, more than a week before the last digest (19 Nov, 09:00 UTC).",
    );
  });

  it("says that the article will be posted, that the digest is paused, or that its story was posted already", async () => {
    await desk.update(ran);
    expect(await why([oil])).toContain("it will be in the next digest, 21 Nov, 09:00 UTC.");
    await desk.say("pause 1");
    expect(await why([oil])).toContain("but the digest is paused.");
    const deal = { primary: [1, 2], secondary: [], tertiary: [9] };
    const shown = article({ id: 8, url: "https://news.example.com/8", title: "A deal", entities: deal });
    await desk.services().announced.announce({ team: "T1", channel: "C1" }, [[shown]], { by: "another", now });
    expect(await why([{ ...oil, entities: deal }])).toContain("story already posted here");
  });

  it("says who hid the story and when, with a button to show it again, also for further reports on it", async () => {
    const here = { team: "T1", channel: "C1" };
    const hidden = { ...oil, entities: { primary: [1, 2], secondary: [], tertiary: [9] } };
    const { by } = await desk.services().announced.hide(here, [hidden], { user: "U1", now: now - day });
    expect(await why([oil])).toBe("• Digest 1, Gold wire: it was hidden here by Name of U1 on 19 Nov.");
    expect(buttonsOf(await desk.say(`why-not ${oil.url}`))).toEqual({ "Show it again": `digests unhide 1 ${by}` });
    const later = { ...hidden, id: 2, url: "https://news.example.com/later", title: "What became of it" };
    expect(await why([later], later.url)).toBe(
      "• Digest 1, Gold wire: it belongs to “Oil rises”, hidden here by Name of U1 on 19 Nov.",
    );
  });

  it("reads no source, and spends no credits, if the reason is written down", async () => {
    await desk.say("add search gold daily");
    const { announced, lists } = desk.services();
    const reads = async (line: string) => {
      const before = desk.state.reads;
      const { text } = await desk.say(line);
      expect(text).not.toContain("credit");
      expect(desk.state.reads).toBe(before);
      return text;
    };
    await announced.announce({ team: "T1", channel: "C1" }, [[oil]], { by: "another", now });
    expect(await reads(`why-not 2 ${oil.url}`)).toContain("it was posted here");
    const gas = article({ id: 2, url: "https://news.example.com/gas" });
    const content = { list: await lists.keep({ title: "x", articles: [gas], total: 1 }, "T1") };
    await desk.update({ posts: [newPost({ key: "k", since: now, content })] }, 2);
    expect(await reads(`why-not 2 ${gas.url}`)).toContain("waiting for Slack");
  });

  it("says that the source can’t be read", async () => {
    desk.fail.read = () => new Unavailable({ api: "intelligence", operation: "articles" });
    expect(await why([])).toContain("The news service couldn’t be reached.");
  });

  it("says each reason privately, and only for one digest if its number is typed", async () => {
    for (const line of ["gold daily", "gold hourly"]) await desk.say(`add search ${line}`);
    expect((await why([oil], "https://news.example.com/gas")).split("\n")).toEqual([
      "• Digest 1, Gold wire: it isn’t among the one article that its source has now.",
      "• Digest 2, gold: it isn’t among the one article that its source has now.",
      "• Digest 3, gold: it isn’t among the one article that its source has now.",
      "1 credit used, 4,999 left",
    ]);
    await desk.say("add search oil daily");
    expect((await why([oil], "https://news.example.com/gas")).match(/1 credit used, 4,999 left/g)).toHaveLength(1);
    const message = await desk.say(`why-not 2 ${oil.url}`);
    expect(wordsOf(message).match(/Digest \d/g)).toEqual(["Digest 2"]);
    expect(message.private).toBe(true);
  });

  it.each(["", "gold", "2", "https://"])("“%s” is answered with what to type", async (text) => {
    expect(await desk.hint(`why-not ${text}`)).toMatch(/^Which story\? Type `\/digests why-not/);
    expect(await desk.hint("why-not BASF")).toContain("`/alerts why-not BASF`");
  });
});

describe("the window “Why these stories”", () => {
  it("names the source, the last run and the most stories of a digest", async () => {
    await desk.say("add channel 501 daily --max 3");
    await desk.update(ran);
    const shown = await desk.say("why 1");
    expect(shown.window).toBeDefined();
    for (const fact of ["Gold wire", "19 Nov, 09:00 UTC", "at most 3 stories", "/digests why-not 1"]) {
      expect(shown.text).toContain(fact);
    }
  });
});

describe("digests test", () => {
  beforeEach(() => desk.say("add search gold daily"));

  it("shows what would be posted, and writes nothing down", async () => {
    desk.state.articles = articles(7);
    const before = await desk.read();
    const message = await desk.say("test 1");
    expect(wordsOf(message)).toContain("_Test: digest 1 would post this now._");
    expect(wordsOf(message)).toContain("7 stories (first digest)");
    expect(message.shareable).toBeUndefined();
    expect(await desk.read()).toEqual(before);
    expect((await desk.services().announced.known(before, articles(7))).size).toBe(0);
  });

  it.each([{ test: true }, { used: 0 }])("mentions no cost if the read was free: %o", async (about) => {
    desk = digestDesk({
      gateway: { search: async (query: string) => ({ query, articles: [], total: 0, credits: credits(about) }) },
    });
    await desk.say("add search gold daily");
    expect(wordsOf(await desk.say("test 1"))).not.toMatch(/credit/);
  });

  it("says that nothing would be posted, and what the read cost", async () => {
    expect(wordsOf(await desk.say("test 1"))).toBe(
      "Nothing new, so digest 1 would only say so now.\n*Gold*: nothing in the last day. Watching from now.\n1 credit used, 4,999 left",
    );
  });

  it("shows the line that a digest with nothing new would post, if somebody chose one", async () => {
    await desk.say("edit 1 --empty line");
    await desk.update(ran);
    expect((await desk.say("test 1")).text).toMatch(
      /^Nothing new since .*, so digest 1 would only say so now\.[^]*\nNothing new since .* in digest 1/,
    );
  });

  it.each([
    ["pause 1", "paused", "To resume it, type /digests resume 1.", "Resume digest"],
    ["mute 1 1w", "muted until 27 Nov, 09:00 UTC", "To end that, type /digests unmute 1.", "Pause digest"],
    ["remove 1", "removed", "To bring it back, type /digests resume 1.", "Bring it back"],
  ])("says after `%s` that the digest isn’t running, and what to do about it", async (line, state, hint, choice) => {
    await desk.say(line);
    desk.state.articles = articles(7);
    const shown = await desk.say("test 1");
    expect(shown.text).toContain(`Test: digest 1 is ${state}; otherwise it would post this.\n${hint}`);
    expect(moreOf(shown)).toHaveProperty(choice);
    desk.state.articles = [];
    expect((await desk.say("test 1")).text).toContain(`digest 1 would only say so now. It’s ${state}. ${hint}`);
  });
});
