import { describe, expect, it } from "vitest";

import { NotAllowed, OutOfCredits, Unavailable, UnexpectedAnswer, UsageError } from "../../src/apis/errors.ts";
import { digests } from "../../src/features/digests/commands.ts";
import { type Digest, isDigestDue as isDue, isSameDigest as isSame } from "../../src/features/digests/digest.ts";
import { createSubscriptions } from "../../src/features/subscriptions/store.ts";
import { ownView } from "../../src/features/digests/view.ts";
import { placeProblem, sourceProblem } from "../../src/features/subscriptions/view.ts";
import type { Services } from "../../src/features/feature.ts";
import { SlackRefused } from "../../src/slack/delivery/refusal.ts";
import { article, asking, buttonsOf, credits, hintOf, memory, now, wordsOf } from "../support/builders.ts";
import { desk, saved, say, slackRefuses } from "./digests-talk.ts";

const day = 24 * 60 * 60_000;

describe("digests list", () => {
  const some = async (to: Services, count: number) => {
    for (let index = 1; index <= count; index++) await say(`add search topic-${index} daily`, to);
  };

  it("shows those of the channel and one's own, and nobody else's direct messages", async () => {
    const to = desk({ places: { isIn: async () => false } });
    await say("add search here daily", to, { user: "U2" });
    await say("add search mine daily", to, { channel: "C2" });
    await say("add search theirs daily", to, { user: "U2", channel: "C2" });
    await say("add search secret daily", to, { user: "U2", channel: "D2" });
    const words = wordsOf(await say("list", to));
    expect(words).toContain("*here*");
    expect(words).toContain("*mine*");
    expect(words).toContain("asked for by Name of U2");
    expect(words).not.toMatch(/theirs|secret/);
    for (const line of ["test 4", "pause 4", "remove 3", "edit 3 hourly"]) {
      expect(await hintOf(digests, asking(line), to)).toMatch(/There is no digest \d here/);
    }
  });

  it("names people where others read it, and pings nobody", async () => {
    const to = desk();
    await say("add search here daily", to);
    const message = await say("list", to, { surface: "mention" });
    expect(wordsOf(message)).toContain("asked for by Name of U1");
    expect(JSON.stringify(message)).not.toContain("<@");
  });

  it("says when each ran last, what it posted, and what is wrong with it", async () => {
    const to = desk();
    await some(to, 3);
    const change = (number: number, about: Partial<Digest>) =>
      to.digests.update({ team: "T1", number }, (current) => ({ ...current, ...about }));
    await change(1, { last: { at: now - day, fresh: 7, postedAt: now - day } });
    await change(2, { last: { at: now - day, fresh: 0 }, problem: "The credits are used up." });
    await change(3, { state: "paused", changed: [{ by: "U9", at: now, what: "paused" }] });
    const message = await say("list", to);
    expect(message.text).toContain("Last 2026-11-19 09:00 UTC: 7 articles posted\nNext 2026-11-21 09:00 UTC");
    expect(message.text).toContain("Last 2026-11-19 09:00 UTC: nothing new");
    expect(message.text).toContain(":warning: The credits are used up.");
    expect(message.text).toContain("Has not run yet\nPaused by Name of U9 2026-11-20 09:00 UTC");
  });

  it("turns its pages and changes its entries in place", async () => {
    const to = desk();
    await some(to, 7);
    const second = await say("list 2", to);
    expect(slackRefuses(second)).toEqual([]);
    expect(wordsOf(second)).toContain("7 digests · page 2 of 3");
    expect(buttonsOf(second)).toMatchObject({ Previous: "digests list 1", Next: "digests list 3" });
    const paused = await say("pause 5 list 2", to);
    expect(wordsOf(paused)).toContain("page 2 of 3");
    expect(wordsOf(paused)).toContain("Paused by you");
    const removed = await say("remove 5 list 2", to);
    expect(removed.text).toMatch(/^Digest 5 is removed\.\nDigests of this channel/);
    expect(buttonsOf(removed)).toMatchObject({ "Bring it back": "digests resume 5 list 2" });
    expect(slackRefuses(removed)).toEqual([]);
    expect(wordsOf(await say("resume 5 list 2", to))).toContain("7 digests");
    expect(wordsOf(await say("list 99", to))).toContain("page 3 of 3");
    expect(wordsOf(await say("list -1", to))).toContain("page 1 of 3");
  });

  it("stays whole with names that are hostile or far too long", async () => {
    const to = desk();
    await say(`add search "<!channel> *x* ${"y".repeat(470)}" daily`, to);
    const message = await say("list", to);
    expect(slackRefuses(message)).toEqual([]);
    expect(JSON.stringify(message)).not.toContain("<!channel>");
  });

  it("says how to begin where there are none", async () => {
    const message = await say("", desk());
    expect(message.text).toMatch(/^There are no digests here yet\./);
    expect(buttonsOf(message)).toEqual({ "New digest": "digests add" });
  });
});

describe("a digest that is changed", () => {
  it("is paused, resumed and removed by anybody in its channel, and remembers by whom", async () => {
    const to = desk();
    await say("add search gold daily", to);
    expect((await say("pause 1", to, { user: "U2" })).text).toMatch(/^Digest 1 is paused\./);
    expect((await saved(to)).state).toBe("paused");
    await say("pause 1", to, { user: "U3" });
    expect((await say("resume #1", to)).text).toMatch(/^Digest 1 is resumed\./);
    const gone = await say("remove 1", to, { user: "U2" });
    expect(buttonsOf(gone)).toEqual({ "Bring it back": "digests resume 1" });
    expect((await saved(to)).changed.map(({ by, what }) => `${by} ${what}`)).toEqual([
      "U2 removed",
      "U1 resumed",
      "U2 paused",
      "U1 added",
    ]);
    expect(await to.digests.ofTeam("T1")).toEqual([]);
    expect(await hintOf(digests, asking("pause 1"), to)).toMatch(/There is no digest 1 here/);
    await say("resume 1", to);
    expect((await saved(to)).state).toBe("active");
  });

  it("is not brought back beside another one that does the same", async () => {
    const to = desk();
    await say("add search gold hourly", to);
    await say("remove 1", to);
    await say("add search gold hourly", to);
    expect(await hintOf(digests, asking("resume 1"), to)).toMatch(/Digest 2 brings the same there already/);
  });

  it("goes on from now when it is resumed, and not from when it was paused", async () => {
    let time = now;
    const to = desk({ now: () => time });
    await say("add search gold every 5 minutes", to);
    await say("pause 1", to);
    time += 3 * day;
    await say("resume 1", to);
    expect((await saved(to)).nextRun).toBe(time + 5 * 60_000);
  });

  it("comes at another time when that is edited", async () => {
    const to = desk();
    await say("add search gold daily", to);
    expect((await say("edit 1 Mondays 8:30 Asia/Tokyo", to)).text).toMatch(
      /^Digest 1 now comes Mondays at 08:30 \(Asia\/Tokyo\)\./,
    );
    expect((await saved(to)).nextRun).toBe(Date.UTC(2026, 10, 22, 23, 30));
    expect(await hintOf(digests, asking("edit 1 sometime"), to)).toMatch(/do not understand when “sometime”/);
  });
});

describe("digests test", () => {
  const reading = (count: number) =>
    desk({
      gateway: {
        search: async (query) => ({
          query,
          articles: Array.from({ length: count }, (_, id) => article({ id, url: `https://news.example.com/${id}` })),
          total: count,
          credits: credits(),
        }),
      },
      intelligence: { entities: async () => new Map() },
    });

  it("shows what would be posted, and writes nothing down", async () => {
    const to = reading(7);
    await say("add search gold daily", to);
    const before = await saved(to);
    const message = await say("test 1", to);
    expect(wordsOf(message)).toContain("_Only you see this: digest 1 would post it now._");
    expect(wordsOf(message)).toContain("the newest 5 of 7 articles");
    expect(message.shareable).toBeUndefined();
    expect(await saved(to)).toEqual(before);
    const one = article({ id: 1, url: "https://news.example.com/1" });
    expect((await to.announced.known(before, [one])).size).toBe(0);
  });

  it("says that nothing would be posted, and what looking cost", async () => {
    const to = reading(0);
    await say("add search gold daily", to);
    const message = await say("test 1", to);
    expect(wordsOf(message)).toBe("Nothing is new, so digest 1 would post nothing now.\n1 credit used, 4,999 left");
  });

  it.each([
    ["pause 1", "is paused", "To resume it, type /digests resume 1.", "Resume"],
    ["mute 1 1w", "is muted until 2026-11-27 09:00 UTC", "To have it come before, type /digests unmute 1.", "Pause"],
    ["remove 1", "is removed", "To bring it back, type /digests resume 1.", "Bring it back"],
  ])("says after `%s` that it does not come now, and what to do about it", async (line, state, hint, button) => {
    const to = reading(7);
    await say("add search gold daily", to);
    await say(line, to);
    expect((await say("test 1", to)).text).toContain(
      `Only you see this: digest 1 ${state}; it would post this.\n${hint}`,
    );
    expect(Object.keys(buttonsOf(await say("test 1", to)))).toContain(button);
    const quiet = { ...to, gateway: reading(0).gateway };
    expect((await say("test 1", quiet)).text).toContain(`digest 1 would post nothing now. It ${state}. ${hint}`);
  });
});

describe("stored subscriptions", () => {
  it("of which one cannot be read leave the others, and their numbers, alone", async () => {
    const records = memory<Digest>();
    const numbers = memory<number>();
    const started = () => desk({ digests: createSubscriptions<Digest>({ records, numbers, isSame, isDue }) });
    const before = started();
    await say("add search one daily", before);
    await say("add search two daily", before);
    await records.delete("T1 1");
    await numbers.delete("T1");
    const to = started();
    await say("add search three daily", to);
    expect((await to.digests.ofTeam("T1")).map(({ number }) => number)).toEqual([2, 3]);
  });

  it("that two people add at once are one", async () => {
    const to = desk();
    await Promise.all([say("add search gold hourly", to), say("add search gold hourly", to, { user: "U2" })]);
    expect(await to.digests.ofTeam("T1")).toHaveLength(1);
  });
});

describe("what is wrong with a digest", () => {
  const at = { api: "gateway", operation: "search" } as const;

  it.each([
    [new UsageError("Today's credits are spent."), "Today's credits are spent."],
    [new OutOfCredits(at), "The credits are used up."],
    [new NotAllowed({ ...at, status: 401 }), "The developer gateway refused our access."],
    [new Unavailable(at), "The developer gateway could not be reached."],
    [new UnexpectedAnswer({ ...at, status: 404, detail: "" }), "The developer gateway does not have it any more."],
    [new UnexpectedAnswer({ ...at, detail: "<html>" }), "The developer gateway answered in a way I cannot read."],
    [new Error("secret"), "Something went wrong on my side."],
  ])("%s is said of its source in words", (error, expected) => {
    expect(sourceProblem(error)).toBe(expected);
  });

  it.each([
    ["is_archived", "The channel is archived."],
    [
      "not_in_channel",
      "I am not in there. In a channel, type `/invite @Bellwether`; a group direct message takes no app later: choose another place with *Change*.",
    ],
    ["restricted_action", "The channel does not let me post."],
    ["user_disabled", "Whoever gets it has left the workspace."],
    ["token_revoked", "Slack no longer accepts my access. An operator should install the app again."],
    ["internal_error", "Slack did not take the last message."],
  ])("%s is said of its place in words", (code, expected) => {
    expect(placeProblem(new SlackRefused("chat.postMessage", code))).toBe(expected);
  });
});

describe("the digests on the bot's own page", () => {
  it("are one's own with their next times, and a way to more", async () => {
    const to = desk();
    expect(wordsOf({ text: "", blocks: ownView([], now) })).toContain("You have no digests yet.");
    for (let index = 1; index <= 7; index++) await say(`add search topic-${index} daily`, to);
    const blocks = ownView(await to.digests.ofTeam("T1"), now);
    expect(wordsOf({ text: "", blocks })).toContain("*topic-5*");
    expect(wordsOf({ text: "", blocks })).toContain("and 2 more");
    expect(buttonsOf({ text: "", blocks })).toEqual({ "Manage digests": "digests list", "New digest": "digests add" });
  });
});
