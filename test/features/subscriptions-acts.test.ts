import { describe, expect, it } from "vitest";

import { byWords, historyButton, lostView, nextWords, placeProblem } from "../../src/features/subscriptions/view.ts";
import { unknownAct } from "../../src/features/subscriptions/commands.ts";
import { bot, noted } from "../../src/features/subscriptions/model.ts";
import { spoken } from "../../src/slack/text/mrkdwn.ts";
import { SlackRefused } from "../../src/slack/delivery/refusal.ts";
import { asking, wordsOf } from "../support/builders.ts";
import { day, feedDesk, minute, start } from "./subscriptions-desk.ts";
import { problemsOf } from "./slack-limits.ts";

describe("the history of a subscription", () => {
  it("says who changed it when, the newest first, by names that call nobody", async () => {
    const { add, acts, to, state, read } = feedDesk();
    await add({ word: "gold & <!here>" });
    state.now += day;
    await acts.pause("1", asking("", { user: "U2" }), to);
    state.now += day;
    await acts.resume("1", asking("", { user: "U3" }), to);
    const message = await acts.history("1", asking(""), to);
    expect(message.text).toBe(
      [
        "History of feed 1",
        "gold &amp; &lt;!here&gt; · feed 1",
        "Asked for by Name of U1",
        "• 2026-11-22 09:00 UTC · Name of U3 · resumed",
        "• 2026-11-21 09:00 UTC · Name of U2 · paused",
        "• 2026-11-20 09:00 UTC · Name of U1 · added",
        "Kept are who added it, the 40 latest changes, and the 10 latest mutes and what I did myself.",
      ].join("\n"),
    );
    expect(message.window).toEqual({ title: "History of feed 1" });
    expect(wordsOf(message)).not.toMatch(/<[@!][^d]/);
    expect(problemsOf(message)).toEqual([]);
    expect((await read()).changed).toHaveLength(3);
  });

  it("keeps who made it for good, and its changes also where it is muted often or the bot pauses it often", async () => {
    const { add, feeds, read, acts, to } = feedDesk();
    const feed = await add();
    const change = (by: string, what: string) =>
      feeds.update(feed, (current) => noted(current, { by, at: start, what }));
    await change("U2", `edited: ${"every 15 minutes & ".repeat(20)}`);
    for (let each = 0; each < 30; each++) {
      for (const what of ["muted BASF for an hour", "unmuted BASF"]) await change("U3", what);
      await change(bot, "paused");
    }
    const kept = (await read()).changed.map(({ what }) => what.split(/[ :]/)[0]);
    expect(kept).toHaveLength(12);
    expect(kept.slice(-2)).toEqual(["edited", "added"]);
    for (let each = 0; each < 60; each++) await change("U2", `edited: ${"daily at 9:00 & ".repeat(20)}`);
    expect((await read()).changed).toHaveLength(51);
    expect((await read()).changed.at(-1)?.what).toBe("added");
    const shown = await acts.history("1", asking(""), to);
    expect(problemsOf(shown)).toEqual([]);
    expect(wordsOf(shown).split("edited: daily")).toHaveLength(41);
    expect(wordsOf(shown)).toContain("Name of U1 · added");
  });

  it("is of a list that begins with what comes to where it is asked for", async () => {
    const { add, acts, to } = feedDesk();
    for (const [index, channel] of ["C0B", "C1", "U1", "C1"].entries()) await add({ channel, word: `word ${index}` });
    const shown = async (channel: string) => (await acts.list("", asking("", { channel }), to)).text;
    expect(await shown("C1")).toBe("page 1\n2\n4\n1\n3");
    expect(await shown("D1")).toBe("page 1\n3\n1\n2\n4");
  });

  it("has nothing of a second click, which changes nothing either", async () => {
    const { add, acts, to, read } = feedDesk();
    await add({ pending: "a post" });
    for (const act of [acts.pause, acts.pause, acts.resume, acts.resume]) await act("1", asking(""), to);
    const { changed, pending } = await read();
    expect(changed.map(({ what }) => what)).toEqual(["resumed", "paused", "added"]);
    expect(pending).toBe("a post again");
  });

  it("ends with the removal that was faster than another change", async () => {
    const { add, acts, to, read } = feedDesk();
    await add();
    const [, paused] = await Promise.allSettled([
      acts.remove("1", asking(""), to),
      acts.pause("1", asking("", { user: "U2" }), to),
    ]);
    expect(paused).toMatchObject({ status: "rejected", reason: { message: expect.stringMatching(/no feed 1 here/) } });
    const { state, changed } = await read();
    expect([state, changed[0]?.what]).toEqual(["removed", "removed"]);
  });

  it("of a number that there is none of says what to type", async () => {
    const { acts, to } = feedDesk();
    await expect(acts.history("7", asking(""), to)).rejects.toThrow(/There is no feed 7 here\. `\/feeds list` shows/);
    await expect(acts.history("x", asking(""), to)).rejects.toThrow(/Which feed\?.*`\/feeds history 2`/);
  });
});

describe("what a list says of one", () => {
  const at = Date.UTC(2026, 10, 21, 9);
  const names = new Map([
    ["U1", "Ana"],
    ["U2", "Ben & <!here>"],
    ["U3", "Cy"],
  ]);
  const viewer = { user: "U1", now: at, names };

  it("is who asked for it and who changed it last, and who paused it, in words that fit one line", async () => {
    const { add } = feedDesk();
    const feed = await add({ maker: "U2" });
    const [added] = feed.changed;
    const changedBy = (by: string, what: string) => ({
      ...feed,
      changed: [{ by, at, what }, added ?? { by, at, what }],
    });
    const ben = "Ben &amp; &lt;!here&gt;";
    expect(byWords(feed, viewer)).toBe(`, asked for by ${ben}`);
    expect(spoken(byWords(changedBy("U1", "edited: Mondays at 08:30 UTC"), viewer))).toBe(
      `, asked for by ${ben}, edited by you 2026-11-21 09:00 UTC`,
    );
    expect(spoken(byWords(changedBy(bot, "resumed"), viewer))).toMatch(/, resumed by me 2026-11-21/);
    expect(byWords(changedBy("U1", "paused"), viewer)).toBe(`, asked for by ${ben}`);
    expect(byWords(changedBy("U1", "edited"), { now: at, names })).toMatch(/, asked for by Ben.*, edited by Ana </);
    const muted = changedBy("U1", "muted Gold for a day");
    const paused = { ...muted, changed: [...muted.changed, { by: "U3", at, what: "paused" }] };
    expect(spoken(nextWords({ ...paused, state: "paused" }, viewer))).toBe("Paused by Cy 2026-11-21 09:00 UTC");
  });

  it("says when it runs next, or since when it is due and tried", async () => {
    const due = { ...(await feedDesk().add()), nextRun: at };
    const now = (offset: number) => ({ ...viewer, now: at + offset });
    expect(spoken(nextWords(due, now(-minute)))).toBe("Next 2026-11-21 09:00 UTC");
    expect(spoken(nextWords(due, now(minute)))).toBe("Due now");
    const problem = "The news service could not be reached.";
    expect(spoken(nextWords({ ...due, problem }, now(minute)))).toBe("Due since 2026-11-21 09:00 UTC, I keep trying");
  });

  it("offers its history", () => {
    expect(historyButton({ noun: "feed", number: 7 })).toMatchObject({
      value: "feeds history 7",
      text: { text: "History" },
      accessibility_label: "History of feed 7",
    });
  });
});

describe("an act that there is none of", () => {
  const about = { noun: "feed", verbs: ["list", "pause", "remove"], usage: "`/feeds add gold daily`" };

  it("is answered with what there is, and with what was meant where that is near", () => {
    expect(unknownAct("puase", about).message).toBe(
      "Did you mean `/feeds pause`? After `/feeds` comes one of `list`, `pause`, `remove`.",
    );
    expect(unknownAct("nonsense", about).message).toBe(
      "What should I do? After `/feeds` comes one of `list`, `pause`, `remove`. To begin, type `/feeds add gold daily`.",
    );
  });
});

describe("what is said of a place", () => {
  it.each([
    ["is_archived", "The channel is archived."],
    [
      "not_in_channel",
      "I am not in there. In a channel, type `/invite @Bellwether`; a group direct message takes no app later: choose another place with *Change*.",
    ],
    ["restricted_action_read_only_channel", "The channel does not let me post."],
    ["ekm_access_denied", "A rule of the workspace forbids it (`ekm_access_denied`). Its admins can allow it."],
    ["user_disabled", "Whoever gets it has left the workspace."],
    ["token_revoked", "Slack no longer accepts my access. An operator should install the app again."],
    ["channel_is_limited_access", "Slack does not let me post there (`channel_is_limited_access`)."],
  ])("%s: %s", (code, words) => {
    expect(placeProblem(new SlackRefused("chat.postMessage", code))).toBe(words);
  });

  it("fits into one message however much goes there", async () => {
    const { add, kind } = feedDesk();
    const feed = await add({ word: "*gold* <!channel> ".repeat(40) });
    const more = Array.from({ length: 499 }, (_, index) => ({ ...feed, number: index + 2 }));
    const itemOf = (subscription: typeof feed) => ({ kind, subscription });
    const message = lostView([itemOf(feed), ...more.map(itemOf)]);
    expect(problemsOf(message).filter((each) => !each.endsWith("with <#C1>"))).toEqual([]);
    expect(message.text).toContain("and 490 more");
  });
});
