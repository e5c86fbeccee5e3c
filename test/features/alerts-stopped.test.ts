import { describe, expect, it } from "vitest";

import { alerts } from "../../src/features/alerts/commands.ts";
import { SlackRefused } from "../../src/slack/refusal.ts";
import { answerOf, asking, wordsOf } from "../support/builders.ts";
import { desk, titlesOf } from "./alerts-desk.ts";
import { minute, trend } from "./alerts-setting.ts";
import { problemsOf } from "./slack-limits.ts";

const basf = trend("BASF", { score: 9 });

/** An alert that has told of somebody, and a line that is said about it then. */
async function told(...trends: ReturnType<typeof trend>[]) {
  const here = desk();
  await here.add();
  await here.later(trends.length > 0 ? trends : [basf]);
  const say = (line: string) => answerOf(alerts, asking(line), here.services);
  const [live] = here.stands;
  if (!live) throw new Error("nothing was told");
  return { ...here, live, say, later: here.later };
}

const stopped = /Not followed since 2026-11-20 \d\d:\d\d UTC: alert 1 (is paused|was removed)\.$/;

describe("the message of a rise whose alert follows it no more", () => {
  it.each(["pause", "remove"])("is rewritten once within a minute to say so: %s", async (verb) => {
    const { say, later, live } = await told();
    await say(`${verb} 1`);
    await later([trend("BASF", { score: 90, mentions: 400 })]);
    const [last = { text: "" }] = live.edits;
    expect(last.text).toMatch(/^BASF was rising\n/);
    expect(last.text).toMatch(stopped);
    expect(wordsOf(last)).toContain(verb === "pause" ? "alert 1 is paused" : "alert 1 was removed");
    // What was to be done about the alert is done; about the story one may still ask.
    expect(JSON.stringify(last.blocks).match(/"text":"(Ask about this|Why\?|Change|Mute)"/g)).toEqual([
      '"text":"Ask about this"',
    ]);
    expect(problemsOf(last)).toEqual([]);
    for (let round = 0; round < 5; round++) await later([], 10 * minute);
    expect(live.edits).toHaveLength(1);
  });

  it("is rewritten also by a bot that was stopped meanwhile, and not again by the next one", async () => {
    const here = await told();
    await here.say("pause 1");
    here.restart();
    await here.later([]);
    here.restart();
    await here.later([]);
    expect(here.live.edits).toHaveLength(1);
  });

  it("goes on in place when the alert is resumed", async () => {
    const { say, later, live, stands } = await told();
    await say("pause 1");
    await later([basf]);
    await say("resume 1");
    await later([basf]);
    await later([basf]);
    expect(titlesOf(stands)[0]).toBe("BASF is still rising");
    expect(live.edits.at(-1)?.text).not.toMatch(/Not followed/);
    expect(JSON.stringify(live.edits.at(-1))).toContain("Mute");
  });

  it("says that it has cooled when it has while nobody followed it", async () => {
    const { say, later, stands } = await told();
    await say("pause 1");
    await later([]);
    await say("resume 1");
    for (let round = 0; round < 10; round++) await later([], 5 * minute);
    expect(titlesOf(stands)[0]).toBe("BASF has cooled");
  });

  it("says so where several rose at once", async () => {
    const { say, later, live } = await told(basf, trend("Shell", { score: 9 }));
    await say("remove 1");
    await later([]);
    expect(live.edits.map(({ text }) => text.split("\n")[0])).toEqual(["2 rose at once"]);
    expect(live.edits[0]?.text).toMatch(stopped);
    expect(JSON.stringify(live.edits)).not.toContain('"button"');
  });

  it("is let be where it says already that the rise is over, or is only paused for an instant", async () => {
    const { say, later, live, stands } = await told();
    await say("pause 1");
    await say("resume 1");
    await later([basf]);
    expect(live.edits.filter(({ text }) => text.includes("Not followed"))).toEqual([]);
    for (let round = 0; round < 10; round++) await later([], 5 * minute);
    expect(titlesOf(stands)[0]).toBe("BASF has cooled");
    const before = live.edits.length;
    await say("remove 1");
    await later([]);
    expect(live.edits).toHaveLength(before);
  });

  it("is tried again where Slack asks to wait, and given up where it cannot be changed", async () => {
    for (const [code, tries] of [
      ["ratelimited", 3],
      ["internal_error", 3],
      ["message_not_found", 1],
      ["is_archived", 1],
      ["channel_not_found", 1],
    ] as const) {
      const { fail, say, later } = await told();
      await say("remove 1");
      let count = 0;
      fail.edit = () => (count++, new SlackRefused("chat.update", code));
      for (let round = 0; round < 3; round++) await later([]);
      expect([code, count]).toEqual([code, tries]);
    }
  });

  it("says what is so again where its channel was lost and is back", async () => {
    const { fail, later, live, stands, read, services } = await told();
    fail.edit = () => new SlackRefused("chat.update", "is_archived");
    await services.alerts.update(await read(), (current) => ({ ...current, state: "paused", stranded: "archived" }));
    await later([basf]);
    delete fail.edit;
    await services.alerts.update(await read(), (current) => ({ ...current, state: "active", stranded: undefined }));
    await later([basf]);
    expect(live.edits).toHaveLength(1);
    expect(titlesOf(stands)[0]).toBe("BASF is still rising");
  });

  it("is rewritten for the last time where its alert was taken elsewhere and paused at once", async () => {
    const { say, later, live } = await told();
    await say("edit 1 --in C0B");
    await say("pause 1");
    await later([]);
    expect(live.edits.map(({ text }) => text)).toEqual([
      expect.stringMatching(/Told in <#C0B> since .*as it was then\.$/),
    ]);
  });
});
