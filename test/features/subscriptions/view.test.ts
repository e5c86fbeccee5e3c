import { describe, expect, it } from "vitest";

import { NotAllowed, OutOfCredits, Unavailable, UnexpectedAnswer, UsageError } from "../../../src/apis/errors.ts";
import { digestKind } from "../../../src/features/digests/digest.ts";
import { type UnsignedChange, bot } from "../../../src/features/subscriptions/model.ts";
import {
  byWords,
  ownerWords,
  pausedBy,
  pausedNotice,
  placeProblem,
  sourceProblem,
} from "../../../src/features/subscriptions/view.ts";
import { SlackRefused } from "../../../src/slack/delivery/refusal.ts";
import { accessibleText } from "../../../src/slack/text/mrkdwn.ts";
import { digestDesk } from "../digests/setting.ts";
import { slackRefuses } from "../slack-limits.ts";

describe("a subscription in a list", () => {
  const at = Date.UTC(2026, 10, 21, 9);
  const names = new Map([
    ["U1", "Ana"],
    ["U2", "Ben & <!here>"],
    ["U3", "Cy"],
  ]);
  const viewer = { user: "U1", now: at, names };

  it("names its owner and who changed or paused it last, in one line", async () => {
    const feed = await digestDesk().add({ owner: "U2" });
    const [added] = feed.changed;
    const changedBy = (by: string, change: UnsignedChange) => ({
      ...feed,
      changed: [{ ...change, by, at }, ...(added ? [added] : [])],
    });
    const ben = "Ben &amp; &lt;!here&gt;";
    expect(byWords(feed, viewer)).toBe(`, created by ${ben}`);
    expect(accessibleText(byWords(changedBy("U1", { type: "edited" }), viewer))).toBe(
      `, created by ${ben}, last edited by you 21 Nov, 09:00 UTC`,
    );
    expect(accessibleText(byWords(changedBy(bot, { type: "resumed" }), viewer))).toMatch(/, last resumed by me 21 Nov/);
    expect(byWords(changedBy("U1", { type: "paused" }), viewer)).toBe(`, created by ${ben}`);
    expect(byWords(changedBy("U1", { type: "edited" }), { now: at, names })).toMatch(
      /, created by Ben.*, last edited by Ana </,
    );
    const muted = changedBy("U1", { type: "muted", name: "Gold" });
    const paused = { ...muted, changed: [...muted.changed, { by: "U3", at, type: "paused" as const }] };
    expect([ownerWords(feed, viewer), pausedBy(paused, viewer)]).toEqual([`by ${ben}`, "paused by Cy"]);
  });
});

describe("the problem with a place", () => {
  it.each([
    ["is_archived", "The channel is archived."],
    [
      "not_in_channel",
      "I’m not in there. In a channel, type `/invite @Bellwether`. I can’t be added to a group direct message: choose another place with *Edit*.",
    ],
    ["restricted_action_read_only_channel", "The channel doesn’t let me post."],
    ["ekm_access_denied", "A rule of the workspace forbids it (`ekm_access_denied`). Its admins can allow it."],
    ["user_disabled", "Whoever gets it has left the workspace."],
    ["internal_error", "Slack didn’t accept the last message."],
    ["token_revoked", "Slack no longer accepts my access. An operator should install the app again."],
    ["channel_is_limited_access", "Slack doesn’t let me post there (`channel_is_limited_access`)."],
  ])("%s: %s", (code, words) => {
    expect(placeProblem(new SlackRefused("chat.postMessage", code))).toBe(words);
  });

  it("fits into one message however many subscriptions it has", async () => {
    const subscription = await digestDesk().add({ source: { kind: "search", query: "*gold* <!channel> ".repeat(25) } });
    const paused = { kind: digestKind, subscription };
    const message = pausedNotice([paused, ...Array.from({ length: 499 }, () => paused)]);
    expect(slackRefuses(message)).toEqual([]);
    expect(message.text).toContain("and 490 more");
  });
});

describe("the problem with a source", () => {
  const at = { api: "gateway", operation: "search" } as const;

  it.each([
    [new UsageError("Today's credits are spent."), "Today's credits are spent."],
    [new OutOfCredits(at), "The credits are used up."],
    [new NotAllowed({ ...at, status: 401 }), "The search service refused our access."],
    [new Unavailable(at), "The search service couldn’t be reached."],
    [new UnexpectedAnswer({ ...at, status: 404, detail: "" }), "The search service no longer has it."],
    [new UnexpectedAnswer({ ...at, detail: "<html>" }), "I can’t read what the search service answered."],
    [new Error("secret"), "Something went wrong on my side."],
  ])("%s", (error, expected) => {
    expect(sourceProblem(error)).toBe(expected);
  });
});
