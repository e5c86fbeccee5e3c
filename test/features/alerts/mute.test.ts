import { describe, expect, it } from "vitest";

import { alerts } from "../../../src/features/alerts/commands.ts";
import { shortId } from "../../../src/features/alerts/messages/buttons.ts";
import { failureView } from "../../../src/features/failure.ts";
import type { Message } from "../../../src/features/feature.ts";
import { buttonsOf, hintOf, wordsOf } from "../../support/answers.ts";
import { asking, entity, now } from "../../support/builders.ts";
import { settled } from "../../support/clock.ts";
import { hour, incident, report, sample, trend } from "./setting.ts";
import { type AlertDesk, desk, saved, say } from "./talk.ts";

const key = incident().entity;
const ref = shortId(key);

/** An alert that has reported Northwind Energy, and everything that was edited since. */
async function reported() {
  const edits: Message[] = [];
  const clock = { now };
  const to: AlertDesk = desk(undefined, {
    now: () => clock.now,
    edit: async (_team, _posted, message) => void edits.push(message),
  });
  await say("add company hourly", to);
  const one = incident({ post: "1.0" });
  const posts = [{ ...report("1.0", one.entity), shown: { state: "", figures: "", at: now } }];
  await to.alerts.update({ team: "T1", number: 1 }, (current) => ({ ...current, incidents: [one], posts }));
  return { to, edits, clock };
}

const mutedIn = async (to: AlertDesk, number: number) => (await saved(to, number)).mutes.map(({ name }) => name);

describe("alerts mute", () => {
  it.each([
    [`${ref} 1h --alert 1`, now + hour],
    ["Northwind Energy", now + 24 * hour],
    ['"northwind energy" for a week', now + 7 * 24 * hour],
    ["Northwind Energy for good", undefined],
    ["Northwind Energy until Monday 9:00", Date.parse("2026-11-23T09:00:00Z")],
  ])("%s is done and written down", async (text, until) => {
    const { to } = await reported();
    const message = await say(`mute ${text}`, to);
    const { mutes, changed } = await saved(to);
    expect(mutes).toEqual([{ entity: key, name: "Northwind Energy", by: "U1", at: now, until }]);
    expect(changed[0]).toMatchObject({ by: "U1", type: "muted", name: "Northwind Energy", until });
    expect(message.text).toMatch(/^Northwind Energy is muted (until .*|forever), in alert 1\.$/);
    expect(buttonsOf(message)).toEqual({ Undo: `alerts unmute ${ref} --alert 1` });
  });

  it("is for every reader, also if only admins may change alerts", async () => {
    const { to } = await reported();
    const strict: AlertDesk = {
      ...to,
      subscribing: "admins",
      people: { ...to.people, isAdmin: async () => false },
    };
    const own = { user: "U2", channel: "C1" };
    expect((await say(`mute ${ref} 1h --alert 1`, strict, own)).text).toContain("is muted until");
    expect((await say(`unmute ${ref} --alert 1`, strict, own)).text).toContain("is unmuted");
    expect(await hintOf(alerts, asking("edit 1 eager", own), strict)).toContain("only admins");
    const outside = { ...strict, slackChannels: { ...to.slackChannels, isIn: async () => false } };
    const far = asking(`mute ${ref} 1h --alert 1`, { user: "U3", channel: "D3" });
    expect(await hintOf(alerts, far, outside)).toContain("no alert 1 here");
  });

  it("edits the message that reported the name, and so does unmute", async () => {
    const { to, edits } = await reported();
    await say(`mute ${ref} 1h`, to);
    await settled();
    expect(wordsOf(edits.at(-1) ?? { text: "" })).toMatch(/Muted until <!date/);
    expect((await say(`unmute ${ref}`, to)).text).toBe(
      "Northwind Energy is unmuted. Alert 1 will report its next spike.",
    );
    await settled();
    expect(edits).toHaveLength(2);
    expect(wordsOf(edits.at(-1) ?? { text: "" })).not.toContain("Muted");
    expect((await saved(to)).mutes).toEqual([]);
  });

  it("by a name or from a message holds in all alerts that come to the channel; by a number in that one alone", async () => {
    const { to } = await reported();
    await say("add all hourly", to);
    await say("add all hourly --in C0B", to);
    expect((await say("mute Northwind Energy 1h", to)).text).toMatch(/in alerts 1 and 2\.$/);
    await say("unmute Northwind Energy", to);
    expect(await mutedIn(to, 2)).toEqual([]);
    expect((await say(`mute ${ref} 1w --alert 1`, to, { surface: "button" })).text).toMatch(/in alerts 1 and 2\.$/);
    await say(`unmute ${ref} --alert 1`, to, { surface: "button" });
    await say(`mute ${ref} 1w --alert 2`, to);
    expect([await mutedIn(to, 1), await mutedIn(to, 2), await mutedIn(to, 3)]).toEqual([[], ["Northwind Energy"], []]);
    expect((await say("list", to)).text).toContain("1 muted");
  });

  it("replaces an earlier mute, and forgets those that are over", async () => {
    const { to, clock } = await reported();
    await say("mute Alba Steel 1h", to);
    await say("mute Northwind Energy for good", to);
    clock.now = now + 2 * hour;
    await say("mute Northwind Energy 1h", to);
    expect((await saved(to)).mutes).toMatchObject([{ entity: key, until: now + 3 * hour }]);
  });

  it("is refused for an unknown name, also if the alert has just been added", async () => {
    const { to } = await reported();
    expect(await hintOf(alerts, asking("mute Bananarama 1w"), to)).toMatch(/^I haven’t seen “Bananarama” trending\./);
    await expect(say(`mute ${"x".repeat(500)}`, to)).rejects.toThrow(/haven’t seen/);
    expect((await saved(to)).mutes).toEqual([]);
  });

  it("takes a name that hasn’t trended if the alert is limited to it, or the news service knows it", async () => {
    const { to } = await reported();
    await say("edit 1 include Volkswagen,BASF", to);
    await say("mute Volkswagen 1w", to);
    expect((await saved(to)).mutes).toMatchObject([{ entity: "company|volkswagen", name: "Volkswagen" }]);
    const known: AlertDesk = {
      ...to,
      directory: {
        ...to.directory,
        search: (name) => ({ match: entity({ name: "Shell", typeName: "Company" }), near: [], name }),
      },
    };
    await expect(say("mute shell 1w", known)).rejects.toThrow(/No alert here watches “Shell”/);
    await say("add all hourly", to);
    await say("mute shel 1w", known);
    expect(await mutedIn(to, 1)).toEqual(["Volkswagen"]);
    expect((await saved(to, 2)).mutes).toMatchObject([{ entity: "company|shell", name: "Shell" }]);
  });

  it("with a duration that can’t be read mutes nothing, and offers the name alone", async () => {
    const { to } = await reported();
    const hint = await hintOf(alerts, asking("mute Northwind Energy 5 years"), to);
    expect(hint).toMatch(/trending`\. Did you mean `Northwind Energy`\?$/);
    expect((await saved(to)).mutes).toEqual([]);
  });

  it("of a menu whose name nobody knows any more shows no code", async () => {
    const { to } = await reported();
    const hint = await hintOf(alerts, asking("mute #74kfamfi 1h --alert 1"), to);
    expect(hint).toMatch(/isn’t trending any more/);
    expect(hint).not.toContain("#74");
  });

  it("says of an unknown name what it may have been, and of no name what to type", async () => {
    const to = desk([sample(now, [trend("Northwind Energy"), trend("Northwind Rail")])]);
    await say("add all hourly", to);
    expect(await hintOf(alerts, asking("mute Nothwind Enery 1h"), to)).toContain("Did you mean `Northwind Energy`");
    expect(await hintOf(alerts, asking("mute"), to)).toMatch(/Which name\?/);
    expect(await hintOf(alerts, asking("unmute"), to)).toMatch(/Which name\?/);
  });

  it("takes the beginning of a name, and asks which one if there are two", async () => {
    const to = desk([sample(now, [trend("Northwind Energy"), trend("Northwind Rail"), trend("Alba Steel")])]);
    await say("add all hourly", to);
    await say("mute alba until Monday", to);
    expect(await mutedIn(to, 1)).toEqual(["Alba Steel"]);
    await say("unmute steel", to);
    expect(await mutedIn(to, 1)).toEqual([]);
    const error = await say("mute Northwind 2h", to).catch((caught: unknown) => caught);
    const asked = { line: "alerts mute Northwind 2h", user: "U1" };
    const reply = failureView(error, { now, configured: to.configured }, undefined, asked);
    expect(reply.text).toBe("Which “Northwind”?");
    expect(buttonsOf(reply)).toEqual({
      "Northwind Energy": 'alerts mute "Northwind Energy" 2h',
      "Northwind Rail": 'alerts mute "Northwind Rail" 2h',
    });
    await say((buttonsOf(reply)["Northwind Rail"] ?? "").replace("alerts ", ""), to);
    expect(await mutedIn(to, 1)).toEqual(["Northwind Rail"]);
  });

  it("names a company once that two alerts know by another key, and leaves out alerts that don’t watch it", async () => {
    const to = desk([sample(now, [trend("Alba Steel"), trend("Alba Steel", { type: "Topic" })])]);
    await say("add company hourly", to);
    await say("add topic hourly", to);
    await say("add people hourly", to);
    expect((await say("mute Alba Steel 1w", to)).text).toMatch(/^Alba Steel is muted until .*, in alerts 1 and 2\.$/);
    expect(await mutedIn(to, 3)).toEqual([]);
    expect((await saved(to, 1)).mutes.map(({ entity: muted }) => muted)).toEqual(["company|alba steel"]);
    expect((await say("unmute Alba Steel", to)).text).toMatch(/ Alerts 1 and 2 will report its next spike\.$/);
  });

  it("of an entity that is not muted has nothing to end", async () => {
    const { to } = await reported();
    expect((await say("unmute Northwind Energy", to)).text).toBe("Northwind Energy isn’t muted in alert 1.");
    expect((await saved(to)).changed.map(({ type }) => type)).toEqual(["added"]);
  });
});
