import { describe, expect, it } from "vitest";

import { NotAllowed, UnexpectedAnswer } from "../../src/apis/errors.ts";
import { digests, follow } from "../../src/features/digests/commands.ts";
import { digestForm } from "../../src/features/digests/options.ts";
import { answerOf, article, asking, buttonsOf, credits, hintOf, wordsOf } from "../support/builders.ts";
import { desk, saved, say, slackRefuses } from "./digests-talk.ts";

describe("digests add", () => {
  it.each([
    ["channel 501 every 5 minutes", { kind: "channel", id: 501, name: "Gold wire" }, "*/5 * * * *", "Europe/London"],
    [
      'channel "gold WIRE" weekdays at 9:00 America/New_York',
      { kind: "channel", id: 501, name: "Gold wire" },
      "0 9 * * 1,2,3,4,5",
      "America/New_York",
    ],
    [
      'search "bank of england" Mondays 08:30',
      { kind: "search", query: "bank of england" },
      "30 8 * * 1",
      "Europe/London",
    ],
    [
      'collection "Gold desk" cron "0 7 * * 1-5"',
      { kind: "collection", id: "c-1", name: "Gold desk" },
      "0 7 * * 1-5",
      "Europe/London",
    ],
  ])("%s follows it here, by its maker", async (line, source, pattern, zone) => {
    const to = desk();
    await say(`add ${line}`, to);
    expect(await saved(to)).toMatchObject({ source, schedule: { pattern, zone }, channel: "C1", maker: "U1" });
  });

  it("shows a cron expression whole, also where it is read aloud", async () => {
    const message = await say('add channel 501 cron "0 7 * * 1-5"', desk());
    expect(wordsOf(message)).toContain("\n`cron 0 7 * * 1-5` (Europe/London), in <#C1>");
    expect(message.text).toContain("\ncron 0 7 * * 1-5 (Europe/London), in <#C1>");
  });

  it("confirms what, when, where and by whom, with the next three times and what to do with it", async () => {
    const message = await say("add channel 501 weekdays at 9:00", desk());
    expect(message.text).toBe(
      [
        "Digest 1 is set. The first one brings the newest five articles, from then on only what is new.",
        "Gold wire · saved channel 501",
        "Weekdays at 09:00 (Europe/London), in <#C1>, asked for by you",
        "Next: 2026-11-23 09:00 UTC, 2026-11-24 09:00 UTC, 2026-11-25 09:00 UTC",
      ].join("\n"),
    );
    expect(buttonsOf(message)).toEqual({
      Pause: "digests pause 1",
      Remove: "digests remove 1",
      "Test now": "digests test 1",
      Change: "digests edit 1",
      Undo: "digests remove 1",
    });
    expect(slackRefuses(message)).toEqual([]);
  });

  it("says what it will cost", async () => {
    expect(wordsOf(await say("add search gold every 5 minutes", desk()))).toContain("1 credit, so about 288 a day.");
    expect(wordsOf(await say("add search gold daily", desk()))).toContain("Each run costs 1 credit.");
    expect(wordsOf(await say("add channel 501 every minute", desk()))).not.toContain("credit");
  });

  it("of the same at other times is a second one", async () => {
    const to = desk();
    await say("add channel 501 every 5 minutes", to);
    const second = await say('add channel "Gold wire" weekdays at 9:00 Europe/London compact', to);
    expect(second.text).toMatch(/^Digest 2 is set\./);
  });

  it("of the same in the same place at the same times changes nothing and says so", async () => {
    const to = desk();
    await say('add search "Bank of  England" hourly', to);
    const again = await say("add search bank of england hourly", to, { user: "U2" });
    expect(wordsOf(again)).toContain("Digest 1 brings this there already, so I added nothing.");
    await say("add search bank of england hourly", to, { channel: "C2" });
    expect((await to.digests.ofTeam("T1")).map(({ number, channel }) => [number, channel])).toEqual([
      [1, "C1"],
      [2, "C2"],
    ]);
  });

  it("never gives a number twice, and counts in each workspace for itself", async () => {
    const to = desk();
    await say("add search one daily", to);
    await say("remove 1", to);
    await say("add search two daily", to);
    await say("add search three daily", to, { team: "T2" });
    const numbers = [await to.digests.ofTeam("T1"), await to.digests.ofTeam("T2")];
    expect(numbers.map((all) => all.map(({ number }) => number))).toEqual([[2], [1]]);
  });

  it.each([
    ["D7", undefined, "U1"],
    ["C1", "me", "U1"],
    ["C1", "D0NINE", "U1"],
    ["C1", "C0OTHER", "C0OTHER"],
    ["U1", undefined, "U1"],
  ])("asked in %s for %s goes to %s", async (channel, place, expected) => {
    const to = desk();
    await say(`add search gold daily${place ? ` --in ${place}` : ""}`, to, { channel });
    expect((await saved(to)).channel).toBe(expected);
  });

  it("takes the operator's zone where Slack does not know the reader's, or tells nonsense", async () => {
    for (const zone of [undefined, "Mars/Olympus"]) {
      const to = desk({ people: { timeZone: async () => zone } });
      await say("add search gold daily", to);
      expect((await saved(to)).schedule.zone).toBe("UTC");
    }
  });

  it.each([
    ["add channel Silver daily", /no saved channel “Silver”. There is:\n• Gold wire \(501\)\n• Gold &amp; Co \(502\)/],
    ["add channel Gold daily", /no saved channel “Gold”. There is:/],
    ["add collection Silver daily", /no collection “Silver”. There is:\n• Gold desk \(c-1\)/],
    [`add search ${"a".repeat(501)} daily`, /at most 500 characters/],
    ["add search gold daily --in U0TWO", /only to whoever asks/],
    ["add search gold evry 5 minutes hourly now 9:00", /do not understand when/],
    ["nonsense", /After `\/digests` comes one of `list`, `add`/],
    ["pause", /Which digest\?.*`\/digests pause 2`/],
    ["pause 2 3", /Which digest\?/],
    ["pause 99999999999999999999", /Which digest\?/],
    ["edit", /Which digest\?/],
    ["test 1", /There is no digest 1 here/],
    ["remove 1", /There is no digest 1 here/],
  ])("%s is answered with what to type", async (line, expected) => {
    expect(await hintOf(digests, asking(line), desk())).toMatch(expected);
  });

  it("of a number that the news service does not have says so", async () => {
    const missing = new UnexpectedAnswer({ api: "intelligence", operation: "channel", status: 404, detail: "none" });
    const refused = new NotAllowed({ api: "intelligence", operation: "channel", status: 403 });
    const answering = (error: Error) => desk({ intelligence: { channel: () => Promise.reject(error) } });
    expect(await hintOf(digests, asking("add channel 9 daily"), answering(missing))).toMatch(/no saved channel “9”/);
    await expect(say("add channel 9 daily", answering(refused))).rejects.toBe(refused);
  });

  it("opens a window where nothing or no time is said, and says how to type it where there is none", async () => {
    const to = desk();
    const empty = await say("add", to);
    expect(empty.window).toEqual({ title: "New digest", form: { name: "digest", submit: "Save", state: "" } });
    const known = await say("add channel 501", to);
    expect(known.window?.form?.state).toBe("channel 501");
    const mention = { surface: "mention" } as const;
    expect(await hintOf(digests, asking("add", mention), to)).toMatch(/What should I follow, and when\?/);
    expect(await hintOf(digests, asking("add channel 501", mention), to)).toMatch(
      /`digests add channel 501 weekdays at 9:00`/,
    );
  });
});

describe("the form of a digest", () => {
  const read = (fields: Record<string, string>, state = "") => digestForm.read({ fields, state });

  it("becomes the line that says the same", () => {
    expect(read({ when: "hourly", place: "C9" }, 'search "gold"')).toEqual({
      line: 'digests add search "gold" hourly --in C9',
    });
    expect(read({ kind: "channel", what: "501", when: "daily at 9:00" })).toEqual({
      line: "digests add channel 501 daily at 9:00 --in me",
    });
    expect(read({ kind: "search", what: "gold --in C2", when: "hourly", words: "Mondays 8:30 Asia/Tokyo" })).toEqual({
      line: 'digests add search "gold --in C2" Mondays 8:30 Asia/Tokyo --in me',
    });
  });

  it("says beside the field what is wrong", () => {
    expect(read({ kind: "search", when: "hourly" })).toEqual({ errors: { what: "Say what to look for." } });
    expect(read({ when: "hourly", words: "every 7 minutes" }, "channel 501")).toEqual({
      errors: { words: "An hour has no even parts of 7 minutes. Say every 6 minutes, for example." },
    });
    expect(read({}, "channel 501")).toMatchObject({ errors: { words: expect.stringMatching(/^When should it come/) } });
  });
});

describe("follow", () => {
  it("opens a window for what a list came from", async () => {
    const to = desk();
    const source = { kind: "search", query: '"bank of england" rates' } as const;
    const key = await to.lists.keep({ title: "News", articles: [article()], total: 1, source });
    const message = await answerOf(follow, asking(key, { surface: "button" }), to);
    expect(message.window?.form).toEqual({
      name: "digest",
      submit: "Save",
      state: 'search "\\"bank of england\\" rates"',
    });
    const { line } = digestForm.read({ fields: { when: "hourly" }, state: message.window?.form?.state ?? "" }) as {
      line: string;
    };
    await say(line.replace(/^digests /, ""), to);
    expect((await saved(to)).source).toEqual(source);
  });

  it.each([
    ["channel 501", "channel 501", "*Gold wire*"],
    ["collection c-1", 'collection "c-1"', "*Gold desk*"],
    ["search gold mining", 'search "gold mining"', "*gold mining*"],
  ])("%s opens a window with its name", async (text, state, name) => {
    const collections = async () => ({ collections: [{ id: "c-1", name: "Gold desk" }], credits: credits() });
    const message = await answerOf(follow, asking(text), desk({ gateway: { collections } }));
    expect(message.window?.form?.state).toBe(state);
    expect(wordsOf(message)).toContain(name);
  });

  it("does without the name where that cannot be had", async () => {
    const message = await answerOf(
      follow,
      asking("channel 501"),
      desk({ intelligence: { channel: () => Promise.reject(new Error("no connection")) } }),
    );
    expect(message.window?.form?.state).toBe("channel 501");
  });

  it.each([
    ["6b1f0c52-8f1e-4a57-9a35-0c3c2f1d7e10", "slash", /too old to be followed/],
    ["nonsense", "slash", /Type `\/digests add`/],
    ["channel 501", "mention", /type `digests add channel 501 weekdays at 9:00`/],
  ] as const)("%s, by %s, is answered with what to do", async (text, surface, expected) => {
    expect(await hintOf(follow, asking(text, { surface }), desk())).toMatch(expected);
  });
});
