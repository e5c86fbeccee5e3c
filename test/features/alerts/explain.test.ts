import { describe, expect, it } from "vitest";

import type { Alert } from "../../../src/features/alerts/alert.ts";
import { alerts } from "../../../src/features/alerts/commands.ts";
import { explanationView } from "../../../src/features/alerts/explain.ts";
import type { Incident } from "../../../src/features/alerts/incident.ts";
import type { Sample } from "../../../src/features/alerts/samples.ts";
import { answerOf, hintOf, wordsOf } from "../../support/answers.ts";
import { article, asking, now } from "../../support/builders.ts";
import { desk as postingDesk } from "./desk.ts";
import { alert, hour, incident, minute, sample, trend } from "./setting.ts";
import { desk, deskWith, saved, say } from "./talk.ts";
import { slackRefuses } from "../slack-limits.ts";

const subject = { entity: "company|basf", name: "BASF", type: "Company" };

interface Asked {
  about?: Partial<Alert>;
  seen?: Sample | undefined;
  of?: typeof subject;
}

const question = ({ about = {}, seen = sample(now, [trend("BASF")]), of = subject }: Asked = {}) => ({
  alert: alert({ options: { ticks: 1 }, last: { at: now, open: 0 }, ...about }),
  subject: of,
  sample: seen,
  now,
});

const figures = { at: now, mentions: 12, average: 4, score: 4 };
const basf = (about: Partial<Incident> = {}) => incident({ ...subject, notified: figures, peak: figures, ...about });
const once = basf({ state: "pending", streak: 1, notified: undefined });
const found = (about: Partial<Incident> = {}) => ({ about: { incidents: [basf(about)] } });
const options = (about: Alert["options"]) => ({ about: { options: { ticks: 1, ...about } } });

describe("why an alert does not report an entity", () => {
  it("is nothing where it passes everything", () => {
    expect(explanationView(question()).text).toMatch(/^Alert 1 would report BASF now\n/);
  });

  const low = sample(now, [trend("BASF", { score: 1, mentions: 2, average: 2 })]);
  const bare = sample(now, [{ name: "BASF", type: "Company", mentions: 12 }]);
  const mute = { entity: subject.entity, name: "BASF", by: "U1", at: now - hour };

  it.each<[string, Asked, RegExp[]]>([
    [
      "each number",
      { seen: low },
      [/^Score: 1, needs 3\.$/, /^Mentions: 2, needs 4\.$/, /^Times the usual: 1 \(usually 2\), needs 2\.$/],
    ],
    ["figures that are not given", { seen: bare }, [/^Score: not given/, /^Times the usual: not known/]],
    ["its absence", { seen: sample(now, []) }, [/^It is not among what is trending, as of /]],
    [
      "no look",
      { seen: sample(0, []), about: { last: undefined } },
      [/has not looked yet/, /not among what is trending/],
    ],
    ["a pause", { about: { state: "paused" } }, [/^The alert is paused\.$/]],
    ["a problem", { about: { problem: "The channel is archived." } }, [/^The channel is archived\.$/]],
    ["another type", options({ type: "People" }), [/^It is not among what is watched: People\.$/]],
    ["no type of what nobody has seen", { ...options({ type: "People" }), of: { ...subject, type: "" } }, []],
    [
      "an exclusion",
      options({ exclude: ["basf"] }),
      [/^It is not among what is watched: all types, without 1 name\.$/],
    ],
    [
      "looks to come, after the first",
      { about: { options: {}, incidents: [once] } },
      [/^Looks in a row: 1, needs 2\.$/],
    ],
    ["a first look to come", { about: { watchingSince: undefined } }, [/^The next look is the first/]],
    ["an earlier report", found(), [/^It has been reported: rising since .* It is reported again from score 8\.$/]],
    [
      "it was there already",
      found({ wasThere: true }),
      [/^It was trending already when watching began .* again from score 8\.$/],
    ],
    ["rest", found({ state: "resolved" }), [/^It was reported, cooled .* and rests until .* again from score 8\.$/]],
    ["a mute", { about: { mutes: [mute] } }, [/^Muted for good, since 2026/]],
    [
      "quiet hours",
      options({ quietHours: { from: "22:00", to: "10:00" } }),
      [/^These are quiet hours, from 22:00 to 10:00 \(UTC\)\. What rises is reported afterwards\.$/],
    ],
  ])("says %s", (_, asked, expected) => {
    const message = explanationView(question(asked));
    const [, inTheWay = ""] = /^In the way\n([^]*?)(?=\nFine$|$(?![^]))/m.exec(message.text) ?? [];
    const missing = inTheWay
      .split("\n")
      .filter(Boolean)
      .map((line) => line.replace("• ", ""));
    expect(missing).toEqual(expected.map((pattern) => expect.stringMatching(pattern)));
    expect(slackRefuses(message)).toEqual([]);
  });

  it("does not call watched what may be of another type", () => {
    const unseen = { of: { ...subject, type: "" } };
    expect(explanationView(question(unseen)).text).toContain("It is among what is watched.");
    const asked = question({ ...options({ type: "People" }), ...unseen });
    expect(explanationView(asked).text).not.toContain("among what is watched");
  });

  it("comes before what is fine, in one line each, and leads to a mute", () => {
    const message = explanationView(question({ seen: low }));
    expect(message.text).toMatch(
      /^Alert 1 does not report BASF now\n[^]*In the way\n• Score: 1[^]*\nFine\n• The alert is on\./,
    );
    expect(JSON.stringify(message.blocks)).toContain("Mute");
    expect(JSON.stringify(explanationView(question({ about: { mutes: [mute] } })).blocks)).toContain("Unmute");
  });
});

describe("why an alert has reported an entity", () => {
  it("is said with the numbers of then, what has become of it, and what would be reported again", () => {
    const then = { at: now - 30 * minute, mentions: 9, average: 3, score: 3.5 };
    const message = explanationView(question({ about: { incidents: [basf({ notified: then })] } }));
    expect(message.text).toMatch(
      /^Why alert 1 reported BASF\n[^]*When it was reported, .*\n• Score: 3.5, needs 3\.\n• Mentions: 9[^]*\n• Rising since[^]*It is reported again from score 7\./,
    );
    expect(slackRefuses(message)).toEqual([]);
  });

  it("is not said where it was only found when watching began", () => {
    const { text } = explanationView(question({ about: { incidents: [basf({ wasThere: true })] } }));
    expect(text).toMatch(/^Why alert 1 follows BASF\n[^]*When it was found, /);
    expect(text).not.toMatch(/was reported,/);
  });
});

describe("alerts why-not", () => {
  it("explains every alert of the channel, in any spelling of the name", async () => {
    const to = await deskWith("company hourly");
    await say("add people hourly", to);
    const message = await say("why-not ALBA  steel", to);
    expect(wordsOf(message)).toMatch(/Alert 1 does not report Alba Steel now[^]*• Score: 1, needs 3\./);
    expect(wordsOf(message)).toContain("Alert 2 does not report Alba Steel now");
    expect(slackRefuses(message)).toEqual([]);
    expect(wordsOf(await say("why-not alba steel --alert 2", to))).not.toContain("Alert 1");
  });

  it("says of a name that has not trended what it may have been", async () => {
    const to = await deskWith("company hourly");
    const words = wordsOf(await say('why-not "Northwind"', to));
    expect(words).toContain("Alert 1 does not report Northwind now");
    expect(words).toContain("Did you mean `Northwind Energy`?");
    await say("add all hourly", to);
    expect(wordsOf(await say("why-not Volkswagen --alert 2", to))).toContain("No such name has trended lately");
  });

  it("asks for what is missing", async () => {
    const to = desk();
    expect(await hintOf(alerts, asking("why-not BASF"), to)).toMatch(/No alert comes here/);
    await say("add company hourly", to);
    expect(await hintOf(alerts, asking("why-not"), to)).toMatch(/About whom\?/);
    expect(await hintOf(alerts, asking("why-not BASF --alert 7"), to)).toMatch(/no alert 7/);
  });
});

describe("alerts test", () => {
  it("shows what would be posted now, and writes nothing down", async () => {
    const to = await deskWith("company hourly");
    const before = await saved(to);
    const message = await say("test 1", to);
    expect(wordsOf(message)).toMatch(
      /_A test: alert 1 would post it now, once it has held 2 times in a row[^]*Northwind Energy is rising/,
    );
    expect(wordsOf(message)).not.toContain("Alba Steel");
    expect(slackRefuses(message)).toEqual([]);
    expect(await saved(to)).toEqual(before);
  });

  it("says of one that is paused that it is", async () => {
    const to = await deskWith("company hourly eager");
    await say("pause 1", to);
    const words = wordsOf(await say("test 1", to));
    expect(words).toMatch(/alert 1 is paused; it would post this[^]*To resume it, type `\/alerts resume 1`\./);
  });

  it("explains the nearest where nothing would be posted", async () => {
    const to = await deskWith("person hourly quiet");
    expect((await say("test 1", to)).text).toMatch(
      /^Alert 1 would post nothing now\. The nearest is Ada Byron\.\n[^]*In the way\n[^]*• Score: 1.6, needs 5\./,
    );
    expect(await hintOf(alerts, asking("test 1"), desk([], { alerts: to.alerts }))).toMatch(
      /could not see what is trending/,
    );
  });
});

describe("a closer look at one of several that rise", () => {
  const story = article({ id: 1, title: "Why it rises", url: "https://news.example.com/1" });
  async function reported() {
    const here = postingDesk();
    here.state.articles = [story];
    await here.add();
    await here.later([trend("BASF"), trend("Shell")]);
    expect(here.titles()).toEqual(["2 are rising at once"]);
    return here.services;
  }

  it("brings its articles, with which one can go on, and which the channel was not shown for that", async () => {
    const to = await reported();
    const shown = await answerOf(alerts, asking("show BASF --alert 1", { surface: "button" }), to);
    expect(wordsOf(shown)).toContain("Why it rises");
    expect(JSON.stringify(shown.blocks)).toMatch(/about [\w-]{36} Why is BASF in the news now/);
    expect((await to.announced.known({ team: "T1", channel: "C1" }, [story])).size).toBe(0);
  });
});
