import { beforeEach, describe, expect, it } from "vitest";

import { bot, withChange } from "../../../src/features/subscriptions/model.ts";
import { wordsOf } from "../../support/answers.ts";
import { now } from "../../support/builders.ts";
import { problemsOf } from "../slack-limits.ts";
import { day, digestDesk } from "../digests/setting.ts";
import { unknownSubcommand } from "../../../src/features/options.ts";

let desk: ReturnType<typeof digestDesk>;
beforeEach(() => {
  desk = digestDesk();
});

describe("the history of a subscription", () => {
  it("lists who changed it and when, the newest first, by names that ping nobody", async () => {
    await desk.say('add search "gold & <!here>" daily');
    desk.state.now += day;
    await desk.say("pause 1", { user: "U2" });
    desk.state.now += day;
    await desk.say("resume 1", { user: "U3" });
    const message = await desk.say("history 1");
    expect(message.text).toBe(
      [
        "History of digest 1",
        "gold &amp; &lt;!here&gt; · digest 1",
        "Created by Name of U1",
        "• 22 Nov, 09:00 UTC · Name of U3 · resumed",
        "• 21 Nov, 09:00 UTC · Name of U2 · paused",
        "• 20 Nov, 09:00 UTC · Name of U1 · added",
        "Shows who created it and the last 40 changes.",
      ].join("\n"),
    );
    expect(message.window).toEqual({ title: "History of digest 1" });
    expect(wordsOf(message)).not.toMatch(/<[@!][^d]/);
    expect(problemsOf(message)).toEqual([]);
  });

  it("keeps its creation for good, and as many changes as one message holds", async () => {
    const digest = await desk.add();
    for (let each = 0; each < 60; each++) {
      const change = { by: each % 2 ? bot : "U2", at: now, type: "edited" as const, question: "Gold & ".repeat(40) };
      await desk.services().digests.update(digest, (current) => withChange(current, change));
    }
    expect((await desk.read()).changed.map(({ type }) => type)).toEqual([
      ...Array.from({ length: 40 }, () => "edited"),
      "added",
    ]);
    const shown = await desk.say("history 1");
    expect(problemsOf(shown)).toEqual([]);
    expect(wordsOf(shown)).toContain("Name of U1 · added");
  });

  it("names the channel that it was moved to, without IDs", async () => {
    await desk.say("add search gold daily");
    await desk.say("edit 1 hourly --compact --in C0B");
    await desk.say("edit 1 --in me");
    const shown = wordsOf(await desk.say("history 1", { channel: "D1" }));
    expect(shown).toMatch(/edited: in a direct message\n.*edited: hourly, --compact, in <#C0B>\n/);
    expect(shown).not.toMatch(/--in|C0B(?!>)/);
  });

  it("ends with a removal that was faster than another change", async () => {
    await desk.add();
    const [, paused] = await Promise.allSettled([desk.say("remove 1"), desk.say("pause 1", { user: "U2" })]);
    expect(paused).toMatchObject({
      status: "rejected",
      reason: { message: expect.stringMatching(/no digest 1 here/) },
    });
    const { state, changed } = await desk.read();
    expect([state, changed[0]?.type]).toEqual(["removed", "removed"]);
  });
});

describe("a list of subscriptions", () => {
  it("begins with the subscriptions of the channel that it’s asked for in", async () => {
    for (const [index, channel] of ["C2", "C1", "U1", "C1"].entries()) {
      await desk.add({ channel, source: { kind: "search", query: `topic-${index}` } });
    }
    const shown = async (channel: string) =>
      [...wordsOf(await desk.say("list", { channel })).matchAll(/^\*(\d)\* ·/gm)].map(([, number]) => Number(number));
    expect(await shown("C1")).toEqual([2, 4, 1, 3]);
    expect(await shown("D1")).toEqual([3, 1, 2, 4]);
  });
});

describe("resuming a subscription of a lost channel", () => {
  it.each([
    ["archived", "archived", "<#C1> is still archived. When it’s back, this resumes by itself."],
    [
      "removed",
      "closed",
      "I still can’t post in <#C1>. In a channel, type `/invite @Bellwether`. I can’t be added to a group direct message: choose another place with *Edit*. Once I can, this resumes by itself.",
    ],
    ["removed", "joined", undefined],
    ["removed", undefined, undefined],
  ] as const)("works only if the channel is back: it was %s and is %s", async (unreachable, found, refusal) => {
    desk = digestDesk({ slackChannels: { stateOf: async () => found } });
    await desk.add();
    await desk.update({ state: "paused", unreachable });
    const answer = await desk.say("resume 1").then(() => undefined, String);
    expect([answer, (await desk.read()).state]).toEqual(
      refusal ? [`UsageError: ${refusal}`, "paused"] : [undefined, "active"],
    );
  });
});

describe("an act that there is none of", () => {
  const about = { noun: "feed", verbs: ["list", "pause", "remove"], usage: "`/feeds add gold daily`" };

  it("is answered with what there is, and with what was meant where that is near", () => {
    expect(unknownSubcommand("puase", about).message).toBe(
      "Did you mean `/feeds pause`? `/feeds` takes `list`, `pause`, `remove`.",
    );
    expect(unknownSubcommand("nonsense", about).message).toBe(
      "`/feeds` takes `list`, `pause`, `remove`. To add one, type `/feeds add gold daily`.",
    );
  });
});
