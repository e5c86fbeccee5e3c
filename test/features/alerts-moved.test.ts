import { describe, expect, it } from "vitest";

import { alerts } from "../../src/features/alerts/commands.ts";
import { SlackRefused } from "../../src/slack/refusal.ts";
import { answerOf, asking, wordsOf } from "../support/builders.ts";
import { desk, titlesOf } from "./alerts-desk.ts";
import { minute, trend } from "./alerts-setting.ts";
import { problemsOf } from "./slack-limits.ts";

const high = { score: 90, mentions: 400 };

/** An alert that has told of somebody in C1, and is taken to C0B. */
async function moved(to = "C0B") {
  const here = desk();
  await here.add();
  await here.later([trend("BASF", { score: 9 })]);
  const move = (place: string) => answerOf(alerts, asking(`edit 1 --in ${place}`), here.services);
  await move(to);
  const [live] = here.stands;
  if (!live) throw new Error("nothing was told");
  return { ...here, live, move };
}

describe("the message of a rise in a channel that its alert has left", () => {
  it("is rewritten once more, to say where it is told now, and never again", async () => {
    const { live, later } = await moved();
    await later([trend("BASF", { score: 10 })]);
    const last = live.edits[0] ?? { text: "" };
    expect(last.text.split("\n")[0]).toBe("BASF is rising");
    expect(last.text).toMatch(/Told in <#C0B> since 2026-11-20 \d\d:\d\d UTC\. Here it stays as it was then\.$/);
    expect(wordsOf(last)).toContain("Told in <#C0B> since");
    // Who is left behind there has no say in it any more.
    expect(last.blocks?.map(({ type }) => type)).not.toContain("actions");
    expect(problemsOf(last).filter((each) => !each.endsWith("with <#C0B>"))).toEqual([]);
    await later([trend("BASF", high)], 10 * minute);
    await later([]);
    expect(live.edits).toHaveLength(1);
  });

  it("does not wait for the next look, nor for a bot that was stopped meanwhile", async () => {
    const here = desk();
    await here.add();
    await here.later([trend("BASF", { score: 9 })]);
    await answerOf(alerts, asking("edit 1 daily at 9:00 --in C0B"), here.services);
    here.restart();
    await here.later([]);
    expect(here.stands[0]?.edits).toHaveLength(1);
    expect((await here.read()).left).toBeUndefined();
  });

  it("names nobody whose direct messages it comes to now", async () => {
    const { live, later } = await moved("me");
    await later([]);
    expect(live.edits[0]?.text).toMatch(/Told in a direct message since .* Here it stays as it was then\.$/);
  });

  it("is tried again where Slack asks to wait, and let be where it cannot be changed", async () => {
    for (const [code, tries] of [
      ["ratelimited", 3],
      ["internal_error", 3],
      ["message_not_found", 1],
      ["is_archived", 1],
      ["not_in_channel", 1],
    ] as const) {
      const { fail, later, read } = await moved();
      let count = 0;
      fail.edit = () => (count++, new SlackRefused("chat.update", code));
      for (let round = 0; round < 3; round++) await later([]);
      expect([code, count]).toEqual([code, tries]);
      delete fail.edit;
      await later([]);
      expect((await read()).left).toBeUndefined();
    }
  });

  it("says so also where several rose at once, and where it moves on before that", async () => {
    const here = desk();
    await here.add();
    await here.later([trend("BASF", { score: 9 }), trend("Shell", { score: 9 })]);
    for (const place of ["C0B", "C0C"]) await answerOf(alerts, asking(`edit 1 --in ${place}`), here.services);
    await here.later([]);
    expect(titlesOf(here.stands)[0]).toBe("2 are rising at once");
    expect(JSON.stringify(here.stands[0]?.edits)).not.toContain('"button"');
    expect(here.stands[0]?.edits.map(({ text }) => /Told in (\S+)/.exec(text)?.[1])).toEqual(["<#C0C>"]);
  });

  it("is left as it is where it says already that the rise is over", async () => {
    const here = desk();
    await here.add();
    await here.later([trend("BASF", { score: 9 })]);
    for (let round = 0; round < 10; round++) await here.later([], 5 * minute);
    const before = here.stands[0]?.edits.length;
    expect(titlesOf(here.stands)[0]).toBe("BASF has cooled");
    await answerOf(alerts, asking("edit 1 --in C0B"), here.services);
    await here.later([]);
    expect(here.stands[0]?.edits).toHaveLength(before ?? -1);
  });

  it("does the same where it was on its way there when its alert moved", async () => {
    const here = desk();
    await here.add();
    here.fail.cut = (to) => {
      if (to.channel === "C1") void answerOf(alerts, asking("edit 1 --in C0B"), here.services);
      return undefined;
    };
    await here.later([trend("BASF", { score: 9 })]);
    await here.later([trend("BASF", { score: 9 })]);
    await here.later([trend("BASF", high)]);
    const [old, ...others] = here.stands;
    expect([old?.to.channel, old?.edits.length]).toEqual(["C1", 1]);
    expect(others.filter(({ to }) => to.channel === "C1" || to.thread)).toEqual([]);
  });

  it("is not sent there any more where its alert moved while it waited for its turn", async () => {
    const here = desk();
    await here.add();
    here.fail.before = () => {
      void answerOf(alerts, asking("edit 1 --in C0B"), here.services);
      delete here.fail.before;
      return new SlackRefused("chat.postMessage", "ratelimited");
    };
    await here.later([trend("BASF", { score: 9 })]);
    for (let round = 0; round < 4; round++) await here.later([trend("BASF", { score: 9 })]);
    expect(new Set(here.stands.map(({ to }) => to.channel))).toEqual(new Set(["C0B"]));
  });
});
