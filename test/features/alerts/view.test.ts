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
    const message = alertCard(one, "Alert 1 is set.", viewer, ["In the last days: few."]);
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

describe("the list of alerts", () => {
  it("takes two lines an alert: what fired, whose it is, what keeps it quiet and what waits", () => {
    const content = { kind: "firing" as const, entities: [], more: 0 };
    const posts = [newPost({ key: "k", since: now, content })];
    const quietHours = { from: "22:00", to: "07:00" };
    const mutes = [{ entity: "company|x", name: "X", by: "U1", at: now, until: now + hour }];
    const all = [
      alert({ options: { type: "Company", quietHours }, mutes }),
      alert({ number: 2, last: { at: now, open: 4, postedAt: now }, posts, problem: "The channel is archived." }),
      alert({ number: 3, owner: "U2", state: "paused", changed: [{ by: "U2", at: now, type: "paused" }] }),
      alert({ number: 4, channel: "U1", last: { at: now, open: 0 } }),
      ...[5, 6, 7, 8, 9, 10, 11].map((number) => alert({ number })),
    ];
    const names = new Map([["U2", "<!channel> Ben"]]);
    const message = alertsView(all, 1, { user: "U1", now, names });
    expect(message.text.split("\n").slice(0, 10)).toEqual([
      "Alerts of this channel and yours",
      "11 alerts · page 1 of 2",
      "1 · Trending: Company · balanced · every minute · not checked yet",
      "<#C1> · by you · quiet 22:00–07:00 · 1 muted",
      "2 · Everything trending · balanced · every minute · fired 09:00 UTC, 4 open",
      ":warning: The channel is archived. · 1 message waiting to be posted",
      "3 · Everything trending · balanced · every minute · paused by &lt;!channel&gt; Ben",
      "<#C1> · by &lt;!channel&gt; Ben",
      "4 · Everything trending · balanced · every minute · not fired yet",
      "direct message · by you",
    ]);
    expect(slackRefuses(message)).toEqual([]);
    expect(buttonsOf(alertsView(all, 2, { user: "U1", now }))).toMatchObject({ Previous: "alerts list 1" });
  });

  it("calls people by their names, and by no ID if Slack doesn’t say one", async () => {
    const to = await deskWith("company hourly", { channel: "C1" });
    const named = { ...to, people: { ...to.people, name: async (_: string, user: string) => user } };
    const { text } = await say("list", named, { user: "U2" });
    expect(text).toContain("by somebody");
    expect(text).not.toContain("U1");
  });
});
