import { describe, expect, it } from "vitest";

import { newPost } from "../../../src/slack/delivery/outbox.ts";
import { alertCard, alertsView } from "../../../src/features/alerts/view.ts";
import { buttonsOf, wordsOf } from "../../support/answers.ts";
import { now } from "../../support/builders.ts";
import { alert, hour, minute } from "./setting.ts";
import { deskWith, say } from "./talk.ts";
import { slackRefuses } from "../slack-limits.ts";

describe("the card of an alert", () => {
  const viewer = { user: "U1", now };

  it("says what is watched, where, when next and by which thresholds, with what can be done", () => {
    const one = alert({
      options: {
        type: "Company",
        exclude: ["BASF", "A", "B", "C", "D", "E", "F"],
        quietHours: { from: "22:00", to: "07:00" },
      },
      mutes: [
        { entity: "company|x", name: "X", by: "U1", at: now, until: now + hour },
        { entity: "company|y", name: "Y", by: "U1", at: now - hour, until: now - minute },
      ],
    });
    const message = alertCard(one, "Alert 1 is set.", viewer, "In the last days: few.");
    const words = wordsOf(message);
    expect(words).toContain("*Trending: Company* · balanced");
    expect(words).toContain("Every minute, in <#C1>, created by you");
    expect(words.match(/Next: (<!date[^>]*>(, )?){3}/)).not.toBeNull();
    expect(words).toContain("Never: BASF, A, B, C, D and 2 more");
    expect(words).toContain("Quiet hours 22:00–07:00 (UTC)");
    expect(words).toContain("Fires at 4+ mentions and 2× normal, on 2 checks in a row.");
    expect(words).toMatch(/Muted: X \(until <!date[^>]*>\)$/m);
    expect(words).toContain("In the last days: few.");
    expect(Object.keys(buttonsOf(message))).toEqual(["Test now", "Edit", "Pause", "Remove"]);
    expect(slackRefuses(message)).toEqual([]);
  });
});

describe("people on the list of alerts", () => {
  it("are called by name also if a mute came after their edit, and by no ID where Slack doesn’t say their name", async () => {
    const to = await deskWith("company hourly", { channel: "C1" });
    const people = {
      ...to.people,
      name: async (_: string, user: string) => (user === "U3" ? user : `Name of ${user}`),
    };
    const named = { ...to, people };
    await say("edit 1 eager", named, { user: "U2" });
    await say("mute Northwind Energy 1d", named, { user: "U1" });
    expect((await say("list", named, { surface: "mention" })).text).toMatch(/last edited by Name of U2/);
    await say("edit 1 quiet", named, { user: "U3" });
    const { text } = await say("list", named, { surface: "mention" });
    expect(text).toContain("last edited by somebody");
    expect(text).not.toContain("U3");
  });
});

describe("the list of alerts", () => {
  it("says when each last checked, what it found and posted, and what waits", () => {
    const content = { kind: "firing" as const, entities: [], more: 0 };
    const posts = [newPost({ key: "k", since: now, content })];
    const all = [
      alert({ nextRun: now + 60_000 }),
      alert({ number: 2, last: { at: now, open: 4, postedAt: now }, posts, problem: "The channel is archived." }),
      alert({ number: 3, state: "paused", changed: [{ by: "U2", at: now, type: "paused" }] }),
      ...[4, 5, 6].map((number) => alert({ number })),
    ];
    const names = new Map([
      ["U1", "Ana"],
      ["U2", "<!channel> Ben"],
    ]);
    const words = wordsOf(alertsView(all, 1, { user: "U1", now, names }));
    expect(words).toContain("Not checked yet\nNext <!date");
    expect(words).toMatch(/Last check <!date[^>]*>: 4 spikes; last post <!date[^>]*>\n1 message waiting to be posted/);
    expect(words).toContain(":warning: The channel is archived.");
    expect(words).toContain("Paused by &lt;!channel&gt; Ben");
    expect(words).toContain("6 alerts · page 1 of 2");
    expect(buttonsOf(alertsView(all, 2, { user: "U1", now }))).toMatchObject({ Previous: "alerts list 1" });
    const forAll = alertsView(all, 1, { now, names });
    expect(wordsOf(forAll)).toContain("created by Ana");
    expect(buttonsOf(forAll)).toMatchObject({ "My alerts": "alerts list" });
  });
});
