import { describe, expect, it } from "vitest";

import type { Episode, Figures } from "../../src/features/alerts/alert.ts";
import { alertCard, alertsView } from "../../src/features/alerts/card.ts";
import { chartOf, chartWords } from "../../src/features/alerts/post/chart.ts";
import { refOf } from "../../src/features/alerts/rule/mute.ts";
import {
  alertView,
  baselineView,
  briefView,
  ownView,
  severalView,
  threadLines,
} from "../../src/features/alerts/view.ts";
import type { Message } from "../../src/slack/text/message.ts";
import { article, buttonsOf, now, wordsOf } from "../support/builders.ts";
import { alert, hour, minute } from "./alerts-setting.ts";
import { slackRefuses } from "./alerts-talk.ts";
import { heightOf } from "./slack-limits.ts";

const figures = (about: Partial<Figures> = {}): Figures => ({
  at: now,
  mentions: 31,
  average: 7,
  score: 4.2,
  ...about,
});

function episode(about: Partial<Episode> = {}): Episode {
  return {
    entity: "company|northwind energy",
    name: "Northwind Energy",
    type: "Company",
    state: "new",
    since: now - 10 * minute,
    streak: 0,
    changedAt: now - 5 * minute,
    peak: figures(),
    last: figures(),
    ...about,
  };
}

const history = Array.from({ length: 40 }, (_, index) =>
  figures({ at: now - (40 - index) * 15 * minute, mentions: index }),
);
const list = {
  title: "Northwind Energy",
  articles: [1, 2, 3, 4].map((id) => article({ id, title: `Story ${id}` })),
  total: 4,
};
const many = Array.from({ length: 12 }, (_, index) =>
  episode({ entity: `company|name ${index}`, name: `Name ${index}`, type: "Company" }),
);
const nasty = "<!channel> *x* & <https://evil.example|bank> \u202e" + "long ".repeat(60);

describe("an alert", () => {
  const message = alertView({ now, alert: alert(), episode: episode(), list, key: "key-1", history, by: "Ana" });

  it("says how much, since when, by which rule, and who wanted to know, without calling anybody", () => {
    const words = wordsOf(message);
    expect(words).toContain("Northwind Energy is rising");
    expect(words).toMatch(/^Company · rising since <!date[^>]*>\n31 mentions · 4.4× usual 7 · score 4.2$/m);
    expect(words).toContain(
      "Why: *balanced* asks for score 3, 4 mentions and 2× usual, 2 times in a row; from score 6 once is enough.",
    );
    expect(words).toContain("Alert 1 · looks every minute · asked for by Ana");
    expect(words).not.toContain("<@");
    expect(slackRefuses(message)).toEqual([]);
    expect(slackRefuses({ ...message, blocks: message.instead ?? [] })).toEqual([]);
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
    for (const part of [
      "Northwind Energy is rising",
      "4.4 times the usual 7",
      "Story 3",
      "balanced asks for score 3",
      "Ana",
    ]) {
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
    expect(buttonsOf(alertView({ now, alert: alert(), episode: episode(), history: [] }))["Ask about this"]).toBe(
      "ask Why is Northwind Energy in the news now?",
    );
  });

  it("is short enough for a phone", () => {
    expect(heightOf(message)).toBeLessThan(40);
  });

  it.each([
    ["new", /is rising$/m, /· rising since/],
    ["continuing", /is still rising$/m, /· still rising, since/],
    ["escalated", /is rising further$/m, /· rising further since .*\n.*\nRose <!date/],
    ["cooling", /is cooling$/m, /· cooling since .*\n.*\nRose .*, at most 60 mentions/],
    ["cooled", /has cooled$/m, /· over since .*\n.*\nRose .*, at most 60 mentions/],
  ] as const)("says in words that it is %s, and since when", (state, headline, course) => {
    const shown = alertView({
      now,
      alert: alert(),
      episode: episode({ state, peak: figures({ mentions: 60 }) }),
      history: [],
    });
    expect(wordsOf(shown)).toMatch(headline);
    expect(wordsOf(shown)).toMatch(course);
  });

  it("says that it was trending already when watching began", () => {
    const baseline = { at: now, entities: [episode().entity] };
    const found = episode({ state: "continuing", since: now + 300 });
    expect(wordsOf(alertView({ now, alert: alert({ baseline }), episode: found, history: [] }))).toMatch(
      /· trending already when watching began <!date/,
    );
    const again = { ...found, since: now + hour };
    expect(wordsOf(alertView({ now, alert: alert({ baseline }), episode: again, history: [] }))).toContain(
      "still rising",
    );
  });

  it("that is muted says until when, and offers to end that", () => {
    const mute = { entity: episode().entity, name: "Northwind Energy", by: "U1", at: now };
    const shown = alertView({ now, alert: alert({ mutes: [mute] }), episode: episode(), history: [] });
    expect(wordsOf(shown)).toContain("Muted for good");
    expect(buttonsOf(shown)["Unmute"]).toBe(`alerts unmute ${refOf(mute.entity)} --alert 1`);
    expect(JSON.stringify(shown.blocks)).not.toContain("alerts mute");
  });

  it("leaves out figures that the service does not give", () => {
    const bare = { at: now, mentions: 5 };
    const shown = alertView({
      now,
      alert: alert(),
      episode: episode({ last: bare, peak: bare, type: "" }),
      history: [bare],
    });
    expect(wordsOf(shown)).toContain("\n5 mentions\n");
    expect(slackRefuses(shown)).toEqual([]);
  });
});

describe("whatever upstream names it", () => {
  it.each([nasty, "", "🚀".repeat(90), "\ud800"])("%j can neither ping nor break a message", (name) => {
    const strange = episode({ name, type: name, entity: name });
    const one = alert({ filter: { type: name, include: [name], exclude: [name] } });
    const shown = [
      alertView({ now, alert: one, episode: strange, history, by: name, list, key: "k" }),
      severalView({ now, alert: one, episodes: [strange, strange], more: 3, by: name }),
      briefView({ alert: one, episodes: [strange], now }),
      baselineView({ alert: one, count: 3 }),
      threadLines([strange], "cooled"),
      alertCard(one, "Set.", { user: "U1", now }),
      alertsView([one], 1, { user: "U1", now }),
      { text: "own", blocks: ownView([one], now) },
    ];
    for (const message of shown) expect(slackRefuses(message)).toEqual([]);
  });
});

describe("several at once", () => {
  it("are one message, each with a way to look closer, and count what has no room", () => {
    const message = severalView({ now, alert: alert(), episodes: many, more: 3, by: "Ana" });
    expect(wordsOf(message)).toContain("15 are rising at once");
    expect(wordsOf(message)).toContain("+7 more");
    expect(JSON.stringify(message.blocks)).toContain(`alerts show ${refOf("company|name 7")} --alert 1`);
    expect(wordsOf(message)).not.toContain("Name 8");
    expect(buttonsOf(message)).toEqual({ "Show all": "alerts now 1", Change: "alerts edit 1" });
    expect(slackRefuses(message)).toEqual([]);
  });

  it("say what has become of each, and of all", () => {
    const cooled = many.slice(0, 3).map((each) => ({ ...each, state: "cooled" as const }));
    expect(wordsOf(severalView({ now, alert: alert(), episodes: cooled, more: 0 }))).toContain(
      "3 rose at once, and have cooled",
    );
    const further = many.slice(0, 2).map((each) => ({ ...each, state: "escalated" as const }));
    expect(wordsOf(severalView({ now, alert: alert(), episodes: further, more: 0 }))).toContain("2 are rising further");
    const mixed = severalView({ now, alert: alert(), episodes: [...cooled, ...many.slice(5, 6)], more: 0 });
    expect(wordsOf(mixed)).toMatch(/4 rose at once[^]*Over since[^]*Rising since/);
  });
});

describe("after quiet hours", () => {
  it("a brief says what rose and whether it still holds", () => {
    const quiet = alert({ quietHours: { from: "22:00", to: "07:00" } });
    const episodes = [...many.slice(0, 2), { ...episode(), state: "cooled" as const }];
    const message = briefView({ alert: quiet, episodes, now });
    expect(wordsOf(message)).toContain("While it was quiet from 22:00 to 07:00: 3 rose, 2 still rising");
    expect(message.text).toMatch(/Over since/);
    const over = briefView({ alert: quiet, episodes: episodes.slice(2), now });
    expect(wordsOf(over)).toContain("1 rose, none is rising now");
  });

  it("a brief of what was seen a while ago says when that was", () => {
    const hours = { quietHours: { from: "22:00", to: "07:00" }, last: { at: now - 7 * hour, rising: 1 } };
    const quiet = alert({ ...hours, nextRun: now + 5 * hour });
    const words = wordsOf(briefView({ alert: quiet, episodes: many.slice(0, 2), now }));
    expect(words).toContain("2 rose, 2 still rising at the last look");
    expect(words).toMatch(/Last look <!date[^>]*>, next <!date[^>]*>\./);
    const failing = wordsOf(
      briefView({ alert: { ...quiet, nextRun: now - hour }, episodes: [{ ...episode(), state: "cooled" }], now }),
    );
    expect(failing).toContain("1 rose, none was rising at the last look");
    expect(failing).not.toContain("next");
  });
});

describe("the first look", () => {
  it("says what is not told of, and how to see it", () => {
    const message = baselineView({ alert: alert(), count: 14 });
    expect(message.text).toMatch(/^Watching from now. 14 already trending: those are not told./);
    expect(buttonsOf(message)).toEqual({ "Show them": "alerts now 1", Change: "alerts edit 1" });
    expect(buttonsOf(baselineView({ alert: alert(), count: 0 }))).toEqual({ Change: "alerts edit 1" });
  });
});

describe("the history in a thread", () => {
  it.each([
    ["escalated", /^Northwind Energy is rising further since .*\n31 mentions · 4.4 times the usual 7 · score 4.2$/],
    ["cooled", /^Northwind Energy has cooled .*\nRose .*\nAt most 31 mentions/],
    ["back", /^Northwind Energy is rising again since .*\n31 mentions/],
  ] as const)("tells in one line that it %s", (kind, expected) => {
    expect(threadLines([episode()], kind).text).toMatch(expected);
  });
});

describe("the picture of an entity", () => {
  it("keeps the newest point, has few enough for a phone, and says times in the alert's zone", () => {
    const [picture] = chartOf(history, "Asia/Tokyo");
    const { chart } = picture as unknown as { chart: { axis_config: { categories: string[] } } };
    expect(chart.axis_config.categories).toHaveLength(12);
    expect(chart.axis_config.categories.at(-1)).toBe("17:45");
    const long = [figures({ at: now - 50 * hour }), figures()];
    expect(chartWords(long, "UTC")[0]).toMatch(/^Mentions from 18 Nov, 07:00 to 20 Nov, 09:00 \(UTC\): 31, 31$/);
  });

  it("of what has just come up sets it beside what is usual", () => {
    const [picture] = chartOf([figures()], "UTC");
    expect(picture).toMatchObject({
      chart: {
        type: "bar",
        series: [
          {
            data: [
              { label: "Usually", value: 7 },
              { label: "Now", value: 31 },
            ],
          },
        ],
      },
    });
  });

  it("is none where there is nothing to compare", () => {
    expect(chartOf([], "UTC")).toEqual([]);
    expect(chartOf([{ at: now, mentions: 5 }], "UTC")).toEqual([]);
    expect(chartWords([figures()], "UTC")).toEqual([]);
  });
});
