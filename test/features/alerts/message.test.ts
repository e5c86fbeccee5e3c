import { describe, expect, it } from "vitest";

import type { Alert } from "../../../src/features/alerts/alert.ts";
import type { Figures, Incident } from "../../../src/features/alerts/incident.ts";
import {
  briefMessage,
  chartOf,
  incidentMessage,
  refOf,
  replyMessage,
  severalMessage,
} from "../../../src/features/alerts/message.ts";
import { alertCard, alertsView, ownAlertsView } from "../../../src/features/alerts/view.ts";
import type { Message } from "../../../src/slack/text/message.ts";
import { buttonsOf, wordsOf } from "../../support/answers.ts";
import { article, now } from "../../support/builders.ts";
import { heightOf, slackRefuses } from "../slack-limits.ts";
import { alert, hour, incident, minute } from "./setting.ts";

const figures = (about: Partial<Figures> = {}): Figures => ({ ...incident().last, ...about });
const history = Array.from({ length: 40 }, (_, index) =>
  figures({ at: now - (40 - index) * 15 * minute, mentions: index }),
);
const list = {
  title: "Northwind Energy",
  articles: [1, 2, 3, 4].map((id) => article({ id, title: `Story ${id}` })),
  total: 4,
};
const many = Array.from({ length: 12 }, (_, index) =>
  incident({ entity: `company|name ${index}`, name: `Name ${index}`, type: "Company" }),
);
const resolved = (all: Incident[]) => all.map((each) => ({ ...each, state: "resolved" as const }));
const nasty = "<!channel> *x* & <https://evil.example|bank> \u202e" + "long ".repeat(60);

/** A message about one incident, of which a test says only what matters. */
const shown = (about: Partial<Incident> = {}, one: Partial<Alert> = {}) =>
  incidentMessage({ now, alert: alert(one), incident: incident(about), history: [] });

describe("the message about one incident", () => {
  const message = incidentMessage({
    now,
    alert: alert(),
    incident: incident(),
    list,
    key: "key-1",
    history,
    by: "Ana",
  });

  it("says how much, since when, by which rule, and who wanted to know, without a ping", () => {
    const words = wordsOf(message);
    expect(words).toContain("Northwind Energy is rising");
    expect(words).toMatch(/^Company · rising since <!date[^>]*>\n31 mentions · 4.4× normal$/m);
    expect(words).toContain(
      "Why: *balanced* asks for score 3, 4 mentions and 2× usual, 2 times in a row; from score 6 once is enough.",
    );
    expect(words).toContain("Alert 1 · looks every minute · asked for by Ana");
    expect(words).not.toContain("<@");
    expect(slackRefuses(message)).toEqual([]);
    expect(slackRefuses({ ...message, blocks: message.instead ?? [] })).toEqual([]);
    expect(heightOf(message)).toBeLessThan(40);
  });

  it("shows its course as a picture, with the same in words where there is none and for who listens", () => {
    const types = (blocks: Message["blocks"] = []) => blocks.map(({ type }): string => type);
    expect(types(message.blocks)).toContain("data_visualization");
    expect(types(message.instead)).not.toContain("data_visualization");
    expect(wordsOf({ ...message, blocks: message.instead ?? [] })).toMatch(/Mentions from .* \(UTC\): 0, 4, .*, 39/);
    expect(message.text).toMatch(/Mentions from .* \(UTC\): 0, 4, .*, 39/);
  });

  it("leads with three articles, and says all of it in its text", () => {
    expect(wordsOf(message)).toContain("|Story 3>");
    expect(wordsOf(message)).not.toContain("Story 4");
    for (const part of ["is rising", "4.4 times normal", "Story 3", "balanced asks for score 3", "Ana"]) {
      expect(message.text).toContain(part);
    }
  });

  it("can be asked about, muted, changed and explained", () => {
    const ref = refOf("company|northwind energy");
    expect(buttonsOf(message)).toEqual({
      "Ask about this": "about key-1 Why is Northwind Energy in the news now?",
      Change: "alerts edit 1",
      "Why?": `alerts why ${ref} --alert 1`,
    });
    expect(JSON.stringify(message.blocks)).toContain(`alerts mute ${ref} 1h --alert 1`);
    expect(buttonsOf(shown())["Ask about this"]).toBe("ask Why is Northwind Energy in the news now?");
  });

  it.each<[string, Partial<Incident>, RegExp, RegExp]>([
    ["firing", { state: "firing" }, /is rising$/m, /· rising since/],
    ["escalated", { state: "escalated" }, /is rising further$/m, /· rising further since .*\n.*\nRose <!date/],
    ["resolved", { state: "resolved" }, /has cooled$/m, /· over since .*\n.*\nRose .*, at most 60 mentions/],
    ["left alone", { state: "resolved", unwatchedSince: now }, /is no longer watched$/m, /· not watched since <!date/],
    ["there already", { wasThere: true }, /is rising$/m, /· trending already when watching began <!date/],
  ])("says in words that it is %s, and since when", (_, about, headline, course) => {
    const words = wordsOf(shown({ ...about, peak: figures({ mentions: 60 }) }));
    expect(words).toMatch(headline);
    expect(words).toMatch(course);
  });

  it("that is muted says until when, and offers to end that", () => {
    const mute = { entity: incident().entity, name: "Northwind Energy", by: "U1", at: now };
    const muted = shown({}, { mutes: [mute] });
    expect(wordsOf(muted)).toContain("Muted for good");
    expect(buttonsOf(muted)["Unmute"]).toBe(`alerts unmute ${refOf(mute.entity)} --alert 1`);
    expect(JSON.stringify(muted.blocks)).not.toContain("alerts mute");
  });
});

describe("whatever upstream names it", () => {
  it.each([nasty, "", "🚀".repeat(90), "\ud800"])("%j can neither ping nor break a message", (name) => {
    const strange = incident({ name, type: name, entity: name });
    const one = alert({ options: { type: name, include: [name], exclude: [name] } });
    const messages = [
      incidentMessage({ now, alert: one, incident: strange, history, by: name, list, key: "k" }),
      severalMessage({ now, alert: one, incidents: [strange, strange], more: 3, by: name }),
      briefMessage({ alert: one, incidents: [strange], now }),
      replyMessage([strange], "resolved"),
      alertCard(one, "Set.", { user: "U1", now }),
      alertsView([one], 1, { user: "U1", now }),
      { text: "own", blocks: ownAlertsView([one], now) },
    ];
    for (const message of messages) expect(slackRefuses(message)).toEqual([]);
  });
});

describe("the message about several incidents", () => {
  it("has a way to look closer at each, and counts those that have no room", () => {
    const message = severalMessage({ now, alert: alert(), incidents: many, more: 3, by: "Ana" });
    expect(wordsOf(message)).toContain("15 are rising at once");
    expect(wordsOf(message)).toContain("+7 more");
    expect(JSON.stringify(message.blocks)).toContain(`alerts show ${refOf("company|name 7")} --alert 1`);
    expect(wordsOf(message)).not.toContain("Name 8");
    expect(buttonsOf(message)).toEqual({ "Show all": "alerts now 1", Change: "alerts edit 1" });
    expect(slackRefuses(message)).toEqual([]);
  });

  it("says what has become of each, and of all", () => {
    const words = (incidents: Incident[]) => wordsOf(severalMessage({ now, alert: alert(), incidents, more: 0 }));
    expect(words(resolved(many.slice(0, 3)))).toContain("3 rose at once, and have cooled");
    const further = many.slice(0, 2).map((each) => ({ ...each, state: "escalated" as const }));
    expect(words(further)).toContain("2 are rising further");
    const mixed = words([...resolved(many.slice(0, 3)), ...many.slice(5, 6)]);
    expect(mixed).toMatch(/4 rose at once[^]*Over since[^]*Rising since/);
  });
});

describe("the brief after quiet hours", () => {
  const quiet = alert({ options: { quietHours: { from: "22:00", to: "07:00" } } });
  const words = (incidents: Incident[], about: Partial<Alert> = {}) =>
    wordsOf(briefMessage({ alert: { ...quiet, ...about }, incidents, now }));

  it("says what rose and whether it still holds", () => {
    const incidents = [...many.slice(0, 2), ...resolved(many.slice(2, 3))];
    expect(words(incidents)).toContain("While it was quiet from 22:00 to 07:00: 3 rose, 2 still rising");
    expect(words(incidents)).toMatch(/Over since/);
    expect(words(incidents.slice(2))).toContain("1 rose, none is rising now");
  });

  it("says when somebody last looked, where that was a while ago", () => {
    const last = { at: now - 7 * hour, open: 1 };
    const later = words(many.slice(0, 2), { last, nextRun: now + 5 * hour });
    expect(later).toContain("2 rose, 2 still rising at the last look");
    expect(later).toMatch(/Last look <!date[^>]*>, next <!date[^>]*>\./);
    const failing = words(resolved(many.slice(0, 1)), { last, nextRun: now - hour });
    expect(failing).toContain("1 rose, none was rising at the last look");
    expect(failing).not.toContain("next");
  });
});

describe("a reply in a thread", () => {
  it.each([
    ["escalated", /^Northwind Energy is rising further since .*\n31 mentions · 4.4 times normal$/],
    ["resolved", /^Northwind Energy has cooled .*\nRose .*\nAt most 31 mentions/],
    ["reopened", /^Northwind Energy is rising again since .*\n31 mentions/],
  ] as const)("says in one line that it %s", (event, expected) => {
    expect(replyMessage([incident()], event).text).toMatch(expected);
  });
});

describe("the picture of an entity", () => {
  it("keeps the newest point, has few enough for a phone, and says times in the alert's zone", () => {
    const { picture } = chartOf(history, "Asia/Tokyo");
    const [{ chart }] = picture as unknown as [{ chart: { axis_config: { categories: string[] } } }];
    expect(chart.axis_config.categories).toHaveLength(12);
    expect(chart.axis_config.categories.at(-1)).toBe("17:45");
    const long = [figures({ at: now - 50 * hour }), figures()];
    expect(chartOf(long, "UTC").words[0]).toMatch(/^Mentions from 18 Nov, 07:00 to 20 Nov, 09:00 \(UTC\): 31, 31$/);
  });

  it("of what has just come up sets it beside what is usual", () => {
    const { picture, words } = chartOf([figures()], "UTC");
    expect(JSON.stringify(picture)).toMatch(/"type":"bar".*"label":"Usually","value":7.*"label":"Now","value":31/);
    expect(words).toEqual([]);
  });

  it("is none where there is nothing to compare", () => {
    expect(chartOf([], "UTC")).toEqual({ picture: [], words: [] });
    expect(chartOf([{ at: now, mentions: 5 }], "UTC")).toEqual({ picture: [], words: [] });
  });
});
