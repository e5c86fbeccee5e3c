import { describe, expect, it } from "vitest";

import { alertCard, alertsView } from "../../../src/features/alerts/view.ts";
import { buttonsOf, wordsOf } from "../../support/answers.ts";
import { now } from "../../support/builders.ts";
import { alert, hour, minute } from "./setting.ts";
import { slackRefuses } from "../slack-limits.ts";

describe("the card of an alert", () => {
  const viewer = { user: "U1", now };

  it("says what is watched, where, when next and by which numbers, with what can be done", () => {
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
    expect(words).toContain("Every minute, in <#C1>, asked for by you");
    expect(words.match(/Next: (<!date[^>]*>(, )?){3}/)).not.toBeNull();
    expect(words).toContain("Never: BASF, A, B, C, D and 2 more");
    expect(words).toContain("Quiet from 22:00 to 07:00 (UTC)");
    expect(words).toMatch(/Muted: X \(until <!date[^>]*>\)$/m);
    expect(words).toContain("In the last days: few.");
    expect(Object.keys(buttonsOf(message))).toEqual(["Test now", "Change", "Pause", "Remove"]);
    expect(slackRefuses(message)).toEqual([]);
  });
});

describe("the list of alerts", () => {
  it("says when each looked, what is rising, what it posted and what waits", () => {
    const pending = [{ key: "k", since: now, tries: 0, kind: "firing" as const, entities: [], more: 0 }];
    const all = [
      alert({ nextRun: now + 60_000 }),
      alert({ number: 2, last: { at: now, open: 4, postedAt: now }, pending, problem: "The channel is archived." }),
      alert({ number: 3, state: "paused", changed: [{ by: "U2", at: now, what: "paused" }] }),
      alert({ number: 4 }),
    ];
    const names = new Map([
      ["U1", "Ana"],
      ["U2", "<!channel> Ben"],
    ]);
    const words = wordsOf(alertsView(all, 1, { user: "U1", now, names }));
    expect(words).toContain("Has not looked yet\nNext <!date");
    expect(words).toMatch(/4 rising, newest message <!date[^>]*>\n1 message waiting to be posted/);
    expect(words).toContain(":warning: The channel is archived.");
    expect(words).toContain("Paused by &lt;!channel&gt; Ben");
    expect(words).toContain("4 alerts · page 1 of 2");
    expect(buttonsOf(alertsView(all, 2, { user: "U1", now }))).toMatchObject({ Previous: "alerts list 1" });
    const forAll = alertsView(all, 1, { now, names });
    expect(wordsOf(forAll)).toContain("asked for by Ana");
    expect(buttonsOf(forAll)).toMatchObject({ "My alerts": "alerts list" });
  });
});
