import { describe, expect, it } from "vitest";

import type { Alert } from "../../../../src/features/alerts/alert.ts";
import type { Incident } from "../../../../src/features/alerts/detect/incident.ts";
import { shortId } from "../../../../src/features/alerts/messages/buttons.ts";
import { incidentMessage, replyMessage } from "../../../../src/features/alerts/messages/incident.ts";
import { severalMessage } from "../../../../src/features/alerts/messages/several.ts";
import { alertCard, alertEntry, alertsView } from "../../../../src/features/alerts/view.ts";
import type { Message } from "../../../../src/slack/text/message.ts";
import { buttonsOf, moreOf, wordsOf } from "../../../support/answers.ts";
import { article, now } from "../../../support/builders.ts";
import { heightOf, slackRefuses } from "../../slack-limits.ts";
import { alert, hour, incident, minute } from "../setting.ts";
import type { Figures } from "../../../../src/features/sources/samples.ts";

const figures = (about: Partial<Figures> = {}): Figures => ({ ...incident().last, ...about });
const history = Array.from({ length: 40 }, (_, index) =>
  figures({ at: now - (40 - index) * 15 * minute, mentions: index }),
);
const list = {
  title: "Northwind Energy",
  articles: [1, 2, 3, 4].map((id) =>
    article({ id, title: `Story ${id}`, source: `Outlet ${id}`, published: now - id * hour }),
  ),
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
  const message = incidentMessage({ now, alert: alert(), incident: incident(), list, key: "key-1", history });

  it("says who and how much in its title, and the numbers below, without a score, an ID or a ping", () => {
    const words = wordsOf(message);
    expect(words).toMatch(/^🔺 Northwind Energy: coverage 4.4× normal\n/);
    expect(words).toMatch(/\n31 articles, normally 7 · 4 outlets · began <!date[^>]*>$/m);
    expect(words).not.toMatch(/score|<@|Alert 1/i);
    expect(slackRefuses(message)).toEqual([]);
    expect(slackRefuses({ ...message, blocks: message.fallbackBlocks ?? [] })).toEqual([]);
    expect(heightOf(message)).toBeLessThan(40);
  });

  it("gives the reason that most headlines agree on", () => {
    const titles = ["Northwind Energy cuts its profit forecast", "Profit forecast of Northwind cut by a third", "Else"];
    const agreeing = { ...list, articles: titles.map((title, id) => article({ id, title })) };
    const agreed = incidentMessage({ now, alert: alert(), incident: incident(), list: agreeing, history });
    expect(wordsOf(agreed)).toContain("4.4× normal · cuts its profit forecast\n");
    expect(wordsOf(message)).toContain("4.4× normal\n");
  });

  it("shows its course as a picture, and in words for clients without pictures and screen readers", () => {
    const types = (blocks: Message["blocks"] = []) => blocks.map(({ type }): string => type);
    expect(types(message.blocks)).toContain("data_visualization");
    expect(types(message.fallbackBlocks)).not.toContain("data_visualization");
    const course = /^Rose from \d+ at .* to 39 at .*; normal is 7$/m;
    expect(wordsOf({ ...message, blocks: message.fallbackBlocks ?? [] })).toMatch(course);
    expect(message.text).toMatch(course);
  });

  it("leads with three articles, and says all of it in its text", () => {
    expect(wordsOf(message)).toMatch(/• <[^>]*\|Story 3> · Outlet 3 · <!date[^>]*\|3 h ago>/);
    expect(wordsOf(message)).not.toContain("Story 4");
    expect(message.text).toMatch(/^Northwind Energy: coverage 4.4 times normal\n31 articles,/);
    expect(message.text).toContain("Story 3 · Outlet 3 · 3 h ago");
  });

  it("leads with no article that is older than the spike by a day, unless it has no other", () => {
    const published = [now - hour, now - 30 * hour, now - 40 * hour];
    const articles = published.map((at, id) => article({ id, title: `Story ${id}`, published: at }));
    const storiesIn = (all: typeof articles) =>
      wordsOf(
        incidentMessage({ now, alert: alert(), incident: incident(), list: { ...list, articles: all }, history }),
      ).match(/Story \d/g);
    expect(storiesIn(articles)).toEqual(["Story 0"]);
    expect(storiesIn(articles.slice(1))).toEqual(["Story 1"]);
  });

  it("has Ask and Mute in one row, and the other actions in its menu", () => {
    const ref = shortId("company|northwind energy");
    expect(buttonsOf(message)).toEqual({ "Ask why": "about key-1 Why is Northwind Energy in the news now?" });
    expect(moreOf(message)).toEqual({
      Handled: `alerts done ${ref} --alert 1`,
      Summarise: expect.stringMatching(/^sum key-1 \d+$/),
      "All articles": "list key-1 1",
      "Why this alert": `alerts why ${ref} --alert 1`,
      "Edit alert": "alerts edit 1",
    });
    expect(JSON.stringify(message.blocks)).toContain(`alerts mute ${ref} 1h --alert 1`);
    expect(message.blocks?.filter(({ type }) => type === "actions")).toHaveLength(1);
    expect(buttonsOf(shown())["Ask why"]).toBe("ask Why is Northwind Energy in the news now?");
    expect(Object.keys(moreOf(shown())).toSorted()).toEqual(["Edit alert", "Handled", "Why this alert"]);
  });

  it.each<[string, Partial<Incident>, RegExp, RegExp]>([
    [
      "firing",
      { state: "firing" },
      /^🔺 Northwind Energy: coverage 4.4× normal$/m,
      /^31 articles, .* · peak 60 articles at .* · began/m,
    ],
    ["escalated", { state: "escalated" }, /^🔺 .*: coverage 4.4× normal$/m, /· began <!date/],
    [
      "resolved",
      { state: "resolved" },
      /^✅ .*: back to normal \(peak 60 articles, 8.6×\)$/m,
      /^Spiked for 5 min, from <!date[^>]*> to <!date[^>]*> · normally 7$/m,
    ],
    ["there already", { predatesAlert: true }, /^🔺 /m, /· already trending when the alert was set, <!date[^>]*>$/m],
    [
      "not reported yet",
      { state: "pending" },
      /^Northwind Energy: coverage/m,
      /first seen <!date[^>]*>, not reported yet/,
    ],
  ])("says at a glance and in words that it is %s, and since when", (_, about, headline, course) => {
    const words = wordsOf(shown({ ...about, peak: figures({ mentions: 60 }) }));
    expect(words).toMatch(headline);
    expect(words).toMatch(course);
  });

  it("says growing only as long as it does", () => {
    const grown = (mentions: number) => wordsOf(shown({ state: "escalated", peak: figures({ mentions }) }));
    expect(grown(31)).toMatch(/^🔺 .*: coverage 4.4× normal and growing$/m);
    expect(grown(60)).not.toContain("growing");
  });

  it.each<[string, Partial<Figures>, string]>([
    ["a baseline that is not whole as a range", { average: 2.4 }, "12× normal\n29 articles, normally 2–3"],
    ["a large one without decimals", { average: 11.4 }, ", normally 11"],
    ["no baseline", { average: undefined }, "Northwind Energy: coverage spike\n29 articles ·"],
    ["a baseline of nothing", { average: 0 }, "coverage spike\n29 articles, normally none ·"],
    ["a single article", { mentions: 1 }, "\n1 article"],
  ])("says %s", (_, about, expected) => {
    expect(wordsOf(shown({ last: figures({ mentions: 29, ...about }), peak: figures({ mentions: 0 }) }))).toContain(
      expected,
    );
  });

  it("gives the day if the time alone would mislead", () => {
    const words = wordsOf(shown({ state: "resolved", since: now - 30 * hour, changedAt: now }));
    expect(words).toMatch(/from <!date\^\d+\^{date_short}, {time}/);
  });

  it("says until when its name is muted, and offers to unmute it", () => {
    const mute = { entity: incident().entity, name: "Northwind Energy", by: "U1", at: now };
    const muted = shown({}, { mutes: [mute] });
    expect(wordsOf(muted)).toContain("Muted forever");
    expect(buttonsOf(muted)["Unmute"]).toBe(`alerts unmute ${shortId(mute.entity)} --alert 1`);
    expect(JSON.stringify(muted.blocks)).not.toContain("alerts mute");
  });
});

describe("any name from upstream", () => {
  it.each([nasty, "", "🚀".repeat(90), "\ud800"])("%j can neither ping nor break a message", (name) => {
    const strange = incident({ name, type: name, entity: name });
    const one = alert({ options: { type: name, include: [name], exclude: [name] } });
    const strangeList = { ...list, articles: [1, 2].map((id) => article({ id, title: name, source: name })) };
    const articles = new Map([[strange.entity, strangeList]]);
    const messages = [
      incidentMessage({ now, alert: one, incident: strange, history, list: strangeList, key: "k" }),
      severalMessage({ now, alert: one, incidents: [strange, strange], more: 3, articles }),
      severalMessage({ alert: one, incidents: [strange], more: 0, isBrief: true, now }),
      replyMessage([strange], "resolved"),
      replyMessage([strange], "reopened"),
      alertCard(one, "Set.", { user: "U1", now }),
      alertsView([one], 1, { user: "U1", now }),
      { text: "own", blocks: [alertEntry(one, now)] },
    ];
    for (const message of messages) expect(slackRefuses(message)).toEqual([]);
  });

  it.each([1e300, -1e300, 1e-300, Number.NaN])("is said within limits with the number %d", (number) => {
    const wild = figures({ mentions: number, average: number, score: number });
    const strange = incident({ last: wild, peak: wild });
    for (const state of ["firing", "escalated", "resolved"] as const) {
      const message = incidentMessage({
        now,
        alert: alert(),
        incident: { ...strange, state },
        history: [wild, wild, wild],
      });
      expect(slackRefuses(message)).toEqual([]);
      expect(message.text.length).toBeLessThan(400);
    }
  });
});

describe("the message about several incidents", () => {
  const [first] = many;
  const message = severalMessage({
    now,
    alert: alert(),
    incidents: many,
    more: 3,
    articles: new Map([[first?.entity ?? "", list]]),
  });

  it("names them in its title, has a line and a headline each, and counts those that have no room", () => {
    const words = wordsOf(message);
    expect(words).toMatch(/^🔺 15 spikes: Name 0, Name 1, Name 2, Name 3 and 11 more$/m);
    expect(words).toMatch(/🔺 \*Name 0\* · coverage 4.4× normal · 31 articles, normally 7[^\n]*\n<[^>]*\|Story 1>/);
    expect(words).not.toContain("Story 2");
    expect(words).toContain("+7 more");
    expect(words).not.toContain("Name 8");
    expect(slackRefuses(message)).toEqual([]);
  });

  it("has room for the longest names, addresses and headlines", () => {
    const incidents = many.map((each) => ({ ...each, name: "Wörd & <b> ".repeat(40) }));
    const url = `https://news.example.com/?q=${"&x".repeat(900)}`;
    const long = {
      ...list,
      articles: [article({ id: 1, title: "Headline & more ".repeat(30), source: "Out & let ".repeat(9), url })],
    };
    const mutes = incidents.map(({ entity, name }) => ({ entity, name, by: "U1", at: now, until: now + hour }));
    const articles = new Map(incidents.map(({ entity }) => [entity, long]));
    for (const one of [alert(), alert({ mutes })]) {
      expect(slackRefuses(severalMessage({ now, alert: one, incidents, more: 999, articles }))).toEqual([]);
    }
    const three = { ...long, articles: Array.from({ length: 3 }, () => long.articles[0] ?? article()) };
    expect(
      slackRefuses(incidentMessage({ now, alert: alert(), incident: incident(), list: three, key: "k", history })),
    ).toEqual([]);
  });

  it("has a menu to ask about, mute, explain and take each", () => {
    const ref = shortId("company|name 0");
    expect(moreOf(message)).toMatchObject({
      "Take Name 0": `alerts take ${ref}`,
      "Ask why": "ask Why is Name 0 in the news now?",
      "Mute for a day": `alerts mute ${ref} 1d --alert 1`,
      "Handled: Name 0": `alerts done ${ref}`,
      "Why, articles and chart": `alerts why ${ref} --alert 1`,
    });
    expect(Object.values(buttonsOf(message))).toEqual(["alerts open", "alerts edit 1"]);
    const mutes = many.map(({ entity, name }) => ({ entity, name, by: "U1", at: now }));
    const muted = moreOf(severalMessage({ now, alert: alert({ mutes }), incidents: many, more: 0 }));
    expect(muted["Unmute"]).toBe(`alerts unmute ${ref} --alert 1`);
    expect(muted).not.toHaveProperty("Mute for a day");
  });

  it("says the state of each, and of all", () => {
    const words = (incidents: Incident[]) => wordsOf(severalMessage({ now, alert: alert(), incidents, more: 0 }));
    expect(words(resolved(many.slice(0, 3)))).toMatch(/^✅ 3 spikes back to normal: Name 0, Name 1, Name 2$/m);
    const further = many.slice(0, 2).map((each) => ({ ...each, state: "escalated" as const }));
    expect(words(further)).toMatch(/^🔺 2 spikes growing: Name 0, Name 1$/m);
    const mixed = words([...resolved(many.slice(0, 3)), ...many.slice(5, 6)]);
    expect(mixed).toMatch(/^🔺 4 spikes: .* · 3 back to normal$/m);
    expect(mixed).toMatch(/✅ \*Name 0\* · back to normal at <!date[^]*> · peak 31 articles, 4.4×[^]*🔺 \*Name 5\*/);
  });
});

describe("the brief after quiet hours", () => {
  const quiet = alert({ options: { quietHours: { from: "22:00", to: "07:00" } } });
  const words = (incidents: Incident[]) =>
    wordsOf(severalMessage({ alert: quiet, incidents, more: 0, isBrief: true, now }));

  it("says what spiked and whether it still does", () => {
    const incidents = [...many.slice(0, 2), ...resolved(many.slice(2, 3))];
    expect(words(incidents)).toContain(
      "🔺 3 spikes during quiet hours (22:00–07:00): Name 0, Name 1, Name 2 · 2 still above normal",
    );
    expect(words(incidents)).toMatch(/✅ \*Name 2\* · back to normal/);
    expect(words(incidents.slice(2))).toMatch(/^✅ 1 spike during .*: Name 2 · all back to normal/);
  });
});

describe("a reply in a thread", () => {
  it.each([
    [
      "escalated",
      { state: "escalated" },
      /^Northwind Energy: coverage 4.4 times normal and growing\n31 articles, normally 7$/,
    ],
    [
      "resolved",
      { state: "resolved" },
      /^Northwind Energy: back to normal at .* \(peak 31 articles, 4.4 times normal\)\nSpiked/,
    ],
    ["reopened", { state: "firing" }, /^Northwind Energy: spiking again at .*, 4.4 times normal\n31 articles,/],
  ] as const)("says in two lines that it %s", (event, about, expected) => {
    expect(replyMessage([incident(about)], event).text).toMatch(expected);
  });
});
