import { describe, expect, it } from "vitest";

import type { Alert, Episode } from "../../src/features/alerts/alert.ts";
import { alerts } from "../../src/features/alerts/commands.ts";
import { refOf } from "../../src/features/alerts/rule/mute.ts";
import type { Message, Services } from "../../src/features/feature.ts";
import { asking, buttonsOf, hintOf, now, wordsOf } from "../support/builders.ts";
import { settled } from "../support/clock.ts";
import { hour, sample, trend } from "./alerts-setting.ts";
import { desk, saved, say } from "./alerts-talk.ts";

const entity = "company|northwind energy";
const ref = refOf(entity);

/** An alert that has told of Northwind Energy, and everything that was edited since. */
async function told(about: Partial<Episode> = {}) {
  const edits: Message[] = [];
  const clock = { now };
  const to: Services = desk(undefined, {
    now: () => clock.now,
    edit: async (_team, _posted, message) => void edits.push(message),
  });
  await say("add company hourly", to);
  const figures = { at: now, mentions: 12, average: 4, score: 4 };
  const posted = { channel: "C1", ts: "1.0" };
  const episode: Episode = {
    entity,
    name: "Northwind Energy",
    type: "Company",
    state: "new",
    since: now,
    streak: 0,
    changedAt: now,
    told: figures,
    peak: figures,
    last: figures,
    posted,
    shown: { state: "new", at: now, figures, more: 0 },
    ...about,
  };
  await to.alerts.update({ team: "T1", number: 1 }, (current: Alert) => ({ ...current, episodes: [episode] }));
  return { to, edits, clock };
}

describe("alerts mute", () => {
  it("is for whoever reads them, also where admins alone decide what comes", async () => {
    const { to } = await told();
    const strict: Services = { ...to, subscribing: "admins", people: { ...to.people, isAdmin: async () => false } };
    const own = { user: "U2", channel: "C1" };
    expect((await say(`mute ${ref} 1h --alert 1`, strict, own)).text).toContain("is muted until");
    expect((await saved(to)).changed[0]).toMatchObject({ by: "U2", what: "muted Northwind Energy for an hour" });
    expect((await say(`unmute ${ref} --alert 1`, strict, own)).text).toContain("is told of again");
    expect(await hintOf(alerts, asking("edit 1 eager", own), strict)).toContain("admins alone");
    const outside = { ...strict, places: { ...to.places, isIn: async () => false } };
    const far = asking(`mute ${ref} 1h --alert 1`, { user: "U3", channel: "D3" });
    expect(await hintOf(alerts, far, outside)).toContain("There is no alert 1 here");
  });

  it.each([
    [`${ref} 1h --alert 1`, now + hour, "for an hour"],
    ["Northwind Energy", now + 24 * hour, "for a day"],
    ['"northwind energy" for a week', now + 7 * 24 * hour, "for a week"],
    ["Northwind Energy for good", undefined, "for good"],
  ])("%s is done and written down", async (text, until, words) => {
    const { to } = await told();
    const message = await say(`mute ${text}`, to);
    const { mutes, changed } = await saved(to);
    const isAlone = text.includes("--alert") && { isAlone: true };
    expect(mutes).toEqual([
      { entity, name: "Northwind Energy", by: "U1", at: now, ...(until && { until }), ...isAlone },
    ]);
    expect(changed[0]).toMatchObject({ by: "U1", what: `muted Northwind Energy ${words}` });
    const scope = isAlone ? "in alert 1 alone." : "in alert 1 and in any that is added there later.";
    expect(message.text).toMatch(/^Northwind Energy is muted (until .*|for good), in alert 1/);
    expect(message.text.endsWith(scope)).toBe(true);
    expect(buttonsOf(message)).toEqual({ Undo: `alerts unmute ${ref} --alert 1` });
  });

  it("rewrites the message that told of it, and unmute does so again", async () => {
    const { to, edits } = await told();
    await say(`mute ${ref} 1h`, to);
    await settled();
    expect(wordsOf(edits.at(-1) ?? { text: "" })).toMatch(/Muted until <!date/);
    expect((await say(`unmute ${ref}`, to)).text).toBe(
      "Northwind Energy is told of again, when it next rises, in alert 1.",
    );
    await settled();
    expect(edits).toHaveLength(2);
    expect(wordsOf(edits.at(-1) ?? { text: "" })).not.toContain("Muted");
    expect((await saved(to)).mutes).toEqual([]);
  });

  it("from the menu asks whether for good is meant, and offers less", async () => {
    const { to } = await told();
    const message = await say(`mute ${ref} for good --alert 1`, to, { surface: "button" });
    expect((await saved(to)).mutes).toEqual([]);
    expect(buttonsOf(message)).toEqual({
      "Mute for good": `alerts mute ${ref} for good --alert 1 --sure`,
      "A week will do": `alerts mute ${ref} 1w --alert 1`,
    });
    const sure = buttonsOf(message)["Mute for good"]?.replace("alerts ", "") ?? "";
    await say(sure, to, { surface: "button" });
    expect((await saved(to)).mutes).toHaveLength(1);
  });

  it("holds for the entity in all alerts that come to the place", async () => {
    const { to } = await told();
    await say("add all hourly", to);
    expect((await say("mute Northwind Energy 1h", to)).text).toMatch(
      /in alerts 1, 2 and in any that is added there later\.$/,
    );
    expect((await saved(to, 2)).mutes).toHaveLength(1);
    await say("unmute Northwind Energy", to);
    expect((await saved(to, 2)).mutes).toEqual([]);
  });

  it("from a message holds for all that comes to its place, also for what is added there later, and for nothing else", async () => {
    const { to } = await told();
    await say("add all hourly", to);
    await say("add all hourly --in C0B", to);
    expect((await say(`mute ${ref} 1w --alert 1`, to, { surface: "button" })).text).toMatch(
      /in alerts 1, 2 and in any/,
    );
    await say("add person hourly", to);
    await say("add topic hourly", to);
    const mutedIn = async (number: number) => (await saved(to, number)).mutes.map(({ name }) => name);
    expect(await mutedIn(4)).toEqual(["Northwind Energy"]);
    expect(await mutedIn(3)).toEqual([]);
    expect((await say("list", to)).text).toContain("Muted there, also in later alerts: Northwind Energy");
    await say(`unmute ${ref} --alert 1`, to, { surface: "button" });
    expect(await mutedIn(4)).toEqual([]);
    await say("mute Alba Steel 1w", to, { channel: "C0B" });
    await say("edit 4 --in C0B", to);
    expect(await mutedIn(4)).toEqual(["Alba Steel"]);
  });

  it("holds in a place also once all its alerts were removed and another is added", async () => {
    const { to } = await told();
    await say("mute Northwind Energy for good", to);
    await say("remove 1", to);
    await say("add all hourly", to);
    expect((await saved(to, 2)).mutes).toMatchObject([{ entity }]);
    await say("unmute Northwind Energy", to);
    await say("remove 2", to);
    await say("add person hourly", to);
    expect((await saved(to, 3)).mutes).toEqual([]);
  });

  it("goes with its alert to another place, without spreading there; one of an alert alone spreads nowhere", async () => {
    const { to } = await told();
    await say(`mute ${ref} 1w --alert 1`, to);
    await say("mute Alba Steel 1w", to);
    await say("edit 1 --in C0B", to);
    await say("add all hourly --in C0B", to);
    expect((await saved(to)).mutes).toMatchObject([{ isAlone: true }, { isAlone: true }]);
    expect((await saved(to, 2)).mutes).toEqual([]);
    expect((await say("list", to, { channel: "C0B" })).text).toContain("Muted in this alert alone: Northwind Energy");
  });

  it("said anew counts instead of what was said before, and forgets what is over", async () => {
    const { to, clock } = await told();
    await say("mute Alba Steel 1h", to);
    await say("mute Northwind Energy for good", to);
    clock.now = now + 2 * hour;
    await say("mute Northwind Energy 1h", to);
    expect((await saved(to)).mutes).toMatchObject([{ entity, until: now + 3 * hour }]);
  });

  it("can be said of a name that has never trended, where the alert watches one type", async () => {
    const { to } = await told();
    await say("mute Volkswagen 1w", to);
    expect((await saved(to)).mutes).toMatchObject([{ entity: "company|volkswagen", name: "Volkswagen" }]);
  });

  it("cannot be said of a page of text", async () => {
    const to = desk([]);
    await say("add company hourly", to);
    await expect(say(`mute ${"x".repeat(500)}`, to)).rejects.toThrow(/has not trended lately/);
  });

  it("says of an unknown name what it may have been, and of no name what to type", async () => {
    const to = desk([sample(now, [trend("Northwind Energy"), trend("Northwind Rail")])]);
    await say("add all hourly", to);
    expect(await hintOf(alerts, asking("mute Northwind 1h"), to)).toBe(
      "“Northwind” has not trended lately; names are spelt as in `/trending`. Did you mean `Northwind Energy`, `Northwind Rail`?",
    );
    expect(await hintOf(alerts, asking("mute"), to)).toMatch(/Whom should I mute\?/);
    expect(await hintOf(alerts, asking("unmute"), to)).toMatch(/Whom\?/);
  });

  it("of one who is not muted has nothing to end", async () => {
    const { to } = await told();
    expect((await say("unmute Northwind Energy", to)).text).toBe("Northwind Energy is not muted, in alert 1.");
    expect((await saved(to)).changed.map(({ what }) => what)).toEqual(["added"]);
  });
});
